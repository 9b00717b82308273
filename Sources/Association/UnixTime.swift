import FoundationEssentials

/// A time, in seconds since 1970. As text: RFC 3339, UTC, whole seconds.
package struct UnixTime: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
  /// The seconds since 1970.
  package let seconds: Int64

  /// A time in seconds since 1970.
  package init(_ seconds: Int64) { self.seconds = seconds }

  /// A time in seconds since 1970.
  package init(integerLiteral seconds: Int64) { self.init(seconds) }

  /// Parses a time, which may have fractions and another zone; `nil` for anything else.
  package init?(_ text: String) {
    do {
      seconds = Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    } catch {
      return nil
    }
  }

  /// The time of the system's clock.
  package static var now: UnixTime { UnixTime(Int64(Date.now.timeIntervalSince1970)) }

  /// The time as JSON and people read it.
  package var text: String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }

  package func seconds(since earlier: UnixTime) -> Int64 { seconds - earlier.seconds }

  /// Earlier times come first.
  package static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }

  /// The time so many seconds later.
  package static func + (time: UnixTime, seconds: Int64) -> UnixTime {
    UnixTime(time.seconds + seconds)
  }

  /// The time so many seconds earlier.
  package static func - (time: UnixTime, seconds: Int64) -> UnixTime {
    UnixTime(time.seconds - seconds)
  }
}

extension JSON {
  package static func time(_ time: UnixTime) -> JSON { .string(time.text) }
}
