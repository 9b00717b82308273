import CCurl
package import HTTP

/// Where a request goes, as far as its URL says it.
enum Destination {
  /// A host to connect to, at a certain place if the policy names one. A proxy is only for names.
  case allowed(Fetcher.Place?, isName: Bool)
  case refused(Fetch.Failure)

  init(_ request: FetchRequest, _ policy: Fetcher.Policy) {
    guard let host = Self.host(of: request.url) else {
      self = .refused(.url("not an http or https URL"))
      return
    }
    let literal = IPAddress(host)
    let places = [request.place].compactMap(\.self) + (request.usesPlaces ? policy.places : [])
    let place =
      places.first { $0.host == host } ?? places.first { $0.host == "*" && literal == nil }
    let isAllowed =
      literal.map { address in policy.allowedAddresses.contains { $0.contains(address) } } ?? true
    self =
      place != nil || isAllowed
      ? .allowed(place, isName: literal == nil)
      : .refused(.url("the host \(host) is an address, and allowPrivateAddresses does not name it"))
  }

  /// The host of a URL as libcurl reads it, in lower case, without brackets. libcurl makes an ordinary address of
  /// odd forms such as `0x7f.1`.
  private static func host(of url: String) -> String? {
    guard let parsed = curl_url() else { return nil }
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
      let scheme = part(CURLUPART_SCHEME, of: parsed), ["http", "https"].contains(scheme),
      part(CURLUPART_USER, of: parsed) == nil, let host = part(CURLUPART_HOST, of: parsed),
      !host.unicodeScalars.contains(where: isLikeDigit)
    else { return nil }
    return (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host).lowercased()
  }

  /// Whether IDNA may make an ASCII digit or a dot of it, with which an address could be written.
  private static func isLikeDigit(_ scalar: Unicode.Scalar) -> Bool {
    ["\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar)
      || !scalar.isASCII && scalar.properties.numericType != nil
  }

  private static func part(
    _ part: CURLUPart, of url: OpaquePointer, _ flags: UInt32 = 0
  ) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
    // Sound: the text ends with NUL, and is the caller's to free (curl_url_get(3)).
    defer { curl_free(text) }
    return String(cString: text)
  }
}

extension Destination {
  /// The port of an http or https URL; nil for any other.
  static func port(of url: String) -> Int? {
    guard let parsed = curl_url() else { return nil }
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK else { return nil }
    return part(CURLUPART_PORT, of: parsed, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) }
  }

  /// The ports of the web. Only at these may a site be on this machine, or a redirect lead to another port.
  static let webPorts = [80, 443]
}

extension IPAddress {
  /// Ranges that are not for hosts on the Internet (IANA's special-purpose address registries), and those that
  /// have other addresses inside, so that nobody reaches a private one through them.
  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
  ].compactMap(AddressRange.init)

  /// Public addresses at which a cloud answers its own machines: Azure's metadata and agent, and the services of
  /// IBM's private networks. Other clouds use addresses of the ranges above.
  private static let cloudAddresses = ["168.63.129.16", "161.26.0.0/16", "166.8.0.0/14"]
    .compactMap(AddressRange.init)

  /// The only range of IPv6 from which public addresses are given (RFC 4291 section 2.4).
  private static let global = AddressRange("2000::/3")
  /// Special ranges in it: protocol assignments with Teredo, 6to4, documentation.
  private static let specialWithinGlobal = [
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ].compactMap(AddressRange.init)

  /// Whether it may be that of a host on the Internet.
  package var isPublic: Bool {
    if isIPv4 { return !(Self.special + Self.cloudAddresses).contains { $0.contains(self) } }
    return Self.global?.contains(self) == true
      && !Self.specialWithinGlobal.contains { $0.contains(self) }
  }
}
