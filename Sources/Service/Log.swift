import Dispatch
import FoundationEssentials
import Glibc
public import JSONValue
import Synchronization

/// Writes events, a line each: the time, the level, a message and fields. Whoever writes
/// does not wait: lines go through a bounded queue, and are lost, and counted, where nobody reads them.
public final class Log: Sendable {
  /// What a line looks like.
  public enum Format: String, Sendable {
    /// For people.
    case text
    /// An object of JSON, for programs.
    case json
  }

  /// How much an event matters.
  public enum Level: String, Sendable {
    /// Something that is to be expected.
    case info
    /// Something that may need somebody.
    case warning
    /// Something that does.
    case error
  }

  private struct State {
    var format: Format
    var pending: [UInt8] = []
    var lostLines = 0
    var isWriting = false
  }

  /// How many bytes wait for a reader at most.
  private static let pendingLimit = 1_048_576

  private let descriptor: Int32?
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "log")
  private let writing = DispatchGroup()

  /// A log.
  ///
  /// - Parameter descriptor: Where lines go: to stderr, which is 2, if nothing else is said; nowhere for
  ///   nil.
  public init(format: Format = .text, descriptor: Int32? = 2) {
    self.descriptor = descriptor
    state = Mutex(State(format: format))
  }

  /// What lines look like from now on.
  public var format: Format {
    get { state.withLock(\.format) }
    set { state.withLock { $0.format = newValue } }
  }

  /// Writes an event. What looks like a token is masked wherever it stands.
  public func write(_ level: Level, _ message: String, _ fields: JSON.Object = [:]) {
    write(at: .now, level, message, fields)
  }

  /// Writes an event that was at another time.
  func write(at time: Date, _ level: Level, _ message: String, _ fields: JSON.Object) {
    let event = LogEvent(time: time, level: level, message: message, fields: fields)
    let mustStart = state.withLock { state in
      let line = event.line(state.format)
      guard state.pending.count + line.count <= Self.pendingLimit else {
        state.lostLines += 1
        return false
      }
      state.pending += line
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if mustStart { queue.async(group: writing) { [self] in writePending() } }
  }

  /// Waits until everything is written, or a time is over.
  public func flush(within seconds: Double = 1) { _ = writing.wait(timeout: .now() + seconds) }

  private func writePending() {
    while let bytes = takePending() { write(bytes) }
  }

  private func takePending() -> [UInt8]? {
    state.withLock { state in
      if state.lostLines > 0 {
        let event = LogEvent(
          time: .now, level: .warning, message: "Lines of the log were lost: nobody read them.",
          fields: ["lines": .number(String(state.lostLines))])
        state.pending += event.line(state.format)
        state.lostLines = 0
      }
      defer { state.pending = [] }
      state.isWriting = !state.pending.isEmpty
      return state.isWriting ? state.pending : nil
    }
  }

  /// A log that cannot be written has nowhere to say so.
  private func write(_ bytes: [UInt8]) {
    guard let descriptor else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      // Sound: the pointer is used during the call only.
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, 1000)
      } else if errno != EINTR {
        return
      }
    }
  }
}
