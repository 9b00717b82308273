import Association
import JSONValue

/// An association file that a domain is to serve.
struct AdoptedFile {
  /// What the file says.
  let document: Document
  /// What is wrong with how it says it, all of it accepted.
  let findings: [Finding]

  /// Reads a file. What its document says is linted when it is published; its own size does not count,
  /// since white space is not served.
  ///
  /// - Throws: `PublicationError`, which names everything that is wrong with the file.
  init(_ bytes: [UInt8], accepting accepted: Set<Finding.Code>) throws(PublicationError) {
    let syntax = Linter.syntax(ofFile: bytes)
    guard let file = syntax.document,
      !syntax.findings.contains(where: { $0.isRefused(accepting: accepted) })
    else { throw Self.refusal(of: bytes) }
    do throws(AdoptionError) {
      document = try Document(adopting: file)
    } catch {
      throw Self.refusal(of: bytes, error)
    }
    findings = syntax.findings
  }

  private static func refusal(
    of bytes: [UInt8], _ error: AdoptionError? = nil
  ) -> PublicationError {
    var findings = Linter.report(onFile: bytes).findings.filter {
      $0.code != .tooLarge && $0.code != .nearSizeLimit
    }
    if let error, !findings.contains(where: { $0.severity == .error && !$0.code.isAcceptable }) {
      findings.append(
        Finding(
          .wrongType, at: error.pointer, error.message,
          help: "Correct the file; what it says here cannot be kept and served again."))
    }
    return .refused(nil, findings, account: nil)
  }
}
