import CMicroHTTPD
import Glibc

/// A time as HTTP writes it (RFC 9110 section 5.6.7), to the second, in UTC.
package struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Seconds since 1970.
  package let seconds: Int64

  /// A time in seconds since 1970, clamped to the years 1970 to 9999.
  package init(seconds: Int64) {
    self.seconds = min(max(seconds, 0), 253_402_300_799)
  }

  /// Parses any of the three forms that RFC 9110 section 5.6.7 asks recipients to accept, without
  /// allocating. The weekday is not compared with the date.
  ///
  /// - Returns: nil for anything else. Ignore a condition with such a date.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    // The longest is "Wednesday, 09-Nov-94 08:49:37 GMT".
    guard bytes.count <= 33 else { return nil }
    let parsed = withUnsafeTemporaryAllocation(byteCount: 34, alignment: 1) { buffer -> tm? in
      buffer.copyMemory(from: bytes)
      buffer[bytes.count] = 0
      // Sound: the text ends with NUL, and the buffer is used for this only.
      guard let text = buffer.bindMemory(to: CChar.self).baseAddress else { return nil }
      return Self.parse(text, count: bytes.count)
    }
    guard var date = parsed else { return nil }
    let day = date.tm_mday
    // A leap second is read as the second before it.
    date.tm_sec = min(date.tm_sec, 59)
    let seconds = timegm(&date)
    // There is no 31 February.
    if date.tm_mday != day { return nil }
    self.init(seconds: Int64(seconds))
  }

  /// The formats, with their length if it is fixed: `strptime` accepts missing blanks and zeros.
  private static let forms: [(format: StaticString, count: Int?)] = [
    ("%a, %d %b %Y %H:%M:%S GMT", 29), ("%a, %d-%b-%y %H:%M:%S GMT", nil),
    ("%a %b %e %H:%M:%S %Y", 24),
  ]

  private static func parse(_ text: UnsafePointer<CChar>, count: Int) -> tm? {
    for form in forms where form.count ?? count == count {
      var date = tm()
      // The process has the C locale, in which the names of days and months are English.
      // Sound: static strings end with NUL.
      let format = UnsafeRawPointer(form.format.utf8Start).assumingMemoryBound(to: CChar.self)
      let end = aasa_strptime(text, format, &date)
      if end?.pointee == 0 { return date }
    }
    return nil
  }

  package static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }

  /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
  package var description: String {
    var time = time_t(seconds)
    var date = tm()
    gmtime_r(&time, &date)
    return String(unsafeUninitializedCapacity: 30) { buffer in
      // Sound: the format writes 29 characters and a NUL for years of four digits.
      buffer.withMemoryRebound(to: CChar.self) {
        $0.baseAddress.map { strftime($0, 30, "%a, %d %b %Y %H:%M:%S GMT", &date) } ?? 0
      }
    }
  }
}
