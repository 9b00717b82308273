/// A document that a domain publishes byte for byte, under a name of its own.
package struct NamedDocument: Sendable, Equatable {
  package var name: DocumentName
  package var mediaType: MediaType
  /// At least one, and at most `maximumSize`.
  package let bytes: [UInt8]

  /// The largest document, in bytes.
  package static let maximumSize = 131_072
  /// A domain has no more of them.
  package static let mostPerDomain = 20

  /// - Parameter mediaType: `nil` for the usual one of the name.
  /// - Throws: `ValidationError` with the code `document-size`.
  package init(
    _ name: DocumentName, _ mediaType: MediaType? = nil, bytes: [UInt8]
  ) throws(ValidationError) {
    guard (1...Self.maximumSize).contains(bytes.count) else {
      throw ValidationError(
        .documentSize,
        bytes.isEmpty
          ? "\(name) would be empty. To publish nothing under this name, remove the document."
          : "\(name) would have \(bytes.count) bytes; the limit is \(Self.maximumSize). Shorten it."
      )
    }
    self.init(stored: name, mediaType ?? name.usualMediaType, bytes: bytes)
  }

  /// A document as it is stored, without validation.
  package init(stored name: DocumentName, _ mediaType: MediaType, bytes: [UInt8]) {
    (self.name, self.mediaType, self.bytes) = (name, mediaType, bytes)
  }

  /// Its bytes as text; `nil` if JSON cannot hold them as they are.
  package var text: String? {
    bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }
}

extension DocumentName {
  /// What is known about a name.
  package struct Known: Sendable {
    package let name: DocumentName
    package let mediaType: MediaType
    /// Who reads it, as the subject of a sentence.
    package let readers: String
    /// Whether they follow a redirect.
    package let allowsRedirect: Bool

    fileprivate init(
      _ name: String, _ mediaType: MediaType, _ readers: String, allowsRedirect: Bool = false
    ) {
      self.name = DocumentName(stored: name)
      (self.mediaType, self.readers) = (mediaType, readers)
      self.allowsRedirect = allowsRedirect
    }
  }

  /// The names that are known.
  package static let known = [
    Known("security.txt", .text, "security researchers", allowsRedirect: true),
    Known(
      "apple-developer-merchantid-domain-association", MediaType(stored: "text/plain"),
      "Apple, before Apple Pay works on the site"),
    Known(
      "microsoft-identity-association.json", .json,
      "Microsoft Entra, to verify the publisher's domain"),
    Known("applinking.json", .json, "Huawei's AppGallery Connect, for links into HarmonyOS apps"),
    Known("web-app-origin-association", .json, "Chrome and Edge, for installed web apps"),
    Known("windows-app-web-link", .json, "Windows, for links into apps"),
    Known(
      "com.apple.remotemanagement", .json, "Apple devices, to enroll in device management",
      allowsRedirect: true),
    Known("gpc.json", .json, "browsers, for Global Privacy Control", allowsRedirect: true),
    Known("trust.txt", MediaType(stored: "text/plain"), "associations of publishers"),
  ]

  /// The name that Windows also asks for in the root of the site.
  package static let windows = DocumentName(stored: "windows-app-web-link")

  /// What is known about the name; `nil` if it is nothing.
  package var known: Known? { Self.known.first { $0.name == self } }

  /// The media type of a document for which nobody says one.
  package var usualMediaType: MediaType {
    known?.mediaType ?? (text.hasSuffix(".json") ? .json : text.hasSuffix(".txt") ? .text : .bytes)
  }

  /// The paths at which the document is served. The first one counts.
  package var paths: [String] { ["/.well-known/\(text)"] + (self == .windows ? ["/\(text)"] : []) }
}

/// An `https` URL that a server can redirect to: visible ASCII only, so that it cannot break a header.
package struct SecureURL: Sendable, Hashable, CustomStringConvertible {
  package let text: String

  /// The longest one, in characters.
  package static let longest = 2000
  /// What it matches, as a regular expression.
  package static let pattern = "^https://[!-~]+$"

  /// Parses a URL.
  ///
  /// - Throws: `ValidationError` with the code `malformed-page`.
  package init(_ text: String) throws(ValidationError) {
    let isWritten =
      text.hasPrefix("https://") && text.utf8.count <= Self.longest
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    guard isWritten, Matcher.host(of: text)?.contains(".") == true else {
      throw ValidationError(
        .malformedPage,
        "\(text.quoted) is not an https URL with a host, such as https://example.com/account/password. Write it in "
          + "ASCII, with at most \(Self.longest) characters, and escape spaces and quotation marks."
      )
    }
    self.text = text
  }

  /// A URL from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  package var description: String { text }
}
