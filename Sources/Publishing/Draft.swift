import Association
import JSONValue

/// A document that is about to be published.
struct Draft {
  let document: JSON
  let bytes: [UInt8]
  private let domain: Domain

  init(_ domain: Domain) {
    self.domain = domain
    document = domain.document.json
    bytes = document.serialized()
  }

  /// The findings of the linter.
  ///
  /// - Throws: `PublicationError` if there is an error among them that is not accepted.
  func review(accepting accepted: Set<Finding.Code>) throws(PublicationError) -> [Finding] {
    let context = Linter.Context(
      domain: domain.name.text, aliases: domain.aliases.map(\.description))
    let findings = Linter.findings(in: document, size: bytes.count, context: context)
    if findings.contains(where: { $0.isRefused(accepting: accepted) }) {
      let isTooLarge = bytes.count > Linter.maximumSize
      throw .refused(findings, account: isTooLarge ? ByteAccount(of: document) : nil)
    }
    return findings
  }
}

extension Finding {
  /// Whether nothing with this finding is published when these codes are accepted.
  func isRefused(accepting accepted: Set<Finding.Code>) -> Bool {
    severity == .error && !(code.isAcceptable && accepted.contains(code))
  }
}
