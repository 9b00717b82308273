/// The documents of a domain at one time, each in UTF-8.
package typealias Documents = [DocumentKind: [UInt8]]

/// The kinds of documents: those that are rendered from the rows of a domain, and each other name, whose document is
/// published as bytes.
package enum DocumentKind: Sendable, Hashable, Comparable {
  case apple
  /// Android's file: a list of statements of Google's Digital Asset Links.
  case assetLinks
  /// The origins that may use a domain's passkeys (WebAuthn Level 3, "related origins").
  case webAuthn
  /// The pages on which people create and manage passkeys (W3C, "Passkey Endpoints").
  case passkeyEndpoints
  /// Bytes under another name.
  case named(DocumentName)

  /// The kind that a file has by its content. A list, also one that is not complete, and a statement
  /// outside of a list are Android's; an object with `origins`, or with pages for passkeys, and a list of origins are
  /// of that kind; everything else is Apple's.
  package init(ofFile bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    switch text.first(where: { !" \t\r\n".utf8.contains($0) }) {
    case UInt8(ascii: "["): self = Self.ofList(text, bytes)
    case UInt8(ascii: "{"): self = Self.ofObject(bytes)
    default: self = .apple
    }
  }

  /// The kind of a list, without what precedes its bracket: one of origins was meant for `webauthn`.
  private static func ofList(_ text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> DocumentKind {
    let first = text.drop { " \t\r\n[".utf8.contains($0) }.first
    if first != UInt8(ascii: "\"") { return .assetLinks }
    do throws(JSON.SyntaxError) {
      return DocumentKind(of: try JSON.parse(bytes, limits: ReadDocument.limits).value)
    } catch {
      return .assetLinks
    }
  }

  /// The order in which they are listed.
  package static func < (left: DocumentKind, right: DocumentKind) -> Bool {
    if case (.named(let left), .named(let right)) = (left, right) { return left < right }
    return left.index < right.index
  }

  private static func ofObject(_ bytes: [UInt8]) -> DocumentKind {
    do throws(JSON.SyntaxError) {
      return DocumentKind(of: try JSON.parse(bytes, limits: ReadDocument.limits).value)
    } catch {
      return .apple
    }
  }

  /// The kind that a document has by its members.
  package init(of document: JSON) {
    if case .array(let elements) = document {
      self = elements.areOrigins ? .webAuthn : .assetLinks
    } else if DocumentPart.services.contains(where: { document[$0] != nil }) {
      self = .apple
    } else if document.isStatement || document.keyOfStatements != nil {
      self = .assetLinks
    } else {
      let hasPages = PasskeyEndpoints.keys.contains { document[$0] != nil }
      let hasOrigins =
        document["origins"] != nil || document.objectValue?.keyOfOrigins != nil
        || document["webauthn"]?["origins"] != nil
      self = hasOrigins ? .webAuthn : hasPages ? .passkeyEndpoints : .apple
    }
  }
}

extension [JSON] {
  /// Whether all elements are origins of sites.
  fileprivate var areOrigins: Bool {
    !isEmpty && allSatisfy { $0.stringValue?.lowercased().hasPrefix("https://") == true }
  }
}

extension JSON {
  /// Whether it has the members of a statement of Android's file.
  fileprivate var isStatement: Bool { self["relation"] != nil && self["target"] != nil }

  /// The key of a list of statements, if there is an object around the list; otherwise `nil`.
  var keyOfStatements: String? {
    objectValue?.members.first { $0.value.arrayValue?.first?.isStatement == true }?.key
  }
}

extension DocumentKind: RawRepresentable, CaseIterable {
  /// The kinds that are rendered from rows.
  package static let allCases: [DocumentKind] = [.apple, .assetLinks, .webAuthn, .passkeyEndpoints]

  /// The name of the file.
  package var rawValue: String {
    switch self {
    case .apple: "apple-app-site-association"
    case .assetLinks: "assetlinks.json"
    case .webAuthn: "webauthn"
    case .passkeyEndpoints: "passkey-endpoints"
    case .named(let name): name.text
    }
  }

  /// The kind of a file by its name; `nil` if no document can have it.
  package init?(rawValue: String) {
    let kind = Self.allCases.first { $0.rawValue == rawValue }
    guard let kind = kind ?? DocumentName(usable: rawValue).map(Self.named) else { return nil }
    self = kind
  }

  /// Whether its documents are rendered from rows.
  package var isRendered: Bool { if case .named = self { false } else { true } }
}

// MARK: The table of kinds: what they are. How they are rendered and adopted is in `Domain+Documents.swift`.

extension DocumentKind {
  /// The paths at which documents are served. The first one of each kind counts.
  package static let paths: [(path: StaticString, kind: DocumentKind)] = [
    ("/.well-known/apple-app-site-association", .apple),
    ("/apple-app-site-association", .apple),
    ("/.well-known/assetlinks.json", .assetLinks),
    ("/.well-known/webauthn", .webAuthn),
    ("/.well-known/passkey-endpoints", .passkeyEndpoints),
  ]

  /// The place of the kind among all; named documents share the last one.
  package var index: Int {
    switch self {
    case .apple: 0
    case .assetLinks: 1
    case .webAuthn: 2
    case .passkeyEndpoints: 3
    case .named: Self.allCases.count
    }
  }

  /// The path that counts.
  package var path: String { "/.well-known/\(rawValue)" }

  /// All paths at which such a document is served.
  package var paths: [String] {
    if case .named(let name) = self { return name.paths }
    return Self.paths.filter { $0.kind == self }.map(\.path.description)
  }

  /// The platform on which it decides about links; `nil` if it opens none.
  package var platform: Platform? {
    switch self {
    case .apple: .ios
    case .assetLinks: .android
    case .webAuthn, .passkeyEndpoints, .named: nil
    }
  }

  var readers: String {
    switch self {
    case .apple: "Apple's systems"
    case .assetLinks: "Android"
    case .webAuthn: "a browser"
    case .passkeyEndpoints: "a password manager"
    case .named(let name): name.known?.readers ?? "any client"
    }
  }

  /// What such a document lists.
  package var content: String {
    switch self {
    case .apple, .assetLinks: "the apps that open a domain's links"
    case .webAuthn: "the origins that may use a domain's passkeys"
    case .passkeyEndpoints: "the pages for a domain's passkeys"
    case .named: "what its readers know"
    }
  }
}

/// A platform that reads association files.
package enum Platform: String, Sendable, CaseIterable {
  case ios, android

  /// The platform that an identifier of an app is for, judging by its form. `com.example.shop` could be both,
  /// but no prefix of Apple's looks like that.
  package init(likelyOf app: String) {
    let prefix = app.utf8.prefix { $0 != UInt8(ascii: ".") }
    let isApples = prefix.count == 10 && !prefix.contains { $0.isASCIILetter && $0 != $0 & 0xDF }
    self = PackageName(app) == nil || isApples ? .ios : .android
  }
}
