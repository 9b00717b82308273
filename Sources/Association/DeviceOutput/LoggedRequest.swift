/// A line of an access log about a request of Apple's or Google's service for a file, in the form of Apache and nginx, such
/// as `192.0.2.1 - - [time] "GET /.well-known/apple-app-site-association HTTP/1.1" 404 153 "-" "AASA-Bot/1.0.0"`, in that of
/// load balancers, which put the status before the request, as JSON, or in the columns of IIS and CloudFront. A request of
/// others counts if its answer is the same for everybody: the file is not there, or the server fails.
struct LoggedRequest {
  private let path: ArraySlice<UInt8>
  private let host: String?
  private let status: Int
  private var isOfBot = false
  /// What an error log says about it.
  private var reason: SiteAnswer.Reason?
  /// Where a redirect leads, if the log says so.
  private var location: String?
  /// In seconds or another unit of the log; `nil` if the log does not say it.
  private var time: Double?

  private static let agents = ["AASA-Bot", "GoogleAssociationService", "swcd ("]
  /// The longest line, in bytes.
  static let longestLine = 65_536

  private init?(_ target: ArraySlice<UInt8>, host: String?, status: Int?) {
    guard let status, (200...599).contains(status) else { return nil }
    (path, self.host, self.status) = (target, host, status)
  }

  /// - Parameter columns: The names of the columns, if a line above has them.
  init?(_ line: ArraySlice<UInt8>, columns: [String]) {
    let line = line.prefix(Self.longestLine)
    guard SiteAnswer.names.contains(where: line.has) else { return nil }
    let isOfBot = Self.agents.contains(where: line.has)
    // Containers write their name or a time before it.
    if isOfBot, line.last == UInt8(ascii: "}"), let open = line.firstIndex(of: UInt8(ascii: "{")),
      let request = Self.requests(inJSON: line[open...]).first
    {
      self = request
      return
    }
    let words = line.words
    if !columns.isEmpty, columns.count == words.count {
      self.init(columns: Dictionary(zip(columns, words)) { first, _ in first })
    } else {
      self.init(quoting: line)
    }
    self.isOfBot = isOfBot
    if !isOfBot && !Self.isSameForAll(status) { return nil }
  }

  /// A line that quotes the request.
  private init?(quoting line: ArraySlice<UInt8>) {
    guard let method = ["\"GET ", "\"HEAD "].lazy.compactMap({ line.firstRange(of: $0) }).first
    else { return nil }
    let request = line[method.upperBound...].prefix { $0 != UInt8(ascii: "\"") }
    let words = request.words
    guard words.count == 2, words[1].starts(with: "HTTP/".utf8), SiteAnswer.isFile(words[0])
    else { return nil }
    let status = { (word: ArraySlice<UInt8>) in word.count == 3 ? Int(word.value) : nil }
    let next = line[request.endIndex...].dropFirst().words.first.flatMap(status)
    // Servers with several sites may log the site first. Then the time is the fifth field, and not the fourth.
    let first = line.words.prefix(5)
    let isFirstSite = first.count == 5 && first[4].starts(with: "[".utf8)
    self.init(
      words[0],
      host: words[0].has("://") ? words[0].host : isFirstSite ? first[0].host : nil,
      status: next ?? line[..<method.lowerBound].words.lazy.compactMap(status).first)
    time = line[..<method.lowerBound].between("[", and: "]").flatMap { Self.time(inBrackets: $0) }
  }

  /// A time such as `01/Mar/2026:10:00:00 +0000`.
  private static func time(inBrackets text: ArraySlice<UInt8>) -> Double? {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let parts = text.prefix(100).value.split { "/: ".contains($0) }
    guard parts.count == 7, let month = months.firstIndex(where: { $0 == parts[1] }) else {
      return nil
    }
    let date = "\(parts[2])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[0])"
    return DeviceTime.read("\(date) \(parts[3...5].joined(separator: ":")) \(parts[6])")
      .map { Double($0.seconds) }
  }

  // MARK: - Columns

  /// The names of the columns in a line `#Fields: date time …`; `nil` in another one.
  static func columns(_ line: ArraySlice<UInt8>) -> [String]? {
    guard line.starts(with: "#Fields:".utf8) else { return nil }
    return line.prefix(4096).words.dropFirst().map { $0.value.lowercased() }
  }

  private init?(columns: [String: ArraySlice<UInt8>]) {
    guard let path = columns["cs-uri-stem"], SiteAnswer.isFile(path) else { return nil }
    // `cs(Host)` of CloudFront is its own name for the site.
    self.init(
      path, host: (columns["x-host-header"] ?? columns["cs-host"])?.host,
      status: columns["sc-status"].flatMap { Int($0.value) })
    if let date = columns["date"], let time = columns["time"] {
      self.time = DeviceTime.read("\(date.value) \(time.value) Z").map { Double($0.seconds) }
    }
  }

  // MARK: - JSON

  /// The requests in a JSON text: a request, or a list of them.
  static func requests(inJSON text: ArraySlice<UInt8>) -> [LoggedRequest] {
    guard agents.contains(where: text.has) else { return [] }
    do {
      let json = try JSON.parse(text).value
      return (json.arrayValue ?? [json]).prefix(1000).compactMap(LoggedRequest.init)
    } catch {
      // Not every line in braces is JSON.
      return []
    }
  }

  /// Servers choose the names themselves, so the request is known by its values, and the rest by the names that
  /// nginx, Caddy, Traefik, Envoy, Cloudflare and Google Cloud use.
  private init?(_ json: JSON) {
    var members: [Member] = []
    var objects = 0
    Self.collect(json, "", in: 0, of: &objects, into: &members)
    func all(_ names: [String]) -> [Member] {
      names.flatMap { name in members.filter { $0.name == name } }
    }
    let isOfBot = members.contains { member in
      Self.agents.contains { Array(member.value.utf8)[...].has($0) }
    }
    let others = ["location", "referer", "referrer", "httpreferer"]
    let targets = members.lazy.filter { !others.contains($0.name) }.compactMap { member in
      Array(member.value.utf8)[...].words.first(where: SiteAnswer.isFile).map {
        (path: $0, object: member.object)
      }
    }
    guard isOfBot, let (target, object) = targets.first else { return nil }
    let own = target.has("://") ? target.host : nil
    let hosts = all([
      "requesthost", "clientrequesthost", "httphost", "authority", "xhostheader", "vhost", "host",
      "servername",
    ])
    // Collectors of logs add objects about the machine, which have a `host`, too.
    let host = hosts.first { $0.object == object } ?? hosts.first { !$0.isOfMachine }
    let statuses = all([
      "downstreamstatus", "edgeresponsestatus", "status", "statuscode", "responsecode",
      "responsestatus",
      "httpstatus", "httpstatuscode", "elbstatuscode",
    ]).lazy.compactMap { Int($0.value) }
    self.init(
      target, host: own ?? host.flatMap { Array($0.value.utf8)[...].host },
      // The firewall of AWS logs what it did in place of a status.
      status: statuses.first { (200...599).contains($0) }
        ?? (json["action"]?.stringValue == "BLOCK"
          ? all(["responsecodesent"]).first.map { Int($0.value) } ?? 403 : nil))
    self.isOfBot = true
    // It may also be a place on earth.
    location = all(["location"]).lazy.map { Array($0.value.utf8)[...].value }.first { value in
      ["/", "http://", "https://"].contains { value.hasPrefix($0) }
    }
    time = all(["timestamp", "time", "ts"]).lazy.compactMap { Self.time($0.value) }.first
  }

  /// A text or a number in a request.
  private struct Member {
    /// The letters of its name, in lower case.
    let name: String
    let value: String
    /// The number of the object that it is in.
    let object: Int
    let isOfMachine: Bool
  }

  private static func collect(
    _ json: JSON, _ name: String, in object: Int, of objects: inout Int,
    isOfMachine: Bool = false, into members: inout [Member]
  ) {
    switch json {
    case .string(let text), .number(let text):
      members.append(Member(name: name, value: text, object: object, isOfMachine: isOfMachine))
    case .array(let values):
      for value in values {
        collect(
          value, name, in: object, of: &objects, isOfMachine: isOfMachine, into: &members)
      }
    case .object(let inner):
      objects += 1
      let number = objects
      for member in inner.members {
        let last = member.key.split(separator: ".").last ?? ""
        collect(
          member.value, last.lowercased().filter { $0.isASCII && $0.isLetter }, in: number,
          of: &objects, isOfMachine: isOfMachine || ["kubernetes", "docker"].contains(name),
          into: &members)
      }
    case .null, .bool: break
    }
  }

  /// A time as a number or in the form of ISO 8601.
  private static func time(_ text: String) -> Double? {
    if let number = Double(text) { return number }
    guard text.utf8.count < 100, let time = UnixTime(text) else { return nil }
    let fraction = text.drop { $0 != "." }.prefix { $0 == "." || $0.isNumber }
    return Double(time.seconds) + (Double("0\(fraction)") ?? 0)
  }

  // MARK: - Errors

  private typealias Answer = (status: Int, reason: SiteAnswer.Reason?)

  /// How nginx begins an error about the server behind it that it answers with 502.
  private static let upstreamFaults = [
    "connect() ", "recv() failed", "send() failed", "no live upstreams",
    "upstream prematurely closed connection",
  ]

  /// What nginx answers when it writes this error. What a server behind it says, and a warning, tell nothing of the answer.
  private static func answer(toFault text: ArraySlice<UInt8>) -> Answer? {
    let begins = { (words: String) in text.starts(with: words.utf8) }
    let ends = { (words: String) in text.suffix(words.utf8.count).elementsEqual(words.utf8) }
    if begins("access forbidden by rule") { return (403, .rule) }
    if begins("rewrite or internal redirection cycle") { return (500, nil) }
    if ends("(13: Permission denied)") { return (403, .permission) }
    if ends("(2: No such file or directory)") { return (404, nil) }
    guard ends(" to upstream") || ends(" header from upstream") else { return nil }
    if begins("upstream timed out") { return (504, .upstream) }
    return upstreamFaults.contains(where: begins) ? (502, .upstream) : nil
  }

  /// The error in a line of nginx, such as `… [error] 12#12: *77 access forbidden by rule, client: …`; `nil` for what is
  /// less than an error.
  private static func fault(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    ["[error] ", "[crit] ", "[alert] ", "[emerg] "].lazy.compactMap(line.firstRange).first
      .flatMap { line[$0.upperBound...].between(": *", and: ", client: ") }
      .map { $0.drop(while: \.isASCIIDigit).dropFirst() }
  }

  /// What stands before the path of a file in the sentences of Apache and LiteSpeed.
  private static let fileRefusals: [(words: String, status: Int, reason: SiteAnswer.Reason?)] = [
    ("denied by server configuration: ", 403, .rule),
    ("file permissions deny server access: ", 403, .permission),
    ("AH00035: access to ", 403, .permission), ("File does not exist: ", 404, nil),
    ("File not found [", 404, nil),
  ]

  /// What stands before the path of a URL, and behind it where the words before are everyday words, in the sentences of
  /// Rails, Symfony, Phoenix, Django, SvelteKit, Nuxt, Express, Laravel, Fastify, Spring, Rocket, React Router, ASP.NET,
  /// Tomcat, Apache and WEBrick about what they do not find.
  private static let refusals: [(words: String, end: String)] = [
    ("No route matches [GET] ", ""), ("No route matches URL ", ""), ("oute found for \"GET ", ""),
    ("oute found for GET ", ""), ("No matching routes for GET ", ""), ("Not Found: ", ""),
    ("SvelteKitError: Not found: ", ""), ("Page not found: ", ""), ("Not Found for url: ", ""),
    ("Cannot GET ", ""), ("Cannot GET:", ""),
    ("No static resource ", ""), ("No mapping for GET ", ""), ("The controller for path ", ""),
    ("Cannot find any path matching ", ""), ("Cannot find any route matching [GET] ", ""),
    ("The route ", " could not be found"), ("Route GET:", " not found"),
    ("The requested URL ", " was not found on this server"),
    ("The requested resource [", "] is not available"), ("ERROR ", "' not found"),
  ]

  /// A line of an error log, of the server or of the framework behind it.
  init?(failure line: ArraySlice<UInt8>) {
    let line = line.prefix(Self.longestLine)
    guard SiteAnswer.names.contains(where: line.has) else { return nil }
    if let request = line.between("request: \"", and: "\"")?.words, request.count == 3,
      SiteAnswer.isFile(request[1]), let answer = Self.fault(line).flatMap(Self.answer)
    {
      let host = line.between("host: \"", and: "\"") ?? line.between("server: ", and: ",")
      self.init(request[1], host: host?.host, status: answer.status)
      reason = answer.reason
      return
    }
    if let code = line.between("ModSecurity: Access denied with code ", and: " "),
      let path = line.between("[uri \"", and: "\""), SiteAnswer.isFile(path)
    {
      self.init(
        path, host: line.between("[hostname \"", and: "\"")?.host, status: Int(code.value))
      reason = .rule
      return
    }
    for refusal in Self.fileRefusals {
      // Which directory is the root of the site is unknown.
      guard let path = Self.path(behind: refusal.words, in: line),
        let place = path.firstRange(of: "/.well-known/"),
        SiteAnswer.names.contains(where: { path[place.upperBound...].elementsEqual($0.utf8) })
      else { continue }
      self.init(path[place.lowerBound...], host: nil, status: refusal.status)
      reason = refusal.reason
      return
    }
    for (words, end) in Self.refusals {
      guard let path = Self.path(behind: words, in: line) else { continue }
      let isSentence = line[path.endIndex...].drop { $0 == UInt8(ascii: ".") }
        .starts(with: end.utf8)
      let isURL = path.has("://")
      guard end.isEmpty ? path.contains(UInt8(ascii: "/")) : isSentence,
        // Other hosts may have a file of that name in their root.
        !isURL || path.has("/.well-known/")
      else { continue }
      let isWhole = isURL || path.first == UInt8(ascii: "/")
      let target = isWhole ? path : (Array("/".utf8) + path)[...]
      guard SiteAnswer.isFile(target) else { continue }
      self.init(target, host: isURL ? path.host : nil, status: 404)
      return
    }
    guard let answer = LoggedAnswer(line), SiteAnswer.isFile(answer.target) else { return nil }
    // The machine of a developer has no name that anybody could check.
    let host = answer.target.has("://") ? answer.target.host : answer.host
    let isName = host?.contains(".") == true && host?.contains(where: \.isLetter) == true
    self.init(answer.target, host: isName ? host : nil, status: answer.status)
  }

  /// The path that stands behind some words, without the end of the sentence.
  static func path(behind words: String, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let place = line.firstRange(of: words) else { return nil }
    let path = line[place.upperBound...].drop { "\"'`".utf8.contains($0) }
      .prefix { !" \"'?,;()<>]".utf8.contains($0) }
    return path.last == UInt8(ascii: ".") ? path.dropLast() : path
  }

  // MARK: - What it says

  /// Whether the log says that it came later. Some consoles list the newest request first.
  func isLater(than other: LoggedRequest) -> Bool {
    guard let time, let otherTime = other.time else { return false }
    return time > otherTime
  }

  /// Whether both ask the same site for the same path, and both or none are of Apple or Google.
  func isOfSameFile(_ other: LoggedRequest) -> Bool {
    path.elementsEqual(other.path) && host == other.host && isOfBot == other.isOfBot
  }

  private var isFetched: Bool { Self.isFetched(status) }

  private static func isFetched(_ status: Int) -> Bool { status < 300 || status == 304 }

  /// Whether an answer to others matters. That they get the file does, too: it ends what was missing before.
  static func isSameForAll(_ status: Int) -> Bool {
    isFetched(status) || [404, 410].contains(status) || status >= 500
  }

  /// The row of a log, by the last request for each file: one that failed, if there is one. Requests of Apple's and
  /// Google's services count more than those of others. Devices ask below `/.well-known/` first, so the root counts only
  /// if nobody asked there.
  static func row(of requests: [LoggedRequest]) -> DeviceRow? {
    let ofBots = requests.filter(\.isOfBot)
    let requests = ofBots.isEmpty ? requests : ofBots
    let first = requests.filter { $0.path.has(".well-known/") }
    let rows = (first.isEmpty ? requests : first).compactMap(\.row)
    return rows.first { $0.state != SiteAnswer.State.fetched.rawValue } ?? rows.first
  }

  /// `nil` for a request of Google, or of others, that was answered: the log does not say with what.
  private var row: DeviceRow? {
    let state: SiteAnswer.State = isFetched ? .fetched : status < 400 ? .redirected : .status
    if state == .fetched && (!isOfBot || path.has("assetlinks.json")) { return nil }
    var row = DeviceRow(host: host, state: state.rawValue)
    if state == .redirected { row.error = location }
    if state == .status {
      // A log may be about several files.
      let file = SiteAnswer.names.first(where: path.has)
      row.failure = SiteAnswer.Failure(status: status, reason: reason, file: file)
    }
    return row
  }
}
