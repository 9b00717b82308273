import Service
import Association
import Publishing

/// Prints a plan as it arrives: each change with its details, then a summary; or as JSON.
struct PlanPrinter {
  private let isJSON: Bool
  private let isDryRun: Bool
  private let style = TextStyle()
  /// Of both platforms.
  private var apps: [Plan.Action: Int] = [:]
  private var domains: [Plan.Action: Int] = [:]
  /// The list of the JSON that is open.
  private var list = ""
  private var output = ""

  init(isJSON: Bool, isDryRun: Bool) {
    self.isJSON = isJSON
    self.isDryRun = isDryRun
  }

  /// Whether something changes.
  var isDifferent: Bool { [apps, domains].contains { $0.keys.contains { $0 != .unchanged } } }

  /// Takes a step of the plan.
  ///
  /// - Throws: `Failure` for a step that this version cannot read.
  mutating func add(_ part: Installation.Part) throws {
    let (kind, json) =
      switch part {
      case .app(let json): ("app", json)
      case .androidApp(let json): ("package", json)
      case .domain(let json): ("domain", json)
      }
    let step = try Self.step(json, kind, isDryRun: isDryRun)
    if kind == "domain" {
      domains[step.action, default: 0] += 1
    } else {
      apps[step.action, default: 0] += 1
    }
    if isJSON {
      try write(json.text, to: kind == "package" ? "androidApps" : "\(kind)s")
    } else {
      let words = ["app": "app ", "package": "Android app "]
      let name = (words[kind] ?? "") + step.name
      let lines = PlanText.lines(step.action, name, step.publication, style)
      if !lines.isEmpty { try Terminal.print(lines.joined(separator: "\n")) }
    }
  }

  /// Prints the end.
  ///
  /// - Parameter unchanged: Domains of the state that were not sent.
  mutating func finish(unchanged: [String]) throws {
    if !isJSON {
      if !unchanged.isEmpty { domains[.unchanged, default: 0] += unchanged.count }
      return try Terminal.print(summary)
    }
    for name in unchanged {
      let step: JSON = ["domain": .string(name), "action": .string(Plan.Action.unchanged.rawValue)]
      try write(step.text, to: "domains")
    }
    if list.isEmpty { open("apps") }
    if list != "domains" { open("domains") }
    output += "]" + (isDryRun ? ",\"dryRun\":true" : "") + "}\n"
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

  private var summary: String {
    if !isDifferent {
      return "No changes: \(domains.values.reduce(0, +).counted("domain")) and "
        + "\(apps.values.reduce(0, +).counted("app")) are up to date."
    }
    let parts = [count(domains, "Domains"), count(apps, "Apps")].compactMap { $0 }
    return (parts + (isDryRun ? ["Nothing was changed."] : [])).joined(separator: " ")
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
  private static let mostDetails = 20

  /// What happens to an app or a domain; nothing if it does not change.
  static func lines(
    _ action: Plan.Action, _ name: String, _ publication: PublicationResource?, _ style: TextStyle
  ) -> [String] {
    if action == .unchanged { return [] }
    let (sign, color) = action.mark
    var line = style.paint("\(sign) \(name)", color)
    guard let publication else { return [line] }
    if action != .delete {
      line += style.paint(
        "  revision \(publication.revision), \(publication.bytes.counted("byte"))", .faint)
    }
    return [line] + lines(publication.details, style)
  }

  /// How links and settings change.
  static func changes(_ publication: PublicationResource, _ style: TextStyle) -> [String] {
    lines(publication.changedLinks, style)
  }

  private static func lines(
    _ details: [PublicationResource.Detail], _ style: TextStyle
  ) -> [String] {
    var lines = details.prefix(mostDetails).map { style.paint($0.text, $0.color) }
    if details.count > mostDetails {
      lines.append("and \(details.count - mostDetails) more; use --json to see all of them")
    }
    return lines.map { "    \($0)" }
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
  fileprivate var details: [Detail] {
    let findings = findings.filter { $0.severity != .note }.map { finding -> Detail in
      let words = [finding.severity.rawValue, finding.code, finding.pointer, finding.message]
      return (
        words.filter { !$0.isEmpty }.joined(separator: " "),
        finding.severity == .error ? .red : .yellow
      )
    }
    return findings + changedLinks
  }

  fileprivate var changedLinks: [Detail] {
    changedResolutions.map { ("! \($0.text)", .yellow) } + changes.map(\.detail)
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
