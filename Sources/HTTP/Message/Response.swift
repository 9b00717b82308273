/// An answer to a request. `Content-Length`, `Date` and `Connection` are added when it is sent. The
/// body is omitted for HEAD requests.
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

/// A final status code (RFC 9110 section 15).
public enum Status: UInt16, Sendable {
  case ok = 200
  case created = 201
  case noContent = 204
  case notModified = 304
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case conflict = 409
  case preconditionFailed = 412
  case contentTooLarge = 413
  case unsupportedMediaType = 415
  case unprocessableContent = 422
  case requestHeaderFieldsTooLarge = 431
  case internalServerError = 500
  case notImplemented = 501
  case serviceUnavailable = 503
  case insufficientStorage = 507

  /// The three digits.
  public var code: UInt16 { rawValue }
}
