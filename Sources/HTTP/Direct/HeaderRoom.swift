import CMicroHTTPD

/// How large a header may be on a direct listener, and the answer to one that is larger.
///
/// libmicrohttpd writes the answer's header into the memory that the request's header has left, and
/// closes without an answer where that is too little. So the answer 431 does not go through it: it
/// is sent on the socket, or in the TLS session, on which nothing of an answer to this request has
/// been sent.
struct HeaderRoom {
  /// The memory that libmicrohttpd gets for each connection. It clears it after each request, so
  /// its size costs time. A part of it takes what arrives, the rest an entry for each field and a copy
  /// of cookies.
  var poolBytes: Int { 4 * limit }

  private let limit: Int
  private let answer: [UInt8]

  /// What has to be left for an answer's header.
  private static let answerBytes = 640
  /// What libmicrohttpd keeps for each field, besides its text.
  private static let bytesPerField = 64

  /// - Parameters:
  ///   - limit: The largest header, in bytes.
  ///   - response: The answer to a larger one.
  init(limit: Int, refusal response: Response) {
    self.limit = limit
    answer = response.lastBytes
  }

  /// Whether a request's header is within the limit and leaves room for an answer. Many small
  /// fields need more room than their text.
  func holds(_ request: borrowing DirectRequest) -> Bool {
    let bytes = aasa_head_size(request.connection)
    if bytes > limit { return false }
    // Not even fields of one byte each would need too much.
    if bytes * (Self.bytesPerField + 2) + Self.answerBytes <= poolBytes { return true }
    let fields = Int(aasa_value_count(request.connection))
    let used = bytes + request.fields.cookieBytes + fields * Self.bytesPerField
    return used + Self.answerBytes <= poolBytes
  }

  /// Whether a target may be part of a header within the limit.
  func holds(targetOf bytes: Int) -> Bool { bytes <= limit }

  /// Sends the answer, as far as the connection takes it without waiting.
  func refuse(_ connection: OpaquePointer) { sendLast(answer, on: connection) }
}
