/// Reads the HTTP status from a line of an answer: a status line, a tool's message or a server's error.
enum SiteStatus {
  /// What stands before the status in what `wget`, PowerShell, browsers and the pages of IIS show.
  private static let statusBeginnings = [
    "awaiting response... ", "server returned an error: (", "does not indicate success: ",
    "Status Code: ",
  ]
  private static let lineBeginnings = ["HTTP Error ", "Description: HTTP "]

  /// The status that a line says; `nil` if it is none of the site.
  ///
  /// - Parameter isAlone: Whether nothing need be before it.
  static func code(_ line: ArraySlice<UInt8>, isAlone: Bool) -> Int? {
    let code =
      isAlone
      ? line.words.first
      : line.starts(with: "HTTP/".utf8)
        ? line.words.dropFirst().first
        : (lineBeginnings.first { line.starts(with: $0.utf8) }.flatMap(line.firstRange)
          ?? statusBeginnings.lazy.compactMap(line.firstRange).first).map {
            line[$0.upperBound...].prefix(while: \.isASCIIDigit)
          }
    return code.flatMap { Int($0.value) }.flatMap {
      // IIS says more of the last one.
      (200...599).contains($0) && !line.has("onnection established") && !line.has(" 404.3 ")
        ? $0 : nil
    }
  }

  /// The texts with which servers answer for what is not there, in lower case, and what JSON says of it; the last one is of
  /// Amazon API Gateway, about a route that it does not have.
  private static let notFound = [
    "404", "not found", "404 not found", "404: not found", "404 page not found", "page not found",
    "file not found", "the page could not be found", "not_found", "404: not_found",
  ]
  private static let notFoundInJSON = ["\"Not Found\"", "\"Missing Authentication Token\""]

  /// The status in the JSON with which Spring refuses a path of a file.
  static func refusalOfSpring(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: "{\"timestamp\":".utf8), line.has("\"error\":"),
      let path = line.between("\"path\":\"", and: "\""), SiteAnswer.isFile(path),
      let place = line.firstRange(of: "\"status\":"),
      let code = Int(line[place.upperBound...].prefix(while: \.isASCIIDigit).value),
      (400...599).contains(code)
    else { return nil }
    return code
  }

  /// Cloudflare's own numbers for a request that it refuses; 1015 is its limit.
  private static let refusalsOfCloudflare = Array(1006...1012) + [1015, 1020]
  /// Its numbers where DNS (1016) or the tunnel (1033) does not lead to the server.
  private static let lossesOfCloudflare = [1016, 1033]

  /// The status of the line with which Cloudflare answers for itself.
  static func refusalOfCloudflare(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: "error code: ".utf8),
      let code = Int(line.dropFirst("error code: ".utf8.count).value)
    else { return nil }
    if code < 1000 { return code }
    if lossesOfCloudflare.contains(code) { return 530 }
    return refusalsOfCloudflare.contains(code) ? code == 1015 ? 429 : 403 : nil
  }

  /// Whether a server says in a line, in words or in JSON, that it does not have the file.
  static func isNotFound(_ line: ArraySlice<UInt8>) -> Bool {
    if line.first == UInt8(ascii: "{") { return notFoundInJSON.contains(where: line.has) }
    let text = line.last == UInt8(ascii: ".") ? line.dropLast() : line
    if text.starts(with: "Not Found - Request ID: ".utf8) { return true }
    return text.count < 40 && notFound.contains(text.value.lowercased())
      || line.starts(with: "Cannot GET /".utf8) && line.words.count == 3
  }

  /// The titles of the pages of servers that say the status.
  private static let titles = [
    "301 Moved Permanently", "302 Found", "302 Moved Temporarily", "303 See Other",
    "307 Temporary Redirect", "308 Permanent Redirect", "401 Authorization Required",
    "401 Unauthorized", "403 Forbidden", "404 Not Found", "410 Gone", "500 Internal Server Error",
    "502 Bad Gateway", "503 Service Temporarily Unavailable", "503 Service Unavailable",
    "504 Gateway Time-out", "504 Gateway Timeout",
  ]

  /// The titles of the pages with which Cloudflare asks for a sign of a person, or refuses.
  private static let challenges = ["Just a moment...", "Attention Required! | Cloudflare"]

  /// The status that the title of a page says.
  static func code(title: ArraySlice<UInt8>) -> Int? {
    titles.first { title.elementsEqual($0.utf8) }.flatMap { Int($0.prefix(3)) }
  }

  static func isChallenge(title: ArraySlice<UInt8>) -> Bool {
    challenges.contains { title.elementsEqual($0.utf8) }
  }
}
