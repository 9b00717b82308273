import CMicroHTTPD
import Glibc

extension SocketAddress {
  /// Whether somebody listens there and does something with a connection: an answer, or an end, to a
  /// request for `/`. That holds for HTTPS as well, which ends what is not TLS.
  ///
  /// - Parameter seconds: How long each step may take.
  public func reacts(within seconds: Int) -> Bool {
    let resolved: ResolvedAddress
    do throws(ListenerError) {
      resolved = try ResolvedAddress(self)
    } catch {
      return false
    }
    let flags = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(resolved.family, flags, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // The time to send is that to connect as well (socket(7)).
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard resolved.withSocketAddress({ connect(descriptor, $0, $1) }) == 0 else { return false }
    // An end without a request is seen by the thread that serves, but is neither counted nor logged.
    guard shutdown(descriptor, CInt(SHUT_WR)) == 0 else { return errno == ENOTCONN }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) >= 0 || errno == ECONNRESET
  }
}
