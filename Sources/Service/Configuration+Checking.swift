import Certificates
import FoundationEssentials

extension Configuration {
  /// What can be said of settings without serving.
  public struct Check: Sendable {
    /// What keeps a server from serving, or from serving all of it, as sentences.
    public fileprivate(set) var faults: [String] = []
    /// What else there is to say.
    public fileprivate(set) var notes: [String] = []
  }

  /// Looks at what the settings name: whether the admin listener would be refused, and the pairs of the
  /// directories of certificates. The sockets that a service manager may hand over are not known.
  public func check() -> Check {
    var check = Check()
    do throws(Invalid) {
      try checkAdminAddress(nil)
    } catch {
      check.faults.append(error.description)
    }
    for path in Set([publicCertificates, adminCertificates].compactMap(\.self)).sorted() {
      do throws(CertificatesRefused) {
        let directory = try CertificateDirectory(path) { Int64(Date.now.timeIntervalSince1970) }
        check.add(directory)
      } catch {
        check.faults += error.faults.map(\.description)
      }
    }
    return check
  }
}

extension Configuration.Check {
  fileprivate mutating func add(_ directory: CertificateDirectory) {
    let set = directory.current
    faults += set.faults.map(\.description)
    notes += set.warnings
    let names = set.pairs.map(\.name).joined(separator: ", ")
    notes.append("\(directory.path): certificates that can be used: \(names).")
  }
}
