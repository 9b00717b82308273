/// A time as HTTP writes it (RFC 9110 section 5.6.7), to the second, in UTC.
public struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Seconds since 1970.
  public let seconds: Int64

  /// A time in seconds since 1970; before that year and after 9999 it is held at the nearest one.
  public init(seconds: Int64) {
    self.seconds = min(max(seconds, 0), 253_402_300_799)
  }

  /// Earlier first.
  public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }

  /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
  public var description: String {
    let day = seconds / 86_400
    let (year, month, dayOfMonth) = Self.civil(fromDays: day)
    let time = seconds % 86_400
    // Byte by byte, since a server that starts writes one for each of its domains.
    return String(unsafeUninitializedCapacity: 29) { buffer in
      var end = 0
      func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes in
          for byte in bytes { append(byte) }
        }
      }
      func append(_ byte: UInt8) {
        buffer.initializeElement(at: end, to: byte)
        end += 1
      }
      func append(_ number: Int64, before: StaticString) {
        append(before)
        append(UInt8(ascii: "0") + UInt8(number / 10))
        append(UInt8(ascii: "0") + UInt8(number % 10))
      }
      append(Self.weekdays[Int((day + 4) % 7)])
      append(dayOfMonth, before: ", ")
      append(" ")
      append(Self.months[Int(month) - 1])
      append(year / 100, before: " ")
      append(year % 100, before: "")
      append(time / 3600, before: " ")
      append(time / 60 % 60, before: ":")
      append(time % 60, before: ":")
      append(" GMT")
      return end
    }
  }

  private static let weekdays: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  /// Static, so that looking for one copies nothing.
  static let months: [StaticString] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Year, month and day of days since 1970, in the Gregorian calendar (Howard Hinnant,
  /// "chrono-Compatible Low-Level Date Algorithms").
  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// Days since 1970 of a date in the Gregorian calendar; nil for one that does not exist.
  static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
    guard (1...12).contains(month), day >= 1 else { return nil }
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days =
      era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    let (_, monthBack, dayBack) = days >= -719_468 ? civil(fromDays: days) : (0, 0, 0)
    return monthBack == month && dayBack == day ? days : nil
  }
}
