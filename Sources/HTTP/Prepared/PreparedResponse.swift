/// A response that is built once and sent any number of times, by any thread.
public struct PreparedResponse: ~Copyable, Sendable {
  /// Why a response cannot be built.
  public enum Failure: Error, Sendable {
    /// A field's name or value has characters that would break the header, or it is one that
    /// libmicrohttpd writes itself.
    case invalidField(String)
    /// No memory or no file descriptor is left.
    case outOfResources
  }

  /// The status.
  public let status: Status
  /// The length of the body, in bytes.
  public let contentBytes: Int
  let reference: ResponseReference

  /// Builds a response with a body that may be shared with others.
  ///
  /// - Throws: `Failure`.
  public init(_ status: Status, fields: Fields, content: Content) throws(Failure) {
    guard let reference = ResponseReference(of: content) else { throw .outOfResources }
    for field in fields.all where !reference.add(field) {
      reference.release()
      throw .invalidField(field.name)
    }
    self.init(reference, status, contentBytes: content.count)
  }

  /// Builds a response to be sent.
  ///
  /// - Throws: `Failure`.
  public init(_ response: Response) throws(Failure) {
    try self.init(response.status, fields: response.fields, content: Content(response.body))
  }

  private init(_ reference: ResponseReference, _ status: Status, contentBytes: Int) {
    self.status = status
    self.contentBytes = contentBytes
    self.reference = reference
  }

  deinit { reference.release() }

  /// Gives the reference to somebody who releases it.
  consuming func handOver() -> ResponseReference {
    let reference = reference
    discard self
    return reference
  }

  /// Calls `body` with a response whose reference somebody else owns, at least until it returns.
  static func lend<Result>(
    _ reference: ResponseReference, _ status: Status, contentBytes: Int,
    _ body: (borrowing PreparedResponse) -> Result
  ) -> Result {
    let response = PreparedResponse(reference, status, contentBytes: contentBytes)
    let result = body(response)
    _ = response.handOver()
    return result
  }
}
