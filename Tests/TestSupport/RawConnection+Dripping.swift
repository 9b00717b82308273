import Glibc

extension RawConnection {
  /// Sends a text repeatedly, so that the connection is never idle, until the server closes it.
  ///
  /// - Returns: Whether the server closed it before the deadline.
  package func isCut(whileSending text: String, within seconds: Double = 10) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
      do {
        try send(text)
      } catch Failure.system(call: "send", code: EPIPE), Failure.system(
        call: "send", code: ECONNRESET)
      {
        return true
      }
      if hasEnded(withinMilliseconds: 100) { return true }
    }
    return false
  }
}
