import Glibc

/// Who a request for a file most likely comes from, by what it says of itself. A User-Agent proves
/// nothing: anybody may send any.
public enum FetcherClass: String, Sendable, CaseIterable {
  /// Apple's content delivery network, which fetches files for devices: `AASA-Bot` is in its
  /// User-Agent.
  case appleCDN = "apple-cdn"
  /// The daemon of a device, which asks by itself only in developer mode: its User-Agent begins with
  /// `swcd`.
  case device
  /// Anybody else.
  case other

  /// The class of a User-Agent; `other` without one.
  init(userAgent: UnsafeRawBufferPointer) {
    guard let start = userAgent.baseAddress, userAgent.count >= 4 else {
      self = .other
      return
    }
    // Sound: four bytes are there, and each search stays within what is left.
    if memcmp(start, "swcd", 4) == 0 {
      self = .device
    } else {
      self = Self.namesBot(userAgent) ? .appleCDN : .other
    }
  }

  /// Looks for hyphens, which are rarer than letters.
  private static func namesBot(_ userAgent: UnsafeRawBufferPointer) -> Bool {
    guard let start = userAgent.baseAddress else { return false }
    let end = start + userAgent.count
    var rest = start
    while let hyphen = memchr(rest, CInt(UInt8(ascii: "-")), end - rest) {
      let hyphen = UnsafeRawPointer(hyphen)
      if hyphen - start >= 4, end - hyphen >= 4,
        memcmp(hyphen - 4, "AASA-Bot", 8) == 0
      {
        return true
      }
      rest = hyphen + 1
    }
    return false
  }

  /// Its place among all classes, for tables of numbers.
  var index: Int {
    switch self {
    case .appleCDN: 0
    case .device: 1
    case .other: 2
    }
  }
}
