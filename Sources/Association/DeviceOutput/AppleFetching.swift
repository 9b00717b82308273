/// Lines of the log of `swcd`, which fetches association files for an Apple device.
struct SwcdLog {
  /// Into how many lines pasting folds one, and the longest beginning that goes on, in bytes.
  private static let (mostFolds, longest) = (8, 20_000)
  /// The shortest line that is taken for a folded one, in bytes.
  private static let shortestFold = 40

  private var found = DeviceRows()
  /// By how much a fold may be shorter than another one, because the next word does not fit, in bytes.
  private static let longestWord = 30

  /// The line that is being read, with its folds.
  private var whole: [UInt8] = []
  private var folds = 0
  /// How long the last of its folds is, and the longest.
  private var (lastLength, longestLength) = (0, 0)

  static func rows(in text: PastedText) -> DeviceRows {
    var log = SwcdLog()
    text.forEachLine { log.take($0.text) }
    log.end()
    return log.found
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if line.isEmpty { return end() }
    if !whole.isEmpty && goesOn(with: line) {
      whole += [UInt8(ascii: " ")] + line
      folds += 1
    } else {
      end()
      whole = Array(line)
      longestLength = 0
    }
    lastLength = line.count
    longestLength = max(longestLength, lastLength)
  }

  /// Whether a line is a fold of the one before it, not the next one of the log.
  private func goesOn(with line: ArraySlice<UInt8>) -> Bool {
    let begins =
      line.has("swcd") || line.has("Request for '") || Self.hasTime(line.prefix(60))
    if begins || folds >= Self.mostFolds || whole.count > Self.longest { return false }
    // What follows a whole line may be something else.
    if let reason = Self.reason(in: whole[...]) {
      let hasRest =
        reason.has(" -- ")
        ? !Self.hasDetails(whole[...])
        : line.has("-- ") || folds > 0 && lastLength + Self.longestWord > longestLength
      return hasRest && lastLength >= Self.shortestFold && !line.has("domain: ")
        && !line.has(Marker.denied.rawValue)
    }
    guard let refusal = whole[...].firstRange(of: Marker.swcLog.rawValue) else { return true }
    return whole[refusal.upperBound...].count { $0 == UInt8(ascii: "'") } % 2 == 1
  }

  /// Whether there is a time such as `20:16:58`, as lines of logs have one at their beginning.
  private static func hasTime(_ text: ArraySlice<UInt8>) -> Bool {
    let form = Array("00:00:00".utf8)
    return text.indices.contains { start in
      let place = text[start...].prefix(form.count)
      return place.count == form.count
        && zip(place, form).allSatisfy { $1 == UInt8(ascii: ":") ? $0 == $1 : $0.isASCIIDigit }
    }
  }

  private mutating func end() {
    defer { (whole, folds) = ([], 0) }
    if let row = Self.denial(whole[...]) {
      found.add(row)
    } else if let place = whole[...].firstRange(of: "[SWC] ### ") {
      if let row = Self.refusal(whole[place.upperBound...]) { found.add(row) }
    }
  }

  /// What Apple's CDN said, from its code on.
  private static func reason(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let denied = line.firstRange(of: Marker.denied.rawValue),
      let code = line[denied.upperBound...].firstRange(of: "SWCERR")
    else { return nil }
    return line[code.lowerBound...]
  }

  /// Whether a line has its end, which is an object of JSON.
  private static func hasDetails(_ line: ArraySlice<UInt8>) -> Bool {
    line.last == UInt8(ascii: "}") && reason(in: line)?.has(" -- ") == true
  }

  /// What Apple's CDN told the device.
  private static func denial(_ line: ArraySlice<UInt8>) -> DeviceRow? {
    guard let reason = reason(in: line) else { return nil }
    var row = DeviceRow(state: "failed")
    if let dashes = reason.firstRange(of: " -- ") {
      row.error = reason[..<dashes.lowerBound].trimmed.value
      row.details = reason[dashes.upperBound...].trimmed.value
    } else {
      row.error = reason.value
    }
    let domain = line.between("domain: ", and: ",")?.trimmed
    row.host = domain?.host
    if row.host == nil { row.maskedHost = domain?.valueOrNone }
    row.route = line.firstRange(of: "route: ").map {
      line[$0.upperBound...].prefix { !" ,}".utf8.contains($0) }.value
    }
    return row
  }

  /// What the device itself refused, in iOS 9 and 10.
  private static func refusal(_ words: ArraySlice<UInt8>) -> DeviceRow? {
    guard words.starts(with: "Rejecting URL".utf8) || words.starts(with: "Denying redirect".utf8)
    else { return nil }
    var row = DeviceRow(host: words.between("'", and: "'")?.host, state: "failed")
    row.error = words.trimmed.value
    return row
  }
}

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
    text.forEachLine { headers.take($0.text) }
    headers.endAnswer()
    return headers.found
  }

  static func isMarker(_ line: ArraySlice<UInt8>) -> Bool {
    field(line).map { markers.contains($0.name) } ?? false
  }

  /// The first field of Apple in a line, with its name in lower case. `curl -v` writes `<` before it, and logs write
  /// more.
  private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)?
  {
    var rest = line.prefix(DeviceOutput.longestValue)
    while !rest.isEmpty {
      let word = rest.prefix(while: isOfName)
      rest = rest[word.endIndex...]
      if rest.first == UInt8(ascii: ":"), (1...40).contains(word.count) {
        let name = word.value.lowercased()
        if names.contains(name) { return (name, rest.dropFirst().trimmed) }
      }
      rest = rest.drop { !isOfName($0) }
    }
    return nil
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
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

/// The status of the domains of an App Clip, as App Store Connect's API answers it.
enum AppClipStatus {
  /// The most open objects that are kept, and objects within one of a domain.
  private static let most = (open: 64, height: 3)

  /// Reads the objects that have a domain, each for itself, so that a text whose ends are cut off has most of them.
  static func rows(in text: PastedText) -> DeviceRows {
    var found = DeviceRows()
    /// Where the open objects begin, and how many are within each other in them.
    var open: [(start: Int, height: Int)] = []
    var (isString, isEscaped) = (false, false)
    for index in text.flat.indices {
      let byte = text.flat[index]
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = !open.isEmpty
      case UInt8(ascii: "{"):
        if open.count == most.open { open.removeFirst() }
        open.append((index, 0))
      case UInt8(ascii: "}"):
        guard let (start, height) = open.popLast() else { continue }
        if let last = open.indices.last { open[last].height = max(open[last].height, height + 1) }
        if height <= most.height, let row = row(text.flat[start...index]) { found.add(row) }
      default: break
      }
    }
    return found
  }

  private static func row(_ object: ArraySlice<UInt8>) -> DeviceRow? {
    guard object.count <= DeviceOutput.longestValue, object.has(Marker.domain.rawValue) else {
      return nil
    }
    let json: JSON
    do throws(JSON.SyntaxError) {
      json = try JSON.parse(Array(object)).value
    } catch {
      return nil
    }
    guard let host = json["domain"]?.stringValue.flatMap({ Array($0.utf8)[...].host }) else {
      return nil
    }
    var row = DeviceRow(host: host, service: "appclips")
    row.state =
      json["isValid"]?.boolValue.map { $0 ? "valid" : "invalid" } ?? DeviceRow.unknownState
    row.error = json["errorCode"]?.stringValue
    row.lastChecked = json["lastUpdatedDate"]?.stringValue.flatMap(DeviceTime.read)
    return row
  }
}
