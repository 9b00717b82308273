/// The text that percent-encoded bytes stand for (RFC 3986 section 2.1).
///
/// - Throws: `RequestTarget.Malformed` for a `%` without two digits, for an escaped NUL, and for
///   bytes that are not UTF-8.
func percentDecoded(_ bytes: ArraySlice<UInt8>) throws(RequestTarget.Malformed) -> String {
  var decoded: [UInt8] = []
  decoded.reserveCapacity(bytes.count)
  var index = bytes.startIndex
  while index < bytes.endIndex {
    guard bytes[index] == UInt8(ascii: "%") else {
      decoded.append(bytes[index])
      index += 1
      continue
    }
    guard bytes.endIndex - index > 2, let high = hexadecimalDigit(bytes[index + 1]),
      let low = hexadecimalDigit(bytes[index + 2])
    else { throw .escape }
    if high == 0 && low == 0 { throw .character }
    decoded.append(high << 4 | low)
    index += 3
  }
  guard let text = String(validating: decoded, as: UTF8.self) else { throw .encoding }
  return text
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
