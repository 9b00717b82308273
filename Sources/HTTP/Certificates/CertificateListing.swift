import Glibc

/// The two files of a pair.
struct CertificateFiles: Sendable, Equatable {
  /// The name of the file or directory, which messages use.
  let name: String
  let certificate: String
  let key: String
}

/// The pairs in a directory, by file name:
///
/// - `NAME.crt` (or `NAME.pem`) with `NAME.key`, as Caddy, lego and Kubernetes write them,
/// - a directory `NAME` with `fullchain.pem` and `privkey.pem`, as certbot writes them,
/// - a directory `NAME` with `tls.crt` and `tls.key`, as Kubernetes mounts a secret.
///
/// Links are followed. Names that begin with a dot, certificates of issuers (`ca.crt`,
/// `NAME.issuer.crt`) and other files are ignored.
struct CertificateListing {
  private(set) var pairs: [CertificateFiles] = []
  /// Faults with the name of their pair; nil for the directory itself.
  private(set) var faults: [(pair: String?, fault: CertificateFault)] = []

  /// The two files in the directory of a pair.
  private static let forms = [("fullchain.pem", "privkey.pem"), ("tls.crt", "tls.key")]

  init(directory: String) {
    do throws(CertificateFault) {
      let names = try Self.entries(of: directory)
      let subdirectories = names.filter { Self.isDirectory("\(directory)/\($0)") }
      addFiles(Set(names).subtracting(subdirectories), in: directory)
      for name in subdirectories { addDirectory(name, in: directory) }
      if pairs.isEmpty && faults.isEmpty {
        faults = [(nil, CertificateFault(.noPair, at: directory))]
      }
    } catch {
      faults.append((nil, error))
    }
  }

  private mutating func addFiles(_ names: Set<String>, in directory: String) {
    var stems: Set<String> = []
    for name in names where name != "ca.crt" && !name.hasSuffix(".issuer.crt") {
      for ending in [".crt", ".pem", ".key"] where name.hasSuffix(ending) {
        stems.insert(String(name.dropLast(ending.count)))
      }
    }
    for stem in stems.sorted() {
      let certificate = names.contains("\(stem).crt") ? "\(stem).crt" : "\(stem).pem"
      add(stem, certificate, "\(stem).key", of: names, in: directory)
    }
  }

  private mutating func addDirectory(_ name: String, in directory: String) {
    let path = "\(directory)/\(name)"
    let names: Set<String>
    do throws(CertificateFault) {
      names = Set(try Self.entries(of: path))
    } catch {
      return faults.append((name, error))
    }
    guard
      let (certificate, key) = Self.forms.first(where: {
        names.contains($0.0) || names.contains($0.1)
      })
    else {
      let isPair = names.contains {
        $0.hasSuffix(".pem") || $0.hasSuffix(".crt") || $0.hasSuffix(".key")
      }
      if isPair { faults.append((name, CertificateFault(.noPair, at: path))) }
      return
    }
    add(name, certificate, key, of: names, in: path)
  }

  private mutating func add(
    _ name: String, _ certificate: String, _ key: String, of names: Set<String>,
    in directory: String
  ) {
    let files = CertificateFiles(
      name: name, certificate: "\(directory)/\(certificate)", key: "\(directory)/\(key)")
    if !names.contains(certificate) {
      faults.append(
        (name, CertificateFault(.missingCertificate(files.certificate), at: files.key)))
    } else if !names.contains(key) {
      faults.append((name, CertificateFault(.missingKey(files.key), at: files.certificate)))
    } else {
      pairs.append(files)
    }
  }

  /// The names in a directory, sorted, without those that begin with a dot.
  private static func entries(of path: String) throws(CertificateFault) -> [String] {
    guard let stream = opendir(path) else { throw CertificateFault(errno, at: path) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      // Sound: the name ends with a NUL within the entry, which lives until the next call.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

extension CertificateFault {
  /// A fault with the operating system's error code.
  init(_ code: CInt, at path: String) {
    self.init(.unreadable(String(cString: strerror(code))), at: path)
  }
}

/// Which files exist and when they changed: enough to notice any change.
struct FileStates: Equatable {
  private let states: [[Int]]

  init(_ listing: CertificateListing) {
    let paths =
      listing.pairs.flatMap { [$0.certificate, $0.key] } + listing.faults.map(\.fault.path)
    states = paths.map { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return [path.hashValue] }
      return [
        path.hashValue, Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
        status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
      ]
    }
  }
}

/// The contents of a small file.
struct FileContents {
  let bytes: [UInt8]
  /// Whether users other than the owner may read it.
  let isReadableByOthers: Bool

  private static let limit = 1_048_576

  /// - Throws: `CertificateFault`, `.unreadable`.
  init(_ path: String) throws(CertificateFault) {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw CertificateFault(errno, at: path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw CertificateFault(errno, at: path) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.limit else {
      throw CertificateFault(.unreadable("not a regular file of at most 1 MB"), at: path)
    }
    isReadableByOthers = status.st_mode & (S_IRGRP | S_IROTH) != 0
    var code: CInt = 0
    bytes = [UInt8](unsafeUninitializedCapacity: Self.limit + 1) { buffer, count in
      // Sound: reads at most the size of the buffer, and `count` bytes were written.
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
