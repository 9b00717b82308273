import Service
import Association
import Publishing

/// Prints a plan as it arrives: each change with its details, then a summary; as JSON; or as a comment for a
/// pull request in Markdown.
struct PlanPrinter {
  enum Format: String {
    case text, markdown, json
  }

  /// The longest list of changes in a comment, in bytes. GitHub's limit for a comment is 65,536 characters.
  static let longestComment = 40_000
  /// The longest list of refusals in a comment, in bytes.
  static let longestRefusals = 15_000

  private let format: Format
  private let isDryRun: Bool
  private let style = TextStyle()
  /// Apps of both platforms.
  private var apps: [Plan.Action: Int] = [:]
  private var templates: [Plan.Action: Int] = [:]
  private var domains: [Plan.Action: Int] = [:]
  /// The domains that change, even if the state does not send them.
  private var changed: Set<String> = []
  /// The list of the JSON that is open.
  private var list = ""
  private var output = ""
  private var refusals: [JSON] = []
  /// The domains, templates and apps that the state leaves to others.
  private var leftOut = 0
  private var leftTemplates = 0
  private var leftApps = 0
  /// The first domains with the same details, by these, as far as they are remembered. Where a template changes, most
  /// domains change alike.
  private var firstAlike: [String: String] = [:]
  private static let mostRemembered = 100
  /// The changes in a comment, and the number of those that do not fit.
  private var comment: [String] = []
  private var commentLength = 0
  private var moreChanges = 0

  init(_ format: Format, isDryRun: Bool) {
    self.format = format
    self.isDryRun = isDryRun
  }

  var isDifferent: Bool {
    [apps, templates, domains].contains { $0.keys.contains { $0 != .unchanged } }
  }

  /// Takes a step of the plan.
  ///
  /// - Throws: `Failure` for a step that this version cannot read.
  mutating func add(_ part: Installation.Part) throws {
    let (kind, json) =
      switch part {
      case .app(let json): ("app", json)
      case .androidApp(let json): ("package", json)
      case .template(let json): ("template", json)
      case .domain(let json): ("domain", json)
      case .refused(let json): ("refused", json)
      }
    if kind == "refused" { return refusals.append(json) }
    let step = try Self.step(json, kind, isDryRun: isDryRun)
    if kind == "domain" {
      domains[step.action, default: 0] += 1
      if step.isLeftOut { leftOut += 1 }
      if step.action != .unchanged { changed.insert(step.name) }
    } else if kind == "template" {
      templates[step.action, default: 0] += 1
      if step.isLeftOut { leftTemplates += 1 }
    } else {
      apps[step.action, default: 0] += 1
      if step.isLeftOut { leftApps += 1 }
    }
    let words = ["app": "app ", "package": "Android app ", "template": "template "]
    let name = (words[kind] ?? "") + step.name
    switch format {
    case .json: try write(json.text, to: kind == "package" ? "androidApps" : "\(kind)s")
    case .text:
      let style = style
      let lines = alike(PlanText.lines(step, name, style), of: step, kind) {
        $0 + style.paint(", as for \($1)", .faint)
      }
      if !lines.isEmpty { try Terminal.print(lines.joined(separator: "\n")) }
    case .markdown:
      addToComment(
        alike(PlanText.diffLines(step, name), of: step, kind) {
          "\($0.dropLast(3)), as for \($1) @@"
        })
    }
  }

  /// A heading with its details, or only the heading if an earlier domain has the same ones.
  private mutating func alike(
    _ lines: [String], of step: Plan.Step, _ kind: String,
    _ heading: (_ line: String, _ first: String) -> String
  ) -> [String] {
    guard kind == "domain", (2...PlanText.mostDetails + 1).contains(lines.count) else {
      return lines
    }
    let text = lines.dropFirst().joined(separator: "\n")
    guard let details = Self.details(text, withoutName: step.name) else { return lines }
    if let first = firstAlike[details] { return [heading(lines[0], first)] }
    if firstAlike.count < Self.mostRemembered { firstAlike[details] = step.name }
    return lines
  }

  private mutating func addToComment(_ lines: [String]) {
    if lines.isEmpty { return }
    let text = lines.map { $0.harmless }.joined(separator: "\n")
    if moreChanges > 0 || commentLength + text.utf8.count > Self.longestComment {
      moreChanges += 1
    } else {
      comment.append(text)
      commentLength += text.utf8.count + 1
    }
  }

  /// Details without the domain's name; `nil` if another name contains it.
  private static func details(_ text: String, withoutName name: String) -> String? {
    func isPart(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber || $0 == "-" } ?? false
    }
    for range in text.ranges(of: name) {
      let after = text[range.upperBound...]
      let before = text[..<range.lowerBound].last
      if before == "." || isPart(before) || isPart(after.first)
        || after.first == "." && isPart(after.dropFirst().first)
      {
        return nil
      }
    }
    return text.replacing(name, with: "\0")
  }

  /// What applying the state would be refused with; `nil` for nothing.
  func refused(by installation: Installation, _ files: DesiredFiles) -> Installation.Refused? {
    guard let first = refusals.first else { return nil }
    // The last one may stand for those that are not listed.
    let more = refusals.last?["moreProblems"]?.integerValue
    let listed = more == nil ? refusals : refusals.dropLast()
    let problem: JSON =
      refusals.count == 1
      ? first
      : [
        "detail": .string(
          "Nothing was changed: the state would be refused for \(listed.count + (more ?? 0)) reasons."
        ),
        "problems": .array(listed), "moreProblems": more.map { .integer($0) } ?? .null,
      ]
    return Installation.Refused(problem: problem, origin: installation.name, files: files)
  }

  /// Prints what there is instead of a plan, if the format has a place for it.
  func printRefusal(_ refused: Installation.Refused) throws {
    if format == .markdown { try Terminal.print(markdown(refused, hasPlan: false)) }
  }

  /// Prints the end, and what would be refused.
  ///
  /// - Parameters:
  ///   - unchanged: Domains of the state that were not sent.
  ///   - change: The change that was made.
  mutating func finish(
    unchanged: [String], _ refused: Installation.Refused?, change: Int? = nil
  ) throws {
    defer {
      // For people, even if a program reads the plan.
      if let refused { Terminal.complain(ProblemText(refused).text) }
    }
    let unchanged = unchanged.filter { !changed.contains($0) }
    if format != .json {
      if !unchanged.isEmpty { domains[.unchanged, default: 0] += unchanged.count }
      return try Terminal.print(
        format == .text ? summary(isRefused: refused != nil) : markdown(refused))
    }
    for name in unchanged {
      let step: JSON = ["domain": .string(name), "action": .string(Plan.Action.unchanged.rawValue)]
      try write(step.text, to: "domains")
    }
    if list.isEmpty { open("apps") }
    if list != "domains" { open("domains") }
    for problem in refusals { try write(problem.text, to: "refused") }
    output +=
      "]" + (change.map { ",\"change\":\($0)" } ?? "") + (isDryRun ? ",\"dryRun\":true" : "")
      + "}\n"
    try Terminal.write(output)
  }

  private mutating func write(_ element: String, to name: String) throws {
    if list == name {
      output += ","
    } else {
      if list.isEmpty && name != "apps" { open("apps") }
      open(name)
    }
    output += element
    if output.utf8.count > 65_536 {
      try Terminal.write(output)
      output = ""
    }
  }

  private mutating func open(_ name: String) {
    output += (list.isEmpty ? "{" : "],") + "\"\(name)\":["
    list = name
  }

  private static func step(
    _ json: JSON, _ kind: String, isDryRun: Bool
  ) throws(Failure) -> Plan.Step {
    do throws(InvalidInput) {
      return try Faults.collecting(in: json) { Plan.Step.read($0, kind) }
    } catch {
      let faults = error.faults.map { "\($0.pointer): \($0.message)" }
      throw Failure(
        (isDryRun ? "" : "The state was applied. ")
          + "This version of aasa cannot read the plan: \(faults.first ?? "") Update aasa to the "
          + "server's version.")
    }
  }

  private func summary(isRefused: Bool) -> String {
    let counts = [(leftOut, "domain"), (leftTemplates, "template"), (leftApps, "app")].filter {
      $0.0 > 0
    }
    .map { $0.0.counted($0.1) }.joined(separator: ", ")
    let left =
      counts.isEmpty ? [] : ["Left to others: \(counts); 'aasa export DIR' brings their changes."]
    // A domain that is refused is none that is up to date.
    if !isDifferent && isRefused {
      return (["Nothing would change: what the state changes is refused."] + left)
        .joined(separator: " ")
    }
    if !isDifferent {
      let same = domains.values.reduce(-leftOut, +)
      let apps = apps.values.reduce(-leftApps, +).counted("app")
      let templates = templates.values.reduce(-leftTemplates, +)
      let all =
        templates == 0
        ? "\(same.counted("domain")) and \(apps)"
        : "\(same.counted("domain")), \(templates.counted("template")) and \(apps)"
      return (["No changes: \(all) are up to date."] + left).joined(separator: " ")
    }
    let parts =
      [count(domains, "Domains"), count(templates, "Templates"), count(apps, "Apps")]
      .compactMap { $0 } + left
    return (parts + (isDryRun ? ["Nothing was changed."] : [])).joined(separator: " ")
  }

  /// A comment for a pull request. What comes from the state is in blocks of code, so that it is never Markdown.
  private func markdown(_ refused: Installation.Refused?, hasPlan: Bool = true) -> String {
    let title =
      refused != nil
      ? "`aasa apply` would be refused"
      : isDifferent ? "`aasa apply` would change this" : "`aasa apply` would change nothing"
    var parts = ["### \(title)"]
    if hasPlan { parts.append(summary(isRefused: refused != nil)) }
    if !comment.isEmpty {
      let more =
        moreChanges == 0
        ? [] : ["and \(moreChanges) more; run 'aasa diff' to see all of them"]
      parts.append(Self.block("diff", comment + more))
    }
    if let refused {
      var lines: [String] = []
      var length = 0
      let all = ProblemText(refused).linesWithoutOrigin
      for line in all {
        length += line.utf8.count + 1
        if length > Self.longestRefusals { break }
        lines.append(line)
      }
      let more =
        lines.count == all.count
        ? []
        : ["and \((all.count - lines.count).counted("more line")); run 'aasa diff' to see them"]
      parts.append(Self.block("text", lines + more))
    }
    return parts.joined(separator: "\n\n")
  }

  /// A block of code, between fences that are longer than any in the lines.
  private static func block(_ language: String, _ lines: [String]) -> String {
    let text = lines.joined(separator: "\n")
    let longest = text.matches(of: /`+/).map(\.output.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return "\(fence)\(language)\n\(text)\n\(fence)"
  }

  /// `Domains: 1 to create, 997 unchanged.`; `nil` if there are none.
  private func count(_ steps: [Plan.Action: Int], _ noun: String) -> String? {
    let counts = Plan.Action.allCases.compactMap { action in
      steps[action].map { "\($0) \(action.words(isDryRun: isDryRun))" }
    }
    return counts.isEmpty ? nil : "\(noun): \(counts.joined(separator: ", "))."
  }
}

/// A step of a plan as text.
enum PlanText {
  /// The number of details shown for each domain; the rest are counted.
  static let mostDetails = 20

  /// What happens to an app or a domain; nothing if it does not change.
  static func lines(_ step: Plan.Step, _ name: String, _ style: TextStyle) -> [String] {
    let (sign, color) = step.action.mark
    var line = style.paint("\(sign) \(name)", color)
    if step.isLeftOut { return [line + style.paint("  \(leftOut)", .faint)] }
    if step.action == .unchanged { return [] }
    if let adoption = step.adoption {
      let hasSameLinks = step.publication?.changedLinks().isEmpty == true
      line += style.paint("  \(words(of: adoption, hasSameLinks: hasSameLinks))", .faint)
    }
    guard let publication = step.publication else { return [line] }
    if step.action != .delete {
      line += style.paint(
        "  revision \(publication.revision), \(publication.bytes.counted("byte"))", .faint)
    }
    // The line says which template it joins, and with which values.
    let details =
      step.adoption == nil
      ? publication.details : publication.details(besides: [.template, .parameter])
    return [line] + lines(details, style)
  }

  /// `app=ABCDE12345.a, shop=boutique; its own: cacheSeconds; other bytes, same links`
  static func words(of adoption: JoinedTemplate, hasSameLinks: Bool) -> String {
    let values = words(of: adoption.parameters)
    let parts = [
      values.isEmpty ? "no values" : values,
      adoption.own.isEmpty ? "" : "its own: \(adoption.own.joined(separator: ", "))",
      adoption.hasSameBytes ? "" : hasSameLinks ? "other bytes, same links" : "other bytes",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "; ").harmless
  }

  /// `app=ABCDE12345.a, shop=boutique`
  static func words(of parameters: JSON.Object) -> String {
    parameters.members.map { member in
      let items = member.value.arrayValue?.compactMap(\.stringValue).joined(separator: " ")
      return "\(member.key)=\(items ?? member.value.stringValue ?? "null")"
    }.joined(separator: ", ").harmless
  }

  private static let leftOut = "others have changed it; its file has not"

  /// The same in the form of a diff, whose lines GitHub and GitLab color by their first character.
  static func diffLines(_ step: Plan.Step, _ name: String) -> [String] {
    if step.isLeftOut { return ["  \(step.action.mark.sign) \(name): \(leftOut)"] }
    if step.action == .unchanged { return [] }
    let size = step.publication.map {
      ", revision \($0.revision), \($0.bytes.counted("byte"))"
    }
    let heading =
      "@@ \(step.action.rawValue) \(name)\(step.action == .delete ? "" : size ?? "") @@"
    return [heading] + shortened(step.publication?.details ?? []).map(\.text)
  }

  /// How links and settings change.
  static func changes(_ publication: PublicationResource, _ style: TextStyle) -> [String] {
    lines(publication.changedLinks(), style)
  }

  private static func lines(
    _ details: [PublicationResource.Detail], _ style: TextStyle
  ) -> [String] {
    shortened(details).map { "    \(style.paint($0.text, $0.color))" }
  }

  private static func shortened(
    _ details: [PublicationResource.Detail]
  ) -> [PublicationResource.Detail] {
    if details.count <= mostDetails { return details }
    let more = "and \(details.count - mostDetails) more; use --json to see all of them"
    return details.prefix(mostDetails) + [(more, nil)]
  }
}

extension Plan.Action {
  fileprivate var mark: (sign: String, color: TextStyle.Color) {
    switch self {
    case .create: ("+", .green)
    case .update: ("~", .yellow)
    case .delete: ("-", .red)
    case .unchanged: ("=", .faint)
    }
  }

  /// "to create" before it is done, "created" after.
  fileprivate func words(isDryRun: Bool) -> String {
    if self == .unchanged { return rawValue }
    return isDryRun ? "to \(rawValue)" : "\(rawValue)d"
  }
}

extension PublicationResource {
  fileprivate typealias Detail = (text: String, color: TextStyle.Color?)

  /// Accepted errors and warnings, then URLs that resolve differently, then changes of the document.
  fileprivate var details: [Detail] { details(besides: []) }

  fileprivate func details(besides left: Set<DocumentChange.What>) -> [Detail] {
    let findings = findings.filter { $0.severity != .note }.map { finding -> Detail in
      // An error that is not accepted refuses the publication.
      let severity = finding.severity == .error ? "accepted error" : finding.severity.rawValue
      let words = [severity, finding.code, finding.pointer, finding.message]
      return (
        words.filter { !$0.isEmpty }.joined(separator: " "),
        finding.severity == .error ? .red : .yellow
      )
    }
    return findings + changedLinks(besides: left)
  }

  fileprivate func changedLinks(besides left: Set<DocumentChange.What> = []) -> [Detail] {
    let left = Set(left.map(\.rawValue))
    return changedResolutions.map { ("! \($0.text)", .yellow) }
      + changes.filter { !left.contains($0.what) }.map(\.detail)
  }
}

extension PublicationResource.Resolution {
  fileprivate var text: String { "\(url) for \(app): \(before.rawValue) → \(after.rawValue)" }
}

extension PublicationResource.Change {
  fileprivate var detail: PublicationResource.Detail {
    let color: TextStyle.Color =
      switch kind {
      case .added: .green
      case .removed: .red
      case .changed, .moved: .yellow
      }
    let example = example.map { " [\($0.text)]" } ?? ""
    return ("\(kind.sign) \(summary)\(example)", color)
  }
}
