package import Association
/// The names that people can give to tokens, users and webhooks: they appear in the audit log, where invisible
/// characters would make two look the same, and in paths, where clients resolve "..".
package enum NewName {
  /// Controls, and characters that show nothing.
  private static let invisible: [ClosedRange<Unicode.Scalar>] = [
    "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{ad}"..."\u{ad}", "\u{34f}"..."\u{34f}",
    "\u{61c}"..."\u{61c}", "\u{115f}"..."\u{1160}", "\u{17b4}"..."\u{17b5}",
    "\u{180b}"..."\u{180f}", "\u{200b}"..."\u{200f}", "\u{2028}"..."\u{202e}",
    "\u{2060}"..."\u{206f}", "\u{3164}"..."\u{3164}", "\u{fe00}"..."\u{fe0f}",
    "\u{feff}"..."\u{feff}", "\u{ffa0}"..."\u{ffa0}", "\u{fff0}"..."\u{fffb}",
  ]

  /// Why other names are refused.
  package static let rule =
    "none of them invisible, does not begin or end with a space, and is not \".\" or \"..\""

  /// Whether a name is allowed. Its length is another matter.
  package static func allows(_ name: String) -> Bool {
    let scalars = name.unicodeScalars
    let hasInvisible = scalars.contains { scalar in
      invisible.contains { $0.contains(scalar) }
    }
    let hasSpaceAtEnd = [scalars.first, scalars.last].contains {
      $0?.properties.isWhitespace == true
    }
    return !hasInvisible && !hasSpaceAtEnd && ![".", ".."].contains(name)
  }

  /// A schema of the names that `allows` takes.
  package static func schema(longest: Int) -> Schema {
    let escaped = { (scalar: Unicode.Scalar) in
      "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
    }
    let hidden = invisible.map { escaped($0.lowerBound) + "-" + escaped($0.upperBound) }.joined()
    return .text("^[^\\s\(hidden)]([^\(hidden)]*[^\\s\(hidden)])?$", longest: longest)
  }
}
