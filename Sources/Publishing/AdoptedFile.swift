import Association
import JSONValue

/// An association file that a domain is to serve.
struct AdoptedFile {
  private let report: Linter.Report

  init(_ bytes: [UInt8]) { report = Linter.report(onFile: bytes) }

  /// What the file says. Its size does not count here, since white space is not served.
  ///
  /// - Throws: `PublicationError`, which names everything that is wrong with the file.
  func document(accepting accepted: Set<Finding.Code>) throws(PublicationError) -> Document {
    let findings = report.findings.filter { $0.code != .tooLarge && $0.code != .nearSizeLimit }
    guard let file = report.document,
      !findings.contains(where: { $0.isRefused(accepting: accepted) })
    else { throw .refused(nil, findings, account: nil) }
    do throws(AdoptionError) {
      return try Document(adopting: file)
    } catch {
      let finding = Finding(
        .wrongType, at: error.pointer, error.message,
        help: "Correct the file; what it says here cannot be kept and served again.")
      throw .refused(nil, findings + [finding], account: nil)
    }
  }
}
