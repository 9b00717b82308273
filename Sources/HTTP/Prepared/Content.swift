import CMicroHTTPD
import Glibc
import Synchronization

/// The bytes of a body, ready to be sent any number of times and shared by several responses.
///
/// Large ones lie in a file in memory, which the kernel sends without a copy through this process
/// (sendfile): from 32 KB on that costs less than half of the processor time.
public final class Content: @unchecked Sendable {
  // Unchecked is sound: but for the mapping, which has a lock, nothing is changed between init and
  // deinit.
  enum Storage {
    case buffer(UnsafeMutableRawBufferPointer)
    case file(descriptor: CInt)
  }

  let storage: Storage
  /// The number of bytes.
  public let count: Int

  /// The address at which a file in memory is mapped for responses without a descriptor; 0 while it is
  /// not.
  private let mapping = Mutex<UInt>(0)

  /// No bytes.
  public static let empty = Content([])

  private static let fileBytes = 32_768

  /// How many descriptors files in memory and their responses take.
  private static let descriptors = Atomic<Int>(0)

  private static let descriptorLimit = OpenFiles.forDocuments

  /// Whether one more descriptor may be taken, which is then to be given back. Files take half of them at
  /// most: what is left is for the responses that are made later, without which a file is of no use.
  static func takeDescriptor(forFile isFile: Bool = false) -> Bool {
    let limit = isFile ? descriptorLimit / 2 : descriptorLimit
    if descriptors.add(1, ordering: .relaxed).newValue <= limit { return true }
    giveDescriptorBack()
    return false
  }

  static func giveDescriptorBack() { descriptors.subtract(1, ordering: .relaxed) }

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
      mapping.withLock { address in
        if let pointer = UnsafeMutableRawPointer(bitPattern: address) { munmap(pointer, count) }
      }
      close(descriptor)
      Self.giveDescriptorBack()
    }
  }

  /// The bytes where they lie, as long as this lives; `nil` if a file in memory cannot be mapped.
  func bytes() -> UnsafeMutableRawPointer? {
    switch storage {
    case .buffer(let buffer): return buffer.baseAddress
    case .file(let descriptor):
      return mapping.withLock { address in
        if address == 0 {
          let pointer = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0)
          if pointer != MAP_FAILED { address = UInt(bitPattern: pointer) }
        }
        return UnsafeMutableRawPointer(bitPattern: address)
      }
    }
  }

  private static func buffer(_ bytes: [UInt8]) -> Storage {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
    return .buffer(buffer)
  }

  private static func file(_ bytes: [UInt8]) -> Storage? {
    guard bytes.count >= fileBytes, takeDescriptor(forFile: true) else { return nil }
    let descriptor = aasa_memory_file()
    guard descriptor >= 0 else {
      giveDescriptorBack()
      return nil
    }
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
    giveDescriptorBack()
    return nil
  }
}
