/// A request for a file and its status in one line: of a server for development, the log of a framework or of a router, a
/// browser's console, or Lint of Android, which names the file and the status, too.
struct LoggedAnswer {
  let target: ArraySlice<UInt8>
  let status: Int
  /// The name that the line gives the site beside the target.
  private(set) var host: String?

  /// Reads a line; `nil` if it has no such answer.
  init?(_ line: ArraySlice<UInt8>) {
    if let answer = Self.lint(line) {
      self = answer
      return
    }
    let words = line.words
    guard
      let answer = Self.console(line, words) ?? Self.pairs(words) ?? Self.columns(line, words)
        ?? Self.inOrder(line, words), LoggedRequest.isSameForAll(answer.status)
    else { return nil }
    self = answer
  }

  private init(_ target: ArraySlice<UInt8>, _ status: Int, host: String? = nil) {
    (self.target, self.status, self.host) = (target, status, host)
  }

  private static func lint(_ line: ArraySlice<UInt8>) -> LoggedAnswer? {
    guard let target = LoggedRequest.path(behind: "Digital Asset Links JSON file ", in: line)
    else { return nil }
    let code = line.firstRange(of: " fails. HTTP response code: ").flatMap {
      Int(line[$0.upperBound...].prefix(while: \.isASCIIDigit).value)
    }
    return (code ?? (line.has(" is not found on the host") ? 404 : nil)).map { .init(target, $0) }
  }

  /// Chrome and Safari: `Failed to load resource: the server responded with a status of 404 ()`, with the address and the
  /// number of a line beside it.
  private static func console(
    _ line: ArraySlice<UInt8>, _ words: [ArraySlice<UInt8>]
  ) -> LoggedAnswer? {
    guard let place = line.firstRange(of: "the server responded with a status of "),
      let status = Int(line[place.upperBound...].prefix(while: \.isASCIIDigit).value),
      let target = words.map(\.withoutLineNumber).first(where: SiteAnswer.isFile)
    else { return nil }
    let start = target.prefix { $0 != UInt8(ascii: "/") }
    return .init(target, status, host: start.host)
  }

  /// Names and values, such as `method=GET path="/a" host=example.com status=404` of Heroku.
  private static func pairs(_ words: [ArraySlice<UInt8>]) -> LoggedAnswer? {
    let pairs = words.compactMap { word in
      word.firstIndex(of: UInt8(ascii: "=")).map {
        (name: word[..<$0].value.lowercased(), value: word[($0 + 1)...].bare)
      }
    }
    let names = ["status", "status_code", "statuscode", "{status"]
    let targets = pairs.filter { ["path", "uri", "url"].contains($0.name) }.map(\.value)
    guard let status = pairs.first(where: { names.contains($0.name) }).flatMap({ code($0.value) }),
      let target = targets.first, targets.allSatisfy(SiteAnswer.isFile),
      pairs.allSatisfy({ $0.name != "method" || isMethod($0.value) })
    else { return nil }
    let hosts = pairs.filter { ["host", "http_host"].contains($0.name) }
    return .init(target, status, host: hosts.lazy.compactMap(\.value.host).first)
  }

  /// Columns with a bar between them, among which is how long it took: Gin and Fiber.
  private static func columns(
    _ line: ArraySlice<UInt8>, _ words: [ArraySlice<UInt8>]
  ) -> LoggedAnswer? {
    let columns = line.split(separator: UInt8(ascii: "|")).map(\.trimmed)
    guard columns.count > 3, columns.contains(where: \.isDuration),
      let status = columns.lazy.compactMap(code).first,
      let method = words.firstIndex(where: isMethod),
      let target = words[(method + 1)...].first(where: { !$0.elementsEqual("|".utf8) })?.bare
    else { return nil }
    return .init(target, status)
  }

  /// Words in the order of what happens, such as `GET /a 404 in 52ms`. ASP.NET has a dash for each thing it does not know, or
  /// `responded`, Chrome an error of its own, Strapi the time, and http-server `Error (404):`. PHP has `[404]: GET /a`, Symfony
  /// `GET (404) /a`, and Tornado `404 GET /a`.
  private static func inOrder(
    _ line: ArraySlice<UInt8>, _ words: [ArraySlice<UInt8>]
  ) -> LoggedAnswer? {
    guard let method = words.firstIndex(where: { isMethod($0.bare) }), method + 1 < words.count
    else { return nil }
    let target = words[method + 1].bare
    let behind = words[(method + 2)...]
    if method > 0, words[method - 1].starts(with: "[".utf8), words[method - 1].has("]:"),
      let status = code(words[method - 1].bare)
    {
      return .init(target, status)
    }
    if words[method + 1].starts(with: "(".utf8), let path = behind.first {
      return code(target).map { .init(path, $0) }
    }
    if behind.first?.elementsEqual("Error".utf8) == true {
      return behind.dropFirst().first.flatMap { code($0.bare) }.map { .init(target, $0) }
    }
    let isTimeFirst =
      behind.first?.starts(with: "(".utf8) == true
      && behind.dropFirst().first?.elementsEqual("ms)".utf8) == true
    let rest = behind.dropFirst(isTimeFirst ? 2 : 0).drop { word in
      ["-", "responded"].contains { word.elementsEqual($0.utf8) }
        || word.starts(with: "net::ERR_".utf8)
    }
    let isTimed = behind.contains(where: isTime)
    guard let word = rest.first, let status = code(word) else {
      guard isTimed, method > 0 else { return nil }
      let before = words[method - 1]
      // Python's own form of a log has `WARNING:tornado.access:404`.
      let named = before.firstRange(of: "tornado.access:")
      return code(named.map { before[$0.upperBound...] } ?? before).map { .init(target, $0) }
    }
    let isAnswer =
      isTimed
      || reasons.contains { line[word.endIndex...].starts(with: " (\($0))".utf8) }
    return isAnswer ? .init(target, status) : nil
  }

  private static func isMethod(_ word: ArraySlice<UInt8>) -> Bool {
    word.elementsEqual("GET".utf8) || word.elementsEqual("HEAD".utf8)
  }

  private static func code(_ word: ArraySlice<UInt8>) -> Int? {
    word.count == 3 ? Int(word.value) : nil
  }

  /// What a browser's console writes behind a status.
  private static let reasons = [
    "", "Not Found", "Gone", "Internal Server Error", "Bad Gateway", "Service Unavailable",
    "Gateway Timeout",
  ]

  /// Whether a word is a time, such as `52ms` and `1.4s`, or the unit `ms`.
  private static func isTime(_ word: ArraySlice<UInt8>) -> Bool {
    let word = word.drop { $0 == UInt8(ascii: "(") }
    let unit = word.drop { $0.isASCIIDigit || ".,".utf8.contains($0) }
      .prefix { !"),;".utf8.contains($0) }
    return unit.elementsEqual("ms".utf8)
      || unit.elementsEqual("s".utf8) && unit.startIndex > word.startIndex
  }
}

extension ArraySlice<UInt8> {
  /// A word without the marks around it.
  fileprivate var bare: ArraySlice<UInt8> {
    let isMark = { (byte: UInt8) in "\"'`()[]{}<>,;:|".utf8.contains(byte) }
    var word = drop(while: isMark)
    while let last = word.last, isMark(last) { word.removeLast() }
    return word
  }

  /// A word without the number of a line at its end, such as `:1`.
  fileprivate var withoutLineNumber: ArraySlice<UInt8> {
    guard let colon = lastIndex(of: UInt8(ascii: ":")),
      self[(colon + 1)...].allSatisfy(\.isASCIIDigit)
    else { return self }
    return self[..<colon]
  }

  /// Whether it is how long something took, such as `1.2ms` and `0s`.
  fileprivate var isDuration: Bool {
    first?.isASCIIDigit == true && last == UInt8(ascii: "s") && count < 20
      && drop { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }.count < 4
  }
}
