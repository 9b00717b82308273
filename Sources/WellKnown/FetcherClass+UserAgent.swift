import Association
import Glibc

extension FetcherClass {
  /// The class of a User-Agent; `other` without one.
  init(userAgent: UnsafeRawBufferPointer) {
    if userAgent.begins(with: "swcd") || userAgent.begins(with: "com.apple.swcd") {
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
