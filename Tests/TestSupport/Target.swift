import Foundation
import Glibc
package import Association
import Synchronization

/// An HTTP server on loopback that receives requests, and answers as the test says: with any bytes, or not
/// at all. Each connection has its own thread.
package final class Target: Sendable {
  /// A received request.
  package struct Received: Sendable {
    /// The request line.
    package let line: String
    /// The fields, by their names in lower case.
    package let fields: [String: String]
    /// The content.
    package let body: [UInt8]

    /// The content as JSON.
    package var json: JSON { get throws { try JSON.parse(body).value } }
  }

  /// What it does with a request.
  package enum Answer: Sendable {
    /// Sends an answer with this status, and more lines for its header.
    case status(Int, [String] = [], body: String = "")
    /// Sends nothing, and keeps the connection open.
    case hang
    /// Closes the connection.
    case close
  }

  private struct State {
    var received: [Received] = []
    var mostAtOnce = 0
    var open = 0
    var answer: @Sendable (Received) -> Answer = { _ in .status(204) }
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
    let isOver = Atomic(false)
  }

  private let shared = Shared()
  private let listening: ListeningDescriptor

  /// Listens on a free port of 127.0.0.1.
  package init(_ answer: @escaping @Sendable (Received) -> Answer = { _ in .status(204) }) throws {
    listening = try ListeningDescriptor()
    shared.state.withLock { $0.answer = answer }
    let (shared, listening) = (shared, listening)
    Thread.detachNewThread {
      while Self.waits(for: listening.descriptor, shared) {
        let connection = accept(listening.descriptor, nil, nil)
        guard connection >= 0 else { continue }
        Thread.detachNewThread { Self.serve(connection, shared) }
      }
    }
  }

  deinit { shared.isOver.store(true, ordering: .relaxed) }

  /// Its base address, without a slash at the end.
  package var url: String { "http://127.0.0.1:\(listening.port)" }

  /// Everything that it received, in order.
  package var received: [Received] { shared.state.withLock(\.received) }

  /// The largest number of requests at the same time.
  package var mostAtOnce: Int { shared.state.withLock(\.mostAtOnce) }

  /// Answers further requests in another way.
  package func answer(_ answer: @escaping @Sendable (Received) -> Answer) {
    shared.state.withLock { $0.answer = answer }
  }

  /// Waits until a descriptor can be read. Returns false when the target is over.
  private static func waits(for descriptor: CInt, _ shared: Shared) -> Bool {
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while !shared.isOver.load(ordering: .relaxed) {
      if poll(&poller, 1, 50) > 0 { return true }
    }
    return false
  }

  private static func serve(_ connection: CInt, _ shared: Shared) {
    defer { close(connection) }
    var buffer: [UInt8] = []
    while let request = next(connection, &buffer, shared) {
      let answer = shared.state.withLock { state in
        state.received.append(request)
        state.open += 1
        state.mostAtOnce = max(state.mostAtOnce, state.open)
        return state.answer
      }(request)
      defer { shared.state.withLock { $0.open -= 1 } }
      switch answer {
      case .close: return
      case .hang:
        // Until the client goes.
        while waits(for: connection, shared) {
          var byte: UInt8 = 0
          if recv(connection, &byte, 1, 0) <= 0 { return }
        }
        return
      case .status(let status, let lines, let body):
        let head =
          ["HTTP/1.1 \(status) X"] + lines
          + (status == 204 ? [] : ["Content-Length: \(body.utf8.count)"])
        let bytes = Array((head.map { $0 + "\r\n" }.joined() + "\r\n" + body).utf8)
        if send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL)) < bytes.count { return }
      }
    }
  }

  private static func next(
    _ connection: CInt, _ buffer: inout [UInt8], _ shared: Shared
  ) -> Received? {
    while true {
      if let request = parse(&buffer) { return request }
      guard waits(for: connection, shared) else { return nil }
      var part = [UInt8](repeating: 0, count: 65_536)
      let count = recv(connection, &part, part.count, 0)
      if count <= 0 { return nil }
      buffer += part.prefix(count)
    }
  }

  private static func parse(_ buffer: inout [UInt8]) -> Received? {
    guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let fields = lines.dropFirst().reduce(into: [String: String]()) { fields, line in
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 {
        fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
      }
    }
    let length = fields["content-length"].flatMap { Int($0) } ?? 0
    let body = buffer[end.upperBound...].prefix(length)
    guard body.count == length else { return nil }
    let request = Received(line: String(lines.first ?? ""), fields: fields, body: Array(body))
    buffer = Array(buffer[end.upperBound...].dropFirst(length))
    return request
  }
}
