/// The name of a document that is published as bytes: one segment of the path, below `/.well-known/`.
package struct DocumentName: Sendable, Hashable, Comparable, CustomStringConvertible, Parsable {
  /// The name as it is in the path. Letter case counts.
  package let text: String

  /// What a name matches, as a regular expression. Some names that match are reserved.
  package static let pattern = "^[A-Za-z0-9._-]{1,100}$"

  /// What browsers ask a site for, to learn whether it answers every path with 200.
  package static let probe = "resource-that-should-not-exist-whose-status-code-should-not-be-200"
  /// Where browsers ask for the page to change a password.
  package static let changePassword = "change-password"

  /// Parses a name.
  ///
  /// - Throws: `ValidationError` with the code `malformed-document-name` or `reserved-document-name`.
  package init(_ text: String) throws(ValidationError) {
    guard Self.matches(text) else {
      throw ValidationError(
        .malformedDocumentName,
        "\(text.quoted) is not the name of a document. Write 1 to 100 letters, digits, \".\", \"_\" and \"-\", such as "
          + "security.txt.")
    }
    if let reason = Self.reservation(of: text) {
      throw ValidationError(.reservedDocumentName, "\(text.quoted) is reserved: \(reason)")
    }
    self.text = text
  }

  /// A name from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  package var description: String { text }

  /// By bytes, so that the order does not depend on a locale.
  package static func < (left: DocumentName, right: DocumentName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  private static func matches(_ text: String) -> Bool {
    let isAllowed = { (byte: UInt8) in
      byte.isASCIILetter || byte.isASCIIDigit || "._-".utf8.contains(byte)
    }
    return (1...100).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
      && !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
  }

  /// Why bytes cannot be published under a name; `nil` if they can.
  private static func reservation(of text: String) -> String? {
    switch text {
    case "acme-challenge", "pki-validation":
      return "certificate authorities ask there for the proofs of your ACME client."
    case changePassword:
      return "it redirects to the page in \"changePassword\" of the domain. Set that."
    case probe:
      return "browsers ask for it to see that the site answers 404 to what it does not have."
    default:
      guard DocumentKind.allCases.contains(where: { $0.rawValue == text }) else { return nil }
      return
        "aasa writes that document from the domain's own members. Edit these, or adopt the file with PUT "
        + "/v1/domains/DOMAIN/documents/\(text)."
    }
  }
}

/// The `Content-Type` of a document that is published as bytes: one that no browser runs scripts of.
package struct MediaType: Sendable, Hashable, CustomStringConvertible {
  /// In lower case, such as `text/plain; charset=utf-8`.
  package let text: String

  package static let json = MediaType(stored: "application/json")
  package static let text = MediaType(stored: "text/plain; charset=utf-8")
  /// Bytes that nobody interprets.
  package static let bytes = MediaType(stored: "application/octet-stream")

  /// The types besides `application/…+json`.
  private static let allowed = [
    "application/json", "application/octet-stream", "application/cbor", "application/jose",
    "application/jwt", "application/linkset", "application/pgp-encrypted", "application/pgp-keys",
    "application/pgp-signature", "application/pkcs7-mime", "application/pkix-cert", "text/csv",
    "text/markdown", "text/plain", "text/uri-list",
  ]
  private static let charsets = ["utf-8", "us-ascii", "iso-8859-1"]
  /// What a media type matches, as a regular expression.
  package static let pattern =
    "^[a-z]+/[a-z0-9.+-]+(; ?charset=(\(charsets.joined(separator: "|"))))?$"

  /// Parses a media type in any letter case, with a `charset` at most.
  ///
  /// - Throws: `ValidationError` with the code `malformed-media-type` or `forbidden-media-type`.
  package init(_ text: String) throws(ValidationError) {
    let parts = text.lowercased().split(
      separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    let essence = Self.trimmed(parts[0])
    let parameter = parts.count > 1 ? Self.trimmed(parts[1]) : nil
    let isWord = { (byte: UInt8) in
      byte.isASCIILetter || byte.isASCIIDigit || ".+-".utf8.contains(byte)
    }
    let names = essence.split(separator: "/", omittingEmptySubsequences: false)
    let isCharset = parameter.map { parameter in
      Self.charsets.contains {
        ["charset=\($0)", "charset=\"\($0)\""].contains { sameScalars($0, parameter) }
      }
    }
    guard text.utf8.count <= 100, names.count == 2, isCharset != false,
      names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isWord) })
    else {
      throw ValidationError(
        .malformedMediaType,
        "\(text.quoted) is not a media type that can be sent. Write one such as application/json or "
          + "text/plain; charset=utf-8, without other parameters.")
    }
    let isJSON = essence.hasPrefix("application/") && essence.hasSuffix("+json")
    guard isJSON || Self.allowed.contains(essence) else {
      throw ValidationError(
        .forbiddenMediaType,
        "\(text.quoted) is not allowed, because a browser could run or show such a document as a page of your site. "
          + "Use \(Self.allowed.prefix(2).joined(separator: ", ")), text/plain, or another type in docs/documents.md."
      )
    }
    let charset = parameter.map { "; \($0.replacing("\"", with: ""))" } ?? ""
    self.text = essence + charset
  }

  /// A media type from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  package var description: String { text }

  /// Without parameters.
  package var essence: String { String(text.prefix { $0 != ";" }) }

  /// Whether the documents are JSON.
  package var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
