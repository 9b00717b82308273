/// What a site answers to a request for its file, or Apple's CDN without its header, as `curl` and similar tools print it,
/// or the logs of the site's server.
struct SiteAnswer {
  enum State: String {
    case redirected, served, page, fetched
    case type = "content-type"
    case status = "error-status"
    case unreachable
    /// Apple's CDN, or a host between, such as a proxy, did not answer.
    case cdnUnreachable = "cdn-unreachable"
    case otherUnreachable = "other-unreachable"
    /// Another program than `curl` does not trust the certificate.
    case untrusted
    /// The answer has no file and no page.
    case empty
    /// The answer is for an address at which no device asks for the file.
    case misplaced
    /// Plain HTTP leads to the same address with HTTPS.
    case leadsToTLS = "leads-to-https"
    case copy = "cdn-file"
    case noCopy = "cdn-nothing"
  }

  /// What a text says about a status.
  enum Reason: String {
    case challenge = "cf-mitigated: challenge"
    case storage = "AccessDenied"
    case rule = "forbidden by a rule"
    case permission = "Permission denied"
    case upstream = "no answer from the server behind it"
  }

  /// A status that is an error.
  struct Failure: Hashable {
    let status: Int
    let reason: Reason?
    /// The name of the file; `nil` if the text is about one alone.
    var file: String?

    /// The `error` of a row.
    var text: String {
      ["\(status)", reason?.rawValue].compactMap(\.self).joined(separator: ", ")
    }
  }

  private static let members = [
    "\"applinks\"", "\"webcredentials\"", "\"appclips\"", "\"activitycontinuation\"",
    "\"sha256_cert_fingerprints\"",
  ]
  private var current = SiteExchange()
  private var earlier: [SiteExchange] = []
  /// The last answer to Apple or Google for each file in an access log.
  private var logged: [LoggedRequest] = []
  /// The names of the columns of an access log.
  private var columns: [String] = []

  /// The row of a text; `nil` if it has no such answer.
  static func row(in text: PastedText) -> DeviceRow? {
    var answers = SiteAnswer()
    text.forEachLine { answers.take($0.text) }
    if answers.logged.isEmpty, let first = text.flat.first, "[{".utf8.contains(first) {
      // Cloud consoles break the lines within a request.
      LoggedRequest.requests(inJSON: text.flat).forEach { answers.take($0) }
    }
    let isFile = members.contains(where: text.flat.has)
    let all = (answers.earlier + [answers.current]).compactMap { exchange in
      exchange.state(isFile: isFile).map { (exchange: exchange, state: $0) }
    }
    // An answer says more than none.
    let answered = all.filter {
      ![.unreachable, .cdnUnreachable, .otherUnreachable, .leadsToTLS, .misplaced]
        .contains($0.state.0)
    }
    let found = answered.isEmpty ? all : answered
    // The file may be at its own address, whatever is in the root or elsewhere.
    let placed = found.filter { $0.state.0 != .misplaced }
    guard
      let (exchange, (state, error)) = placed.first(where: { $0.exchange.isOfFile })
        ?? placed.first(where: { !$0.exchange.isInRoot }) ?? placed.first
        ?? (answers.logged.isEmpty ? found.first : nil)
    else {
      guard var row = LoggedRequest.row(of: answers.logged) else { return nil }
      if row.host == nil { row.host = answers.current.site }
      return row
    }
    var row = DeviceRow(host: exchange.site, state: state.rawValue)
    row.error = error
    if state == .status, let status = exchange.status {
      row.failure = SiteAnswer.Failure(status: status, reason: exchange.reason)
    }
    return row
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if let columns = LoggedRequest.columns(line) { self.columns = columns }
    // What a command prints is an answer, which may have the words of a log.
    let isBody = current.hasBegun && line.first.map { "{<".utf8.contains($0) } == true
    if let request = LoggedRequest(line, columns: columns)
      ?? (isBody ? nil : LoggedRequest(failure: line))
    {
      return take(request)
    }
    let line = line.prefix(DeviceOutput.longestValue)
    let isNext =
      line.isCommand || line.isPrompt
      ? current.hasBegun : current.status != nil && Self.isRequest(line)
    if isNext && earlier.count < Self.mostRequests {
      earlier.append(current)
      current = SiteExchange()
    }
    current.take(line)
  }

  private mutating func take(_ request: LoggedRequest) {
    if logged.contains(where: { $0.isOfSameFile(request) && $0.isLater(than: request) }) { return }
    logged.removeAll { $0.isOfSameFile(request) }
    if logged.count < Self.mostRequests { logged.append(request) }
  }

  /// Whether it is the first line of a request that `curl -v` prints.
  private static func isRequest(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.drop { " >".utf8.contains($0) }.words
    return words.count == 3 && words[2].starts(with: "HTTP/".utf8)
  }

  private static let mostRequests = 100
}
