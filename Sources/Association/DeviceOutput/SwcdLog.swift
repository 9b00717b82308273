/// Lines of the log of `swcd`, which fetches association files for an Apple device.
struct SwcdLog {
  /// Into how many lines pasting folds one, and the longest beginning that goes on, in bytes.
  private static let (mostFolds, longest) = (8, 20_000)
  /// The shortest line that is taken for a folded one, in bytes.
  private static let shortestFold = 40

  /// How the device says that it does not trust a certificate.
  static let badTrust = "Bad apple-app-site-association server trust"

  /// The state of a row about a device that says that no organization manages it.
  static let unmanaged = "unmanaged"

  private var found = DeviceRows()
  /// The requests that the device began.
  private var asked: [DeviceRow] = []
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
    if log.found.rows.isEmpty { for row in log.asked { log.found.add(row) } }
    if log.found.rows.isEmpty && text.flat.has(Marker.downloadError.rawValue) {
      log.found.add(DeviceRow(state: unmanaged))
    }
    return log.found
  }

  /// Whether a line says why the device does not take a file.
  static func hasRefusal(_ text: PastedText) -> Bool {
    rows(in: text).rows.contains { $0.error.flatMap(SwcdRefusal.init) != nil }
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
    } else if let row = Self.entry(whole[...]) ?? SwcdRefusal.row(of: whole[...]) {
      found.add(row)
    } else if let place = whole[...].firstRange(of: Marker.beginningTask.rawValue) {
      asked.append(Self.named(whole[place.upperBound...], state: "asked"))
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
    var row = named(line, state: "failed")
    if let dashes = reason.firstRange(of: " -- ") {
      row.error = reason[..<dashes.lowerBound].trimmed.value
      row.details = reason[dashes.upperBound...].trimmed.value
    } else {
      row.error = reason.value
    }
    return row
  }

  /// A row about the domain of a line, which may be masked.
  static func named(_ line: ArraySlice<UInt8>, state: String) -> DeviceRow {
    let domain = line.between("domain: ", and: ",")?.trimmed
    var row = DeviceRow(host: domain?.host, state: state)
    if row.host == nil { row.maskedHost = domain?.valueOrNone }
    row.route = line.firstRange(of: "route: ").map {
      line[$0.upperBound...].prefix { !" ,}".utf8.contains($0) }.value
    }
    return row
  }

  /// An entry of an app that the device took over, or did not.
  private static func entry(_ line: ArraySlice<UInt8>) -> DeviceRow? {
    if let place = line.firstRange(of: Marker.addedService.rawValue) {
      let rest = line[place.lowerBound...]
      var row = DeviceRow(
        host: rest.between("domain '", and: "'")?.host,
        service: rest.between(Marker.addedService.rawValue, and: "'")?.valueOrNone,
        app: rest.between("appID '", and: "'")?.valueOrNone, state: "added")
      row.error = rest.value
      return row
    }
    guard line.has(Marker.swcd.rawValue), line.has(Marker.invalidDomain.rawValue) else {
      return nil
    }
    var row = DeviceRow(state: "failed")
    row.error = Marker.invalidDomain.rawValue
    return row
  }

  /// What the device itself refused, in iOS 9 and 10.
  private static func refusal(_ words: ArraySlice<UInt8>) -> DeviceRow? {
    let beginnings = ["Rejecting URL", "Denying redirect", "Download URL '", badTrust]
    guard beginnings.contains(where: { words.starts(with: $0.utf8) }) else { return nil }
    var row = DeviceRow(host: words.between("'", and: "'")?.host, state: "failed")
    row.error = words.trimmed.value
    return row
  }
}
