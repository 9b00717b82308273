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
    if file == "-" && arguments.operands.contains("-") {
      throw Arguments.Wrong(message: "Only one of file and URLs can be stdin.")
    }
    var matching = try Matching(arguments, file: try Input.bytes(of: file))
    for operand in arguments.operands {
      guard operand == "-" else {
        try matching.match(operand)
        continue
      }
      let lines = InputLines()
      while let line = try lines.next(beforeWaiting: { try matching.flush() }) {
        try matching.match(line)
      }
    }
    try matching.flush()
    return matching.isEveryURLMatched ? .fine : .no
  }

  /// A file that is not JSON, as a sentence.
  private struct NotJSON: Error, CustomStringConvertible {
    let file: String
    let error: JSON.SyntaxError
    var description: String { "“\(file)” is not JSON: \(error)." }
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
      do throws(JSON.SyntaxError) {
        matcher = Matcher(document: try JSON.parse(file).value)
      } catch {
        throw NotJSON(file: try arguments.required("--file"), error: error)
      }
      scopes = matcher.scopes(asking: arguments.value("--app"))
      domain = try arguments.value("--domain").map { try DomainName($0).text }
      style = arguments.has("--json") ? .json : arguments.has("--explain") ? .explained : .plain
    }

    mutating func match(_ url: String) throws {
      var isMatched = false
      for scope in scopes {
        let resolution: Resolution
        switch style {
        case .plain:
          resolution = matcher.resolve(url, in: scope, domain: domain).resolution
          try append([resolution.rawValue, scope.app ?? "-", url])
        case .explained:
          let explanation = matcher.explain(url, in: scope, domain: domain)
          resolution = explanation.resolution
          try append([
            resolution.rawValue, scope.app ?? "-", url, explanation.route?.description ?? "-",
            explanation.reason,
          ])
        case .json:
          let explanation = matcher.explain(url, in: scope, domain: domain)
          resolution = explanation.resolution
          try append([MatchResult(url: url, explanation: explanation).json.text])
        }
        isMatched = isMatched || resolution == .match
      }
      isEveryURLMatched = isEveryURLMatched && isMatched
    }

    private mutating func append(_ columns: [String]) throws {
      output += columns.joined(separator: "\t").utf8
      output.append(UInt8(ascii: "\n"))
      if output.count > 65_536 { try flush() }
    }

    mutating func flush() throws {
      try Terminal.write(output)
      output.removeAll(keepingCapacity: true)
    }
  }
}
