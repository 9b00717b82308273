import Association

/// A problem of the API (RFC 9457) for people: a sentence, then one line per fault.
struct ProblemText {
  private let refused: Installation.Refused

  init(_ refused: Installation.Refused) { self.refused = refused }

  /// Prints the problem to stderr, and its JSON to stdout if asked to.
  func print(asJSON: Bool) throws {
    if asJSON { try Terminal.print(refused.problem.text) }
    let lines = ["\(refused.origin): \(detail)"] + faults
    Terminal.complain(lines.map(\.harmless).joined(separator: "\n"))
  }

  /// A text with pointers to entries and routes of Apple's file in words: "route 1 of entry 1".
  static func withPlaces(_ text: String) -> String {
    text.replacing(
      /(?:route )?\/applinks\/details\/(\d{1,9})(?:\/(?:components|paths)\/(\d{1,9}))?(?:\/([^\s:]+))?/
    ) { found in
      let (_, first, second, key) = found.output
      let number = { (index: Substring) in (Int(index) ?? 0) + 1 }
      let entry = "entry \(number(first))"
      let name = key.map {
        " (\"\($0.replacing("~1", with: "/").replacing("~0", with: "~"))\")"
      }
      return (second.map { "route \(number($0)) of \(entry)" } ?? entry) + (name ?? "")
    }
  }

  /// What went wrong, and what to do.
  var detail: String {
    let text = { refused.problem[$0]?.stringValue }
    let advice = refused.retryAfter.map { " Wait at least \($0.counted("second"))." } ?? ""
    let detail = Self.asOptions(text("detail") ?? text("title") ?? "") + advice
    return refused.files == nil
      ? detail : detail.replacing("The body has ", with: "The state has ", maxReplacements: 1)
  }

  /// Names the options of a command instead of the parameters of a request.
  private static func asOptions(_ detail: String) -> String {
    detail.replacing("?accept=", with: "--accept ").replacing(
      "?overwrite=true", with: "--overwrite")
  }

  /// A line for each fault.
  var faults: [String] { Self.faults(of: refused.problem, refused.files) }

  private static func faults(of problem: JSON, _ files: DesiredFiles?) -> [String] {
    let list = { (key: String) in problem[key]?.arrayValue ?? [] }
    let domain = problem["domain"]?.stringValue
    let errors = list("errors").map { error in
      // The pointer is into the document of the domain or, without a domain, into the request.
      let pointer = error["pointer"]?.stringValue ?? ""
      let words = [
        domain.map { pointer.isEmpty ? $0 : "\($0) \(pointer)" } ?? files?.place(of: error)
          ?? pointer,
        error["code"]?.stringValue,
        error["message"]?.stringValue,
      ]
      return withPlaces(
        "  " + words.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": "))
    }
    let expectations = list("expectations").map { "  \(expectation($0, of: domain ?? ""))" }
    let problems = list("problems").flatMap { problem in
      ["  \(asOptions(problem["detail"]?.stringValue ?? ""))"]
        + faults(of: problem, files).map { "  \($0)" }
    }
    let more = { (key: String) in problem[key]?.integerValue.map { ["  and \($0) more"] } ?? [] }
    let conflicts = list("conflicts").flatMap(conflict)
    return errors + more("moreErrors") + expectations + more("moreExpectations") + problems
      + more("moreProblems") + conflicts + more("moreConflicts") + claims(problem, files)
  }

  /// A domain that others have changed, and what would be undone.
  private static func conflict(_ json: JSON) -> [String] {
    let text = { json[$0]?.stringValue ?? "" }
    let number = { json[$0]?.integerValue.map(String.init) }
    let expected =
      number("stateRevision").map { "the state is based on revision \($0)" }
      ?? "the state names no revision"
    let undone = (json["undone"]?.arrayValue ?? []).compactMap(\.stringValue)
    if json["deleted"] == true {
      return [
        "  \(text("domain")): deleted after the state was exported. Applying it would create the domain again."
      ]
    }
    let more = undone.count > 20 ? ["    and \(undone.count - 20) more"] : []
    return [
      "  \(text("domain")): \(text("author").quoted) published revision \(number("revision") ?? "?"), but "
        + "\(expected). Applying it would undo:"
    ] + undone.prefix(20).map { "    \($0)" } + more
  }

  /// The two files that claim one name.
  private static func claims(_ problem: JSON, _ files: DesiredFiles?) -> [String] {
    guard let claimed = problem["name"]?.stringValue,
      let one = problem["domain"]?.stringValue.flatMap({ files?.file(of: $0) }),
      let other = problem["claimant"]?.stringValue.flatMap({ files?.file(of: $0) })
    else { return [] }
    return ["  \(one) and \(other) both claim \(claimed)."]
  }

  private static func expectation(_ json: JSON, of domain: String) -> String {
    let text = { json[$0]?.stringValue ?? "" }
    let route = json["pointer"]?.stringValue.map { " by \($0)" } ?? ""
    return "\(domain) \(text("url")) for \(text("app")): expected \(text("expected")), "
      + withPlaces("would be \(text("resolution"))\(route). \(text("reason"))")
  }
}

/// Findings for people, one line each.
enum FindingLines {
  /// Errors come first, then warnings, then notes.
  static func complain(_ findings: [JSON]) {
    for severity in Finding.Severity.allCases.reversed() {
      for finding in findings where finding["severity"]?.stringValue == severity.rawValue {
        Terminal.complain(line(finding))
      }
    }
  }

  /// `2 warnings, 1 note`; `nil` if there are none.
  static func counts(_ findings: [JSON]) -> String? {
    let parts = Finding.Severity.allCases.reversed().compactMap { severity in
      let count = findings.count { $0["severity"]?.stringValue == severity.rawValue }
      return count == 0 ? nil : count.counted(severity.rawValue)
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// `error wrong-type /applinks/details: what happens. What to do.`
  static func line(_ finding: JSON) -> String {
    let text = { finding[$0]?.stringValue ?? "" }
    let place = text("pointer").isEmpty ? "(the whole file)" : text("pointer")
    let sentences = [text("message"), text("help")].filter { !$0.isEmpty }
    return "\(text("severity")) \(text("code")) \(place): \(sentences.joined(separator: " "))"
      .harmless
  }
}
