import FoundationEssentials

/// Times in JSON: RFC 3339, UTC, whole seconds.
package enum Timestamp {
  package static func text(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }

  /// The seconds since 1970 of a time; `nil` if the text is not a time.
  package static func seconds(_ text: String) -> Int64? {
    do {
      return Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    } catch {
      return nil
    }
  }
}
