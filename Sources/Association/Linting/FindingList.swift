/// Findings in the order in which they are found: the first hundred of each kind, and the number of
/// the others.
///
/// A kind is a code with a severity. Since the rest is not even made, a file with a million mistakes
/// takes no more memory than one with a hundred.
struct FindingList {
  private struct Kind: Hashable {
    let code: Finding.Code
    let severity: Finding.Severity
  }

  /// The number of findings of a kind that are listed.
  static let mostPerCode = 100

  private var findings: [Finding] = []
  private var counts: [Kind: Int] = [:]

  init(_ findings: [Finding] = []) { for finding in findings { add(finding) } }

  /// Adds a finding with the usual severity of its code, or with another one. It is only made if it has a place in
  /// the list.
  mutating func add(
    _ code: Finding.Code, severity: Finding.Severity? = nil,
    at pointer: @autoclosure () -> JSONPointer,
    _ message: @autoclosure () -> String, help: @autoclosure () -> String
  ) {
    guard count(code, severity ?? code.severity) else { return }
    append(Finding(code, severity: severity, at: pointer(), message(), help: help()))
  }

  mutating func add(_ finding: Finding) {
    if count(finding.code, finding.severity) { append(finding) }
  }

  /// Counts findings of a kind. Returns whether the next one has a place in the list.
  mutating func count(
    _ code: Finding.Code, _ severity: Finding.Severity, _ number: Int = 1
  ) -> Bool {
    let kind = Kind(code: code, severity: severity)
    counts[kind, default: 0] += number
    return counts[kind, default: 0] <= Self.mostPerCode
  }

  /// Adds a finding that was counted.
  mutating func append(_ finding: Finding) { findings.append(finding) }

  /// The findings. The last of each kind tells the number of the others.
  var listed: [Finding] {
    var numbers: [Kind: Int] = [:]
    return findings.map { finding in
      let kind = Kind(code: finding.code, severity: finding.severity)
      numbers[kind, default: 0] += 1
      let rest = counts[kind, default: 0] - Self.mostPerCode
      guard rest > 0, numbers[kind] == Self.mostPerCode else { return finding }
      return Finding(
        finding.code, severity: finding.severity, at: finding.pointer,
        finding.message + " The same applies to \(rest.counted("more place")).", help: finding.help)
    }
  }

  /// The findings in the order of their places in a file.
  func inOrder(of file: JSON) -> [Finding] {
    let findings = listed
    return findings.count > 1 ? FileOrder(of: findings, in: file).findings : findings
  }
}
