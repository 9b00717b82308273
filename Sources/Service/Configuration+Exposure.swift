public import HTTP

extension Configuration {
  /// Refuses an admin listener at the address of the public one, and one whose tokens could be read on the
  /// way.
  ///
  /// - Parameter address: Where it listens if not at `adminAddress`.
  /// - Throws: `Invalid`, with what to do.
  public func checkAdminAddress(_ address: SocketAddress?) throws(Invalid) {
    if address == nil && adminAddress == publicAddress && adminAddress.port != 0 {
      throw Invalid(
        description:
          "publicAddress and adminAddress are both \(adminAddress). Give each a port of its own.")
    }
    let address = address ?? adminAddress
    if insecureAdmin || adminCertificates != nil || !address.isReachableFromOutside { return }
    throw Invalid(
      description:
        "The admin listener would be reachable at \(address) from other machines, over plain HTTP: "
        + "whoever reads its tokens on the way can change every file. Listen on 127.0.0.1 or ::1, set "
        + "adminCertificates for HTTPS, or say --insecure-admin where the network keeps others out."
    )
  }
}
