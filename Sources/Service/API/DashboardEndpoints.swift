import Association
import Dashboard
import HTTP
import Store

/// The dashboard's files: the page at `/`, and all others below `/assets`. They need neither a token nor the
/// database.
struct DashboardEndpoints: Sendable {
  private let assets: [String: [UInt8]]
  private let page: [UInt8]
  /// Of all names and contents, so that browsers may keep what is below it.
  private let hash: String

  init() {
    let files = Self.files
    let named = files.sorted { $0.key < $1.key }
      .flatMap { Array("\($0.key)\0\($0.value.count)\0".utf8) + $0.value }
    hash = String(SHA256.hexadecimal(of: named).prefix(16))
    page = Array(
      String(decoding: files[Self.pageName] ?? [], as: UTF8.self)
        .replacing("{{assets}}", with: "/assets/\(hash)").utf8)
    assets = files.filter { $0.key != Self.pageName }
  }

  /// The contents of the files by their paths in `Sources/Dashboard/Web`.
  static var files: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var next = aasa_dashboard_files()
    while let path = next.pointee.path, let text = next.pointee.text {
      files[String(cString: path)] = Array(String(cString: text).utf8)
      next += 1
    }
    return files
  }

  private static let pageName = "index.html"

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/", .anybody, isFile: true, "getPage", .service, "Read the dashboard",
        handle: answerPage
      ),
      Endpoint(
        .get, "/assets/{hash}/{file...}", .anybody, isFile: true, "getAsset", .service,
        "Read a file of the dashboard", handle: answerAsset),
    ]
  }

  private func answerPage(_ call: Call) -> Response {
    let tag = "\"\(hash)\""
    let known = call.request.fields.values(of: "If-None-Match").flatMap { $0.split(separator: ",") }
      .map { $0.trimming(while: \.isWhitespace) }
    // A comparison of weak tags (RFC 9110 section 13.1.2).
    let isKnown = known.contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    return Self.response(
      isKnown ? .notModified : .ok, Self.pageName, page, "no-cache", [HeaderField("ETag", tag)])
  }

  private func answerAsset(_ call: Call) throws(Problem) -> Response {
    guard call.parameters["hash"] == hash, let path = call.parameters["file"],
      let content = assets[path]
    else {
      throw Problem(
        .pathNotFound, "This version of the dashboard has no such file. Reload the page at /.")
    }
    return Self.response(.ok, path, content, "public, max-age=31536000, immutable")
  }

  private static func response(
    _ status: Status, _ path: String, _ content: [UInt8], _ caching: String,
    _ more: [HeaderField] = []
  ) -> Response {
    let fields = [
      HeaderField("Content-Type", mediaType(of: path)), HeaderField("Cache-Control", caching),
      HeaderField("Content-Security-Policy", policy), HeaderField("Referrer-Policy", "no-referrer"),
      HeaderField("Cross-Origin-Opener-Policy", "same-origin"),
      HeaderField("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
    ]
    return Response(status, fields: Fields(fields + more), body: content)
  }

  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types 'none'
    """

  private static func mediaType(of path: String) -> String {
    let types = [
      "css": "text/css", "html": "text/html", "js": "text/javascript", "json": "application/json",
      "svg": "image/svg+xml",
    ]
    let type = path.split(separator: ".").last.flatMap { types[String($0)] }
    return (type ?? "text/plain") + "; charset=utf-8"
  }
}
