import Glibc

/// A small file, read at once.
struct FileContents {
  let bytes: [UInt8]
  /// Whether every user of the machine may read it.
  let isReadableByAll: Bool

  private static let limit = 1_048_576

  /// - Throws: `CertificateFault`, `.unreadable`.
  init(_ path: String) throws(CertificateFault) {
    // Without O_NONBLOCK a named pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw CertificateFault(errno, at: path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw CertificateFault(errno, at: path) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.limit else {
      throw CertificateFault(.unreadable("it is not a file of at most 1 MB"), at: path)
    }
    isReadableByAll = status.st_mode & S_IROTH != 0
    var code: CInt = 0
    bytes = [UInt8](unsafeUninitializedCapacity: Self.limit + 1) { buffer, count in
      // Sound: no more is read than the buffer has room for, and `count` is what was written.
      while count < buffer.count {
        let read = read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
        if read < 0 { code = errno }
        if read <= 0 { return }
        count += read
      }
    }
    if code != 0 { throw CertificateFault(code, at: path) }
  }
}
