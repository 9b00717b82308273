/// The members of the object that a JSON5 text is (spec.json5.org), each with its line: Foundation's
/// reader, which reads the values, tells no lines and takes a key twice.
struct JSON5Members {
  struct Member {
    /// The key as it is written, in its quotes if it has any.
    let key: String
    /// The value as it is written.
    let value: String
    /// The line of the key.
    let line: Int
  }

  /// Where the text stops to be JSON5, and what was expected there.
  struct SyntaxError: Error {
    let line: Int
    let message: String
  }

  private(set) var members: [Member] = []
  private var rest: Substring.UnicodeScalarView
  private var line = 1

  /// Reads the text of a file.
  ///
  /// - Throws: `SyntaxError`.
  init(_ text: String) throws(SyntaxError) {
    rest = text.unicodeScalars[...]
    try skipSpace()
    try expect("{", "The file must be an object in braces.")
    try skipSpace()
    while rest.first != "}" {
      try readMember()
      try skipSpace()
      if rest.first == "}" { break }
      try expect(",", "There must be a comma between two settings, and a brace at the end.")
      try skipSpace()
    }
    advance()
    try skipSpace()
    if !rest.isEmpty { throw error("Nothing can follow the brace at the end.") }
  }

  private func error(_ message: String) -> SyntaxError { SyntaxError(line: line, message: message) }

  private mutating func readMember() throws(SyntaxError) {
    let line = line
    let key =
      try isQuote(rest.first)
      ? taking { (members: inout JSON5Members) throws(SyntaxError) in try members.skipString() }
      : readName()
    try skipSpace()
    try expect(":", "There must be a colon behind the name “\(key)”.")
    try skipSpace()
    let value = try taking { (members: inout JSON5Members) throws(SyntaxError) in
      try members.skipValue()
    }
    members.append(Member(key: key, value: value, line: line))
  }

  /// An identifier of ECMAScript, as far as a setting may be one.
  private mutating func readName() throws(SyntaxError) -> String {
    let name = try taking { (members: inout JSON5Members) throws(SyntaxError) in
      while let scalar = members.rest.first, Self.isOfName(scalar) { members.advance() }
    }
    if name.isEmpty { throw error("There must be the name of a setting, or a brace at the end.") }
    return name
  }

  private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      || "$_\\-".unicodeScalars.contains(scalar)
  }

  /// The text that `skip` passes over.
  private mutating func taking(
    _ skip: (inout JSON5Members) throws(SyntaxError) -> Void
  ) throws(SyntaxError) -> String {
    let start = rest
    try skip(&self)
    return String(start[..<rest.startIndex])
  }

  private mutating func skipValue() throws(SyntaxError) {
    if isQuote(rest.first) { return try skipString() }
    guard rest.first == "[" || rest.first == "{" else { return try skipWord() }
    var depth = 0
    repeat {
      try skipSpace()
      guard let scalar = rest.first else { throw error("A bracket or brace is not closed.") }
      if isQuote(scalar) {
        try skipString()
        continue
      }
      if scalar == "[" || scalar == "{" { depth += 1 }
      if scalar == "]" || scalar == "}" { depth -= 1 }
      advance()
    } while depth > 0
  }

  private mutating func skipWord() throws(SyntaxError) {
    let start = rest.startIndex
    while let scalar = rest.first, !Self.isSpace(scalar), !",:]}/".unicodeScalars.contains(scalar) {
      advance()
    }
    if rest.startIndex == start { throw error("A value is missing.") }
  }

  private mutating func skipString() throws(SyntaxError) {
    let start = line
    let quote = rest.first
    advance()
    while let scalar = rest.first, scalar != quote {
      let isEscape = scalar == "\\"
      advance()
      // A line can go on behind a backslash, and only there.
      if scalar.isLineEnd { throw Self.openString(start) }
      if isEscape {
        let isReturn = rest.first == "\r"
        advance()
        if isReturn && rest.first == "\n" { advance() }
      }
    }
    if rest.isEmpty { throw Self.openString(start) }
    advance()
  }

  private static func openString(_ line: Int) -> SyntaxError {
    SyntaxError(line: line, message: "A string is not closed.")
  }

  private mutating func skipSpace() throws(SyntaxError) {
    while let scalar = rest.first {
      if Self.isSpace(scalar) {
        advance()
      } else if rest.starts(with: "//".unicodeScalars) {
        while let scalar = rest.first, !scalar.isLineEnd { advance() }
      } else if rest.starts(with: "/*".unicodeScalars) {
        try skipBlockComment()
      } else {
        return
      }
    }
  }

  private mutating func skipBlockComment() throws(SyntaxError) {
    let start = line
    advance()
    advance()
    while !rest.starts(with: "*/".unicodeScalars) {
      if rest.isEmpty { throw SyntaxError(line: start, message: "A comment is not closed.") }
      advance()
    }
    advance()
    advance()
  }

  private mutating func expect(
    _ scalar: Unicode.Scalar, _ message: String
  ) throws(SyntaxError) {
    guard rest.first == scalar else { throw error(message) }
    advance()
  }

  private mutating func advance() {
    let scalar = rest.popFirst()
    if scalar == "\n" || (scalar == "\r" && rest.first != "\n") { line += 1 }
  }

  private func isQuote(_ scalar: Unicode.Scalar?) -> Bool { scalar == "\"" || scalar == "'" }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\u{FEFF}"
  }
}

extension Unicode.Scalar {
  fileprivate var isLineEnd: Bool { self == "\n" || self == "\r" }
}
