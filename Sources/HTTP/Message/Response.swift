/// An answer to a request. `Content-Length`, `Date` and `Connection` are added when it is sent, and
/// the body of an answer to HEAD is left out.
public struct Response: Sendable {
  /// The status.
  public var status: Status
  /// The header, without `Content-Length`, `Date`, `Connection` and `Transfer-Encoding`.
  public var fields: Fields
  /// The content.
  public var body: [UInt8]

  /// An answer with all of its parts.
  public init(_ status: Status, fields: Fields = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

/// A final status code (RFC 9110 section 15): 200 to 599.
public struct Status: Sendable, Hashable, CustomStringConvertible {
  /// The three digits.
  public let code: UInt16

  /// A status with a code of 200 to 599, or nil for any other.
  public init?(code: Int) {
    guard (200...599).contains(code) else { return nil }
    self.code = UInt16(code)
  }

  private init(_ code: UInt16) { self.code = code }

  /// 200
  public static let ok = Status(200)
  /// 201
  public static let created = Status(201)
  /// 204
  public static let noContent = Status(204)
  /// 304
  public static let notModified = Status(304)
  /// 400
  public static let badRequest = Status(400)
  /// 401
  public static let unauthorized = Status(401)
  /// 403
  public static let forbidden = Status(403)
  /// 404
  public static let notFound = Status(404)
  /// 405
  public static let methodNotAllowed = Status(405)
  /// 406
  public static let notAcceptable = Status(406)
  /// 409
  public static let conflict = Status(409)
  /// 411
  public static let lengthRequired = Status(411)
  /// 412
  public static let preconditionFailed = Status(412)
  /// 413
  public static let contentTooLarge = Status(413)
  /// 415
  public static let unsupportedMediaType = Status(415)
  /// 422
  public static let unprocessableContent = Status(422)
  /// 428
  public static let preconditionRequired = Status(428)
  /// 429
  public static let tooManyRequests = Status(429)
  /// 431
  public static let requestHeaderFieldsTooLarge = Status(431)
  /// 500
  public static let internalServerError = Status(500)
  /// 501
  public static let notImplemented = Status(501)
  /// 503
  public static let serviceUnavailable = Status(503)
  /// 507
  public static let insufficientStorage = Status(507)

  /// The code's digits.
  public var description: String { String(code) }
}
