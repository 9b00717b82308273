import CCurl

/// A client of the JSON API, over libcurl.
///
/// It does not follow redirects, so that the token never reaches another server. No error contains
/// the token.
package struct APIClient: Sendable {
  /// An invalid URL or token.
  package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what is allowed.
    package let description: String
  }

  /// The server did not answer.
  package struct Unreachable: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether the server may have carried out the request, because all of it was sent.
    package let isOutcomeUnknown: Bool
  }

  package struct Request: Sendable {
    package let method: String
    /// The path as sent, from `/v1` on. Names in it need `escaped`, unless they are domains or apps.
    package let path: String
    /// The parameters, not escaped.
    package let query: [String: String]
    /// Header fields, besides those that each request has.
    package let fields: [String: String]
    /// The content; its media type is `application/json`, unless `fields` has another one.
    package let body: [UInt8]?

    package init(
      _ method: String, _ path: String, query: [String: String] = [:],
      fields: [String: String] = [:], body: [UInt8]? = nil
    ) {
      self.method = method
      self.path = path
      self.query = query
      self.fields = fields
      self.body = body
    }

    /// The path with the query.
    package var target: String {
      let items = query.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.escaped($0.value))" }
      return items.isEmpty ? path : "\(path)?\(items.joined(separator: "&"))"
    }

    /// The text as a segment of a path, or as a value in a query.
    package static func escaped(_ text: String) -> String {
      let escaped = curl_easy_escape(nil, text, 0)
      defer { curl_free(escaped) }
      return escaped.map { String(cString: $0) } ?? ""
    }
  }

  package struct Answer: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// When to try again, in seconds from now; `nil` if the answer does not say.
    package let retryAfter: Int?
    /// The header field `X-Aasa-Database`: `replaced` if the server's database file is gone.
    package let database: String?

    package init(status: Int, body: [UInt8], retryAfter: Int? = nil, database: String? = nil) {
      self.status = status
      self.body = body
      self.retryAfter = retryAfter
      self.database = database
    }
  }

  /// Timeouts in seconds.
  package struct Limits: Sendable {
    package var connecting = 10
    /// The limit for the whole answer. It is long because the server may have to publish many
    /// domains.
    package var answering = 900
    /// The limit for the whole answer to a long body, and for sending it.
    package var answeringLong = 7200
    /// The limit for the next bytes of an answer that is read as it arrives.
    package var pausing = 60

    package init() {}
  }

  /// The URL of the server without `/v1`, such as `https://admin.example.com:8081`.
  package let server: String
  private let token: String
  private let certificates: String?
  private let limits: Limits

  /// A client.
  ///
  /// - Parameters:
  ///   - server: An http or https URL. It may have a path, for a proxy; `/v1` at its end is dropped.
  ///   - token: An API token.
  ///   - certificates: A file of trusted certificate authorities. Default: the system's.
  package init(
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

  /// Whether the proxies of the environment (`https_proxy`) apply. A proxy reads the token of a plain request, and
  /// cannot reach this machine's loopback addresses.
  var mayUseProxy: Bool {
    guard server.lowercased().hasPrefix("https://") else { return false }
    let authority = server.lowercased().dropFirst(8).prefix { $0 != "/" }
    let host =
      authority.hasPrefix("[")
      ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
    return host != "localhost" && !host.hasSuffix(".localhost") && host != "::1"
      && !host.hasPrefix("127.")
  }

  /// Sends a request and waits for the answer, which may have any status.
  ///
  /// - Throws: `Unreachable`.
  package func send(_ request: Request) throws -> Answer {
    try transfer(request).perform(server)
  }

  /// Sends a request and passes on the content of an answer with the status 200 as it arrives. The answer
  /// that is returned has the content of any other.
  ///
  /// - Parameter pieces: Returns the next bytes of a long body, and `nil` at its end. Its `Content-Type` is
  ///   one of the request's fields.
  /// - Throws: `Unreachable`, and what `pieces` and `take` throw.
  package func send(
    _ request: Request, sending pieces: (() throws -> [UInt8]?)? = nil,
    _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Answer {
    try withoutActuallyEscaping(take) { take in
      let transfer = transfer(request, take, pieces)
      // The answer to a long body takes its time to begin.
      if pieces == nil {
        transfer.set(CURLOPT_LOW_SPEED_LIMIT, 1)
        transfer.set(CURLOPT_LOW_SPEED_TIME, limits.pausing)
      }
      return try transfer.perform(server)
    }
  }

  private func transfer(
    _ request: Request, _ take: ((UnsafeRawBufferPointer) throws -> Void)? = nil,
    _ pieces: (() throws -> [UInt8]?)? = nil
  ) -> ClientTransfer {
    let transfer = ClientTransfer(take, pieces)
    transfer.set(CURLOPT_URL, server + request.target)
    transfer.set(CURLOPT_CUSTOMREQUEST, request.method)
    transfer.set(CURLOPT_PROTOCOLS_STR, "http,https")
    if !mayUseProxy { transfer.set(CURLOPT_PROXY, "") }
    transfer.set(CURLOPT_CONNECTTIMEOUT, limits.connecting)
    transfer.set(CURLOPT_TIMEOUT, pieces == nil ? limits.answering : limits.answeringLong)
    transfer.set(CURLOPT_TCP_KEEPALIVE, 1)
    transfer.set(CURLOPT_HTTPAUTH, aasa_curl_auth_bearer)
    transfer.set(CURLOPT_XOAUTH2_BEARER, token)
    transfer.set(CURLOPT_USERAGENT, "aasa")
    transfer.set(CURLOPT_ACCEPT_ENCODING, "")
    if let certificates { transfer.set(CURLOPT_CAINFO, certificates) }
    if let body = request.body { transfer.set(body: body) }
    let type = request.fields["Content-Type"] == nil ? ["Content-Type: application/json"] : []
    var content = request.body == nil ? [] : type + ["Expect:"]
    if pieces != nil { content = ["Transfer-Encoding: chunked"] }
    let fields = request.fields.map { "\($0.key): \($0.value)" }
    transfer.set(CURLOPT_HTTPHEADER, ["Accept: application/json"] + content + fields)
    return transfer
  }
}
