import Association
import Glibc

/// The resource that the target of a public request names. Paths are compared byte by byte as
/// written: nothing is decoded or normalized, so no other spelling of a path is accepted.
struct PublicTarget {
  enum Path: Equatable {
    /// A rendered document, by the index of its kind.
    case document(UInt8)
    /// The document of this name below `/.well-known/`, if the host has it.
    case named
    case unknown
    case malformed
  }

  let path: Path
  /// The name of a named document.
  private(set) var name = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The authority of a target in absolute form.
  let authority: UnsafeRawBufferPointer?
  /// A path that is no document's and that people may ask for; `nil` for those that only machines ask for, and for what
  /// is no path.
  private(set) var other: UnsafeRawBufferPointer?

  /// - Parameter target: Up to the `?`.
  init(_ target: UnsafeRawBufferPointer) {
    if let kind = Self.kind(at: target) {
      path = .document(kind)
      authority = nil
      return
    }
    if let name = Self.name(at: target) {
      (path, self.name, authority) = (.named, name, nil)
      return
    }
    guard target.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      path = .malformed
      authority = nil
      return
    }
    guard let afterScheme = Self.afterScheme(target) else {
      path = .unknown
      authority = nil
      other = target.first == UInt8(ascii: "/") && !Self.isReserved(target) ? target : nil
      return
    }
    let slash = afterScheme.firstIndex(of: UInt8(ascii: "/")) ?? afterScheme.count
    let rest = UnsafeRawBufferPointer(rebasing: afterScheme[slash...])
    let name = Self.name(at: rest)
    path = Self.kind(at: rest).map { .document($0) } ?? (name == nil ? .unknown : .named)
    if let name { self.name = name }
    other = Self.isReserved(rest) ? nil : rest
    authority = UnsafeRawBufferPointer(rebasing: afterScheme[..<slash])
  }

  private static let paths = DocumentKind.paths.map { (path: $0.path, index: UInt8($0.kind.index)) }
  private static let prefix: StaticString = "/.well-known/"

  /// The index of the kind of rendered document that has a path.
  private static func kind(at path: UnsafeRawBufferPointer) -> UInt8? {
    for known in paths where path.equals(known.path) { return known.index }
    return nil
  }

  /// Whether only machines ask for a path: they must never be redirected, nor get a page. Case and escapes do not count,
  /// nor what else is in the path, since something in front of the server may not tell these spellings apart.
  private static func isReserved(_ path: UnsafeRawBufferPointer) -> Bool {
    path.names("well-known", behind: [".", "%2e"])
      || path.names("apple-app-site-association", behind: ["/", "%2f"])
  }

  /// The name of the document that a path can have; `nil` if it can have none.
  private static func name(at path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    if path.equals("/windows-app-web-link") {
      return UnsafeRawBufferPointer(rebasing: path.dropFirst())
    }
    guard path.begins(with: prefix) else { return nil }
    let name = UnsafeRawBufferPointer(rebasing: path[prefix.utf8CodeUnitCount...])
    let isName = name.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isName && (1...100).contains(name.count) ? name : nil
  }

  /// The part after `http://` or `https://` (RFC 9112 section 3.2.2).
  private static func afterScheme(_ target: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let schemes: (StaticString, StaticString) = ("http://", "https://")
    return strip(schemes.0, target) ?? strip(schemes.1, target)
  }

  private static func strip(
    _ scheme: StaticString, _ target: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    let count = scheme.utf8CodeUnitCount
    guard target.count >= count, let start = target.baseAddress else { return nil }
    guard strncasecmp(start, UnsafeRawPointer(scheme.utf8Start), count) == 0 else { return nil }
    return UnsafeRawBufferPointer(rebasing: target[count...])
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both have the same bytes.
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let start = baseAddress, let otherStart = other.baseAddress else { return count == 0 }
    return memcmp(start, otherStart, count) == 0
  }

  /// Whether the first bytes are those of a text.
  func begins(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && UnsafeRawBufferPointer(rebasing: prefix(text.utf8CodeUnitCount)).equals(text)
  }

  /// Whether these are the bytes of a text.
  func equals(_ text: StaticString) -> Bool {
    equals(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a text is anywhere in it behind one of some others, without regard to case.
  fileprivate func names(_ text: StaticString, behind starts: [StaticString]) -> Bool {
    indices.contains { index in
      let end = index + text.utf8CodeUnitCount
      return isText(text, at: index)
        && (end == count || self[end] == UInt8(ascii: "/") || self[end] == UInt8(ascii: "%"))
        && starts.contains { isText($0, at: index - $0.utf8CodeUnitCount) }
    }
  }

  private func isText(_ text: StaticString, at index: Int) -> Bool {
    guard let baseAddress, index >= 0, count - index >= text.utf8CodeUnitCount else { return false }
    // Sound: both have at least as many bytes as are compared.
    return strncasecmp(
      (baseAddress + index).assumingMemoryBound(to: CChar.self),
      UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self),
      text.utf8CodeUnitCount) == 0
  }
}
