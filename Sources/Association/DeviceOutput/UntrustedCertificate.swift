/// What programs other than `curl` say of the certificate of a site that they asked for its file.
enum UntrustedCertificate {
  /// How OpenSSL, Wget, Python, Node, Go, Java, .NET, Chrome and Firefox say it. The words go on to the end of their sentence.
  private static let words = [
    "certificate verify failed", "certificate, issued by", "unable to verify the first certificate",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "CERT_HAS_EXPIRED", "certificate has expired",
    "ERR_TLS_CERT_ALTNAME_INVALID", "x509: certificate", "PKIX path building failed",
    "Could not establish trust relationship", "The SSL connection could not be established",
    "ERR_CERT_COMMON_NAME_INVALID", "ERR_CERT_AUTHORITY_INVALID", "ERR_CERT_DATE_INVALID",
    "SEC_ERROR_UNKNOWN_ISSUER", "SSL_ERROR_BAD_CERT_DOMAIN", "SEC_ERROR_EXPIRED_CERTIFICATE",
  ]
  /// What begins a test of a site with OpenSSL, and what ends it.
  private static let (command, result) = ("openssl s_client", "Verify return code: ")
  /// Hosts that have files of other sites.
  private static let others = [".cdn-apple.com", ".googleapis.com"]
  /// How long the words are at most, in bytes.
  private static let longest = 120

  /// One row; `nil` if the text neither is about the file of a site nor tests a site, or says nothing of a certificate.
  static func row(in text: ArraySlice<UInt8>) -> DeviceRow? {
    let found = test(text) ?? request(text)
    guard let (host, error) = found, !others.contains(where: { ".\(host)".hasSuffix($0) }) else {
      return nil
    }
    var row = DeviceRow(host: host, state: SiteAnswer.State.untrusted.rawValue)
    row.error = error
    return row
  }

  /// `openssl s_client -connect example.com:443`, which says in its last lines whether it trusts the certificate.
  private static func test(_ text: ArraySlice<UInt8>) -> (host: String, error: String)? {
    guard let command = text.firstRange(of: command) else { return nil }
    let rest = text[command.upperBound...]
    let words = rest.prefix(300).words
    let names = ["-servername", "-connect"].lazy.compactMap { option in
      words.firstIndex { $0.elementsEqual(option.utf8) }.flatMap { words.dropFirst($0 + 1).first }
    }
    guard let host = names.compactMap(\.host).first, let result = rest.firstRange(of: result)
    else { return nil }
    let error = rest[result.upperBound...].prefix(longest).prefix { $0 != UInt8(ascii: ")") }
    return error.starts(with: "0 ".utf8) || !error.has("(") ? nil : (host, "\(error.value))")
  }

  /// A request for the file that fails because of the certificate.
  private static func request(_ text: ArraySlice<UInt8>) -> (host: String, error: String)? {
    let places = words.lazy.compactMap { word in text.firstRange(of: word).map { (word, $0) } }
    guard let (word, place) = places.first else { return nil }
    let around = text[max(text.startIndex, place.lowerBound - 2000)...].prefix(6000)
    // Python has the host beside the path.
    let urls = around.words.lazy.map { word in
      var url = word.drop { "\"'`(<[".utf8.contains($0) }.prefix { !"\"'`)>,;]".utf8.contains($0) }
      while url.last == UInt8(ascii: ":") { url.removeLast() }
      return url
    }
    let host =
      urls.first { $0.starts(with: "https://".utf8) && SiteAnswer.isFile($0) }?.host
      ?? (SiteAnswer.names.contains { around.has("url: /.well-known/\($0)") }
        ? around.between("Pool(host='", and: "'")?.host : nil)
    // A name of an error is whole; words may go on.
    let isName = !word.contains(" ")
    let error = text[place.lowerBound...].prefix(isName ? word.utf8.count : longest)
      .prefix { !"\"'\\;()".utf8.contains($0) }
    return host.map { ($0, error.trimmed.value) }
  }
}
