import JSONValue

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
      let json = try JSON.parse(bytes, limits: ReadDocument.limits).value
      if DocumentPart.services.contains(where: { json[$0] != nil }) { return .apple }
      if json["relation"] != nil && json["target"] != nil { return .assetLinks }
      return json["origins"] == nil ? .apple : .webAuthn
    } catch {
      return .apple
    }
  }
}

/// A platform that reads association files.
public enum Platform: String, Sendable, CaseIterable {
  case ios, android
}
