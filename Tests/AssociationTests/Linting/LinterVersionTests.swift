import Association
import Testing

/// Servers make stored findings again when the linter has a higher version.
@Suite struct LinterVersionTests {
  /// The findings that the version reports, as a hash of everything but their words.
  private static let recorded: (version: Int, findings: UInt64) = (2, 0x1444_552f_5a5d_69c5)

  @Test func aLinterThatReportsSomethingElseHasAHigherVersion() {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for example in FindingCase.ofAllKinds {
      let report = Linter.report(
        onFile: Array(example.file.utf8), kind: example.kind, context: example.context)
      // FNV-1a: Swift's own hashes differ from run to run.
      let facts = report.findings.map { "\($0.code.rawValue) \($0.severity) \($0.pointer)\n" }
      for byte in facts.joined().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    #expect(
      Linter.version == Self.recorded.version && hash == Self.recorded.findings,
      """
      The findings have changed. If version \(Self.recorded.version) has been released, raise \
      Linter.version. Then record (\(Linter.version), 0x\(String(hash, radix: 16))) here.
      """)
  }
}
