import HTTP

/// What conditional requests are compared with (RFC 9110 section 8.8).
struct Validators: Sendable {
  /// What the entity tag is made of.
  let digest: DocumentDigest
  let lastModified: HTTPDate

  /// Whether a line of If-None-Match or If-Match is `*` or names the tag.
  ///
  /// - Parameter weakly: Whether the tag matches with `W/` before it, too (RFC 9110 section
  ///   8.8.3.2).
  func match(_ line: UnsafeRawBufferPointer, weakly: Bool) -> Bool {
    if line.equals("*") { return true }
    var tags = EntityTags(line)
    while let (isWeak, tag) = tags.next() {
      if (weakly || !isWeak) && digest.isEntityTag(tag) { return true }
    }
    return false
  }

  /// Whether the document is not newer than a date; nil if the date is not one, and so does not
  /// count (RFC 9110 section 13.1.3).
  func isUnmodified(since line: UnsafeRawBufferPointer) -> Bool? {
    HTTPDate(line, currentYear: HTTPDate.currentYear).map { lastModified <= $0 }
  }
}

/// The entity tags of a line, whatever stands between them.
private struct EntityTags {
  private let line: UnsafeRawBufferPointer
  private var index = 0

  init(_ line: UnsafeRawBufferPointer) { self.line = line }

  /// The next tag with its quotation marks.
  mutating func next() -> (isWeak: Bool, tag: UnsafeRawBufferPointer)? {
    guard let start = line[index...].firstIndex(of: UInt8(ascii: "\"")),
      let end = line[(start + 1)...].firstIndex(of: UInt8(ascii: "\""))
    else { return nil }
    let isWeak =
      start >= index + 2 && line[start - 1] == UInt8(ascii: "/")
      && line[start - 2] == UInt8(ascii: "W")
    index = end + 1
    return (isWeak, UnsafeRawBufferPointer(rebasing: line[start...end]))
  }
}
