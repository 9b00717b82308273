import Glibc

/// Why a listener could not start.
package struct ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Reason: Sendable, Equatable {
    /// Another socket uses the address and port.
    case addressInUse
    /// The process may not bind the port.
    case permissionDenied
    /// The address is not one of this machine.
    case addressNotAvailable
    /// The host is neither an address nor a known name; has the resolver's message.
    case unknownHost(String)
    /// The process or the machine has no file descriptors left.
    case tooManyOpenFiles
    /// libmicrohttpd did not start and gave no reason; most likely threads or memory are used up.
    case libraryRefused
    /// Another error of the operating system.
    case system(call: String, message: String)
  }

  package let reason: Reason
  /// Where the listener should have listened.
  package let address: SocketAddress

  package init(reason: Reason, address: SocketAddress) {
    self.reason = reason
    self.address = address
  }

  /// What went wrong and what to do, for people.
  package var description: String {
    "Cannot listen on \(address): " + explanation
  }

  private var explanation: String {
    switch reason {
    case .addressInUse:
      "the address is already in use. Stop the program that listens there, or choose another port."
    case .permissionDenied:
      "permission denied. Ports below 1024 need a privilege (CAP_NET_BIND_SERVICE); choose a higher "
        + "port, or grant it."
    case .addressNotAvailable:
      "this machine does not have the address. Choose one that it has, or 127.0.0.1, 0.0.0.0 or ::."
    case .unknownHost(let message):
      "the host is neither an address nor a known name (\(message)). Use an address such as "
        + "127.0.0.1 or ::1."
    case .tooManyOpenFiles:
      "too many open files. Raise the limit (ulimit -n)."
    case .libraryRefused:
      "libmicrohttpd did not start. Check the limits of threads, memory and open files."
    case .system(let call, let message):
      "\(call) failed: \(message)."
    }
  }
}

extension ListenerError {
  init(call: String, _ code: CInt, _ address: SocketAddress) {
    let reason: Reason =
      switch code {
      case EADDRINUSE: .addressInUse
      case EACCES, EPERM: .permissionDenied
      case EADDRNOTAVAIL, EAFNOSUPPORT: .addressNotAvailable
      case EMFILE, ENFILE: .tooManyOpenFiles
      default: .system(call: call, message: String(cString: strerror(code)))
      }
    self.init(reason: reason, address: address)
  }
}
