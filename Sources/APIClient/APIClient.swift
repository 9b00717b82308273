import CCurl

/// A client of the JSON API, over libcurl.
///
/// It does not follow redirects, so that the token never reaches another server. No error contains
/// the token.
public struct APIClient: Sendable {
  /// An invalid URL or token.
  public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what is allowed.
    public let description: String
  }

  /// The server did not answer.
  public struct Unreachable: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed.
    public let description: String
    /// Whether the server may have carried out the request, because all of it was sent.
    public let isOutcomeUnknown: Bool
  }

  /// An answer.
  public struct Answer: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The content.
    public let body: [UInt8]
  }

  /// Timeouts in seconds.
  public struct Limits: Sendable {
    /// The limit for connecting.
    public var connecting = 10
    /// The limit for the whole answer. It is long because the server may have to publish many
    /// domains.
    public var answering = 900

    /// The defaults.
    public init() {}
  }

  /// The URL of the server without `/v1`, such as `https://admin.example.com:8081`.
  public let server: String
  private let token: String
  private let certificates: String?
  private let limits: Limits

  /// A client.
  ///
  /// - Parameters:
  ///   - server: An http or https URL. It may have a path, for a proxy; `/v1` at its end is dropped.
  ///   - token: An API token.
  ///   - certificates: A file of trusted certificate authorities. Default: the system's.
  public init(
    server: String, token: String, certificates: String? = nil, limits: Limits = Limits()
  ) throws(Invalid) {
    self.server = try Self.base(of: server)
    // A file with a token often ends in a line break, which must not reach the header.
    let token = token.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !token.isEmpty, token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Invalid(description: "The token is empty or has invalid characters.")
    }
    self.token = String(decoding: token, as: UTF8.self)
    self.certificates = certificates
    self.limits = limits
  }

  private static func base(of text: String) throws(Invalid) -> String {
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()),
      let first = parts[1].utf8.first, first != UInt8(ascii: "/"),
      parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !parts[1].contains(where: { "?#@".contains($0) })
    else {
      throw Invalid(
        description:
          "The server must be an http or https URL without a user, query or fragment, such as "
          + "https://admin.example.com or http://127.0.0.1:8081.")
    }
    var base = text[...]
    while base.hasSuffix("/") { base.removeLast() }
    if base.hasSuffix("/v1") { base.removeLast(3) }
    return String(base)
  }

  /// Sends a request and waits for the answer. Returns answers of any status.
  ///
  /// - Parameters:
  ///   - target: The path and query, such as `/v1/apply?dryRun=true`.
  ///   - json: The body of a POST; without one, the request is a GET.
  public func send(_ target: String, json: [UInt8]? = nil) throws(Unreachable) -> Answer {
    let transfer = try Transfer(server)
    try transfer.set(CURLOPT_URL, server + target)
    try transfer.set(CURLOPT_PROTOCOLS_STR, "http,https")
    try transfer.set(CURLOPT_CONNECTTIMEOUT, limits.connecting)
    try transfer.set(CURLOPT_TIMEOUT, limits.answering)
    try transfer.set(CURLOPT_TCP_KEEPALIVE, 1)
    try transfer.set(CURLOPT_HTTPAUTH, aasa_curl_auth_bearer)
    try transfer.set(CURLOPT_XOAUTH2_BEARER, token)
    try transfer.set(CURLOPT_USERAGENT, "aasa")
    try transfer.set(CURLOPT_ACCEPT_ENCODING, "")
    if let certificates { try transfer.set(CURLOPT_CAINFO, certificates) }
    let content = json == nil ? [] : ["Content-Type: application/json", "Expect:"]
    try transfer.setFields(["Accept: application/json"] + content)
    return try transfer.perform(sending: json)
  }
}
