/// A port for a program that cannot look for a free one by itself.
public enum FreePort {
  /// A port that nobody listens on now. It is below those that the system gives out, so that it is
  /// lost only to a program that looks as this does.
  public static func find() -> UInt16 {
    while true {
      let port = UInt16.random(in: 20_000..<32_000)
      if !isListenedOn(port) { return port }
    }
  }

  /// Whether a program takes connections there.
  public static func isListenedOn(_ port: UInt16) -> Bool {
    do {
      _ = try RawConnection(port: port)
      return true
    } catch {
      return false
    }
  }
}
