import Dispatch
import HTTP

/// A listener that is being stopped on another thread.
final class Stopping: Sendable {
  private let group = DispatchGroup()

  init(_ listener: Listener, within seconds: Double = 10) {
    DispatchQueue.global().async(group: group) { listener.stop(within: seconds) }
  }

  /// Returns when it has stopped.
  func wait() { group.wait() }
}
