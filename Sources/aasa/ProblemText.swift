import Association

/// A problem of the API (RFC 9457) for people: a sentence, then one line per fault.
struct ProblemText {
  private let refused: Installation.Refused

  init(_ refused: Installation.Refused) { self.refused = refused }

  /// Prints the problem to stderr, and its JSON to stdout if asked to.
  func print(asJSON: Bool) throws {
    if asJSON { try Terminal.print(refused.problem.text) }
    Terminal.complain(text)
  }

  var text: String {
    "\(refused.origin.harmless): \(linesWithoutOrigin.joined(separator: "\n"))"
  }

  /// The sentence, and a line for each fault.
  var linesWithoutOrigin: [String] { ([detail] + faults).map(\.harmless) }

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
    let line = refused.files.flatMap { $0.tablePlace(of: text("domain") ?? "") }.map { "\($0): " }
    let detail = (line ?? "") + Self.asOptions(text("detail") ?? text("title") ?? "") + advice
    return refused.files == nil
      ? detail : detail.replacing("The body has ", with: "The state has ", maxReplacements: 1)
  }

  /// Names the options of a command instead of the parameters of a request. Not in messages, which quote what the user
  /// wrote.
  private static func asOptions(_ detail: String) -> String {
    asCommands(detail).replacing("?accept=", with: "--accept ").replacing(
      "?overwrite=true", with: "--overwrite"
    ).replacing("?draft=true (aasa: --draft)", with: "--draft").replacing(
      "?reason=TEXT", with: "--reason TEXT"
    ).replacing("?skip=", with: "--skip ").replacing("?detach=true", with: "--detach").replacing(
      "?everywhere=true. \"domains\" lists the first of them.", with: "--everywhere.")
  }

  /// Names commands instead of requests.
  private static func asCommands(_ text: String) -> String {
    text
      .replacing(/POST \/v1\/domains\/([^\/]+)\/detach/) {
        "run 'aasa template detach \($0.output.1)'"
      }.replacing(/GET \/v1\/findings\?domain=(\S+) lists/) {
        "'aasa findings --domain \($0.output.1)' lists"
      }.replacing(/POST \/v1\/changes\/(\d+)\/revert/) { "run 'aasa undo \($0.output.1)'" }
  }

  /// The lines for the problems that an answer lists besides what was done.
  static func lines(ofProblemsIn answer: JSON) -> [String] {
    faults(
      of: ["problems": answer["problems"] ?? [], "moreProblems": answer["moreProblems"] ?? .null],
      nil
    )
    .map(\.harmless)
  }

  /// A line for each fault.
  var faults: [String] { Self.faults(of: refused.problem, refused.files) }

  private static func faults(of problem: JSON, _ files: DesiredFiles?) -> [String] {
    let list = { (key: String) in problem[key]?.arrayValue ?? [] }
    let domain = problem["domain"]?.stringValue
    let subject = domain.map { files?.tablePlace(of: $0) ?? $0 }
    let errors = list("errors").map { error in
      // The pointer is into the document of the domain or, without a domain, into the request.
      let pointer = error["pointer"]?.stringValue ?? ""
      let words = [
        subject.map { pointer.isEmpty ? $0 : "\($0) \(pointer)" } ?? files?.place(of: error)
          ?? pointer,
        error["code"]?.stringValue,
        error["message"]?.stringValue.map(asCommands),
      ]
      return withPlaces(
        "  " + words.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": "))
    }
    let expectations = list("expectations").map { "  \(expectation($0, of: domain ?? ""))" }
    let problems = grouped(list("problems")).flatMap { problem, others in
      let place =
        files?.tablePlace(of: problem["domain"]?.stringValue ?? "").map { "\($0): " } ?? ""
      let detail = asOptions(problem["detail"]?.stringValue ?? "")
      return ["  \(place)\(detail)\(same(for: others))"]
        + faults(of: problem, files).map { "  \($0)" }
    }
    let more = { (key: String) in problem[key]?.integerValue.map { ["  and \($0) more"] } ?? [] }
    let conflicts = list("conflicts").flatMap(conflict)
    let detail = problem["detail"]?.stringValue ?? ""
    let differences = list("differences").compactMap(\.stringValue)
      .filter { !detail.contains($0) }.map { "  \($0)" }
    return differences + errors + more("moreErrors") + expectations + more("moreExpectations")
      + problems
      + more("moreProblems") + conflicts + more("moreConflicts") + claims(problem, files)
  }

  /// Problems that say the same of several domains, each once with the other domains.
  private static func grouped(_ problems: [JSON]) -> [(problem: JSON, others: [String])] {
    var groups: [(problem: JSON, others: [String])] = []
    var places: [String: Int] = [:]
    for problem in problems {
      guard let domain = problem["domain"]?.stringValue, var object = problem.objectValue,
        let detail = problem["detail"]?.stringValue
      else {
        groups.append((problem, []))
        continue
      }
      object["domain"] = nil
      object["detail"] = .string(detail.replacing(domain, with: ""))
      let general = JSON.object(object).text
      if let place = places[general] {
        groups[place].others.append(domain)
      } else {
        places[general] = groups.count
        groups.append((problem, []))
      }
    }
    return groups
  }

  /// `" The same holds for b.example, c.example and 3 more."`
  private static func same(for domains: [String]) -> String {
    if domains.isEmpty { return "" }
    let more = domains.count > 20 ? " and \(domains.count - 20) more" : ""
    return " The same holds for \(domains.prefix(20).joined(separator: ", "))\(more)."
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
    let base = number("baseRevision") ?? "?"
    return [
      "  \(text("domain")): \(text("author").quoted) published revision \(number("revision") ?? "?"), but "
        + "\(expected). Applying it would undo:"
    ] + undone.prefix(20).map { "    \($0)" } + more
      + side("The state changes since revision \(base):", json["stateChanges"])
      + side("Others have changed since revision \(base):", json["otherChanges"])
  }

  private static func side(_ heading: String, _ changes: JSON?) -> [String] {
    guard let changes = changes?.arrayValue?.compactMap(\.stringValue) else { return [] }
    let more = changes.count > 20 ? ["      and \(changes.count - 20) more"] : []
    return ["    \(heading)"]
      + (changes.isEmpty ? ["nothing"] : changes.prefix(20)).map { "      \($0)" }
      + more
  }

  /// The two files that claim one name.
  private static func claims(_ problem: JSON, _ files: DesiredFiles?) -> [String] {
    guard let claimed = problem["name"]?.stringValue,
      let one = problem["domain"]?.stringValue.flatMap({ files?.file(of: $0) }),
      let other = problem["claimant"]?.stringValue.flatMap({ files?.file(of: $0) }), one != other
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

/// The findings of files for people: those of one file below its line, and once those that several have.
struct FindingGroups {
  private struct Group {
    /// The first finding.
    let line: String
    var count = 0
    var files: [String] = []
  }

  private var files: [(line: String, groups: [Int])] = []
  private var groups: [Group] = []
  private var indices: [String: Int] = [:]
  private static let mostNamed = 5

  /// - Parameters:
  ///   - line: What is said of the file.
  ///   - file: The file, for a finding of several.
  ///   - domain: The domain that sentences may name.
  mutating func add(_ findings: [JSON], of line: String, _ file: String, about domain: String) {
    var own: [Int] = []
    for finding in findings {
      var general = finding.objectValue ?? [:]
      general["pointer"] = nil
      let text = JSON.object(general).text
      let key = domain.isEmpty ? text : text.replacing(domain, with: "")
      let index = indices[key] ?? groups.count
      if index == groups.count {
        indices[key] = index
        groups.append(Group(line: FindingLines.line(finding)))
      }
      if !own.contains(index) { own.append(index) }
      groups[index].count += 1
      if groups[index].files.last != file { groups[index].files.append(file) }
    }
    files.append((line, own))
  }

  var lines: [String] {
    var lines: [String] = []
    for file in files {
      lines.append(file.line)
      for group in file.groups.map({ groups[$0] }) where group.files.count == 1 {
        let more = group.count - 1
        lines.append(
          "  \(group.line)" + (more == 0 ? "" : " (and at \(more.counted("other place")))"))
      }
    }
    for group in groups where group.files.count > 1 {
      let named = group.files.prefix(Self.mostNamed).joined(separator: ", ")
      let more = group.files.count - Self.mostNamed
      let files = "\(named)\(more > 0 ? " and \(more) more" : "")".harmless
      lines.append("  In \(group.files.count) files (\(files)): \(group.line)")
    }
    return lines
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
