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

extension SocketAddress {
  /// Where a socket of the internet is bound to.
  fileprivate init?(boundBy descriptor: CInt) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    // Sound: every kind of socket address begins with the members of `sockaddr`, and the calls get
    // the sizes of what they write to.
    let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(descriptor, address, &length) == 0
          && getnameinfo(
            address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0
      }
    }
    guard isKnown, let port = UInt16(Self.text(service)) else { return nil }
    self.init(host: Self.text(host), port: port)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
