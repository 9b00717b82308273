import Association
import Glibc

/// The resource that the target of a public request names. Paths are compared byte by byte as
/// written: nothing is decoded or normalized, so no other spelling of a path is accepted.
struct PublicTarget {
  enum Path: Equatable {
    case document(DocumentKind)
    case unknown
    case malformed
  }

  let path: Path
  /// The authority of a target in absolute form.
  let authority: UnsafeRawBufferPointer?

  /// - Parameter target: Up to the `?`.
  init(_ target: UnsafeRawBufferPointer) {
    if let kind = Self.kind(at: target) {
      path = .document(kind)
      authority = nil
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
      return
    }
    let slash = afterScheme.firstIndex(of: UInt8(ascii: "/")) ?? afterScheme.count
    let rest = UnsafeRawBufferPointer(rebasing: afterScheme[slash...])
    path = Self.kind(at: rest).map { .document($0) } ?? .unknown
    authority = UnsafeRawBufferPointer(rebasing: afterScheme[..<slash])
  }

  /// The kind of document that has a path.
  private static func kind(at path: UnsafeRawBufferPointer) -> DocumentKind? {
    for known in DocumentKind.paths where path.equals(known.path) { return known.kind }
    return nil
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
