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
    self.status = status
    contentBytes = content.count
    self.reference = reference
  }

  /// Builds a response to be sent.
  ///
  /// - Throws: `Failure`.
  public init(_ response: Response) throws(Failure) {
    try self.init(response.status, fields: response.fields, content: Content(response.body))
  }

  deinit { reference.release() }

  /// Gives the reference to somebody who releases it.
  consuming func handOver() -> ResponseReference {
    let reference = reference
    discard self
    return reference
  }
}
