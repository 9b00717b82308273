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
        try matching.match(Array(operand.utf8)[...])
        continue
      }
      let lines = InputLines()
      while let line = try lines.next(beforeWaiting: { try matching.flush() }) {
        switch line {
        case .bytes(let url): try matching.match(url)
        case .tooLong: matching.passOver()
        }
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

    /// Resolves a URL, whose bytes are written as they came.
    mutating func match(_ url: ArraySlice<UInt8>) throws {
      var isMatched = false
      for scope in scopes {
        let resolution = matcher.resolve(url.span, in: scope, domain: domain).resolution
        if style == .json {
          let explanation = matcher.explain(url.span, in: scope, domain: domain)
          let text = String(decoding: url, as: UTF8.self)
          output += MatchResult(url: text, explanation: explanation).json.serialized()
        } else {
          output += "\(resolution.rawValue)\t\(scope.app ?? "-")\t".utf8
          output += url
        }
        if style == .explained {
          let explanation = matcher.explain(url.span, in: scope, domain: domain)
          output += "\t\(explanation.route?.description ?? "-")\t\(explanation.reason)".utf8
        }
        output.append(UInt8(ascii: "\n"))
        isMatched = isMatched || resolution == .match
      }
      isEveryURLMatched = isEveryURLMatched && isMatched
      if output.count > 65_536 { try flush() }
    }

    /// Says that a line is no URL.
    mutating func passOver() {
      isEveryURLMatched = false
      Terminal.complain(
        "A line of more than \(InputLines.limit) bytes is passed over; it is no URL.")
    }

    mutating func flush() throws {
      try Terminal.write(output)
      output.removeAll(keepingCapacity: true)
    }
  }
}
