/// A request for the file of a site and its answer, read line by line.
struct SiteExchange {
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
  /// Whether the line before was the label of the address, as the tools of browsers show it.
  private var isAddressNext = false
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
    return failure.words.lazy.compactMap(\.argument.host).first
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
    let isBehindAddress = isAddressNext
    isAddressNext = text.starts(with: "Request URL".utf8)
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
        || text.words.map(\.argument).contains { word in
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
    if let code = SiteStatus.code(
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
      line.isCommand || isAddressNext || isBehindAddress,
      let url = text.words.map(\.argument)
        .first(where: { SiteAnswer.isFile($0) || SiteAnswer.misplacedFile($0) != nil }),
      SiteAnswer.misplacedFile(url) != nil
    {
      (misplaced, host, isAsked, isAboutFile) = (url, host ?? url.host, true, true)
    } else if let code = SiteStatus.refusalOfSpring(line) {
      (isAboutFile, status, body) = (true, status ?? code, line)
    } else if status == nil, address == nil,
      let file = text.words.map(\.argument).first(where: SiteAnswer.isFile)
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

  private mutating func takeBody(_ line: ArraySlice<UInt8>) {
    if line.has("<Code>AccessDenied</Code>") {
      (status, reason, body) = (status ?? 403, .storage, line)
    } else if line.has("<Code>NoSuchKey</Code>") || line.has("<Code>NoSuchBucket</Code>") {
      (status, body) = (status ?? 404, line)
    } else if status == nil, let code = SiteStatus.refusalOfCloudflare(line) {
      (status, body) = (code, line)
    } else if status == nil, SiteStatus.isNotFound(line) {
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

  /// Takes the status from the title of a page that has no header above it, and that it is a challenge.
  private mutating func takeTitle(_ line: ArraySlice<UInt8>) {
    guard !isOfCDN, body?.first == UInt8(ascii: "<"),
      let title = line.between("<title>", and: "<")
    else { return }
    if SiteStatus.isChallenge(title: title) {
      (status, reason) = (status ?? 403, .challenge)
    } else if status == nil {
      status = SiteStatus.code(title: title)
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
    let failed = failure.words.lazy.compactMap(\.argument.host).first
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
