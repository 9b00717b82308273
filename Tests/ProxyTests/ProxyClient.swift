import TestSupport

/// curl, as a client that follows no redirect.
struct ProxyClient {
  /// A version of HTTP, by curl's option.
  enum Version: String, CaseIterable {
    case http11 = "--http1.1"
    case http2 = "--http2"

    /// How a status line of it begins.
    var statusLine: String { self == .http2 ? "HTTP/2 " : "HTTP/1.1 " }
  }

  /// An answer, with the names of its fields in lower case.
  struct Answer {
    let statusLine: String
    let fields: [String: [String]]
    let body: [UInt8]

    var status: Int? { statusLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// The proxy, which lives as long as its client.
  let proxy: RunningProxy

  /// Fetches a URL from the proxy, whatever its host.
  ///
  /// - Throws: `ProxyFailure` with curl's words where there is no answer.
  func fetch(
    _ url: String, _ version: Version = .http11, _ options: String...
  ) throws -> Answer {
    try fetch(url, version, options: options)
  }

  /// Fetches a URL with these options.
  func fetch(
    _ url: String, _ version: Version = .http11, options: [String]
  ) throws -> Answer {
    let scratch = try TemporaryDirectory()
    try scratch.write([], to: "body")
    let result = try Program.run(
      "curl",
      [
        "-q", "--silent", "--show-error", "--noproxy", "*", "--max-time", "30", version.rawValue,
        "--cacert", proxy.trustedCertificate, "--connect-to", "::127.0.0.1:\(port(url))",
        "--dump-header",
        scratch.path("header"), "--output", scratch.path("body"),
      ] + options + [url])
    guard result.status == 0 else { throw ProxyFailure(errors: result.errors) }
    return Self.answer(header: try scratch.text("header"), body: try scratch.read("body"))
  }

  private func port(_ url: String) -> UInt16 {
    url.hasPrefix("https:") ? proxy.httpsPort : proxy.httpPort
  }

  private static func answer(header: String, body: [UInt8]) -> Answer {
    let lines = header.split(whereSeparator: \.isNewline)
    var fields: [String: [String]] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields[line[..<colon].lowercased(), default: []].append(String(value))
    }
    return Answer(statusLine: String(lines.first ?? ""), fields: fields, body: body)
  }
}
