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
  fileprivate static let cdn = "app-site-association.cdn-apple.com/a/v1/"

  /// Whether a redirect leads to a file, or to a page in front of it.
  fileprivate static func leadsToFile(_ url: ArraySlice<UInt8>) -> Bool {
    isFile(url.last == UInt8(ascii: "/") ? url.dropLast() : url)
      || names.contains { url.has("/.well-known/\($0)") }
  }

  static let names = ["apple-app-site-association", "assetlinks.json"]

  /// Whether a URL, or its path, is an address of a file.
  static func isFile(_ url: ArraySlice<UInt8>) -> Bool {
    // A path may have another address in its query.
    let isPath = url.first == UInt8(ascii: "/")
    let rest = isPath ? url : url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return false }
    return names.contains { name in
      ["/\(name)", "/.well-known/\(name)"].contains { path in
        rest[slash...].prefix { !"?#".utf8.contains($0) }.elementsEqual(path.utf8)
      }
    }
  }

  /// The file that a URL is meant for, if devices never ask at that URL: the name has other letters or an extension, is in
  /// another directory, or is that of Android's file in the root of the site.
  static func misplacedFile(_ url: ArraySlice<UInt8>) -> String? {
    guard let scheme = url.firstRange(of: "://"), url.count < 2000 else { return nil }
    let rest = url[scheme.upperBound...].prefix { !"?#".utf8.contains($0) }
    // GitHub has the source of a site, and an archive has the address in its own.
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), !rest.has("://"),
      !["github.com", "githubusercontent.com"].contains(where: rest[..<slash].has)
    else { return nil }
    let path = rest[slash...].value
    let parts = path.split(separator: "/")
    let last = parts.last?.lowercased() ?? ""
    guard
      let file = names.first(where: { [$0, "\($0).json", "\($0).txt"].contains(last) })
        ?? (path == "/.well-known/assetlinks" ? "assetlinks.json" : nil)
    else { return nil }
    let isInRoot = path == "/\(file)" && file != "assetlinks.json"
    return isInRoot || path == "/.well-known/\(file)" ? nil : file
  }

  private var current = Exchange()
  private var earlier: [Exchange] = []
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
      current = Exchange()
    }
    current.take(line)
  }

  private mutating func take(_ request: LoggedRequest) {
    if logged.contains(where: { $0.isOfSameFile(request) && $0.isLater(than: request) }) { return }
    logged.removeAll { $0.isOfSameFile(request) }
    if logged.count < Self.mostRequests { logged.append(request) }
  }

  fileprivate static let tools = ["curl", "curl.exe", "wget", "Invoke-WebRequest", "iwr"]

  /// Whether it is the first line of a request that `curl -v` prints.
  private static func isRequest(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.drop { " >".utf8.contains($0) }.words
    return words.count == 3 && words[2].starts(with: "HTTP/".utf8)
  }

  private static let mostRequests = 100
}

/// A request and its answer.
private struct Exchange {
  private(set) var host: String?
  private var isOfCDN = false
  /// The address that is asked, without the scheme; without the host if only a line of the request has it.
  private var address: ArraySlice<UInt8>?
  private var isSecure = false
  /// Whether the text names the file.
  private var isAboutFile = false
  /// Whether a command asks for the file, or its address stands alone in a line, as above what a browser shows.
  private var isAsked = false
  /// Whether a command prints the status alone.
  private var printsStatus = false
  /// Whether it prints the type behind it.
  private var printsType = false
  /// Whether only the header is asked for, or what the site can do.
  private var isOfHeader = false
  private(set) var status: Int?
  /// Why `curl` got no answer, with its number: `(60) SSL certificate problem: …`.
  private var failure: ArraySlice<UInt8>?
  /// Whether a command asks for something else than the file or the root of a site.
  private var asksElsewhere = false
  /// The address that is asked, if devices never ask there.
  private var misplaced: ArraySlice<UInt8>?
  private var location: ArraySlice<UInt8>?
  private var isEmpty = false
  private var type: ArraySlice<UInt8>?
  private(set) var reason: SiteAnswer.Reason?
  /// Whether the line before was `Status Code` alone, as the tools of browsers show it.
  private var isStatusNext = false
  /// Whether the line before was the label of the method, as the tools of browsers show it.
  private var isMethodNext = false
  /// The name of a header in the line before, as the tools of browsers show it.
  private var label: String?
  /// The first line behind the header, or behind the command.
  private var body: ArraySlice<UInt8>?

  /// The site that is asked; without an address, the one that `curl` did not reach.
  var site: String? {
    if host != nil || isOfCDN { return host }
    guard let failure, !isAboutFile, noAnswer(failure) == .unreachable else { return nil }
    return failure.words.lazy.compactMap(\.unquoted.host).first
  }

  var hasBegun: Bool { failure != nil || host != nil || address != nil || status != nil || isOfCDN }

  /// Whether the file is asked for in the root of the site.
  var isInRoot: Bool { isAboutFile && address?.has("/.well-known/") == false }

  /// Whether the file is asked for where devices ask.
  var isOfFile: Bool { isAboutFile && !isInRoot }

  mutating func take(_ line: ArraySlice<UInt8>) {
    if body != nil { takeTitle(line) }
    if line.isEmpty || body != nil { return }
    let text = line.drop { " <>".utf8.contains($0) }
    if text.isEmpty { return }
    if text.starts(with: "curl: (".utf8) {
      takeFailure(text.dropFirst("curl: ".utf8.count))
      return
    }
    let isBehindMethod = isMethodNext
    isMethodNext = text.starts(with: "Request Method".utf8)
    if isMethodNext || isBehindMethod {
      isOfHeader = isOfHeader || text.words.contains(where: \.isMethodWithoutBody)
    } else if status == nil {
      isOfHeader =
        isOfHeader || text.words.first?.isMethodWithoutBody == true
        || line.isCommand
          && text.words.contains { word in
            word.elementsEqual("--head".utf8) || word.elementsEqual("--spider".utf8)
              || word.isMethodWithoutBody
              || word.starts(with: "-".utf8) && !word.starts(with: "--".utf8)
                && word.contains(UInt8(ascii: "I"))
          }
    }
    if status == nil, line.isCommand {
      asksElsewhere =
        asksElsewhere
        || text.words.map(\.unquoted).contains { word in
          word.firstRange(of: "://").map {
            ![nil, word.endIndex - 1].contains(
              word[$0.upperBound...].firstIndex(of: UInt8(ascii: "/")))
          } ?? false
        }
    }
    let name = (text.last == UInt8(ascii: ":") ? text.dropLast() : text).prefix(40)
      .value.lowercased()
    let isValue = label == "location" ? text.has("/") : text.isMediaType
    let field =
      label.flatMap { isValue ? ($0, text) : nil }
      ?? text.atColon.map { ($0.key.prefix(40).value.lowercased(), $0.value) }
    label =
      status != nil && label == nil && ["content-type", "location"].contains(name) ? name : nil
    if label != nil { return }
    let isBehindLabel = isStatusNext
    isStatusNext = text.starts(with: "Status Code".utf8) && text.count <= "Status Code:".utf8.count
    // `curl -w` may print the type behind the status, or an address.
    let written =
      printsStatus && text.dropFirst(3).first == UInt8(ascii: " ") ? text.dropFirst(4) : []
    if let code = Self.status(
      text, isAlone: isBehindLabel || printsStatus && text.count == 3 || written.isMediaType)
    {
      takeStatus(code)
      if printsType, written.isMediaType { type = written.prefix { !"; ".utf8.contains($0) } }
    } else if let (name, value) = field, status != nil, name == "location" {
      location = location ?? value.words.first
      isAboutFile = isAboutFile || value.words.first.map(SiteAnswer.leadsToFile) == true
    } else if let (name, value) = field, name == "content-type",
      status != nil || isAsked && value.isMediaType
    {
      type = value.prefix { !"; ".utf8.contains($0) }
    } else if let (name, value) = field, name == "content-length", status != nil {
      isEmpty = value.elementsEqual("0".utf8)
    } else if let (name, value) = field, name == "host" {
      host = host ?? value.host
    } else if status != nil, text.starts(with: "Requested URL".utf8),
      let file = text.words.last, SiteAnswer.isFile(file)
    {
      // The page of IIS has it below the status.
      (isAboutFile, host) = (true, host ?? (file.has("://") ? file.host : nil))
    } else if status != nil, text.starts(with: "cf-mitigated:".utf8) {
      reason = .challenge
    } else if status == 403, let (name, value) = field, name == "server",
      value.elementsEqual("AmazonS3".utf8)
    {
      reason = .storage
    } else if text.has(SiteAnswer.cdn), let host = text.commandHost {
      (self.host, isOfCDN) = (host, true)
    } else if status == nil, address == nil, misplaced == nil,
      line.isCommand || text.starts(with: "Request URL".utf8),
      let url = text.words.map(\.unquoted)
        .first(where: { SiteAnswer.isFile($0) || SiteAnswer.misplacedFile($0) != nil }),
      SiteAnswer.misplacedFile(url) != nil
    {
      (misplaced, host, isAsked, isAboutFile) = (url, host ?? url.host, true, true)
    } else if let code = Self.refusalOfSpring(line) {
      (isAboutFile, status, body) = (true, status ?? code, line)
    } else if status == nil, address == nil,
      let file = text.words.map(\.unquoted).first(where: SiteAnswer.isFile)
    {
      isAboutFile = true
      let scheme = file.firstRange(of: "://")
      if scheme != nil { host = host ?? file.host }
      let start = file.prefix { $0 != UInt8(ascii: "/") }
      if scheme == nil, start.contains(UInt8(ascii: ".")) { host = host ?? start.host }
      isSecure = file.starts(with: "https:".utf8)
      address = file[(scheme?.upperBound ?? file.startIndex)...]
      isAsked = line.isCommand || scheme != nil && text.words.count == 1
      printsType = text.has("content_type")
      printsStatus = line.isCommand && (text.has("http_code") || text.has("response_code"))
    } else if status != nil || isOfCDN || isAsked {
      takeBody(line)
      // What others write below the address, or below the command, is no answer, and neither is what stands behind it.
      if status == nil, body == nil, line.isSentence { isAsked = false }
    }
  }

  /// What stands before the status in what `wget`, PowerShell, browsers and the pages of IIS show.
  private static let statusBeginnings = [
    "awaiting response... ", "server returned an error: (", "does not indicate success: ",
    "Status Code: ",
  ]
  private static let lineBeginnings = ["HTTP Error ", "Description: HTTP "]

  /// The status that a line says; `nil` if it is none of the site.
  ///
  /// - Parameter isAlone: Whether nothing need be before it.
  private static func status(_ line: ArraySlice<UInt8>, isAlone: Bool) -> Int? {
    let code =
      isAlone
      ? line.words.first
      : line.starts(with: "HTTP/".utf8)
        ? line.words.dropFirst().first
        : (lineBeginnings.first { line.starts(with: $0.utf8) }.flatMap(line.firstRange)
          ?? statusBeginnings.lazy.compactMap(line.firstRange).first).map {
            line[$0.upperBound...].prefix(while: \.isASCIIDigit)
          }
    return code.flatMap { Int($0.value) }.flatMap {
      // IIS says more of the last one.
      (200...599).contains($0) && !line.has("onnection established") && !line.has(" 404.3 ")
        ? $0 : nil
    }
  }

  /// The texts with which servers answer for what is not there, in lower case, and what JSON says of it; the last one is of
  /// Amazon API Gateway, about a route that it does not have.
  private static let notFound = [
    "404", "not found", "404 not found", "404: not found", "404 page not found", "page not found",
    "file not found", "the page could not be found", "not_found", "404: not_found",
  ]
  private static let notFoundInJSON = ["\"Not Found\"", "\"Missing Authentication Token\""]

  /// The status in the JSON with which Spring refuses a path of a file.
  private static func refusalOfSpring(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: "{\"timestamp\":".utf8), line.has("\"error\":"),
      let path = line.between("\"path\":\"", and: "\""), SiteAnswer.isFile(path),
      let place = line.firstRange(of: "\"status\":"),
      let code = Int(line[place.upperBound...].prefix(while: \.isASCIIDigit).value),
      (400...599).contains(code)
    else { return nil }
    return code
  }

  private mutating func takeBody(_ line: ArraySlice<UInt8>) {
    if line.has("<Code>AccessDenied</Code>") {
      (status, reason, body) = (status ?? 403, .storage, line)
    } else if line.has("<Code>NoSuchKey</Code>") || line.has("<Code>NoSuchBucket</Code>") {
      (status, body) = (status ?? 404, line)
    } else if status == nil, line.starts(with: "error code: ".utf8),
      let code = Int(line.dropFirst("error code: ".utf8.count).value),
      code < 1000 || Self.refusalsOfCloudflare.contains(code)
        || Self.lossesOfCloudflare.contains(code)
    {
      let own = code == 1015 ? 429 : Self.lossesOfCloudflare.contains(code) ? 530 : 403
      (status, body) = (code < 1000 ? code : own, line)
    } else if status == nil,
      Self.isNotFound(line)
        || line.first == UInt8(ascii: "{") && Self.notFoundInJSON.contains(where: line.has)
    {
      (status, body) = (isOfCDN ? nil : 404, line)
    } else if line.first.map({ "{[<".utf8.contains($0) }) == true,
      // `curl -v` marks what it gets with `<`, and says how much it is.
      !line.starts(with: "< ".utf8), !line.starts(with: "<?xml".utf8),
      !line.starts(with: "{ [".utf8) || !line.has("bytes data]"),
      status != nil || line.first != UInt8(ascii: "<") || Self.isPage(line)
    {
      body = line
      takeTitle(line)
    }
  }

  /// Cloudflare's own numbers for a request that it refuses; 1015 is its limit.
  private static let refusalsOfCloudflare = Array(1006...1012) + [1015, 1020]
  /// Its numbers for a server that its name, or its tunnel, does not lead to.
  private static let lossesOfCloudflare = [1016, 1033]

  private static func isNotFound(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.last == UInt8(ascii: ".") ? line.dropLast() : line
    if text.starts(with: "Not Found - Request ID: ".utf8) { return true }
    return text.count < 40 && notFound.contains(text.value.lowercased())
      || line.starts(with: "Cannot GET /".utf8) && line.words.count == 3
  }

  /// The titles of the pages of servers that say the status.
  private static let titles = [
    "301 Moved Permanently", "302 Found", "302 Moved Temporarily", "303 See Other",
    "307 Temporary Redirect", "308 Permanent Redirect", "401 Authorization Required",
    "401 Unauthorized", "403 Forbidden", "404 Not Found", "410 Gone", "500 Internal Server Error",
    "502 Bad Gateway", "503 Service Temporarily Unavailable", "503 Service Unavailable",
    "504 Gateway Time-out", "504 Gateway Timeout",
  ]

  /// The titles of the pages with which Cloudflare asks for a sign of a person, or refuses.
  private static let challenges = ["Just a moment...", "Attention Required! | Cloudflare"]

  /// Takes the status from the title of a page that has no header above it, and that it is a challenge.
  private mutating func takeTitle(_ line: ArraySlice<UInt8>) {
    guard !isOfCDN, body?.first == UInt8(ascii: "<"),
      let title = line.between("<title>", and: "<")
    else { return }
    if Self.challenges.contains(where: { title.elementsEqual($0.utf8) }) {
      (status, reason) = (status ?? 403, .challenge)
    } else if status == nil, let known = Self.titles.first(where: { title.elementsEqual($0.utf8) })
    {
      status = Int(known.prefix(3))
    }
  }

  private static func isPage(_ line: ArraySlice<UInt8>) -> Bool {
    let start = line.prefix(15).value.lowercased()
    return ["<!doctype html", "<html", "<head"].contains { start.hasPrefix($0) }
  }

  /// The numbers with which `curl` says that it got no answer, or did not trust who answers (its manual page lists all).
  private static let numbersOfNoAnswer = [5, 6, 7, 16, 28, 35, 51, 52, 55, 56, 60, 91, 92]

  /// - Parameter text: What `curl` says, with its number in front.
  private mutating func takeFailure(_ text: ArraySlice<UInt8>) {
    guard let number = Int(text.dropFirst().prefix(while: \.isASCIIDigit).value) else { return }
    if number == 22 {
      // With `--fail`, in place of the answer.
      if let code = text.words.last.flatMap({ Int($0.value) }), (300...599).contains(code) {
        status = status ?? code
      }
    } else if Self.numbersOfNoAnswer.contains(number) {
      failure = failure ?? text
    }
  }

  /// What `curl` got no answer from; `nil` if it may be no site.
  private func noAnswer(_ failure: ArraySlice<UInt8>) -> SiteAnswer.State? {
    let failed = failure.words.lazy.compactMap(\.unquoted.host).first
    let isOf = { (domain: String) in failed.map { ".\($0)".hasSuffix(".\(domain)") } ?? false }
    if isOfCDN || isOf("cdn-apple.com") { return .cdnUnreachable }
    if isOf("googleapis.com") { return nil }
    let isOfProxy = failure.starts(with: "(5)".utf8)
    if isAboutFile {
      return isOfProxy || failed != nil && host != nil && failed != host
        ? .otherUnreachable : .unreachable
    }
    let words = failure.words
    let port = words.firstIndex { $0.elementsEqual("port".utf8) }
      .flatMap { $0 + 1 < words.count ? Int(words[$0 + 1].value) : nil }
    let isOfSite = !isOfProxy && !asksElsewhere && failed != nil && [nil, 80, 443].contains(port)
    return isOfSite && (host == nil || host == failed) ? .unreachable : nil
  }

  private mutating func takeStatus(_ code: Int) {
    // Devices follow no redirect, so the first answer counts. They always use TLS, so a redirect to HTTPS is skipped.
    if status != nil && !leadsToTLS { return }
    (status, location, type, reason, isEmpty) = (code, nil, nil, nil, false)
  }

  /// Whether the answer redirects to the same address with https.
  private var leadsToTLS: Bool {
    guard let address, !isSecure, let location, location.starts(with: "https://".utf8) else {
      return false
    }
    let target = location.dropFirst("https://".utf8.count)
    return target.elementsEqual(address)
      || host.map { target.elementsEqual(Array($0.utf8) + address) } ?? false
  }

  func state(isFile: Bool) -> (SiteAnswer.State, error: String?)? {
    let isJSON = body?.first.map { "{[".utf8.contains($0) } ?? false
    if status == nil, body == nil, let failure {
      return noAnswer(failure).map { ($0, failure.value) }
    }
    if isOfCDN {
      if isJSON && isFile && (status ?? 200) == 200 { return (.copy, nil) }
      return body?.elementsEqual("Not Found".utf8) == true || status == 404
        ? (.noCopy, "Not Found") : nil
    }
    guard let status = status ?? (body == nil && type == nil ? nil : 200) else { return nil }
    if let misplaced { return (.misplaced, misplaced.value) }
    if leadsToTLS { return isAboutFile ? (.leadsToTLS, nil) : nil }
    // A server may refuse HEAD, with which `curl -I` asks; devices do not.
    if [405, 501].contains(status), isOfHeader || address == nil { return nil }
    guard isAboutFile || isJSON && isFile || reason == .challenge else { return nil }
    if (300...399).contains(status), let location { return (.redirected, location.value) }
    if [301, 302, 303, 307, 308].contains(status) && isSecure { return (.redirected, nil) }
    if status >= 400 { return (.status, nil) }
    if status != 200 { return nil }
    if isEmpty && body == nil && address != nil && !isOfHeader { return (.empty, nil) }
    if body?.first == UInt8(ascii: "<") { return (.page, nil) }
    if body != nil && !(isJSON && isFile) { return nil }
    guard let type else { return body == nil ? nil : (.served, nil) }
    switch type.value.lowercased() {
    case "text/html": return body == nil ? (.page, nil) : (.type, type.value)
    case "application/json", "application/pkcs7-mime": return (.served, nil)
    // Apple's CDN takes it.
    case "application/octet-stream" where address?.has("assetlinks.json") != true:
      return (.served, nil)
    default: return (.type, type.value)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether it is a line with `curl` or a similar tool, behind a prompt or not. PowerShell begins errors with the tool, and
  /// HTTPie has names that headers have as values.
  fileprivate var isCommand: Bool {
    let first = words.prefix(5).map(\.unquoted)
    // What `curl -v` says of the connection has its name, too; in a list, commands begin with this mark.
    if self.first == UInt8(ascii: "*"),
      !words.map(\.unquoted).contains(where: { $0.has("://") || SiteAnswer.isFile($0) })
    {
      return false
    }
    if first.count > 1 && first[1].elementsEqual(":".utf8) { return false }
    let isHTTPie = first.first { $0.count > 1 }.map {
      $0.elementsEqual("http".utf8) || $0.elementsEqual("https".utf8)
    }
    return isHTTPie == true
      || first.contains { word in SiteAnswer.tools.contains { word.elementsEqual($0.utf8) } }
  }

  /// Whether a word is a method whose answer has no body, or an option with it, such as `-XHEAD` and `--request=HEAD`.
  fileprivate var isMethodWithoutBody: Bool {
    guard count < 30 else { return false }
    let word = unquoted.value.uppercased()
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
  fileprivate var isSentence: Bool {
    first.map(\.isASCIILetterOrDigit) == true
      && words.prefix(20).count {
        $0.first.map { $0.isASCIILetterOrDigit && !$0.isASCIIDigit } == true
      }
        > 3
  }

  /// Whether it is a type such as `text/plain; charset=utf-8`, and nothing else.
  fileprivate var isMediaType: Bool {
    let type = prefix { !"; ".utf8.contains($0) }
    return type.contains(UInt8(ascii: "/"))
      && [nil, UInt8(ascii: ";")].contains(self[type.endIndex...].first)
  }

  /// A word of a command without the marks of its shell or its sentence.
  fileprivate var unquoted: ArraySlice<UInt8> {
    let isMark = { (byte: UInt8) in "\"'`()<>,;|".utf8.contains(byte) }
    var word = drop(while: isMark)
    while let last = word.last, isMark(last) { word.removeLast() }
    return word
  }
}
