import Dispatch
import Synchronization

/// Carries lines of the access log from threads that serve to a thread that writes. What does not fit
/// is dropped and counted: a slow disk keeps no request waiting.
final class AccessQueue: Sendable {
  /// How many lines may wait.
  static let capacity = 1024

  private struct Waiting {
    var lines: [PublicAccess] = []
    var isWriting = false
  }

  private let waiting = Mutex(Waiting())
  private let dropped = Atomic<UInt64>(0)
  private let writer = DispatchQueue(label: "access-log")
  private let write: @Sendable (PublicAccess) -> Void

  init(write: @escaping @Sendable (PublicAccess) -> Void) { self.write = write }

  /// The number of lines that were dropped.
  var droppedLines: UInt64 { dropped.load(ordering: .relaxed) }

  /// Adds a line. The lock is held for a moment only, by whoever holds it.
  func add(_ line: PublicAccess) {
    let wakes = waiting.withLock { waiting in
      if waiting.lines.count == Self.capacity {
        dropped.add(1, ordering: .relaxed)
        return false
      }
      waiting.lines.append(line)
      defer { waiting.isWriting = true }
      return !waiting.isWriting
    }
    if wakes { writer.async { self.writeAll() } }
  }

  /// Waits until what was added is written, at most for a time.
  func finish(within seconds: Double) {
    let group = DispatchGroup()
    writer.async(group: group) {}
    _ = group.wait(timeout: .now() + seconds)
  }

  private func writeAll() {
    while true {
      let lines = waiting.withLock { waiting in
        waiting.isWriting = !waiting.lines.isEmpty
        defer { waiting.lines = [] }
        return waiting.lines
      }
      if lines.isEmpty { return }
      for line in lines { write(line) }
    }
  }
}
