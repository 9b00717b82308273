import CMicroHTTPD
import Glibc
import Synchronization

/// The bytes of a body, ready to be sent any number of times and shared by several responses.
///
/// Large bodies are in a memory file, which the kernel sends without copying it through this
/// process (sendfile). From 32 KB on, this takes less than half of the processor time.
package final class Content: @unchecked Sendable {
  // Unchecked is sound: nothing changes between init and deinit.
  private enum Storage {
    case buffer(UnsafeMutableRawBufferPointer)
    case file(descriptor: CInt)
  }

  private let storage: Storage
  /// The number of bytes.
  package let count: Int

  package static let empty = Content([])

  private static let fileBytes = 32_768

  /// The number of descriptors that memory files and their responses use.
  private static let descriptors = Atomic<Int>(0)

  private static let descriptorLimit = OpenFiles.forDocuments

  /// Reserves one more descriptor, to be given back later; false if none is left. Files may use at
  /// most half of them, so that responses built later can get one, too.
  private static func takeDescriptor(within limit: Int) -> Bool {
    if descriptors.add(1, ordering: .relaxed).newValue <= limit { return true }
    giveDescriptorBack()
    return false
  }

  static func giveDescriptorBack() { descriptors.subtract(1, ordering: .relaxed) }

  /// Copies bytes. If the process has too few file descriptors, a large body stays in ordinary
  /// memory.
  package init(_ bytes: [UInt8]) {
    count = bytes.count
    storage = Self.file(bytes) ?? Self.buffer(bytes)
  }

  deinit {
    switch storage {
    case .buffer(let buffer): buffer.deallocate()
    case .file(let descriptor):
      close(descriptor)
      Self.giveDescriptorBack()
    }
  }

  private static func buffer(_ bytes: [UInt8]) -> Storage {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
    return .buffer(buffer)
  }

  private static func file(_ bytes: [UInt8]) -> Storage? {
    guard bytes.count >= fileBytes, takeDescriptor(within: descriptorLimit / 2) else { return nil }
    let descriptor = aasa_memory_file()
    // Sound: the pointer is used within the array's extent and the call only.
    let isWritten = bytes.withUnsafeBytes { buffer in
      var offset = 0
      while offset < buffer.count {
        let written = write(
          descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
        if written <= 0 { return false }
        offset += written
      }
      return true
    }
    if isWritten { return .file(descriptor: descriptor) }
    if descriptor >= 0 { close(descriptor) }
    giveDescriptorBack()
    return nil
  }

  /// Where the bytes are in memory; nil for a file, which the kernel sends.
  package var address: UnsafeRawPointer? {
    if case .buffer(let buffer) = storage { UnsafeRawPointer(buffer.baseAddress) } else { nil }
  }

  /// Prefetches some memory into the processor's caches.
  package static func prefetch(_ address: UnsafeRawPointer?, bytes: Int32) {
    aasa_prefetch(address, bytes)
  }
}

extension Content {
  /// A response that sends the file with its own descriptor, which is reserved until it is given
  /// back; nil if there is no file, or no descriptor is left.
  func makeFileResponse() -> OpaquePointer? {
    guard case .file(let descriptor) = storage,
      Self.takeDescriptor(within: Self.descriptorLimit)
    else { return nil }
    // libmicrohttpd closes what it is given.
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if own >= 0 {
      if let response = MHD_create_response_from_fd64(UInt64(count), own) { return response }
      close(own)
    }
    Self.giveDescriptorBack()
    return nil
  }

  /// A response that sends the bytes from memory and retains this object; nil if no memory is left.
  func makeBufferResponse() -> OpaquePointer? {
    guard case .buffer(let buffer) = storage else { return makeResponseFromCopy() }
    // The free callback releases it: connections may still be sending after the owner is gone.
    let retained = Unmanaged.passRetained(self)
    let response = MHD_create_response_from_buffer_with_free_callback_cls(
      count, buffer.baseAddress,
      { content in
        // Sound: this is the reference that was retained for this one call.
        if let content { Unmanaged<Content>.fromOpaque(content).release() }
      }, retained.toOpaque())
    if response == nil { retained.release() }
    return response
  }

  /// A response with a copy of the file's bytes in memory, for when no descriptor is left.
  private func makeResponseFromCopy() -> OpaquePointer? {
    guard case .file(let descriptor) = storage, let copy = malloc(count) else { return nil }
    // Sound: the copy has room for `count` bytes. libmicrohttpd frees it with the response.
    if pread(descriptor, copy, count, 0) == count,
      let response = MHD_create_response_from_buffer(count, copy, .RESPMEM_MUST_FREE)
    {
      return response
    }
    free(copy)
    return nil
  }
}
