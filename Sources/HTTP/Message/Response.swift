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
