import CMicroHTTPD
import Glibc

/// A socket that listens and that another process made, such as systemd (systemd.socket(5)). That
/// process keeps it: connections wait in it while no server runs.
public struct InheritedSocket: Sendable {
  let descriptor: CInt
  /// Where it listens.
  public let address: SocketAddress

  /// Why a descriptor cannot be listened on, as a sentence.
  public struct Unusable: Error, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String
  }

  /// Takes a descriptor over for the life of the process.
  ///
  /// - Throws: `Unusable` if it is not a listening stream socket of the internet.
  public init(descriptor: CInt) throws(Unusable) {
    guard Self.option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue),
      [AF_INET, AF_INET6].contains(Self.option(SO_DOMAIN, of: descriptor)),
      Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
      let address = SocketAddress(boundBy: descriptor)
    else {
      throw Unusable(
        description:
          "The inherited descriptor \(descriptor) is no TCP socket that listens. In a unit of systemd "
          + "it is made by ListenStream= with a port.")
    }
    // Daemons that wait for the same connection must not block when another one has taken it.
    let flags = fcntl(descriptor, F_GETFL)
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
      fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
    else {
      let message = String(cString: strerror(errno))
      throw Unusable(description: "The inherited descriptor \(descriptor) is unusable: \(message).")
    }
    self.descriptor = descriptor
    self.address = address
  }

  private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
    var value: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
