/// What the verifier of Google Play services writes to the log of an Android device.
enum VerifierLog {
  /// How much of the text is read before and behind a marker, in bytes.
  private static let longest = 10_000

  static func rows(in text: PastedText) -> DeviceRows {
    let flat = text.flat
    var found: [(place: Int, row: DeviceRow)] = []
    func add(_ host: String?, _ app: String?, _ state: String, at place: Int) {
      found.append((place, DeviceRow(host: host, app: app, state: state)))
    }
    let requested = packages(in: flat)
    for (before, after) in parts(of: flat, around: .failedHosts) {
      let start = before.ranges(of: "Verification ").last.map { before[$0.upperBound...] } ?? []
      let package = start.prefix { $0 != UInt8(ascii: " ") }
      // Earlier versions have a number there, and name the package when they begin.
      let app = package.contains(UInt8(ascii: ".")) ? package.value : requested[package.value]
      let succeeded = start.firstRange(of: "Successful hosts:").map { start[$0.upperBound...] }
      let errors = after.firstRange(of: "Error hosts:").map { after[$0.upperBound...] }
      let place = after.startIndex
      for host in hosts(succeeded ?? []) { add(host, app, "verified", at: place) }
      let failed = hosts(after)
      for host in failed { add(host, app, "failed", at: place) }
      if failed.isEmpty && start.has("Success:true") { add(nil, app, allVerified, at: place) }
      for host in hosts(errors ?? []) { add(host, app, "no-answer", at: place) }
    }
    for (_, sentence) in parts(of: flat, around: .verifiedStatement) {
      guard let arrow = sentence.firstRange(of: "--> ") else { continue }
      let source = sentence.prefix { !" ,".utf8.contains($0) }
      let target = sentence.firstRange(of: "and target ").map { found in
        sentence[found.upperBound...].prefix { $0 != UInt8(ascii: " ") }
      }
      let isTrue = sentence[arrow.upperBound...].starts(with: "true".utf8)
      let host = source.firstRange(of: "://").map { source[$0.upperBound...] } ?? source
      let package = target.flatMap { $0.contains(UInt8(ascii: ".")) ? $0.value : nil }
      // Android 11 and lower wrote them in several lines, between quotation marks.
      let quoted = sentence[..<arrow.lowerBound].split(
        separator: UInt8(ascii: "\""), maxSplits: 20, omittingEmptySubsequences: false)
      let texts = stride(from: 1, to: quoted.count, by: 2).map { quoted[$0] }
      add(
        host.host ?? texts.first { $0.has("://") }?.host,
        package
          ?? texts.first {
            $0.contains(UInt8(ascii: ".")) && !$0.contains(UInt8(ascii: ":")) && $0.count < 256
          }?.value,
        isTrue ? "verified" : "failed", at: sentence.startIndex)
    }
    // A sentence without its end says neither.
    if found.isEmpty {
      let isCut =
        flat.has(Marker.verifiedStatement.rawValue) && !flat.has(Marker.failedCheck.rawValue)
      add(nil, nil, isCut ? DeviceRow.unknownState : "no-answer", at: 0)
    }
    return rows(found.sorted { $0.place < $1.place }.map(\.row))
  }

  /// The state of a row about all hosts of a request: Android 11 and lower say no more.
  static let allVerified = "all-verified"

  /// The packages of requests by their numbers: `verificationId:1 scheme:"https" hosts:"…" package:"…"`.
  private static func packages(in text: ArraySlice<UInt8>) -> [String: String] {
    var found: [String: String] = [:]
    for place in text.ranges(of: "verificationId:").prefix(DeviceOutput.mostRows) {
      let rest = text[place.upperBound...].prefix(longest)
      let number = rest.prefix(while: \.isASCIIDigit)
      guard !number.isEmpty, let package = rest.between("package:\"", and: "\"") else { continue }
      found[number.value] = PackageName(package.value)?.text
    }
    return found
  }

  /// What was found last about each host and app. The log may hide hosts; then nothing says which lines belong together.
  private static func rows(_ all: [DeviceRow]) -> DeviceRows {
    var rows: [DeviceRow] = []
    var places: [[String?]: Int] = [:]
    for row in all {
      if row.host != nil, let place = places[[row.host, row.app]] {
        rows[place] = row
      } else {
        places[[row.host, row.app]] = rows.count
        rows.append(row)
      }
    }
    let named = Set(rows.filter { $0.app != nil }.map { [$0.host, $0.state] })
    var found = DeviceRows()
    // The last line of a verification may repeat a host without its app.
    for row in rows
    where row.host == nil || row.app != nil || !named.contains([row.host, row.state]) {
      found.add(row)
    }
    return found
  }

  /// What stands before and behind each marker, up to the next one.
  private static func parts(
    of text: ArraySlice<UInt8>, around marker: Marker
  ) -> [(before: ArraySlice<UInt8>, after: ArraySlice<UInt8>)] {
    let places = text.ranges(of: marker.rawValue)
    return places.indices.map { index in
      let start = index == 0 ? text.startIndex : places[index - 1].upperBound
      let end = index == places.count - 1 ? text.endIndex : places[index + 1].lowerBound
      return (
        text[start..<places[index].lowerBound].suffix(longest),
        text[places[index].upperBound..<end].prefix(longest)
      )
    }
  }

  /// The hosts of a list up to its end: a dot behind the last one.
  private static func hosts(_ text: ArraySlice<UInt8>) -> [String] {
    var hosts: [String] = []
    for word in text.split(separator: UInt8(ascii: " ")) {
      let isLast = word.last == UInt8(ascii: ".")
      for part in (isLast ? word.dropLast() : word).split(separator: UInt8(ascii: ",")) {
        guard let host = part.host else { return hosts }
        hosts.append(host)
      }
      if isLast { break }
    }
    return hosts
  }
}
