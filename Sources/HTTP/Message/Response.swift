import CMicroHTTPD

/// An answer to a request. `Content-Length` or `Transfer-Encoding`, `Date` and `Connection` are added when
/// it is sent. The body is omitted for HEAD requests.
package struct Response {
  /// The content of a response.
  package enum Body {
    case bytes([UInt8])
    /// A function that returns the next piece, of any size, and nil at the end. It is called on the
    /// connection's thread while the answer is sent, so that only one piece is in memory. If it
    /// throws, the connection is reset, so that the client does not take the answer for complete.
    case stream(() throws -> [UInt8]?)
  }

  package var status: Status
  /// The header, without `Content-Length`, `Date`, `Connection` and `Transfer-Encoding`.
  package var fields: Fields
  package var body: Body

  /// An answer with all of its parts.
  package init(_ status: Status, fields: Fields = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = .bytes(body)
  }

  /// An answer whose body is produced while it is sent; see `Body.stream`.
  package init(_ status: Status, fields: Fields, stream: @escaping () throws -> [UInt8]?) {
    self.status = status
    self.fields = fields
    body = .stream(stream)
  }

  /// The body; empty for a stream.
  package var bytes: [UInt8] {
    if case .bytes(let bytes) = body { bytes } else { [] }
  }
}

/// What to do with a request whose header has arrived, and whose body follows.
package enum Screening {
  /// Answer it. The body is not read, and the connection is closed.
  case answer(Response)
  /// Read the body, of at most this many bytes; see also `Limits.bodyBytes`. Each of the
  /// holders may have only its share of all bodies.
  case readBody(upTo: Int, for: [BodyHolder] = [])
  /// Receive the body into a spool, whatever `Limits.bodyBytes` says.
  case spoolBody(Spool)
}

/// Whom a body counts for.
package enum BodyHolder: Sendable, Hashable {
  /// The client, by its address or network.
  case client(String)
  /// The token or the user, by its name.
  case token(String)
}

/// A final status code (RFC 9110 section 15).
package enum Status: UInt16, Sendable, CaseIterable {
  case ok = 200
  case created = 201
  case accepted = 202
  case noContent = 204
  case found = 302
  case notModified = 304
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case conflict = 409
  case preconditionFailed = 412
  case contentTooLarge = 413
  case uriTooLong = 414
  case unsupportedMediaType = 415
  case misdirectedRequest = 421
  case unprocessableContent = 422
  case preconditionRequired = 428
  case requestHeaderFieldsTooLarge = 431
  case internalServerError = 500
  case notImplemented = 501
  case serviceUnavailable = 503
  case insufficientStorage = 507

  /// The three digits.
  package var code: UInt16 { rawValue }

  /// The reason phrase of RFC 9110 or RFC 6585, which RFC 9457 asks for as the title of a problem of
  /// the type `about:blank`.
  package var reasonPhrase: String {
    MHD_get_reason_phrase_for(UInt32(rawValue)).map { String(cString: $0) } ?? ""
  }
}
