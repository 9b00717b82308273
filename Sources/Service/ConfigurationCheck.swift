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
    do throws(Invalid) {
      try checkAdminAddress(nil)
    } catch {
      check.faults.append(error.description)
    }
    do throws(Invalid) {
      try checkUserHeader()
    } catch {
      check.faults.append(error.description)
    }
    do throws(Invalid) {
      try checkSpoolDirectory()
    } catch {
      check.faults.append(error.description)
    }
    do throws(Invalid) {
      try checkAuthorityFile()
    } catch {
      check.faults.append(error.description)
    }
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

  /// Refuses a directory for temporary files in which the server cannot create any.
  package func checkSpoolDirectory() throws(Invalid) {
    // The dot refuses a file in place of the directory.
    guard let directory = spoolDirectory, access("\(directory)/.", W_OK | X_OK) != 0 else { return }
    throw Invalid(
      description:
        "spoolDirectory: cannot write to \(directory.quotedPath): \(String(cString: strerror(errno))). "
        + "Create it, and give the server's user access.")
  }

  /// Refuses a file of certificate authorities with which no check could connect.
  package func checkAuthorityFile() throws(Invalid) {
    guard let file = checkAuthorities else { return }
    let reason =
      if access(file, R_OK) != 0 {
        "cannot be read: \(String(cString: strerror(errno)))"
      } else if fileText(at: file)?.contains("CERTIFICATE-----") != true {
        "has no certificate in PEM"
      } else {
        ""
      }
    if reason.isEmpty { return }
    throw Invalid(
      description:
        "checkAuthorities: \(file.quotedPath) \(reason). Name a file with the certificates of authorities."
    )
  }

  /// Refuses a header for users that no proxy may send, or that requests to any host may have.
  ///
  /// - Throws: `Invalid`, with what to do.
  package func checkUserHeader() throws(Invalid) {
    if let groups = adminGroupsHeader {
      guard let user = adminUserHeader, user.lowercased() != groups.lowercased() else {
        throw Invalid(
          description:
            "adminGroupsHeader needs an adminUserHeader besides it, because groups are those of the user whom the proxy "
            + "names. Set both.")
      }
    }
    if adminUserHeader == nil { return }
    if trustedProxies.isEmpty {
      throw Invalid(
        description:
          "adminUserHeader needs trustedProxies, because the server reads the header only from "
          + "them. List the addresses of the proxy.")
    }
    if adminHosts.isEmpty {
      throw Invalid(
        description:
          "adminUserHeader needs adminHosts, so that no web page can reach the server under another name. List the "
          + "host names at which people open the dashboard.")
    }
  }

  /// Refuses an admin listener at the address of the public listener, or one whose tokens could be
  /// read in transit.
  ///
  /// - Parameter address: Where it listens, if not at `adminAddress`.
  /// - Throws: `Invalid`, with what to do.
  package func checkAdminAddress(_ address: SocketAddress?) throws(Invalid) {
    if address == nil && adminAddress == publicAddress && adminAddress.port != 0 {
      throw Invalid(
        description: "publicAddress and adminAddress are both \(adminAddress). "
          + "Give each its own port.")
    }
    let address = address ?? adminAddress
    if insecureAdmin || adminCertificates != nil || !address.isReachableFromOutside { return }
    throw Invalid(
      description:
        "Other machines could reach the JSON API at \(address) over plain HTTP. Listen on 127.0.0.1 "
        + "or ::1, set adminCertificates for HTTPS, or use --insecure-admin on a private network.")
  }
}
