/// What a site answers to a request for its file, or Apple's CDN without its header, as `curl` prints it, or the access log
/// of the site's server.
struct SiteAnswer {
  enum State: String {
    case redirected, served, page, fetched
    case status = "error-status"
    case unreachable
    /// Apple's CDN, or a host between, such as a proxy, did not answer.
    case cdnUnreachable = "cdn-unreachable"
    case otherUnreachable = "other-unreachable"
    case copy = "cdn-file"
    case noCopy = "cdn-nothing"
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

  private static let names = ["apple-app-site-association", "assetlinks.json"]

  /// Whether a URL, or its path, is an address of a file.
  static func isFile(_ url: ArraySlice<UInt8>) -> Bool {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return false }
    return names.contains { name in
      ["/\(name)", "/.well-known/\(name)"].contains { path in
        rest[slash...].prefix { !"?#".utf8.contains($0) }.elementsEqual(path.utf8)
      }
    }
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
      ![.unreachable, .cdnUnreachable, .otherUnreachable].contains($0.state.0)
    }
    let found = answered.isEmpty ? all : answered
    // The file may be at its own address, whatever is in the root or elsewhere.
    guard
      let (exchange, (state, error)) = found.first(where: { $0.exchange.isOfFile })
        ?? found.first(where: { !$0.exchange.isInRoot }) ?? found.first
    else {
      return LoggedRequest.row(of: answers.logged)
    }
    var row = DeviceRow(host: exchange.site, state: state.rawValue)
    row.error = error
    return row
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if let columns = LoggedRequest.columns(line) { self.columns = columns }
    if let request = LoggedRequest(line, columns: columns) { return take(request) }
    let line = line.prefix(DeviceOutput.longestValue)
    let isNext = line.isCommand ? current.hasBegun : current.status != nil && Self.isRequest(line)
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
  /// Whether only the header is asked for.
  private var isOfHeader = false
  private(set) var status: Int?
  /// Why `curl` got no answer, with its number: `(60) SSL certificate problem: …`.
  private var failure: ArraySlice<UInt8>?
  /// Whether a command asks for something else than the file or the root of a site.
  private var asksElsewhere = false
  private var location: ArraySlice<UInt8>?
  private var isChallenge = false
  /// The first line behind the header, or behind the command that asks the CDN.
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
    if line.isEmpty || body != nil { return }
    let text = line.drop { " <>".utf8.contains($0) }
    if text.isEmpty { return }
    if text.starts(with: "curl: (".utf8) {
      takeFailure(text.dropFirst("curl: ".utf8.count))
      return
    }
    if status == nil {
      isOfHeader =
        isOfHeader || text.starts(with: "HEAD ".utf8)
        || line.isCommand
          && text.words.contains { word in
            word.elementsEqual("--head".utf8)
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
    let field = text.atColon.map { ($0.key.prefix(40).value.lowercased(), $0.value) }
    if text.starts(with: "HTTP/".utf8) {
      takeStatus(text)
    } else if let (name, value) = field, status != nil, name == "location" {
      location = location ?? value
      isAboutFile = isAboutFile || SiteAnswer.leadsToFile(value)
    } else if let (name, value) = field, name == "host" {
      host = host ?? value.host
    } else if status != nil, text.starts(with: "cf-mitigated:".utf8) {
      isChallenge = true
    } else if text.has(SiteAnswer.cdn), let host = text.commandHost {
      (self.host, isOfCDN) = (host, true)
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
    } else if status != nil || isOfCDN,
      line.first.map({ "{[<".utf8.contains($0) }) == true && !line.starts(with: "< ".utf8)
        || isOfCDN && line.elementsEqual("Not Found".utf8)
    {
      body = line
    }
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

  private mutating func takeStatus(_ line: ArraySlice<UInt8>) {
    guard let code = line.words.dropFirst().first.flatMap({ Int($0.value) }), code >= 200,
      !line.has("onnection established")
    else { return }
    // Devices follow no redirect, so the first answer counts. They always use TLS, so a redirect to HTTPS is skipped.
    if status != nil && !leadsToTLS { return }
    (status, location, isChallenge) = (code, nil, false)
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
    guard let status, !leadsToTLS else { return nil }
    // A server may refuse HEAD, with which `curl -I` asks; devices do not.
    if [405, 501].contains(status), isOfHeader || address == nil { return nil }
    if isChallenge { return (.status, "\(status), cf-mitigated: challenge") }
    guard isAboutFile || isJSON && isFile else { return nil }
    if (300...399).contains(status), let location { return (.redirected, location.value) }
    if status >= 400 { return (.status, "\(status)") }
    if status != 200 { return nil }
    return isJSON && isFile
      ? (.served, nil) : body?.first == UInt8(ascii: "<") ? (.page, nil) : nil
  }
}

extension ArraySlice<UInt8> {
  /// Whether it is a line with `curl`, behind a prompt or not.
  fileprivate var isCommand: Bool {
    words.prefix(5).contains { $0.elementsEqual("curl".utf8) || $0.elementsEqual("curl.exe".utf8) }
  }

  /// A word of a command without the marks of its shell or its sentence.
  fileprivate var unquoted: ArraySlice<UInt8> {
    let isMark = { (byte: UInt8) in "\"'`()<>,;|".utf8.contains(byte) }
    var word = drop(while: isMark)
    while let last = word.last, isMark(last) { word.removeLast() }
    return word
  }
}

extension DeviceCase {
  /// What a site answered to a request for its file, or Apple's CDN.
  func siteVerdict(on answer: SiteAnswer.State) -> DeviceVerdict {
    let error = row.error ?? ""
    let validate = "Give the file alone to `aasa validate -`."
    return switch answer {
    case .copy:
      DeviceVerdict(
        .cdnHasFile, .sure, .operations, "Apple's CDN has a file of \(host).",
        next: "\(validate) Run \(check) to see which revision it is.")
    case .noCopy:
      DeviceVerdict(
        .cdnFailed, .sure, .operations, "Apple's CDN has no valid file of \(host).\(checked)",
        next: "Run \(check), and look for `cdn-failed`.")
    case .served:
      DeviceVerdict(
        .cdnHasFile, .likely, .operations, "The site answers with a file.",
        next: "\(validate) Run \(check) to see whether devices and Apple's CDN get it, too.")
    case .redirected:
      DeviceVerdict(
        .redirectRefused, .likely, .operations,
        "The site redirects the request for the file\(error.isEmpty ? "" : " to \(error.quoted)"). Devices do not follow.",
        next: "Serve the file at the address itself; \(check) shows where it leads.")
    case .fetched:
      DeviceVerdict(
        .cdnHasFile, .likely, .operations,
        "The server's log has a request of Apple for the file, and the site answered it. The log does not say with what.",
        next: "Run \(check) to see what it answers, and which revision Apple's CDN has.")
    case .unreachable: unreachableVerdict(error)
    case .cdnUnreachable:
      DeviceVerdict(
        .neverDownloaded, .likely, .user,
        "curl did not reach Apple's CDN: \(words(ofCurl: error)). That is your network, and not the site.",
        next: "Ask from another network, or run \(check), which asks Apple's CDN, too.")
    case .otherUnreachable:
      DeviceVerdict(
        .neverDownloaded, .likely, .user,
        "curl got no answer from another host than the site, such as a proxy: \(words(ofCurl: error)).",
        next:
          "Ask from a network without that proxy. If a redirect leads to that host, \(check) shows it."
      )
    case .page:
      DeviceVerdict(
        .unusableFile, .likely, .operations, "The site answers with a page in place of the file.",
        next: "Run \(check), and look for `html-answer`.")
    case .status:
      DeviceVerdict(
        .unusableFile, .likely, .operations,
        "The site answers with status \(error.prefix { $0 != "," })"
          + (error.contains("challenge")
            ? ", which is Cloudflare's challenge for bots: Apple and Google do not solve it."
            : "."),
        next: "\(remedy(forStatus: error)); \(check) asks as devices do.")
    }
  }

  private func remedy(forStatus error: String) -> String {
    if ["404", "410"].contains(error) {
      return
        "Serve the file at `/.well-known/apple-app-site-association`, for Android at `/.well-known/assetlinks.json`. "
        + "Some servers and deployments leave out directories that begin with a dot, and IIS files without an extension"
    }
    if error.hasPrefix("5") && !error.contains("challenge") {
      return "Look at the log of the server, or of the proxy in front of it"
    }
    return "Let requests for the file through without a challenge, a login or a block"
  }

  /// What `curl` says instead of an answer, as `(60) SSL certificate problem: …` (its manual page lists the numbers).
  private func unreachableVerdict(_ error: String) -> DeviceVerdict {
    let number = Int(error.dropFirst().prefix { $0.isNumber })
    let message = "curl got no answer from the site: \(words(ofCurl: error))."
    switch number {
    case 35:
      return DeviceVerdict(
        .neverDownloaded, .likely, .operations, message,
        next:
          "The TLS handshake failed, often because of a proxy or firewall in between. \(check) says whether the site "
          + "answers others.")
    case 51, 60, 91:
      return DeviceVerdict(
        .certificateRefused, .likely, .operations, message,
        next:
          "Serve a certificate of a public authority for this name, with its intermediate ones; \(check) says what is wrong with it."
      )
    case 6:
      return DeviceVerdict(
        .neverDownloaded, .likely, .operations, message,
        next: "Give the name public DNS records; \(check) looks them up.")
    default:
      return DeviceVerdict(
        .neverDownloaded, .likely, .operations, message,
        next:
          "Look at the server, and at firewalls in front of port 443; \(check) says whether the site answers others."
      )
    }
  }

  /// What `curl` says behind its number.
  private func words(ofCurl error: String) -> String {
    String(error.drop { $0 != ")" }.dropFirst().drop { $0 == " " }).quoted
  }
}
