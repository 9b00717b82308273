import Association
import APITypes
import Publishing

/// A plan as text: each change with its details, then a summary.
struct PlanText {
  /// The number of details shown for each domain; the rest are counted.
  private static let mostDetails = 20

  private let plan: Plan
  private let style: TextStyle

  init(_ plan: Plan, _ style: TextStyle) {
    self.plan = plan
    self.style = style
  }

  /// The lines, without a final line break.
  var text: String {
    let apps = plan.apps.flatMap { Self.lines($0.action, "app \($0.name)", nil, style) }
    let domains = plan.domains.flatMap { Self.lines($0.action, $0.name, $0.publication, style) }
    return (apps + domains + [summary]).joined(separator: "\n")
  }

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
    let details = publication.details
    var lines = details.prefix(mostDetails).map { style.paint($0.text, $0.color) }
    if details.count > mostDetails {
      lines.append("and \(details.count - mostDetails) more; use --json to see all of them")
    }
    return [line] + lines.map { "    \($0)" }
  }

  private var summary: String {
    if plan.isEmpty {
      return "No changes: \(plan.domains.count.counted("domain")) and "
        + "\(plan.apps.count.counted("app")) are up to date."
    }
    let parts = [count(plan.domains, "Domains"), count(plan.apps, "Apps")].compactMap { $0 }
    return (parts + (plan.isDryRun ? ["Nothing was changed."] : [])).joined(separator: " ")
  }

  /// `Domains: 1 to create, 997 unchanged.`; `nil` if there are none.
  private func count(_ steps: [Plan.Step], _ noun: String) -> String? {
    let counts = Plan.Action.allCases.map { action in
      (action.words(isDryRun: plan.isDryRun), steps.count { $0.action == action })
    }.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    return counts.isEmpty ? nil : "\(noun): \(counts.joined(separator: ", "))."
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
    let resolutions = changedResolutions.map { ("! \($0.text)", TextStyle.Color.yellow) as Detail }
    return findings + resolutions + changes.map(\.detail)
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
