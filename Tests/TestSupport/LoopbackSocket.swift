import Glibc

/// Connects to a port of 127.0.0.1. The caller closes the socket.
public func connectedSocket(to port: UInt16) throws(RawConnection.Failure) -> CInt {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  // Sound: an address of IPv4 begins with the members of `sockaddr`.
  let code = withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  if code == 0 { return descriptor }
  let reason = errno
  close(descriptor)
  throw .system(call: "connect", code: reason)
}
