import FoundationEssentials

/// A time, in seconds since 1970. As text: RFC 3339, UTC, whole seconds.
package struct UnixTime: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
  package let seconds: Int64

  package init(_ seconds: Int64) { self.seconds = seconds }

  package init(integerLiteral seconds: Int64) { self.init(seconds) }

  /// Parses a time, which may have fractions and another zone; `nil` for anything else.
  package init?(_ text: String) {
    do {
      seconds = Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    } catch {
      return nil
    }
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
