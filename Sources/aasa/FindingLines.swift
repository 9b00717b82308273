import Association
import JSONValue

/// Findings as lines for people.
enum FindingLines {
  static func complain(_ findings: [Finding]) {
    for finding in findings { Terminal.complain(line(finding)) }
  }

  /// `error wrong-type /applinks/details: what will happen. What to do.`
  static func line(_ finding: Finding) -> String {
    let place = finding.pointer == .root ? "(the whole file)" : finding.pointer.description
    return "\(finding.severity.rawValue) \(finding.code.rawValue) \(place): \(finding.message) "
      + finding.help
  }
}
