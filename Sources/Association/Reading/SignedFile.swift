/// Files that are signed in CMS (RFC 5652), the form that only iOS 8 required.
///
/// This reads just the content. It does not check the signature, which no system does any more.
package enum SignedFile {
  /// A signed file whose content is missing or damaged.
  package struct Unreadable: Error, CustomStringConvertible {
    /// What is wrong, for people.
    package let description = "The file is signed (CMS), but its content is missing or damaged."
  }

  /// The content of a signed file; `nil` for any other file.
  package static func content(of file: [UInt8]) throws(Unreadable) -> [UInt8]? {
    var reader = BERReader(file[...])
    guard reader.enter(.sequence), reader.startsWithOID(signedDataIdentifier) else { return nil }
    // ContentInfo, SignedData, EncapsulatedContentInfo: sections 3, 5.1 and 5.2.
    guard reader.skip(), reader.enter(.explicit), reader.enter(.sequence), reader.skip(),
      reader.skip(), reader.enter(.sequence), reader.skip(), reader.enter(.explicit),
      let content = reader.octets()
    else { throw Unreadable() }
    return content
  }

  /// 1.2.840.113549.1.7.2, with tag and length.
  private static let signedDataIdentifier: [UInt8] = [
    0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02,
  ]
}

/// Reads elements of BER (X.690), of which DER is a part, from the start. Each byte is read at most
/// once.
private struct BERReader {
  /// The tags that are entered.
  enum Tag: UInt8 {
    case sequence = 0x30
    /// `[0]`.
    case explicit = 0xA0
  }

  private static let octetString: UInt8 = 0x04
  private static let constructed: UInt8 = 0x20
  private static let deepest = 16

  /// What follows in the innermost entered element of known length, and maybe after elements of
  /// unknown length in it, which nobody needs to leave.
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  func startsWithOID(_ oid: [UInt8]) -> Bool { rest.starts(with: oid) }

  /// Enters an element. Returns whether there is one with this tag.
  mutating func enter(_ tag: Tag) -> Bool {
    guard let header = header(), header.tag == tag.rawValue else { return false }
    if let length = header.length { rest = rest.prefix(length) }
    return true
  }

  /// Skips an element. Returns whether there is one.
  mutating func skip(depth: Int = 0) -> Bool {
    guard depth < Self.deepest, let header = header() else { return false }
    if let length = header.length {
      rest = rest.dropFirst(length)
      return true
    }
    while !leave() {
      if !skip(depth: depth + 1) { return false }
    }
    return true
  }

  /// The bytes of an octet string, which may be in pieces.
  mutating func octets(depth: Int = 0) -> [UInt8]? {
    guard depth < Self.deepest, let header = header() else { return nil }
    if header.tag == Self.octetString {
      guard let length = header.length else { return nil }
      defer { rest = rest.dropFirst(length) }
      return Array(rest.prefix(length))
    }
    guard header.tag == Self.octetString | Self.constructed else { return nil }
    let end = header.length.map { rest.startIndex + $0 }
    var bytes: [UInt8] = []
    while true {
      if let end { if rest.startIndex == end { return bytes } } else if leave() { return bytes }
      guard let piece = octets(depth: depth + 1), end.map({ rest.startIndex <= $0 }) ?? true else {
        return nil
      }
      bytes += piece
    }
  }

  /// Reads the mark that ends an element of unknown length, if it is next.
  private mutating func leave() -> Bool {
    guard rest.starts(with: [0, 0]) else { return false }
    rest = rest.dropFirst(2)
    return true
  }

  /// Reads a tag and a length, which is `nil` where only a mark shows the end; `nil` unless the element
  /// fits into the rest.
  private mutating func header() -> (tag: UInt8, length: Int?)? {
    guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else {
      return nil
    }
    if first == 0x80 { return tag & Self.constructed != 0 ? (tag, nil) : nil }
    var length = Int(first)
    if first > 0x80 {
      let digits = rest.prefix(Int(first & 0x7F))
      guard digits.count == Int(first & 0x7F), digits.count <= 4 else { return nil }
      rest = rest.dropFirst(digits.count)
      length = digits.reduce(0) { $0 << 8 | Int($1) }
    }
    return length <= rest.count ? (tag, length) : nil
  }
}
