import FoundationEssentials

/// A time, in seconds since 1970. As text: RFC 3339, UTC, whole seconds.
package struct UnixTime: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
  package let seconds: Int64

  package init(_ seconds: Int64) { self.seconds = seconds }

  package init(integerLiteral seconds: Int64) { self.init(seconds) }

  /// Parses a time, which may have fractions and another zone; `nil` for anything else.
  package init?(_ text: String) {
    guard Self.exists(text) else { return nil }
    do {
      seconds = Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    } catch {
      return nil
    }
    // In UTC, it may be in another year.
    guard self.text.utf8.count == 20 else { return nil }
  }

  /// Whether a text begins with a day that exists, of a year with four digits, and a time of day (RFC 3339 section
  /// 5.6). Foundation takes others, and counts on.
  private static func exists(_ text: String) -> Bool {
    let day = numbers(text.prefix(10), by: "-")
    let time = numbers(text.dropFirst(11).prefix(8), by: ":")
    guard day.count == 3, time.count == 3, 1...12 ~= day[1] else { return false }
    // A leap second is the next one.
    return 1...days(of: day[1], day[0]) ~= day[2] && time[0] < 24 && time[1] < 60 && time[2] <= 60
  }

  /// The number of days of a month, from 1, of a year.
  static func days(of month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func numbers(_ text: Substring, by separator: Character) -> [Int64] {
    text.split(separator: separator, omittingEmptySubsequences: false).compactMap { Int64($0) }
  }

  package static var now: UnixTime { UnixTime(Int64(Date.now.timeIntervalSince1970)) }

  /// The time as JSON and people read it.
  package var text: String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }

  package func seconds(since earlier: UnixTime) -> Int64 { seconds - earlier.seconds }

  package static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }

  package static func + (time: UnixTime, seconds: Int64) -> UnixTime {
    UnixTime(time.seconds + seconds)
  }

  package static func - (time: UnixTime, seconds: Int64) -> UnixTime {
    UnixTime(time.seconds - seconds)
  }
}

extension JSON {
  package static func time(_ time: UnixTime) -> JSON { .string(time.text) }
}
