import Association
import JSONValue

/// `aasa match`
enum MatchCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(
      words, options: ["--file", "--app", "--domain"], flags: ["--explain", "--json"])
    guard !arguments.operands.isEmpty else {
      throw Arguments.Wrong(message: "match needs a URL, or - to read URLs from stdin.")
    }
    let file = try arguments.required("--file")
    var matching = try Matching(arguments, file: try Input.bytes(of: file))
    for operand in arguments.operands {
      guard operand == "-" else {
        matching.match(operand)
        continue
      }
      if file == "-" { throw Arguments.Wrong(message: "Only one of file and URLs can be stdin.") }
      let lines = InputLines()
      while let line = try lines.next(beforeWaiting: { matching.flush() }) { matching.match(line) }
    }
    matching.flush()
    return matching.isEveryURLMatched ? .fine : .no
  }

  /// Resolves URLs one after another and writes a line a URL and app.
  private struct Matching {
    /// Whether each URL so far opens an app.
    private(set) var isEveryURLMatched = true

    private let matcher: Matcher
    private let scopes: [Matcher.Scope]
    private let domain: String?
    private let style: Style
    private var output: [UInt8] = []

    private enum Style {
      case plain, explained, json
    }

    init(_ arguments: Arguments, file: [UInt8]) throws {
      matcher = Matcher(document: try JSON.parse(file).value)
      scopes = matcher.scopes(asking: arguments.value("--app"))
      domain = try arguments.value("--domain").map { try DomainName($0).text }
      style = arguments.has("--json") ? .json : arguments.has("--explain") ? .explained : .plain
    }

    mutating func match(_ url: String) {
      var isMatched = false
      for scope in scopes {
        let resolution: Resolution
        switch style {
        case .plain:
          resolution = matcher.resolve(url, in: scope, domain: domain).resolution
          append([resolution.rawValue, scope.app ?? "-", url])
        case .explained:
          let explanation = matcher.explain(url, in: scope, domain: domain)
          resolution = explanation.resolution
          append([
            resolution.rawValue, scope.app ?? "-", url, explanation.route?.description ?? "-",
            explanation.reason,
          ])
        case .json:
          let explanation = matcher.explain(url, in: scope, domain: domain)
          resolution = explanation.resolution
          append([MatchResult(url: url, explanation: explanation).json.text])
        }
        isMatched = isMatched || resolution == .match
      }
      isEveryURLMatched = isEveryURLMatched && isMatched
    }

    private mutating func append(_ columns: [String]) {
      output += columns.joined(separator: "\t").utf8
      output.append(UInt8(ascii: "\n"))
      if output.count > 65_536 { flush() }
    }

    mutating func flush() {
      Terminal.write(output)
      output.removeAll(keepingCapacity: true)
    }
  }
}
