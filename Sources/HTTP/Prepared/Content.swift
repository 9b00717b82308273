import CMicroHTTPD
import Glibc
import Synchronization

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

  /// How many files in memory there are.
  private static let files = Atomic<Int>(0)

  /// How many there may be: each takes two descriptors with its response.
  private static let fileLimit = OpenFiles.forDocuments

  /// Copies bytes. Where the process has too few file descriptors, a large body is held in its own
  /// memory, too.
  public init(_ bytes: [UInt8]) {
    count = bytes.count
    storage = Self.file(bytes) ?? Self.buffer(bytes)
  }

  deinit {
    switch storage {
    case .buffer(let buffer): buffer.deallocate()
    case .file(let descriptor):
      close(descriptor)
      Self.files.subtract(1, ordering: .relaxed)
    }
  }

  /// The bytes again; `nil` if they cannot be read.
  func copied() -> [UInt8]? {
    switch storage {
    case .buffer(let buffer): return Array(buffer)
    case .file(let descriptor):
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
        // Sound: the buffer has room for `count` bytes, and `read` is how many were written.
        read = max(0, pread(descriptor, buffer.baseAddress, count, 0))
      }
      return bytes.count == count ? bytes : nil
    }
  }

  private static func buffer(_ bytes: [UInt8]) -> Storage {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
    return .buffer(buffer)
  }

  private static func file(_ bytes: [UInt8]) -> Storage? {
    guard bytes.count >= fileBytes, files.load(ordering: .relaxed) < fileLimit else { return nil }
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
    if isWritten {
      files.add(1, ordering: .relaxed)
      return .file(descriptor: descriptor)
    }
    close(descriptor)
    return nil
  }
}
