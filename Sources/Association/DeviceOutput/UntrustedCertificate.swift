/// What programs other than `curl` say of the certificate of a site that they asked for its file.
enum UntrustedCertificate {
  /// How Python, Node, Go, Java and Chrome say it. The words go on to the end of their sentence.
  private static let words = [
    "certificate verify failed", "unable to verify the first certificate",
    "certificate has expired", "x509: certificate", "PKIX path building failed",
    "ERR_CERT_COMMON_NAME_INVALID", "ERR_CERT_AUTHORITY_INVALID", "ERR_CERT_DATE_INVALID",
  ]
  /// What Wget says around the host, below a line with its URL.
  private static let (wget, wgetEnd) = ("cannot verify ", "'s certificate, ")
  /// What begins a test of a site with OpenSSL, and what ends it.
  private static let (command, result) = ("openssl s_client", "Verify return code: ")
  /// Hosts that have files of other sites.
  private static let others = [".cdn-apple.com", ".googleapis.com"]
  /// How long the words are at most, in bytes.
  private static let longest = 120

  /// One row; `nil` if the text neither is about the file of a site nor tests a site, or says nothing of a certificate.
  static func row(in text: PastedText) -> DeviceRow? {
    let found = text.flat.has(command) ? test(text.flat) : request(text)
    guard let (host, error) = found, !others.contains(where: { ".\(host)".hasSuffix($0) }) else {
      return nil
    }
    var row = DeviceRow(host: host, state: SiteAnswer.State.untrusted.rawValue)
    row.error = error
    return row
  }

  /// The last `openssl s_client -connect example.com:443`, which says in its last lines whether it trusts the certificate.
  private static func test(_ text: ArraySlice<UInt8>) -> (host: String, error: String)? {
    guard let command = text.ranges(of: command).last else { return nil }
    let rest = text[command.upperBound...]
    let words = rest.prefix(300).words
    func value(_ option: String) -> ArraySlice<UInt8>? {
      words.firstIndex { $0.elementsEqual(option.utf8) }
        .flatMap { words.dropFirst($0 + 1).first }
    }
    guard let address = value("-connect"), address.suffix(4).elementsEqual(":443".utf8),
      let host = value("-servername")?.host ?? address.host,
      let result = rest.ranges(of: result).last
    else { return nil }
    let error = rest[result.upperBound...].prefix(longest).prefix { $0 != UInt8(ascii: ")") }
    return error.starts(with: "0 ".utf8) || !error.has("(") ? nil : (host, "\(error.value))")
  }

  /// The last request for the file that fails because of the certificate.
  private static func request(_ text: PastedText) -> (host: String, error: String)? {
    guard (words + [wget]).contains(where: text.flat.has) else { return nil }
    var found: (host: String, error: String)?
    var asked: String?
    text.forEachLine { line in
      let line = line.text.prefix(DeviceOutput.longestValue)
      if let url = line.words.lazy.map(bare).first(where: isFile) { asked = url.host }
      if let host = line.between(wget, and: wgetEnd)?.host, host == asked,
        let place = line.firstRange(of: wget)
      {
        found = (host, line[place.lowerBound...].prefix(longest).value)
      }
      let places = words.lazy.compactMap { word in line.firstRange(of: word).map { (word, $0) } }
      guard let (word, place) = places.first, let host = host(in: line[..<place.lowerBound]) else {
        return
      }
      // A name of an error is whole; words may go on.
      found = (host, word.contains(" ") ? error(line[place.lowerBound...]) : word)
    }
    return found
  }

  /// The host whose file a line is about, up to the words: that of its last URL. Python has it beside the path.
  private static func host(in line: ArraySlice<UInt8>) -> String? {
    if let url = line.words.last(where: { $0.has("://") }).map(bare) {
      return isFile(url) ? url.host : nil
    }
    return SiteAnswer.names.contains {
      line.has("port=443): Max retries exceeded with url: /.well-known/\($0)")
    }
      ? line.between("Pool(host='", and: "'")?.host : nil
  }

  /// Whether a URL is that of a file, at the port where devices ask.
  private static func isFile(_ url: ArraySlice<UInt8>) -> Bool {
    guard url.starts(with: "https://".utf8), SiteAnswer.isFile(url) else { return false }
    let authority = url.dropFirst("https://".utf8.count).prefix { $0 != UInt8(ascii: "/") }
    return !authority.contains(UInt8(ascii: ":")) || authority.suffix(4).elementsEqual(":443".utf8)
  }

  /// A URL without the marks of a sentence around it.
  private static func bare(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var url = word.drop { "\"'`(<[".utf8.contains($0) }.prefix { !"\"'`)>,;]".utf8.contains($0) }
    while url.last == UInt8(ascii: ":") { url.removeLast() }
    return url
  }

  private static func error(_ text: ArraySlice<UInt8>) -> String {
    text.prefix(longest).prefix { !"\"'\\;()".utf8.contains($0) }.trimmed.value
  }
}
