import Glibc

extension HTTPDate {
  /// The current year (UTC), but for the hours around its turn.
  public static var currentYear: Int64 { 1970 + Int64(time(nil)) / 31_556_952 }

  /// Parses any of the three forms that RFC 9110 section 5.6.7 asks recipients to take, without
  /// allocating. The weekday is not compared with the date.
  ///
  /// - Parameter year: The current year, which decides the century of a year of two digits.
  /// - Returns: nil for anything else, for which a condition is to be ignored.
  public init?(_ bytes: UnsafeRawBufferPointer, currentYear year: Int64) {
    var text = DateScanner(bytes)
    let date: (day: Int64?, month: Int64?, year: Int64?)
    let clock: Int64?
    if bytes.count == 29, text.skip(through: UInt8(ascii: ",")), text.skip(" ") {
      // Sun, 06 Nov 1994 08:49:37 GMT
      date = (text.number(2, " "), text.month(" "), text.number(4, " "))
      clock = text.clock(" ")
      guard text.endsWith("GMT") else { return nil }
    } else if text.restart(), text.skip(through: UInt8(ascii: ",")), text.skip(" ") {
      // Sunday, 06-Nov-94 08:49:37 GMT
      let (day, month, short) = (text.number(2, "-"), text.month("-"), text.number(2, " "))
      date = (day, month, short.map { Self.fullYear($0, near: year) })
      clock = text.clock(" ")
      guard text.endsWith("GMT") else { return nil }
    } else if bytes.count == 24, text.restart(), text.skip(through: UInt8(ascii: " ")) {
      // Sun Nov  6 08:49:37 1994
      let (month, day) = (text.month(" "), text.paddedNumber(" "))
      clock = text.clock(" ")
      date = (day, month, text.number(4, ""))
      guard text.endsWith("") else { return nil }
    } else {
      return nil
    }
    guard let day = date.day, let month = date.month, let year = date.year, let clock,
      let days = Self.days(year: year, month: month, day: day)
    else { return nil }
    self.init(seconds: days * 86_400 + clock)
  }

  /// A year of two digits is at most 50 years in the future.
  private static func fullYear(_ short: Int64, near year: Int64) -> Int64 {
    let full = year / 100 * 100 + short
    return full > year + 50 ? full - 100 : full
  }
}

/// Reads a date's bytes from left to right.
private struct DateScanner {
  private let bytes: UnsafeRawBufferPointer
  private var index = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func restart() -> Bool {
    index = 0
    return true
  }

  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - index >= count else { return false }
    for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return false }
    index += count
    return true
  }

  mutating func skip(through byte: UInt8) -> Bool {
    guard let found = bytes[index...].firstIndex(of: byte) else { return false }
    index = found + 1
    return true
  }

  func endsWith(_ text: StaticString) -> Bool {
    var rest = self
    return rest.skip(text) && rest.index == bytes.count
  }

  mutating func number(_ digits: Int, _ end: StaticString) -> Int64? {
    guard bytes.count - index >= digits else { return nil }
    var number: Int64 = 0
    for byte in bytes[index..<(index + digits)] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    index += digits
    return skip(end) ? number : nil
  }

  mutating func paddedNumber(_ end: StaticString) -> Int64? {
    skip(" ") ? number(1, end) : number(2, end)
  }

  mutating func month(_ end: StaticString) -> Int64? {
    for (number, name) in HTTPDate.months.enumerated() where skip(name) {
      return skip(end) ? Int64(number) + 1 : nil
    }
    return nil
  }

  /// The seconds of a day; a leap second counts as the one before it.
  mutating func clock(_ end: StaticString) -> Int64? {
    guard let hour = number(2, ":"), let minute = number(2, ":"), let second = number(2, end),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + min(second, 59)
  }
}
