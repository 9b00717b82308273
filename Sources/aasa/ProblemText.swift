import Association
import JSONValue

/// A problem of the API (RFC 9457) for people: a sentence, then one line per fault.
struct ProblemText {
  private let problem: JSON
  private let retryAfter: Int?
  private let origin: String
  private let place: (String) -> String

  /// - Parameters:
  ///   - origin: The path or URL that the problem comes from.
  ///   - place: Translates a pointer into the request to a place that the user knows.
  init(
    _ refused: Installation.Refused, from origin: String,
    place: @escaping (String) -> String = { $0 }
  ) {
    problem = refused.problem
    retryAfter = refused.retryAfter
    self.origin = origin
    self.place = place
  }

  /// Prints the problem to stderr, and its JSON to stdout if asked to.
  func print(asJSON: Bool = false) throws {
    if asJSON { try Terminal.print(problem.text) }
    let text = { problem[$0]?.stringValue }
    let advice = retryAfter.map { " Wait at least \($0.counted("second"))." } ?? ""
    let detail = (text("detail") ?? text("title") ?? "") + advice
    let lines = ["\(origin): \(detail)"] + Self.faults(of: problem, place)
    Terminal.complain(lines.map(\.harmless).joined(separator: "\n"))
  }

  private static func faults(of problem: JSON, _ place: (String) -> String) -> [String] {
    let list = { (key: String) in problem[key]?.arrayValue ?? [] }
    let domain = problem["domain"]?.stringValue
    let errors = list("errors").map { error in
      // The pointer is into the document of the domain or, without a domain, into the request.
      let pointer = error["pointer"]?.stringValue ?? ""
      let words = [
        domain.map { pointer.isEmpty ? $0 : "\($0) \(pointer)" } ?? place(pointer),
        error["code"]?.stringValue,
        error["message"]?.stringValue,
      ]
      return "  " + words.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    }
    let expectations = list("expectations").map { "  \(expectation($0, of: domain ?? ""))" }
    let problems = list("problems").flatMap { problem in
      ["  \(problem["detail"]?.stringValue ?? "")"] + faults(of: problem, place).map { "  \($0)" }
    }
    let more = { (key: String) in problem[key]?.integerValue.map { ["  and \($0) more"] } ?? [] }
    return errors + more("moreErrors") + expectations + more("moreExpectations") + problems
      + more("moreProblems")
  }

  private static func expectation(_ json: JSON, of domain: String) -> String {
    let text = { json[$0]?.stringValue ?? "" }
    let route = json["pointer"]?.stringValue.map { " by \($0)" } ?? ""
    return "\(domain) \(text("url")) for \(text("app")): expected \(text("expected")), "
      + "would be \(text("resolution"))\(route). \(text("reason"))"
  }
}

/// Findings for people, one line each.
enum FindingLines {
  /// Errors come first, then warnings, then notes.
  static func complain(_ findings: [Finding]) {
    for severity in Finding.Severity.allCases.reversed() {
      for finding in findings where finding.severity == severity {
        Terminal.complain(line(finding))
      }
    }
  }

  /// `error wrong-type /applinks/details: what happens. What to do.`
  static func line(_ finding: Finding) -> String {
    let place = finding.pointer == .root ? "(the whole file)" : finding.pointer.description
    return "\(finding.severity.rawValue) \(finding.code.rawValue) \(place): \(finding.message) "
      + finding.help
  }
}
