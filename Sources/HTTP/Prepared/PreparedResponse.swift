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
  /// Where it lies in memory.
  public let footprint: Footprint
  let pointer: OpaquePointer
  /// Whether it holds a file descriptor.
  private let hasDescriptor: Bool

  /// Builds a response with a body that may be shared with others.
  ///
  /// - Throws: `Failure`.
  public init(_ status: Status, fields: Fields, content: Content) throws(Failure) {
    guard let (pointer, hasDescriptor) = Self.make(content) else { throw .outOfResources }
    for field in fields.all where !Self.add(field, to: pointer) {
      MHD_destroy_response(pointer)
      if hasDescriptor { Content.giveDescriptorBack() }
      throw .invalidField(field.name)
    }
    self.status = status
    contentBytes = content.count
    self.pointer = pointer
    self.hasDescriptor = hasDescriptor
    footprint = Footprint(of: pointer, content)
  }

  /// Builds a response to be sent.
  ///
  /// - Throws: `Failure`.
  public init(_ response: Response) throws(Failure) {
    try self.init(response.status, fields: response.fields, content: Content(response.body))
  }

  deinit {
    MHD_destroy_response(pointer)
    if hasDescriptor { Content.giveDescriptorBack() }
  }

  /// The value of a field, as it lies in the response, as long as that lives; `nil` without the field.
  public func value(of name: String) -> UnsafeRawBufferPointer? {
    MHD_get_response_header(pointer, name).map {
      UnsafeRawBufferPointer(start: $0, count: strlen($0))
    }
  }

  private static func make(_ content: Content) -> (OpaquePointer, hasDescriptor: Bool)? {
    if case .file(let descriptor) = content.storage, Content.takeDescriptor() {
      // libmicrohttpd closes what it is given.
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      if own >= 0, let pointer = MHD_create_response_from_fd64(UInt64(content.count), own) {
        return (pointer, true)
      }
      if own >= 0 { close(own) }
      Content.giveDescriptorBack()
    }
    guard content.count == 0 || content.bytes() != nil else { return nil }
    // Released by the free callback: connections may go on sending when the owner is gone.
    let retained = Unmanaged.passRetained(content)
    let pointer = MHD_create_response_from_buffer_with_free_callback_cls(
      content.count, content.bytes(), releaseContent, retained.toOpaque())
    guard let pointer else {
      retained.release()
      return nil
    }
    return (pointer, false)
  }

  private static func add(_ field: Field, to pointer: OpaquePointer) -> Bool {
    var value = field.value
    let isText = value.withUTF8 { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
    return isText && MHD_add_response_header(pointer, field.name, field.value) == .YES
  }
}

private func releaseContent(_ content: UnsafeMutableRawPointer?) {
  guard let content else { return }
  // Sound: this is the reference that `make` retained, and it is called once.
  Unmanaged<Content>.fromOpaque(content).release()
}
