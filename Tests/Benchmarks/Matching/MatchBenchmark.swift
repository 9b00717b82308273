import Association
import Foundation
import JSONValue

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
    for workload in [corpus, .thousandRoutes, .variables] { measure(workload) }
    print()
    measureAdversaries()
  }

  private static func measure(_ workload: Workload) {
    let matchers = workload.items.map { (Matcher($0.links), $0.urls) }
    let split = workload.items.map { $0.urls.map(SplitURL.init) }
    let expressions = workload.items.map { TranslatedDocument(regularExpressions: $0.links) }
    let patterns = workload.items.map { TranslatedDocument(filePatterns: $0.links) }
    var outcomes: [[Resolution]] = [[], [], []]
    let rates = Measurement.rates([
      {
        outcomes[0].removeAll(keepingCapacity: true)
        for (matcher, urls) in matchers {
          let scope = matcher.everyEntry
          for url in urls { outcomes[0].append(matcher.resolve(url, in: scope).resolution) }
        }
      },
      { outcomes[1] = zip(expressions, split).flatMap { $1.map($0.resolve) } },
      { outcomes[2] = zip(patterns, split).flatMap { $1.map($0.resolve) } },
    ]).map { $0 * Double(workload.resolutions) }
    let matches = outcomes[0].count { $0 != .noMatch }
    print(
      "| \(workload.name); \(workload.resolutions) URLs, of which \(matches) meet a route",
      number(rates[0]), "\(number(rates[1])) (1 : \(ratio(rates[0] / rates[1])))",
      "\(number(rates[2])) (1 : \(ratio(rates[0] / rates[2]))) |", separator: " | ")
    if outcomes[1] != outcomes[0] || outcomes[2] != outcomes[0] {
      let differ = zip(outcomes[0], zip(outcomes[1], outcomes[2])).count {
        $0 != $1.0 || $0 != $1.1
      }
      print("differs for \(differ) URLs")
    }
  }

  /// How long a path each way resolves within half a second, and how fast ours is with 10,000
  /// characters.
  private static func measureAdversaries() {
    print("| one pattern against a path of `a` | aasa | NSRegularExpression | fnmatch |")
    print("|---|---|---|---|")
    let values = (0..<600).map { "a\($0)" } + ["a", "aa"]
    for (name, pattern) in [
      ("`*a` 10 times, `*b`", String(repeating: "*a", count: 10) + "*b"),
      ("a variable with 602 values 10 times, `b`", String(repeating: "$(v)", count: 10) + "b"),
    ] {
      let links = AppLinks(document: [
        "applinks": [
          "substitutionVariables": ["v": .strings(values)],
          "details": [["appID": "a", "components": [["/": .string(pattern)]]]],
        ]
      ])
      let matcher = Matcher(links)
      let expressions = TranslatedDocument(regularExpressions: links)
      let patterns = TranslatedDocument(filePatterns: links)
      let cells = [
        longest { _ = matcher.resolve(url($0), in: matcher.everyEntry) },
        longest { _ = expressions.resolve(SplitURL(url($0))) },
        longest { _ = patterns.resolve(SplitURL(url($0))) },
      ]
      print("| \(name)", cells.joined(separator: " | "), separator: " | ", terminator: " |\n")
    }
  }

  private static func url(_ count: Int) -> String {
    "https://example.com/" + String(repeating: "a", count: count)
  }

  private static func longest(_ work: (Int) -> Void) -> String {
    var count = 10
    while true {
      let seconds = Measurement.seconds { work(count) }
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
