/// The coding of letters beyond ASCII in names (RFC 3492).
enum Punycode {
  /// The letters of a label after its `xn--`; nil if it is malformed.
  static func decoded(_ label: some BidirectionalCollection<UInt8>) -> [Unicode.Scalar]? {
    let hyphen = UInt8(ascii: "-")
    let basic =
      label.lastIndex(of: hyphen).map { label[..<$0] } ?? label[label.startIndex..<label.startIndex]
    var letters = basic.map { Unicode.Scalar($0) }
    var rest = label[basic.endIndex...]
    if rest.first == hyphen { rest = rest.dropFirst() }
    var (code, index, bias) = (128, 0, 72)
    while !rest.isEmpty {
      let before = index
      var (weight, step) = (1, 36)
      while true {
        guard let digit = rest.popFirst().flatMap(value) else { return nil }
        index += digit * weight
        let threshold = min(max(step - bias, 1), 26)
        if digit < threshold { break }
        weight *= 36 - threshold
        if max(index, weight) > 0xFFFF_FFFF { return nil }
        step += 36
      }
      let count = letters.count + 1
      bias = adapted(index - before, count: count, isFirst: before == 0)
      code += index / count
      index %= count
      guard let letter = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else { return nil }
      letters.insert(letter, at: index)
      index += 1
    }
    return letters
  }

  private static func value(_ digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit) - 97
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48 + 26
    default: nil
    }
  }

  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var steps = 0
    while delta > 35 * 26 / 2 {
      delta /= 35
      steps += 36
    }
    return steps + 36 * delta / (delta + 38)
  }
}

extension DomainName {
  /// Like `unicode`, but made in a tenth of the time, without asking whether IDNA allows the letters.
  package var quickUnicode: String {
    guard text.contains("xn--") else { return text }
    var name = String.UnicodeScalarView()
    for label in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      if !name.isEmpty { name.append(".") }
      if label.starts(with: "xn--".utf8), let letters = Punycode.decoded(label.dropFirst(4)) {
        name.append(contentsOf: letters)
      } else {
        name.append(contentsOf: label.lazy.map { Unicode.Scalar($0) })
      }
    }
    return String(name)
  }
}
