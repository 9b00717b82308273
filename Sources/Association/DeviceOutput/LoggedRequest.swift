/// A line of an access log in the format of Apache and nginx, about a request of Apple's or Google's service for a file:
/// `192.0.2.1 - - [time] "GET /.well-known/apple-app-site-association HTTP/1.1" 404 153 "-" "AASA-Bot/1.0.0"`.
struct LoggedRequest {
  private let path: ArraySlice<UInt8>
  private let host: String?
  private let status: Int

  private static let agents = ["AASA-Bot", "GoogleAssociationService"]

  init?(_ line: ArraySlice<UInt8>) {
    guard Self.agents.contains(where: line.has),
      let method = ["\"GET ", "\"HEAD "].lazy.compactMap({ line.firstRange(of: $0) }).first
    else { return nil }
    let request = line[method.upperBound...].prefix { $0 != UInt8(ascii: "\"") }
    let words = request.words
    guard words.count == 2, words[1].starts(with: "HTTP/".utf8), SiteAnswer.isFile(words[0]),
      let status = line[request.endIndex...].dropFirst().words.first.flatMap({ Int($0.value) }),
      (200...599).contains(status)
    else { return nil }
    (path, self.status) = (words[0], status)
    // Servers with several sites may log the site first. Then the time is the fifth field, and not the fourth.
    let first = line.words.prefix(5)
    host = first.count == 5 && first[4].starts(with: "[".utf8) ? first[0].host : nil
  }

  /// Whether both ask the same site for the same path.
  func isOfSameFile(_ other: LoggedRequest) -> Bool {
    path.elementsEqual(other.path) && host == other.host
  }

  /// The row of an access log, by the last request for each file: one that failed, if there is one. Devices ask below
  /// `/.well-known/` first, so the root counts only if nobody asked there.
  static func row(of requests: [LoggedRequest]) -> DeviceRow? {
    let first = requests.filter { $0.path.has("/.well-known/") }
    let rows = (first.isEmpty ? requests : first).compactMap(\.row)
    return rows.first { $0.state != SiteAnswer.State.fetched.rawValue } ?? rows.first
  }

  /// `nil` for a request of Google that was answered: the log does not say with what.
  private var row: DeviceRow? {
    let state: SiteAnswer.State =
      status < 300 || status == 304 ? .fetched : status < 400 ? .redirected : .status
    if state == .fetched && path.has("assetlinks.json") { return nil }
    var row = DeviceRow(host: host, state: state.rawValue)
    if status >= 400 { row.error = "\(status)" }
    return row
  }
}
