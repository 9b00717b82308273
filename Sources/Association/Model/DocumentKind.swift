public import JSONValue

/// The documents of a domain at one time, each in UTF-8.
public typealias Documents = [DocumentKind: [UInt8]]

/// The kinds of association files.
public enum DocumentKind: String, Sendable, CaseIterable, Comparable {
  /// Apple's file.
  case apple = "apple-app-site-association"
  /// Android's file: a list of statements of Google's Digital Asset Links.
  case assetLinks = "assetlinks.json"
  /// The origins that may use a domain's passkeys (WebAuthn Level 3, "related origins").
  case webAuthn = "webauthn"

  /// The kind that a file has by its content. A list, also one that is not complete, and a statement
  /// outside of a list are Android's; an object with `origins` is for passkeys; everything else is
  /// Apple's.
  public init(ofFile bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    switch text.first(where: { !" \t\r\n".utf8.contains($0) }) {
    case UInt8(ascii: "["): self = .assetLinks
    case UInt8(ascii: "{"): self = Self.ofObject(bytes)
    default: self = .apple
    }
  }

  /// The order in which they are listed.
  public static func < (left: DocumentKind, right: DocumentKind) -> Bool {
    allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
  }

  private static func ofObject(_ bytes: [UInt8]) -> DocumentKind {
    do throws(JSON.SyntaxError) {
      return DocumentKind(of: try JSON.parse(bytes, limits: ReadDocument.limits).value)
    } catch {
      return .apple
    }
  }

  /// The kind that a document has by its members.
  public init(of document: JSON) {
    if case .array = document {
      self = .assetLinks
    } else if DocumentPart.services.contains(where: { document[$0] != nil }) {
      self = .apple
    } else if document["relation"] != nil && document["target"] != nil {
      self = .assetLinks
    } else {
      self = document["origins"] == nil ? .apple : .webAuthn
    }
  }
}

/// A platform that reads association files.
public enum Platform: String, Sendable, CaseIterable {
  case ios, android

  /// The platform that an identifier of an app is for, judging by its form. `com.example.shop` could be both,
  /// but no prefix of Apple's looks like that.
  public init(likelyOf app: String) {
    let prefix = app.utf8.prefix { $0 != UInt8(ascii: ".") }
    let isApples = prefix.count == 10 && !prefix.contains { $0.isASCIILetter && $0 != $0 & 0xDF }
    self = PackageName(app) == nil || isApples ? .ios : .android
  }
}
