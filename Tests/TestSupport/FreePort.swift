/// A free port for a program that cannot choose one itself.
package enum FreePort {
  /// A port on which nothing listens now. It is below the range of ports that the system assigns,
  /// so only another caller of this function can take it.
  package static func find() -> UInt16 {
    while true {
      let port = UInt16.random(in: 20_000..<32_000)
      if !isListenedOn(port) { return port }
    }
  }

  /// Whether a program accepts connections on the port.
  package static func isListenedOn(_ port: UInt16) -> Bool {
    do {
      _ = try RawConnection(port: port)
      return true
    } catch {
      return false
    }
  }
}
