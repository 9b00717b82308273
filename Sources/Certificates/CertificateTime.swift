import Glibc

/// A moment as it stands in a certificate, for people.
public struct CertificateTime: Sendable, CustomStringConvertible {
  private let seconds: Int64

  /// - Parameter seconds: Since 1970.
  public init(_ seconds: Int64) { self.seconds = seconds }

  /// `2027-01-31T12:00:00Z` (RFC 3339).
  public var description: String {
    var time = time_t(seconds)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil else { return "@\(seconds)" }
    func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    return "\(date)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}
