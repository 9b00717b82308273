import CMicroHTTPD
import Glibc

/// A reference to a response of libmicrohttpd, in one word. It must be released once.
package struct ResponseReference: @unchecked Sendable {
  // Unchecked is sound: libmicrohttpd guards its count of references with a mutex, and nothing else of
  // a response changes when it is made.

  let pointer: OpaquePointer
  /// Whether the response holds a file descriptor.
  let hasDescriptor: Bool

  /// A response without fields; `nil` if there is no memory for it.
  init?(of content: Content) {
    if case .file(let descriptor) = content.storage,
      let pointer = Self.pointer(toFile: descriptor, content.count)
    {
      self.pointer = pointer
      hasDescriptor = true
      return
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
    self.pointer = pointer
    hasDescriptor = false
  }

  private static func pointer(toFile descriptor: CInt, _ count: Int) -> OpaquePointer? {
    guard Content.takeDescriptor() else { return nil }
    // libmicrohttpd closes what it is given.
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if own >= 0 {
      if let pointer = MHD_create_response_from_fd64(UInt64(count), own) { return pointer }
      close(own)
    }
    Content.giveDescriptorBack()
    return nil
  }

  /// The reference that `bits` are of; `nil` for 0.
  init?(bits: UInt) {
    guard let pointer = OpaquePointer(bitPattern: bits & ~1) else { return nil }
    self.pointer = pointer
    hasDescriptor = bits & 1 == 1
  }

  /// The address, which is even, with the descriptor in its lowest bit.
  var bits: UInt { UInt(bitPattern: pointer) | (hasDescriptor ? 1 : 0) }

  func release() {
    MHD_destroy_response(pointer)
    if hasDescriptor { Content.giveDescriptorBack() }
  }

  /// Queues the response as the answer to a connection's request. It may be released while it is still
  /// being sent.
  func queue(_ status: Status, on connection: OpaquePointer) -> MHD_Result {
    MHD_queue_response(connection, UInt32(status.code), pointer)
  }

  /// Whether the field was added: its name and value must not break the header.
  func add(_ field: Field) -> Bool {
    var value = field.value
    let isText = value.withUTF8 { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
    return isText && MHD_add_response_header(pointer, field.name, field.value) == .YES
  }
}

private func releaseContent(_ content: UnsafeMutableRawPointer?) {
  guard let content else { return }
  // Sound: this is the reference that `init` retained, and it is called once.
  Unmanaged<Content>.fromOpaque(content).release()
}
