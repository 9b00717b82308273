import Association

/// The answers of the public listener: the header fields of a document (at the end of this file),
/// and the answers without one, prepared once: `{"code": "unknown-host", "message": "…"}`. The codes
/// are stable.
final class PublicAnswers: Sendable {
  let malformedHeader: PreparedResponse
  let malformedTarget: PreparedResponse
  let unclearLength: PreparedResponse
  let missingHost: PreparedResponse
  let repeatedHost: PreparedResponse
  let malformedHost: PreparedResponse
  let unclearForwardedHost: PreparedResponse
  let unknownHost: PreparedResponse
  let unknownPath: PreparedResponse
  let noDocument: PreparedResponse
  let methodNotAllowed: PreparedResponse
  let preconditionFailed: PreparedResponse
  let bodyNotAllowed: PreparedResponse
  let outOfMemory: PreparedResponse
  let targetTooLong: PreparedResponse
  let redirectBody = Content(Array("The address is in the field Location.\n".utf8))

  /// The length of the body of the answer that `headerTooLarge` makes.
  let headerTooLargeBytes: Int

  /// - Parameter headerLimit: The largest header, in bytes.
  init(headerLimit: Int) throws(PreparedResponse.Failure) {
    headerTooLargeBytes = Self.headerTooLarge(limit: headerLimit).bytes.count
    malformedHeader = try Self.answer(
      .badRequest, "malformed-header", Refusal.malformedHeaderDetail)
    malformedTarget = try Self.answer(
      .badRequest, "malformed-target", "The request target has invalid characters.")
    unclearLength = try Self.answer(
      .badRequest, "unclear-length", "The header is ambiguous about the length of the body.")
    missingHost = try Self.answer(.badRequest, "missing-host", "The request has no Host field.")
    repeatedHost = try Self.answer(
      .badRequest, "repeated-host", "The request has more than one Host field.")
    malformedHost = try Self.answer(.badRequest, "malformed-host", "The host is malformed.")
    unclearForwardedHost = try Self.answer(
      .badRequest, "unclear-forwarded-host",
      "Forwarded and X-Forwarded-Host do not name exactly one host.")
    unknownHost = try Self.answer(
      .notFound, "unknown-host", "No association file is published for this host.")
    unknownPath = try Self.answer(
      .notFound, "unknown-path",
      "Only \(Self.pathList), and other documents below /.well-known/ that the host has, are served."
    )
    noDocument = try Self.answer(
      .notFound, "no-document", "This host has other association files, but not this one.")
    methodNotAllowed = try Self.answer(
      .methodNotAllowed, "method-not-allowed", "Only GET and HEAD are allowed.",
      HeaderField("Allow", "GET, HEAD"))
    preconditionFailed = try Self.answer(
      .preconditionFailed, "precondition-failed", "The document has changed.")
    bodyNotAllowed = try Self.answer(
      .contentTooLarge, "body-not-allowed",
      "A request for an association file must not have a body.")
    outOfMemory = try Self.answer(
      .serviceUnavailable, "out-of-memory", "The server is out of memory. Try again later.")
    targetTooLong = try Self.answer(
      .uriTooLong, "target-too-long", "The URL is too long to be redirected.")
  }

  /// The answer to a header over a limit in bytes.
  static func headerTooLarge(limit: Int) -> Response {
    response(
      .requestHeaderFieldsTooLarge, "header-too-large",
      "The header is larger than \(limit) bytes, or has too many fields.")
  }

  private static func answer(
    _ status: Status, _ code: String, _ message: String, _ field: HeaderField? = nil
  ) throws(PreparedResponse.Failure) -> PreparedResponse {
    try PreparedResponse(response(status, code, message, field))
  }

  private static func response(
    _ status: Status, _ code: String, _ message: String, _ field: HeaderField? = nil
  ) -> Response {
    var fields: Fields = [
      HeaderField("Content-Type", "application/json"), HeaderField("Cache-Control", "no-store"),
      HeaderField("X-Content-Type-Options", "nosniff"),
    ]
    if let field { fields.append(field) }
    // Codes and messages are literals of this file without characters that JSON escapes.
    let body = #"{"code":"\#(code)","message":"\#(message)"}"# + "\n"
    return Response(status, fields: fields, body: Array(body.utf8))
  }
}

extension PublicAnswers {
  private static var pathList: String {
    DocumentKind.paths.map(\.path.description).joined(separator: ", ")
  }
}

/// The header fields of the answers with a document.
extension PublicAnswers {
  static func fields(
    _ validators: Validators, mediaType: MediaType, cacheSeconds: Int32
  ) -> Fields {
    [
      HeaderField("Content-Type", mediaType.text), entityTag(validators),
      HeaderField("Last-Modified", validators.lastModified.description), cacheControl(cacheSeconds),
      HeaderField("X-Content-Type-Options", "nosniff"),
    ]
  }

  /// The fields of a redirect. Nobody keeps it, so that a new page takes effect at once.
  static func redirectFields(to location: SecureURL?) -> Fields {
    [
      HeaderField("Location", location?.text ?? "/"), HeaderField("Cache-Control", "no-store"),
      HeaderField("X-Content-Type-Options", "nosniff"),
    ]
  }

  /// The required fields of a 304. Last-Modified is not needed with a tag (RFC 9110 section
  /// 15.4.5).
  static func notModifiedFields(_ validators: Validators, cacheSeconds: Int32) -> Fields {
    [entityTag(validators), cacheControl(cacheSeconds)]
  }

  private static func entityTag(_ validators: Validators) -> HeaderField {
    HeaderField("ETag", validators.digest.entityTag)
  }

  private static func cacheControl(_ seconds: Int32) -> HeaderField {
    HeaderField("Cache-Control", "public, max-age=" + String(seconds))
  }
}

/// Redirects.
extension PublicAnswers {
  /// The most bytes of the header of a redirect besides the URL.
  static let redirectBytes = 480

  func redirect(to url: [UInt8]) throws(PreparedResponse.Failure) -> PreparedResponse {
    try PreparedResponse(
      .found, fields: Self.redirectFields(to: String(decoding: url, as: UTF8.self)),
      content: redirectBody)
  }

  private static func redirectFields(to url: String) -> Fields {
    [
      HeaderField("Location", url),
      HeaderField("Content-Type", "text/plain; charset=utf-8"),
      HeaderField("Cache-Control", "private, no-cache"), HeaderField("Vary", "User-Agent"),
      HeaderField("X-Content-Type-Options", "nosniff"),
    ]
  }
}
