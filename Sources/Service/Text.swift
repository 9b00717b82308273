extension String {
  /// The text in lines of at most so many characters, broken at spaces.
  public func wrapped(to width: Int) -> [String] {
    split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }

  /// The text with a replacement for each control character, so that it cannot break a line, leave its
  /// column or steer a terminal.
  public func replacingControlCharacters(with replacement: Unicode.Scalar) -> String {
    guard hasControlCharacters else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars { text.append(scalar.isControl ? replacement : scalar) }
    return String(text)
  }

  /// Whether it has characters such as tabs, line ends and escapes.
  public var hasControlCharacters: Bool { unicodeScalars.contains(where: \.isControl) }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}

extension Int {
  /// The number with a noun: `1 domain`, `2 domains`.
  public func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
