import Service
import Association
import JSONValue

/// `aasa match`
enum MatchCommand {
  private static let file = Option("--file", "FILE", "The association file. Use - for stdin.")
    .required
  private static let app = Option(
    "--app", "APP", "Resolve for this app only, such as ABCDE12345.com.example.app.")
  private static let domain = Option(
    "--domain", "DOMAIN", "The domain that serves the file; URLs of other hosts do not match.")
  private static let explain = Option(
    "--explain", nil, "Add the deciding route and the reason to each line.")

  static let command = Command(
    name: "match", group: .files, summary: "show which app each URL opens",
    details: "Prints one line per URL and app, separated by tabs: match, blocked (an exclusion "
      + "decided) or no-match, the app, the URL. The URL - reads URLs from stdin, one per line.",
    options: [file, app, domain, explain, .json], operands: .many("URL"),
    examples: [
      (
        "Ask about a link",
        "aasa match --file apple-app-site-association --explain https://example.com/buy/1"
      ),
      ("Ask about many links", "aasa match --file apple-app-site-association - < urls.txt"),
    ],
    success: "every URL opens an app", failure: "a URL opens no app", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let file = try arguments.required(file)
    if file == "-" && arguments.operands.contains("-") {
      throw UsageError("The file and the URLs cannot both come from stdin.")
    }
    var matching = try Matching(arguments, file)
    for operand in arguments.operands {
      if operand == "-" {
        try InputFile.lines(beforeWaiting: { try matching.flush() }, { try matching.match($0) })
      } else {
        try matching.match(Array(operand.utf8)[...])
      }
    }
    try matching.flush()
    return matching.isEveryURLMatched ? .success : .failure
  }

  /// Resolves URLs one after another and writes a line per URL and app.
  private struct Matching {
    /// Whether each URL so far opens an app.
    private(set) var isEveryURLMatched = true

    private let matcher: Matcher
    private let scopes: [Matcher.Scope]
    private let domain: String?
    private let isExplained: Bool
    private let isJSON: Bool
    private var output: [UInt8] = []

    init(_ arguments: Arguments, _ file: String) throws {
      let bytes = try InputFile.bytes(of: file)
      do {
        matcher = try Matcher(document: try JSON.parse(bytes).value)
      } catch let error as TooComplex {
        throw Failure("\(file.quotedPath) is too complex. \(error) \(error.help)")
      } catch {
        throw Failure("\(file.quotedPath) is not JSON: \(error).")
      }
      scopes = matcher.scopes(asking: arguments.value(app))
      domain = try arguments.value(MatchCommand.domain).map { try DomainName($0).text }
      isJSON = arguments.has(.json)
      isExplained = arguments.has(explain)
    }

    /// Resolves a URL, which is written unchanged; `nil` stands for a line that is too long for one.
    mutating func match(_ url: ArraySlice<UInt8>?) throws {
      guard let url else {
        isEveryURLMatched = false
        Terminal.complain("Skipped a line over \(InputFile.lineLimit) bytes: it is not a URL.")
        return
      }
      do throws(TooComplex) {
        let isMatched = try write(url)
        isEveryURLMatched = isEveryURLMatched && isMatched
      } catch {
        isEveryURLMatched = false
        Terminal.complain("\(error) \(error.help)")
      }
      if output.count > 65_536 { try flush() }
    }

    /// Writes a line per app. Returns whether an app opens the URL.
    private mutating func write(_ url: ArraySlice<UInt8>) throws(TooComplex) -> Bool {
      var isMatched = false
      var budget = MatchingBudget()
      for scope in scopes {
        let explanation =
          isJSON || isExplained
          ? try matcher.explain(url.span, in: scope, domain: domain, budget: &budget) : nil
        let resolution =
          if let explanation {
            explanation.resolution
          } else {
            try matcher.resolve(url.span, in: scope, domain: domain, budget: &budget).resolution
          }
        isMatched = isMatched || resolution == .match
        if isJSON, let explanation {
          let text = String(decoding: url, as: UTF8.self)
          output += MatchResult(url: text, explanation: explanation).json.serialized()
        } else {
          output += "\(resolution.rawValue)\t\(scope.app ?? "-")\t".utf8
          output += url
          if let explanation {
            output += "\t\(explanation.route?.description ?? "-")\t\(explanation.reason)".utf8
          }
        }
        output.append(UInt8(ascii: "\n"))
      }
      return isMatched
    }

    mutating func flush() throws {
      try Terminal.write(output)
      output.removeAll(keepingCapacity: true)
    }
  }
}
