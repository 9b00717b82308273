import JSONValue
import Association

/// A plan for people, from the JSON of `POST /v1/apply`: a line for each thing that changes, what
/// that does below it, and how many there are.
struct PlanText {
  /// What is done to a thing.
  private enum Action: String, CaseIterable {
    case create, update, delete, unchanged

    var sign: String {
      switch self {
      case .create: "+"
      case .update: "~"
      case .delete: "-"
      case .unchanged: "="
      }
    }

    var colour: TextStyle.Color {
      switch self {
      case .create: .green
      case .update: .yellow
      case .delete: .red
      case .unchanged: .faint
      }
    }

    /// In a sentence about what is to be done, or was.
    func words(isDryRun: Bool) -> String {
      if self == .unchanged { return rawValue }
      return isDryRun ? "to \(rawValue)" : "\(rawValue)d"
    }
  }

  /// Lines below a domain beyond this are only counted.
  private static let mostDetails = 20

  private let apps: [JSON]
  private let domains: [JSON]
  private let isDryRun: Bool

  init(_ plan: JSON) {
    apps = plan["apps"]?.arrayValue ?? []
    domains = plan["domains"]?.arrayValue ?? []
    isDryRun = plan["dryRun"]?.boolValue ?? false
  }

  /// Whether nothing is done.
  var isEmpty: Bool { (apps + domains).allSatisfy { Self.action(of: $0) == .unchanged } }

  private static func action(of step: JSON) -> Action? {
    step["action"]?.stringValue.flatMap(Action.init)
  }

  /// The lines without an end of the last one.
  func text(_ style: TextStyle) -> String {
    var lines: [String] = []
    for step in apps { append(step, "app \(step["app"]?.stringValue ?? "?")", to: &lines, style) }
    for step in domains { append(step, step["domain"]?.stringValue ?? "?", to: &lines, style) }
    return (lines + [summary]).joined(separator: "\n")
  }

  private func append(_ step: JSON, _ name: String, to lines: inout [String], _ style: TextStyle) {
    guard let action = Self.action(of: step), action != .unchanged else { return }
    var line = style.paint("\(action.sign) \(name)", action.colour)
    if let revision = step["revision"]?.integerValue, let bytes = step["bytes"]?.integerValue {
      line += style.paint("  revision \(revision), \(bytes.counted("byte"))", .faint)
    }
    lines.append(line)
    let details = Self.details(of: step)
    for detail in details.prefix(Self.mostDetails) {
      lines.append("    " + style.paint(detail.text, detail.colour))
    }
    if details.count > Self.mostDetails {
      lines.append("    and \(details.count - Self.mostDetails) more; --json has all of them")
    }
  }

  private typealias Detail = (text: String, colour: TextStyle.Color?)

  /// Errors that are accepted and warnings, then what URLs do otherwise, then what the file says.
  private static func details(of step: JSON) -> [Detail] {
    let list = { (json: JSON?) in json?.arrayValue ?? [] }
    let resolutions = list(step["changedResolutions"]).map { changed -> Detail in
      ("! \(resolution(changed))", .yellow)
    }
    return list(step["findings"]).compactMap(finding) + resolutions
      + list(step["diff"]?["changes"]).compactMap(change)
  }

  private static func finding(_ json: JSON) -> Detail? {
    guard let severity = json["severity"]?.stringValue, severity != "note" else { return nil }
    let words = ["code", "pointer", "message"].compactMap { json[$0]?.stringValue }
    return (
      "\(severity) \(words.joined(separator: " "))", severity == "error" ? .red : .yellow
    )
  }

  /// A change of the document, with a URL that resolves differently.
  private static func change(_ json: JSON) -> Detail? {
    guard let summary = json["summary"]?.stringValue else { return nil }
    let sign: (String, TextStyle.Color?) =
      switch json["kind"]?.stringValue {
      case "added": ("+", .green)
      case "removed": ("-", .red)
      case "moved": ("↕", .yellow)
      default: ("~", .yellow)
      }
    let example = json["example"].map { " [\(resolution($0))]" } ?? ""
    return ("\(sign.0) \(summary)\(example)", sign.1)
  }

  private static func resolution(_ json: JSON) -> String {
    let text = { json[$0]?.stringValue ?? "?" }
    return "\(text("url")) for \(text("app")): \(text("before")) → \(text("after"))"
  }

  private var summary: String {
    if isEmpty {
      return "Nothing to do: \(domains.count.counted("domain")) and \(apps.count.counted("app")) "
        + "are as they shall be."
    }
    let parts = [count(domains, "Domains"), count(apps, "Apps")].compactMap { $0 }
    return (parts + (isDryRun ? ["Nothing was changed."] : [])).joined(separator: " ")
  }

  /// `Domains: 1 to create, 997 unchanged.`; `nil` where there are none.
  private func count(_ steps: [JSON], _ noun: String) -> String? {
    let actions = steps.compactMap(Self.action)
    let counts = Action.allCases.compactMap { action -> String? in
      let count = actions.count { $0 == action }
      return count == 0 ? nil : "\(count) \(action.words(isDryRun: isDryRun))"
    }
    return counts.isEmpty ? nil : "\(noun): \(counts.joined(separator: ", "))."
  }
}
