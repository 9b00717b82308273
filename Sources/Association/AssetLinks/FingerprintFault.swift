/// What keeps a text from being a fingerprint, where it is a single thing.
struct FingerprintFault {
  let sentence: String
  /// What to write; `nil` if the text does not say.
  var help: String?

  /// - Returns: `nil` if the text hardly resembles a fingerprint.
  init?(of text: String) {
    guard text.utf8.count < 2000, !text.isEmpty else { return nil }
    if Fingerprint(written: text) != nil {
      sentence = "It has no colons."
      return
    }
    let words = text.split { $0.isWhitespace || $0 == "," || $0 == ";" || $0 == "=" }
    let whole = words.map(Self.withoutLabel).compactMap { Fingerprint(written: String($0)) }
    if whole.count > 1 {
      sentence = "It has \(whole.count) fingerprints in one string."
      help =
        "Write each as a string of its own: \(whole.map { "\"\($0)\"" }.joined(separator: ", "))."
      return
    }
    if let only = whole.first {
      let isBlank = text.filter { !$0.isWhitespace }.count == words.first?.count && words.count == 1
      sentence =
        isBlank && Self.withoutLabel(words[0]) == words[0]
        ? "It has a blank or a line break beside the fingerprint."
        : "It has more than the fingerprint."
      help = "Write \"\(only)\"."
      return
    }
    let digits = text.filter { !"-:._ \n\t".contains($0) }
    if let only = Fingerprint(written: digits) {
      sentence = "Its pairs do not all have a colon between them."
      help = "Write \"\(only)\"."
      return
    }
    if let only = Fingerprint(base64: text) {
      sentence = "It is written in base64, as the origin of an app in passkeys is."
      help = "Write \"\(only)\"."
      return
    }
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.count > 8 || text.count > 40 else { return nil }
    if let stranger = Self.withoutLabel(text[...]).first(where: { !$0.isHexDigit && $0 != ":" }) {
      sentence = "\(String(stranger).quoted) is not a hexadecimal digit."
    } else if pairs.count == 1 {
      sentence = "It has \(text.count) digits, and needs 64."
    } else if let index = pairs.firstIndex(where: { $0.count != 2 }) {
      sentence = "Its part \(index + 1), \(String(pairs[index]).quoted), does not have two digits."
    } else {
      sentence = "It has \(pairs.count) pairs."
    }
  }

  /// The text behind a label such as `SHA256:`.
  private static func withoutLabel(_ text: Substring) -> Substring {
    let labels = ["sha-256:", "sha256:"]
    return labels.first { text.lowercased().hasPrefix($0) }.map { text.dropFirst($0.count) } ?? text
  }
}

extension Fingerprint {
  /// The fingerprint that a text has in base64, also in the form for URLs and in an origin such as
  /// `android:apk-key-hash:…`; `nil` if it is none.
  fileprivate init?(base64 text: String) {
    let label = "android:apk-key-hash:"
    let rest = text.hasPrefix(label) ? text.dropFirst(label.count) : text[...]
    let digits = rest.utf8.prefix { $0 != UInt8(ascii: "=") }
    // One in hexadecimal digits that was cut has the same length.
    guard digits.count == 43, rest.utf8.count - digits.count <= 1,
      rest.contains(where: { !$0.isHexDigit && $0 != "=" })
    else { return nil }
    var octets: [UInt8] = []
    var (bits, count) = (0, 0)
    for digit in digits {
      guard let value = Self.value(ofBase64: digit) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        octets.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    self.init(
      written: octets.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
  }

  private static func value(ofBase64 digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
