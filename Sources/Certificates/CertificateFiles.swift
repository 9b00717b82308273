import Glibc

/// The two files of a pair.
struct CertificateFiles: Sendable, Equatable {
  /// What people call the pair: the file's or the directory's name.
  let name: String
  let certificate: String
  let key: String
}

/// The pairs that a directory holds, by the names of its files:
///
/// - `NAME.crt` (or `NAME.pem`) with `NAME.key`, as Caddy, lego and Kubernetes have them,
/// - a directory `NAME` with `fullchain.pem` and `privkey.pem`, as certbot has them,
/// - a directory `NAME` with `tls.crt` and `tls.key`, as Kubernetes mounts a secret.
///
/// Links are followed. What begins with a dot is not looked at, nor are the certificates of
/// authorities that issuers put beside (`ca.crt`, `NAME.issuer.crt`), nor files of other kinds.
struct CertificateListing {
  private(set) var pairs: [CertificateFiles] = []
  /// What is wrong, each with the name of its pair; nil for the directory.
  private(set) var faults: [(pair: String?, fault: CertificateFault)] = []

  /// The names of the two files within a directory of a pair.
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
  /// A fault by the code of the operating system.
  init(_ code: CInt, at path: String) {
    self.init(.unreadable(String(cString: strerror(code))), at: path)
  }
}

/// Which files there are and when they changed: enough to notice that something else lies there.
struct CertificateMarks: Equatable {
  private let marks: [[Int]]

  init(_ listing: CertificateListing) {
    let paths =
      listing.pairs.flatMap { [$0.certificate, $0.key] } + listing.faults.map(\.fault.path)
    marks = paths.map { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return [path.hashValue] }
      return [
        path.hashValue, Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
        status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
      ]
    }
  }
}
