private let tools = ["curl", "curl.exe", "wget", "Invoke-WebRequest", "iwr"]

/// What a pasted command, such as one with `curl`, says by its words.
extension ArraySlice<UInt8> {
  /// Whether it is a line with `curl` or a similar tool, behind a prompt or not. PowerShell begins errors with the tool, and
  /// HTTPie has names that headers have as values.
  var isCommand: Bool {
    let first = words.prefix(5).map(\.argument)
    // What `curl -v` says of the connection has its name, too; in a list, commands begin with this mark.
    if self.first == UInt8(ascii: "*"),
      !words.map(\.argument).contains(where: { $0.has("://") || SiteAnswer.isFile($0) })
    {
      return false
    }
    if first.count > 1 && first[1].elementsEqual(":".utf8) { return false }
    let isHTTPie = first.first { $0.count > 1 }.map {
      $0.elementsEqual("http".utf8) || $0.elementsEqual("https".utf8)
    }
    return isHTTPie == true
      || first.contains { word in tools.contains { word.elementsEqual($0.utf8) } }
  }

  /// Whether a word is a method whose answer has no body, or an option with it, such as `-XHEAD` and `--request=HEAD`.
  var isMethodWithoutBody: Bool {
    guard count < 30 else { return false }
    let word = argument.value.uppercased()
    let method = word.split(separator: "=").last ?? ""
    return ["HEAD", "OPTIONS"].contains { method == $0 || word == "-X\($0)" }
  }

  /// Whether it begins with the prompt of a shell. The table that `curl` prints of its progress begins with `%`, too.
  var isPrompt: Bool {
    let first = words.prefix(5)
    guard first.count > 1, let start = first.first else { return false }
    if start.count == 1, "$%#".utf8.contains(start[start.startIndex]) {
      return !first[1].elementsEqual("Total".utf8)
    }
    return (start.contains(UInt8(ascii: "@")) || start.elementsEqual("PS".utf8) || start.has(":\\"))
      && first.contains { $0.last.map { "$%#>".utf8.contains($0) } == true }
  }

  /// Whether it is what people write: it has some words that begin with a letter, and does not begin with a mark.
  var isSentence: Bool {
    first.map(\.isASCIILetterOrDigit) == true
      && words.prefix(20).count {
        $0.first.map { $0.isASCIILetterOrDigit && !$0.isASCIIDigit } == true
      }
        > 3
  }

  /// Whether it is a type such as `text/plain; charset=utf-8`, and nothing else.
  var isMediaType: Bool {
    let type = prefix { !"; ".utf8.contains($0) }
    return type.contains(UInt8(ascii: "/"))
      && [nil, UInt8(ascii: ";")].contains(self[type.endIndex...].first)
  }

  /// A word of a command without the marks of its shell or its sentence.
  var argument: ArraySlice<UInt8> {
    let isMark = { (byte: UInt8) in "\"'`()<>,;|".utf8.contains(byte) }
    var word = drop(while: isMark)
    while let last = word.last, isMark(last) { word.removeLast() }
    return word
  }
}
