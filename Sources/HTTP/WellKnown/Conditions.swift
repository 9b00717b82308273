/// The SHA-256 of a document, from which its strong entity tag is made (RFC 9110 section 8.8.3).
package struct DocumentDigest: Sendable, Hashable {
  // Sixteen hexadecimal digits each.
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  /// Of no document.
  static let zero = DocumentDigest()

  private init() { (first, second, third, fourth) = (0, 0, 0, 0) }

  /// Reads 64 hexadecimal digits, with letters in lower case; `nil` for anything else.
  package init?(hexadecimal text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 64,
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    // The lower four bits of a letter are 9 less than its value.
    func word(_ index: Int) -> UInt64 {
      digits[(16 * index)..<(16 * index + 16)].reduce(0) {
        $0 << 4 | UInt64($1 & 0xF) + UInt64($1 >> 6) * 9
      }
    }
    (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
  }

  // Each part of a digest is as good a hash as all of it.
  package func hash(into hasher: inout Hasher) { hasher.combine(first) }

  /// The digits between quotation marks.
  var entityTag: String {
    let words = [first, second, third, fourth]
    let digits = words.flatMap { word in (0..<16).map { Self.digit($0, of: word) } }
    return "\"" + String(decoding: digits, as: UTF8.self) + "\""
  }

  /// Whether these are the bytes of the tag, with its quotation marks.
  func isEntityTag(_ tag: UnsafeRawBufferPointer) -> Bool {
    guard tag.count == 66, tag[0] == UInt8(ascii: "\""), tag[65] == UInt8(ascii: "\"") else {
      return false
    }
    // No branch depends on a digit, because the digits of a digest are unpredictable.
    func difference(_ word: UInt64, at offset: Int) -> UInt8 {
      var difference: UInt8 = 0
      for index in 0..<16 { difference |= tag[offset + index] ^ Self.digit(index, of: word) }
      return difference
    }
    return difference(first, at: 1) | difference(second, at: 17) | difference(third, at: 33)
      | difference(fourth, at: 49) == 0
  }

  private static func digit(_ index: Int, of word: UInt64) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(index))) & 0xF
    return value + (value > 9 ? UInt8(ascii: "a") - 10 : UInt8(ascii: "0"))
  }
}

/// The validators of a document (RFC 9110 section 8.8).
struct Validators: Sendable {
  let digest: DocumentDigest
  let lastModified: HTTPDate

  /// Whether a line of If-None-Match or If-Match is `*` or names the tag.
  ///
  /// - Parameter weakly: Whether the tag also matches with `W/` before it (RFC 9110 section 8.8.3.2).
  func match(_ line: UnsafeRawBufferPointer, weakly: Bool) -> Bool {
    if line.equals("*") { return true }
    // Each tag is in quotation marks; the separators do not matter.
    var rest = line.startIndex
    while let start = line[rest...].firstIndex(of: UInt8(ascii: "\"")),
      let end = line[(start + 1)...].firstIndex(of: UInt8(ascii: "\""))
    {
      let isWeak =
        start >= rest + 2 && line[start - 1] == UInt8(ascii: "/")
        && line[start - 2] == UInt8(ascii: "W")
      let tag = UnsafeRawBufferPointer(rebasing: line[start...end])
      if (weakly || !isWeak) && digest.isEntityTag(tag) { return true }
      rest = end + 1
    }
    return false
  }

  /// Whether the document is not newer than a date; nil if this is no date, so that the condition is
  /// ignored (RFC 9110 section 13.1.3).
  func isUnmodified(since line: UnsafeRawBufferPointer) -> Bool? {
    HTTPDate(line).map { lastModified <= $0 }
  }
}

/// How the conditions of a GET or HEAD apply to a document (RFC 9110 section 13.2.2).
enum Conditions {
  /// The document is sent.
  case passed
  /// 304
  case notModified
  /// 412
  case failed

  /// Evaluates the conditions in the order of RFC 9110.
  init(of request: borrowing DirectRequest, _ validators: Validators) {
    let fields = request.fields
    if fields.ifMatch.count > 0 {
      if !Self.matches(request, fields.ifMatch, "If-Match", validators, weakly: false) {
        self = .failed
        return
      }
    } else if fields.ifUnmodifiedSince.count == 1,
      validators.isUnmodified(since: fields.ifUnmodifiedSince.value) == false
    {
      self = .failed
      return
    }
    if fields.ifNoneMatch.count > 0 {
      let matches = Self.matches(
        request, fields.ifNoneMatch, "If-None-Match", validators, weakly: true)
      self = matches ? .notModified : .passed
    } else if fields.ifModifiedSince.count == 1,
      validators.isUnmodified(since: fields.ifModifiedSince.value) == true
    {
      self = .notModified
    } else {
      self = .passed
    }
  }

  private static func matches(
    _ request: borrowing DirectRequest, _ line: DirectFields.Line, _ name: StaticString,
    _ validators: Validators, weakly: Bool
  ) -> Bool {
    if line.count == 1 { return validators.match(line.value, weakly: weakly) }
    return request.anyLine(of: name) { validators.match($0, weakly: weakly) }
  }
}
