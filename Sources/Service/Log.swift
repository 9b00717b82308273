package import Association
import Dispatch
import FoundationEssentials
import Glibc
import Store
import Synchronization

/// Writes one line per event: the time, the level, a message and fields. Writers never wait: lines
/// go through a bounded queue, and are dropped and counted while stderr is not being read.
package final class Log: Sendable {
  package enum Format: String, Sendable {
    /// For people.
    case text
    /// A JSON object, for programs.
    case json
  }

  /// How urgent an event is.
  package enum Level: String, Sendable {
    /// Normal operation.
    case info
    /// May need attention.
    case warning
    /// Needs attention.
    case error
  }

  private struct State {
    var format: Format
    var pending: [UInt8] = []
    var droppedLines = 0
    var isWriting = false
  }

  /// The maximum number of bytes that wait to be written.
  private static let pendingLimit = 1_048_576

  private let descriptor: Int32?
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "log")
  private let writing = DispatchGroup()

  /// - Parameter descriptor: Where lines go: stderr by default, nowhere for nil.
  package init(format: Format = .text, descriptor: Int32? = 2) {
    self.descriptor = descriptor
    state = Mutex(State(format: format))
  }

  /// The format of further lines.
  package var format: Format {
    get { state.withLock(\.format) }
    set { state.withLock { $0.format = newValue } }
  }

  /// Writes an event. Anything that looks like a token is masked.
  package func write(_ level: Level, _ message: String, _ fields: JSON.Object = [:]) {
    write(at: .now, level, message, fields)
  }

  /// Writes an event that happened at another time.
  func write(at time: Date, _ level: Level, _ message: String, _ fields: JSON.Object) {
    let event = LogEvent(time: time, level: level, message: message, fields: fields)
    write { event.line($0) }
  }

  /// Writes a line as it is, for somebody who watches the start: it may show a token.
  package func show(_ text: String) { write { _ in Array("\(text)\n".utf8) } }

  private func write(_ line: (Format) -> [UInt8]) {
    state.withLock { state in
      let line = line(state.format)
      guard state.pending.count + line.count <= Self.pendingLimit else {
        state.droppedLines += 1
        return
      }
      state.pending += line
      if state.isWriting { return }
      state.isWriting = true
      // Still with the lock, so that `flush` waits for the line as soon as anybody can know of it.
      queue.async(group: writing) { [self] in writePending() }
    }
  }

  /// Waits until everything is written, up to a timeout.
  package func flush(within seconds: Double = 1) { _ = writing.wait(timeout: .now() + seconds) }

  private func writePending() {
    while let bytes = takePending() { write(bytes) }
  }

  private func takePending() -> [UInt8]? {
    state.withLock { state in
      if state.droppedLines > 0 {
        let lines = state.droppedLines
        let event = LogEvent(
          time: .now, level: .warning,
          message: "Dropped \(lines.counted("log line")): stderr is not being read.",
          fields: ["lines": .integer(lines)])
        state.pending += event.line(state.format)
        state.droppedLines = 0
      }
      defer { state.pending = [] }
      state.isWriting = !state.pending.isEmpty
      return state.isWriting ? state.pending : nil
    }
  }

  /// Errors are ignored: there is nowhere left to report them.
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

private struct LogEvent {
  let time: Date
  let level: Log.Level
  let message: String
  let fields: JSON.Object

  private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// The event as a line, including its end.
  func line(_ format: Log.Format) -> [UInt8] {
    let line = format == .json ? json.serialized() : Array(text.utf8)
    return Self.maskingTokens(line) + [UInt8(ascii: "\n")]
  }

  private var json: JSON {
    var object: JSON.Object = [
      "time": .string(time.formatted(Self.timeFormat)), "level": .string(level.rawValue),
      "message": .string(message),
    ]
    for member in fields.members { object[member.key] = member.value }
    return .object(object)
  }

  /// `2026-11-21T10:00:00.123Z warning A message. name=value name="another value"`
  private var text: String {
    let message = message.harmless
    return fields.members.reduce(
      into: "\(time.formatted(Self.timeFormat)) \(level.rawValue) \(message)"
    ) { $0 += " \($1.key)=\(Self.word($1.value))" }
  }

  /// A single plain word unchanged, anything else as JSON.
  private static func word(_ value: JSON) -> String {
    if let text = value.stringValue, !text.isEmpty,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") })
    {
      return text
    }
    return value.text.harmless
  }

  /// No token and no secret of a webhook reaches the log, not even one that a client put in the wrong place.
  private static func maskingTokens(_ line: [UInt8]) -> [UInt8] {
    // Most lines have no underscore, which is found much faster than a token.
    guard line.contains(UInt8(ascii: "_")) else { return line }
    return prefixes.reduce(line) { masking($0, $1.bytes, from: $1.length) }
  }

  /// Masks words of some length that begin with a prefix.
  private static func masking(_ line: [UInt8], _ tokenPrefix: [UInt8], from length: Int) -> [UInt8]
  {
    var masked: [UInt8] = []
    var rest = line[...]
    while let prefix = rest.firstRange(of: tokenPrefix) {
      let secret = rest[prefix.upperBound...].prefix(while: isTokenByte)
      masked += rest[..<prefix.upperBound]
      masked += secret.count < length ? Array(secret) : Array("********".utf8)
      rest = rest[secret.endIndex...]
    }
    return masked + rest
  }

  private static let prefixes = [
    (bytes: Array(TokenSecret.prefix.utf8), length: 40),
    // 24 bytes have 32 characters. A part of a secret is masked, too.
    (bytes: Array(WebhookSecret.prefix.utf8), length: 8),
  ]

  /// Whether a byte is of the alphabets of tokens and secrets (RFC 4648 sections 4 and 5). Bit 5 makes a letter lower-case.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    "-_+/=".utf8.contains(byte) || (0x30...0x39).contains(byte)
      || (0x61...0x7A).contains(byte | 0x20)
  }
}
