import CMicroHTTPD
import Glibc

/// A response that is built once and sent any number of times, by any thread.
public struct PreparedResponse: ~Copyable, @unchecked Sendable {
  // Unchecked is sound: libmicrohttpd guards its count of references with a mutex, and nothing else
  // of a response changes after init.

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
  let pointer: OpaquePointer

  /// Builds a response with a body that may be shared with others.
  ///
  /// - Throws: `Failure`.
  public init(_ status: Status, fields: Fields, content: Content) throws(Failure) {
    guard let pointer = Self.make(content) else { throw .outOfResources }
    for field in fields.all where !Self.add(field, to: pointer) {
      MHD_destroy_response(pointer)
      throw .invalidField(field.name)
    }
    self.status = status
    contentBytes = content.count
    self.pointer = pointer
  }

  /// Builds a response to be sent.
  ///
  /// - Throws: `Failure`.
  public init(_ response: Response) throws(Failure) {
    try self.init(response.status, fields: response.fields, content: Content(response.body))
  }

  deinit { MHD_destroy_response(pointer) }

  /// A response with bytes of its own, for when no file descriptor is left.
  private static func copy(of content: Content) -> OpaquePointer? {
    guard var bytes = content.copied() else { return nil }
    // Sound: the library copies the bytes before it returns.
    return MHD_create_response_from_buffer(bytes.count, &bytes, .RESPMEM_MUST_COPY)
  }

  private static func make(_ content: Content) -> OpaquePointer? {
    switch content.storage {
    case .file(let descriptor):
      // libmicrohttpd closes what it is given.
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard own >= 0 else { return copy(of: content) }
      guard let pointer = MHD_create_response_from_fd64(UInt64(content.count), own) else {
        close(own)
        return nil
      }
      return pointer
    case .buffer(let buffer):
      // Released by the free callback: connections may go on sending when the owner is gone.
      let retained = Unmanaged.passRetained(content)
      let pointer = MHD_create_response_from_buffer_with_free_callback_cls(
        content.count, buffer.baseAddress, releaseContent, retained.toOpaque())
      if pointer == nil { retained.release() }
      return pointer
    }
  }

  private static func add(_ field: Field, to pointer: OpaquePointer) -> Bool {
    let isText = field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    return isText && MHD_add_response_header(pointer, field.name, field.value) == .YES
  }
}

private func releaseContent(_ content: UnsafeMutableRawPointer?) {
  guard let content else { return }
  // Sound: this is the reference that `make` retained, and it is called once.
  Unmanaged<Content>.fromOpaque(content).release()
}
