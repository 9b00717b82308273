import Association
package import HTTP
import FoundationEssentials
import Glibc
import Store

extension Configuration {
  /// Checks a configuration without serving.
  package struct Check: Sendable {
    /// Problems that prevent startup or serving every host, as sentences.
    package fileprivate(set) var faults: [String] = []
    /// What works, but should be changed, as sentences.
    package fileprivate(set) var warnings: [String] = []
    /// Other useful information, as sentences.
    package fileprivate(set) var notes: [String] = []
  }

  /// Checks the addresses, the directory of the database, and the certificates. It does not know
  /// the sockets that systemd may pass.
  package func check() -> Check {
    var check = Check()
    check.faults = startupFaults(admin: nil).map(\.sentence)
    let files = [("database", database.path), ("snapshot", snapshot)]
    for case (let setting, let path?) in files {
      let directory = URL(filePath: path).deletingLastPathComponent().path
      // The dot refuses a file in place of the directory.
      if access("\(directory)/.", readOnly && setting == "database" ? R_OK : W_OK) != 0 {
        check.faults.append(
          "\(setting): cannot write to its directory \(directory.quotedPath): "
            + "\(String(cString: strerror(errno))).")
      }
    }
    for path in Set([publicCertificates, adminCertificates].compactMap(\.self)).sorted() {
      do throws(CertificatesRefused) {
        let set = try CertificateDirectory(path) { UnixTime.now.seconds }.current
        check.faults += set.faults.map(\.description)
        check.warnings += set.warnings
        let names = set.pairs.map(\.name).joined(separator: ", ")
        check.notes.append("\(path): valid certificates: \(names).")
      } catch {
        check.faults += error.faults.map(\.description)
      }
    }
    return check
  }

  /// Why the file of the database is not an SQLite database, as a sentence; `nil` if it may be one, or does not exist.
  package var databaseFault: String? {
    guard let path = database.path else { return nil }
    var status = stat()
    guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    defer { close(descriptor) }
    // "Database File Format" of SQLite, section 1.3.
    let magic = Array("SQLite format 3\0".utf8)
    var bytes = [UInt8](repeating: 0, count: magic.count)
    if descriptor < 0 || read(descriptor, &bytes, bytes.count) < 0 {
      return "database: cannot read \(path.quotedPath): \(String(cString: strerror(errno)))."
    }
    if bytes == magic { return nil }
    return
      "database: \(path.quotedPath) is not an SQLite database. Choose another path, or restore a backup with 'aasa restore "
      + "--force'."
  }

  /// Refuses settings with which the server must not start.
  ///
  /// - Parameter address: Where the JSON API listens, if not at `adminAddress`.
  /// - Throws: `Invalid` with every fault, and what to do.
  package func checkStartup(admin address: SocketAddress?) throws(Invalid) {
    try Invalid.check(startupFaults(admin: address))
  }

  /// Refuses settings that must not replace those of a running server.
  ///
  /// - Throws: `Invalid` with every fault, and what to do.
  package func checkReload() throws(Invalid) {
    try Invalid.check(userHeaderFaults() + authorityFileFaults())
  }

  private func startupFaults(admin address: SocketAddress?) -> [Invalid.Fault] {
    adminAddressFaults(address) + userHeaderFaults() + spoolDirectoryFaults()
      + authorityFileFaults()
  }

  /// A directory for temporary files in which the server cannot create any.
  private func spoolDirectoryFaults() -> [Invalid.Fault] {
    // The dot refuses a file in place of the directory.
    guard let directory = spoolDirectory, access("\(directory)/.", W_OK | X_OK) != 0 else {
      return []
    }
    return [
      Invalid.Fault(
        "spoolDirectory: cannot write to \(directory.quotedPath): \(String(cString: strerror(errno))). "
          + "Create it, and give the server's user access.")
    ]
  }

  /// A file of certificate authorities with which no check could connect.
  private func authorityFileFaults() -> [Invalid.Fault] {
    guard let file = checkAuthorities else { return [] }
    let reason =
      if access(file, R_OK) != 0 {
        "cannot be read: \(String(cString: strerror(errno)))"
      } else if fileText(at: file)?.contains("CERTIFICATE-----") != true {
        "has no certificate in PEM"
      } else {
        ""
      }
    if reason.isEmpty { return [] }
    return [
      Invalid.Fault(
        "checkAuthorities: \(file.quotedPath) \(reason). Name a file with the certificates of authorities."
      )
    ]
  }

  /// A header for users that no proxy may send, or that requests to any host may have.
  private func userHeaderFaults() -> [Invalid.Fault] {
    var faults: [Invalid.Fault] = []
    if let groups = adminGroupsHeader,
      adminUserHeader.map({ $0.lowercased() == groups.lowercased() }) ?? true
    {
      faults.append(
        Invalid.Fault(
          "adminGroupsHeader needs an adminUserHeader besides it, because groups are those of the user whom the proxy "
            + "names. Set both."))
    }
    if adminUserHeader == nil { return faults }
    if trustedProxies.isEmpty {
      faults.append(
        Invalid.Fault(
          "adminUserHeader needs trustedProxies, because the server reads the header only from "
            + "them. List the addresses of the proxy."))
    }
    if adminHosts.isEmpty {
      faults.append(
        Invalid.Fault(
          "adminUserHeader needs adminHosts, so that no web page can reach the server under another name. List the "
            + "host names at which people open the dashboard."))
    }
    return faults
  }

  /// An admin listener at the address of the public listener, or one whose tokens could be read in transit.
  private func adminAddressFaults(_ address: SocketAddress?) -> [Invalid.Fault] {
    var faults: [Invalid.Fault] = []
    if address == nil && adminAddress == publicAddress && adminAddress.port != 0 {
      faults.append(
        Invalid.Fault(
          "publicAddress and adminAddress are both \(adminAddress). Give each its own port."))
    }
    let address = address ?? adminAddress
    if !insecureAdmin && adminCertificates == nil && address.isReachableFromOutside {
      faults.append(
        Invalid.Fault(
          "Other machines could reach the JSON API at \(address) over plain HTTP. Listen on 127.0.0.1 "
            + "or ::1, set adminCertificates for HTTPS, or use --insecure-admin on a private network."
        ))
    }
    return faults
  }
}
