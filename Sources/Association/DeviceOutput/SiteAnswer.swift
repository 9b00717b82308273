/// What a site answers to a request for its file, or Apple's CDN without its header, as `curl` prints it.
struct SiteAnswer {
  enum State: String {
    case redirected, served, page
    case status = "error-status"
    case copy = "cdn-file"
    case noCopy = "cdn-nothing"
  }

  private static let fileNames = ["apple-app-site-association", "assetlinks.json"]
  private static let members = [
    "\"applinks\"", "\"webcredentials\"", "\"appclips\"", "\"activitycontinuation\"",
    "\"sha256_cert_fingerprints\"",
  ]
  private static let cdn = "app-site-association.cdn-apple.com/a/v1/"

  private var host: String?
  private var isOfCDN = false
  /// Whether the text names the file.
  private var isAboutFile = false
  private var status: Int?
  private var location: ArraySlice<UInt8>?
  private var isChallenge = false
  /// The first line behind the header, or behind the command that asks the CDN.
  private var body: ArraySlice<UInt8>?

  /// The row of a text; `nil` if it has no such answer.
  static func row(in text: PastedText) -> DeviceRow? {
    var answer = SiteAnswer()
    text.forEachLine { answer.take($0.text) }
    guard let (state, error) = answer.state(isFile: members.contains(where: text.flat.has)) else {
      return nil
    }
    var row = DeviceRow(host: answer.host, state: state.rawValue)
    row.error = error
    return row
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if line.isEmpty || body != nil { return }
    let line = line.prefix(DeviceOutput.longestValue)
    let text = line.drop { " <".utf8.contains($0) }
    let field = text.atColon.map { ($0.key.prefix(40).value.lowercased(), $0.value) }
    if text.starts(with: "HTTP/".utf8) {
      // The first answer counts: devices do not follow it.
      if status == nil { status = text.words.dropFirst().first.flatMap { Int($0.value) } }
    } else if let (name, value) = field, status != nil, name == "location" {
      if location == nil { location = value }
    } else if let (name, value) = field, name == "host" {
      host = host ?? value.host
    } else if status != nil, text.starts(with: "cf-mitigated:".utf8) {
      isChallenge = true
    } else if text.has(Self.cdn), let host = text.commandHost {
      (self.host, isOfCDN) = (host, true)
    } else if let file = text.words.first(where: { Self.fileNames.contains(where: $0.has) }) {
      isAboutFile = true
      let url = file.drop { "\"'".utf8.contains($0) }
      if url.has("://") { host = host ?? url.host }
    } else if status != nil || isOfCDN,
      line.first.map({ "{[<".utf8.contains($0) }) == true && !line.starts(with: "< ".utf8)
        || isOfCDN && line.elementsEqual("Not Found".utf8)
    {
      body = line
    }
    if location != nil, Self.fileNames.contains(where: text.has) { isAboutFile = true }
  }

  private func state(isFile: Bool) -> (State, error: String?)? {
    let isJSON = body?.first.map { "{[".utf8.contains($0) } ?? false
    if isOfCDN {
      if isJSON && isFile && (status ?? 200) == 200 { return (.copy, nil) }
      return body?.elementsEqual("Not Found".utf8) == true || status == 404
        ? (.noCopy, "Not Found") : nil
    }
    guard let status else { return nil }
    if isChallenge { return (.status, "\(status), cf-mitigated: challenge") }
    guard isAboutFile || isJSON && isFile else { return nil }
    if (300...399).contains(status), let location { return (.redirected, location.value) }
    if status >= 400 { return (.status, "\(status)") }
    if status != 200 { return nil }
    return isJSON && isFile
      ? (.served, nil) : body?.first == UInt8(ascii: "<") ? (.page, nil) : nil
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
        "The site redirects the request for the file to \(error.quoted). Devices do not follow.",
        next: "Serve the file at the address itself; \(check) shows where it leads.")
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
        next:
          "Let requests for the file through without a challenge, a login or a block; \(check) asks as they do."
      )
    }
  }
}
