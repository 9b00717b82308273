import Association
import Foundation

/// Resolutions per second, beside a straightforward translation to Foundation's regular expressions
/// and to the C library's `fnmatch`. Prints a table in Markdown.
@main
struct MatchBenchmark {
  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      FileHandle.standardError.write(
        Data("usage: MatchBenchmark FOLDER-OF-ASSOCIATION-FILES\n".utf8))
      exit(64)
    }
    let corpus = try Workload.corpus(URL(filePath: CommandLine.arguments[1]))
    print("| documents and URLs | aasa, resolutions/s | NSRegularExpression | fnmatch |")
    print("|---|---|---|---|")
    for workload in [corpus, .thousandRoutes, .variables] { try measure(workload) }
    print()
    try measureAdversaries()
    print()
    LintMeasurement.run()
  }

  private static func measure(_ workload: Workload) throws {
    let matchers = try workload.items.map { (try Matcher($0.links), $0.urls) }
    let split = workload.items.map { $0.urls.map(SplitURL.init) }
    let expressions = workload.items.map { TranslatedDocument(regularExpressions: $0.links) }
    let patterns = workload.items.map { TranslatedDocument(filePatterns: $0.links) }
    let rates = try Measurement.rates([
      {
        try matchers.reduce(0) { count, item in
          let scope = item.0.everyEntry
          return try count + item.1.count { try item.0.resolve($0, in: scope).resolution == .match }
        }
      },
      { zip(expressions, split).reduce(0) { $0 + $1.0.matches(among: $1.1) } },
      { zip(patterns, split).reduce(0) { $0 + $1.0.matches(among: $1.1) } },
    ]).map { $0 * Double(workload.resolutions) }
    let outcomes = try matchers.map { matcher, urls in
      try urls.map { try matcher.resolve($0, in: matcher.everyEntry).resolution }
    }
    let met = outcomes.joined().count { $0 != .noMatch }
    print(
      "| \(workload.name); \(workload.resolutions) URLs, of which \(met) meet a route",
      number(rates[0]), "\(number(rates[1])) (1 : \(ratio(rates[0] / rates[1])))",
      "\(number(rates[2])) (1 : \(ratio(rates[0] / rates[2]))) |", separator: " | ")
    let others = [
      zip(expressions, split).map { $1.map($0.resolve) },
      zip(patterns, split).map { $1.map($0.resolve) },
    ]
    if others != [outcomes, outcomes] { print("The outcomes differ.") }
  }

  /// How long a path each way resolves within half a second, and how fast ours is with 10,000
  /// characters.
  private static func measureAdversaries() throws {
    print("| one pattern against a path of `a` | aasa | NSRegularExpression | fnmatch |")
    print("|---|---|---|---|")
    let values = (0..<600).map { "a\($0)" } + ["a", "aa"]
    for (name, pattern) in [
      ("`*a` 10 times, `*b*`", String(repeating: "*a", count: 10) + "*b*"),
      (
        "`*` and a variable with 602 values, 5 times, `*b`",
        String(repeating: "*$(v)", count: 5) + "*b"
      ),
    ] {
      let links = AppLinks(document: [
        "applinks": [
          "substitutionVariables": ["v": .strings(values)],
          "details": [["appID": "a", "components": [["/": .string(pattern)]]]],
        ]
      ])
      let matcher = try Matcher(links)
      let expressions = TranslatedDocument(regularExpressions: links)
      let patterns = TranslatedDocument(filePatterns: links)
      let cells = [
        try longest { _ = try matcher.resolve($0, in: matcher.everyEntry) },
        longest { _ = expressions.resolve(SplitURL($0)) },
        longest { _ = patterns.resolve(SplitURL($0)) },
      ]
      print("| \(name)", cells.joined(separator: " | "), separator: " | ", terminator: " |\n")
    }
  }

  /// The first length that takes more than half a second, or 10,000 characters.
  private static func longest(_ work: (String) throws -> Void) rethrows -> String {
    var count = 10
    while true {
      let url = "https://example.com/" + String(repeating: "a", count: count)
      let seconds = try Measurement.seconds { try work(url) }
      if seconds > 0.5 || count >= 10_000 {
        return "\(count) characters: \(String(format: "%.3f", seconds * 1_000)) ms"
      }
      count = min(10_000, count + max(2, count / 8))
    }
  }

  private static func number(_ value: Double) -> String {
    let digits = String(Int(value))
    return String(
      digits.reversed().enumerated().flatMap { $0 > 0 && $0 % 3 == 0 ? [",", $1] : [$1] }.reversed()
    )
  }

  private static func ratio(_ value: Double) -> String {
    String(format: value < 20 ? "%.1f" : "%.0f", value)
  }
}

extension Matcher {
  /// Resolves a URL with a budget of its own.
  fileprivate func resolve(_ url: String, in scope: Scope) throws(TooComplex) -> Decision {
    var budget = MatchingBudget()
    return try resolve(url.utf8.span, in: scope, budget: &budget)
  }
}
