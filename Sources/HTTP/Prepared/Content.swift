import CMicroHTTPD
import Glibc

/// The bytes of a body, ready to be sent any number of times and shared by several responses.
///
/// Large ones lie in a file in memory, which the kernel sends without a copy through this process
/// (sendfile): from 32 KB on that costs less than half of the processor time.
public final class Content: @unchecked Sendable {
  // Unchecked is sound: nothing is changed between init and deinit.
  enum Storage {
    case buffer(UnsafeMutableRawBufferPointer)
    case file(descriptor: CInt)
  }

  let storage: Storage
  /// The number of bytes.
  public let count: Int

  /// No bytes.
  public static let empty = Content([])

  private static let fileBytes = 32_768

  /// Copies bytes. Where the process has no file descriptor left, a large body is held in its own
  /// memory, too.
  public init(_ bytes: [UInt8]) {
    count = bytes.count
    storage = Self.file(bytes) ?? Self.buffer(bytes)
  }

  deinit {
    switch storage {
    case .buffer(let buffer): buffer.deallocate()
    case .file(let descriptor): close(descriptor)
    }
  }

  private static func buffer(_ bytes: [UInt8]) -> Storage {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
    return .buffer(buffer)
  }

  private static func file(_ bytes: [UInt8]) -> Storage? {
    guard bytes.count >= fileBytes else { return nil }
    let descriptor = aasa_memory_file()
    guard descriptor >= 0 else { return nil }
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
    close(descriptor)
    return nil
  }
}
