/// An answer of Apple's CDN with its header, as `curl -i` prints it.
struct CDNHeaders {
  private static let markers = ["apple-failure-reason", "apple-from", "apple-origin-format"]
  private static let names = markers + ["apple-failure-details", "apple-try-direct"]

  private var found = DeviceRows()
  private var fields: [String: ArraySlice<UInt8>] = [:]
  private var status: Int?
  /// The field whose value is in the next line, as the tools of browsers show it.
  private var open: String?
  /// The host in the last URL of the CDN.
  private var askedHost: String?

  static func rows(in text: PastedText) -> DeviceRows {
    var headers = CDNHeaders()
    text.forEachLine { line in
      for piece in pieces(of: line.text) { headers.take(piece) }
    }
    headers.endAnswer()
    if headers.found.rows.isEmpty, let reason = reason(in: text.flat) {
      var row = DeviceRow(host: headers.askedHost, state: "failed")
      row.error = reason
      headers.found.add(row)
    }
    return headers.found
  }

  /// The reason of Apple's CDN alone, as people quote it: `SWCERR00101 Bad HTTP Response: 403 Forbidden`.
  static func reason(in text: ArraySlice<UInt8>) -> String? {
    guard let place = text.firstRange(of: "SWCERR") else { return nil }
    let rest = text[place.lowerBound...].prefix(200)
    let digits = rest.dropFirst(6).prefix(while: \.isASCIIDigit)
    guard digits.count == 5 else { return nil }
    let sentence = rest.prefix { !"\"'`<>(){}[];,".utf8.contains($0) }
    let end = sentence.firstRange(of: ". ")?.lowerBound ?? sentence.endIndex
    return sentence[..<end].trimmed.value
  }

  /// Fields that copying has put into one line.
  private static func pieces(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var starts: [Int] = []
    for word in line.prefix(DeviceOutput.longestValue).words where word.last == UInt8(ascii: ":") {
      let name = word.dropLast().value.lowercased()
      if names.contains(name) || others.contains(name) { starts.append(word.startIndex) }
    }
    guard starts.count > 1 else { return [line] }
    let bounds = (starts[0] > line.startIndex ? [line.startIndex] : []) + starts + [line.endIndex]
    return zip(bounds, bounds.dropFirst()).map { line[$0..<$1].trimmed }
  }

  private static let others = [
    "age", "cache-control", "connection", "content-length", "content-type", "date", "etag",
    "expires",
    "last-modified", "server", "vary", "via",
  ]

  static func isMarker(_ line: ArraySlice<UInt8>) -> Bool {
    field(line).map { markers.contains($0.name) } ?? false
  }

  /// The first field of Apple in a line, with its name in lower case. `curl -v` writes `<` before it, and logs write
  /// more.
  private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)?
  {
    var rest = line.prefix(DeviceOutput.longestValue)
    while !rest.isEmpty {
      let word = rest.prefix(while: isNameByte)
      rest = rest[word.endIndex...]
      if rest.first == UInt8(ascii: ":"), (1...40).contains(word.count) {
        let name = word.value.lowercased()
        if names.contains(name) { return (name, rest.dropFirst().trimmed) }
      }
      rest = rest.drop { !isNameByte($0) }
    }
    return nil
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-_".utf8.contains(byte)
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if let host = line.commandHost {
      endAnswer()
      askedHost = host
    }
    if let open, !line.isEmpty {
      if fields[open]?.isEmpty == true, !line.has(": ") { fields[open] = line }
      self.open = nil
    }
    let text = line.drop { " <".utf8.contains($0) }
    if text.starts(with: "HTTP/".utf8) {
      endAnswer()
      status = text.words.dropFirst().first.flatMap { Int($0.value) }
    } else if let (name, value) = Self.field(line) {
      if fields[name] != nil { endAnswer() }
      fields[name] = value
      if value.isEmpty { open = name }
    }
  }

  private mutating func endAnswer() {
    defer { (fields, status) = ([:], nil) }
    guard Self.markers.contains(where: { fields[$0] != nil }) else { return }
    var row = DeviceRow(host: fields["apple-from"]?.host ?? askedHost)
    row.error = fields["apple-failure-reason"]?.valueOrNone
    row.details = fields["apple-failure-details"]?.valueOrNone
    switch fields["apple-try-direct"]?.value.lowercased() {
    case "true": row.tryDirect = true
    case "false": row.tryDirect = false
    default: break
    }
    if row.error != nil || status.map({ $0 >= 400 }) == true {
      row.state = "failed"
    } else if status == 200 || status == nil && fields["apple-origin-format"] != nil {
      row.state = "valid"
    }
    found.add(row)
  }
}
