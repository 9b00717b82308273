import CCurl

/// A client of the JSON API of a server, over libcurl.
///
/// Certificates are verified against those of the system, or those in the file that the variable
/// `SSL_CERT_FILE` names. Redirections are not followed, so that the token goes nowhere else. The
/// token is in no message.
public struct APIClient: Sendable {
  /// What keeps a client from being made, as a sentence about what was given.
  public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what is expected.
    public let description: String
  }

  /// An answer did not come, as a sentence.
  public struct Unreachable: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed.
    public let description: String
    /// Whether the server may have done what it was asked to, since all of the request was sent.
    public let isOutcomeUnknown: Bool
  }

  /// An answer.
  public struct Answer: Sendable {
    /// The status code of HTTP.
    public let status: Int
    /// The content.
    public let body: [UInt8]
  }

  /// How long things may take, in seconds.
  public struct Limits: Sendable {
    /// Until the server is reached.
    public var connecting = 10
    /// Until the answer is there as a whole: the server plans and publishes many domains meanwhile.
    public var answering = 900

    /// The defaults.
    public init() {}
  }

  /// The URL of the server without a path of the API, such as `https://admin.example.com:8081`.
  public let server: String
  private let token: String
  private let certificates: String?
  private let limits: Limits

  /// A client.
  ///
  /// - Parameters:
  ///   - server: An http or https URL. A path is that of a proxy; `/v1` at its end is left out.
  ///   - token: A token of the API.
  ///   - certificates: A file of certificates to verify the server's with; those of the system if
  ///     there is none.
  public init(
    server: String, token: String, certificates: String? = nil, limits: Limits = Limits()
  ) throws(Invalid) {
    self.server = try Self.base(of: server)
    // What stands in the header must not end the line. Files with a token often end in a line break.
    let token = token.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !token.isEmpty, token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Invalid(description: "The token is empty or has characters that no token has.")
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
          "The server must be an http or https URL without user, query and fragment, such "
          + "as https://admin.example.com or http://127.0.0.1:8081.")
    }
    var base = text[...]
    while base.hasSuffix("/") { base.removeLast() }
    if base.hasSuffix("/v1") { base.removeLast(3) }
    return String(base)
  }

  /// Sends a request and waits for the answer, whatever its status.
  ///
  /// - Parameters:
  ///   - target: The path and query, such as `/v1/apply?dryRun=true`.
  ///   - json: The content of a POST; without one it is a GET.
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
