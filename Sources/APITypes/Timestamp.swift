import FoundationEssentials

/// Times in JSON: RFC 3339, UTC, whole seconds.
package enum Timestamp {
  package static func text(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }
}
