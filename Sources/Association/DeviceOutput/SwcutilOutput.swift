/// What `swcutil get`, `verify` and `dl` print.
enum SwcutilOutput {
  private static let name = "swcutil"
  /// The longest command, in bytes.
  private static let longestCommand = 4096

  static func rows(in text: PastedText, _ kind: DeviceOutput.Kind) -> DeviceRows {
    var found = DeviceRows()
    for part in commands(in: text.flat) {
      let isCommand = part.starts(with: name.utf8)
      let host = isCommand ? part.prefix(longestCommand).optionHost : nil
      switch kind {
      case .swcutilDownload:
        for place in part.ranges(of: Marker.downloadError.rawValue) {
          guard let number = errorNumber(part[place.upperBound...]) else { continue }
          var row = DeviceRow(host: host, state: "failed")
          row.error = "SWCErrorDomain \(number)"
          found.add(row)
        }
      case .swcutilVerify:
        let misses = part.ranges(of: Marker.noInput.rawValue)
          .map { ($0.lowerBound, DeviceRow(host: host, state: "no-match")) }
        let verified = BracedRow.all(in: part)
          .compactMap { braces in braces.verified(for: host).map { (braces.end, $0) } }
        for (_, row) in (misses + verified).sorted(by: { $0.0 < $1.0 }) { found.add(row) }
      default:
        for braces in BracedRow.all(in: part) where braces.isApproval {
          found.add(braces.approval(for: host))
        }
      }
    }
    if kind == .swcutilDownload { for row in described(in: text) { found.add(row) } }
    return found
  }

  /// How Foundation describes errors of `NSURLErrorDomain`, with their numbers, and text that is not JSON.
  private static let descriptions = [
    ("The request timed out", "NSURLErrorDomain -1001"),
    ("A server with the specified hostname could not be found", "NSURLErrorDomain -1003"),
    ("Could not connect to the server", "NSURLErrorDomain -1004"),
    ("The network connection was lost", "NSURLErrorDomain -1005"),
    ("The Internet connection appears to be offline", "NSURLErrorDomain -1009"),
    (
      "An SSL error has occurred and a secure connection to the server cannot be made",
      "NSURLErrorDomain -1200"
    ),
    ("The certificate for this server is invalid", "NSURLErrorDomain -1202"),
    ("resource exceeds maximum size", "NSURLErrorDomain -1103"),
    ("The data couldn’t be read because it isn’t in the correct format", "NSCocoaErrorDomain 3840"),
    ("The data couldn't be read because it isn't in the correct format", "NSCocoaErrorDomain 3840"),
  ]
  /// How errors without a description begin, and their domains, which stand in brackets.
  private static let beginning = "The operation couldn"
  private static let domains = ["NSURLErrorDomain", "NSCocoaErrorDomain", "HTTP"]
  /// How far behind the beginning of its command such an error begins, in bytes. What people write further on is no answer.
  private static let farthestError = 500

  /// The errors, other than those of `SWCErrorDomain`, with which commands to download end. Each has a line of its own.
  static func described(in text: PastedText) -> [DeviceRow] {
    guard text.flat.has(Marker.downloadCommand.rawValue) else { return [] }
    var rows: [DeviceRow] = []
    var command: ArraySlice<UInt8>?
    var distance = 0
    text.forEachLine { line in
      let last = commands(in: line.text).last ?? []
      if last.starts(with: name.utf8) || line.text.isPrompt {
        let isDownload = last.starts(with: Marker.downloadCommand.rawValue.utf8)
        (command, distance) = (isDownload ? last : nil, 0)
      }
      distance += line.text.count
      guard let asked = command, distance <= farthestError, let error = error(line.text) else {
        return
      }
      var row = DeviceRow(host: asked.prefix(longestCommand).optionHost, state: "failed")
      row.error = error
      rows.append(row)
      command = nil
    }
    return rows
  }

  /// The error that a line is.
  private static func error(_ line: ArraySlice<UInt8>) -> String? {
    if line.starts(with: beginning.utf8) {
      for domain in domains {
        if let place = line.firstRange(of: "(\(domain) "),
          let number = errorNumber(line[(place.upperBound - 1)...])
        {
          return "\(domain) \(number)"
        }
      }
    }
    return descriptions.first { words, _ in
      line.starts(with: words.utf8)
        && [nil, UInt8(ascii: ".")].contains(line.dropFirst(words.utf8.count).first)
    }?.1
  }

  /// A text in parts: what stands before the first command, and each command with what it prints.
  private static func commands(in text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let starts = text.ranges(of: name).filter { place in
      let isBegun =
        place.lowerBound == text.startIndex || " /`".utf8.contains(text[place.lowerBound - 1])
      return isBegun
        && (place.upperBound == text.endIndex || text[place.upperBound] == UInt8(ascii: " "))
    }.map(\.lowerBound)
    return zip([text.startIndex] + starts, starts + [text.endIndex]).map { text[$0..<$1] }
  }

  /// The number behind the domain of an error: `SWCErrorDomain error 7.`, the same in another language, or
  /// `Error Domain=SWCErrorDomain Code=7`. Between them is one word.
  static func errorNumber(_ text: ArraySlice<UInt8>) -> String? {
    let word = text.prefix(40).prefix { !$0.isASCIIDigit && !".,:;(){}".utf8.contains($0) }
    if word.count(where: { $0 == UInt8(ascii: " ") }) > 2 { return nil }
    let isNegative =
      word.suffix(2).elementsEqual(" -".utf8) || word.suffix(2).elementsEqual("=-".utf8)
    let digits = text[word.endIndex...].prefix(21).prefix(while: \.isASCIIDigit)
    return digits.isEmpty || digits.count > 20 ? nil : (isNegative ? "-" : "") + digits.value
  }
}

/// `{ s = applinks, a = ABCDE12345.com.example.app, d = example.com, … }`, perhaps with what `verify` says behind it.
struct BracedRow {
  /// The longest one with its verdict, in bytes.
  static let longest = 20_000

  private let members: [String: ArraySlice<UInt8>]
  private let rest: ArraySlice<UInt8>

  /// All of them in a text. Each byte is looked at a few times at most.
  static func all(in text: ArraySlice<UInt8>) -> [BracedRow] {
    var rows: [BracedRow] = []
    var rest = text
    while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
      rest = rest[(open + 1)...]
      // A brace within another one begins anew.
      guard let end = rest.firstIndex(where: { "{}".utf8.contains($0) }) else { break }
      let inner = rest[..<end]
      rest = rest[end...]
      guard rest.first == UInt8(ascii: "}"), inner.count <= longest,
        inner.trimmed.starts(with: "s =".utf8), let row = BracedRow(inner, text[(end + 1)...])
      else { continue }
      rows.append(row)
    }
    return rows
  }

  private init?(_ inner: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>) {
    var members: [String: ArraySlice<UInt8>] = [:]
    for part in inner.split(separator: UInt8(ascii: ","), maxSplits: 20) {
      guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      members[part[..<sign].trimmed.value] = part[(sign + 1)...].trimmed
    }
    guard members["s"] != nil, members["a"] != nil, members["d"] != nil else { return nil }
    self.members = members
    self.rest = rest
  }

  /// Where the text goes on behind it.
  var end: Int { rest.startIndex }

  /// Whether it has the approvals that `get` prints.
  var isApproval: Bool { members["ua"] != nil || members["sa"] != nil }

  private var row: DeviceRow {
    var row = DeviceRow(
      host: members["d"]?.host, service: members["s"]?.valueOrNone, app: members["a"]?.valueOrNone)
    row.mode = members["d"].flatMap { DeviceRow.Mode(of: $0) }
    return row
  }

  /// The row of `get`. If it names no host, that of the command counts.
  func approval(for commandHost: String?) -> DeviceRow {
    var row = row
    row.host = row.host ?? commandHost
    row.state = members["sa"]?.valueOrNone ?? DeviceRow.unknownState
    row.userApproval = members["ua"]?.valueOrNone
    return row
  }

  /// The row of `verify`, in the same way; `nil` if no verdict follows.
  func verified(for commandHost: String?) -> DeviceRow? {
    guard !isApproval else { return nil }
    let start = rest.prefix(20).drop { " :".utf8.contains($0) }
    // Editors write typographic quotation marks in place of straight ones.
    let quoted = [("\"", "\""), ("“", "”"), ("„", "“")].lazy.compactMap { open, close in
      let begin = "Pattern \(open)".utf8
      guard start.starts(with: begin) else { return nil as (ArraySlice<UInt8>, Int)? }
      let pattern = rest[(start.startIndex + begin.count)...].prefix(Self.longest)
      return pattern.firstRange(of: close).map { (pattern[..<$0.lowerBound], $0.upperBound) }
    }.first
    guard let (pattern, end) = quoted else { return nil }
    let verdict = rest[end...].prefix(20).trimmed
    var row = row
    row.host = row.host ?? commandHost
    row.url = pattern.value
    if verdict.starts(with: "matched".utf8) {
      row.state = "match"
    } else if verdict.starts(with: "blocked".utf8) {
      row.state = "blocked"
    } else {
      return nil
    }
    return row
  }
}
