import CMicroHTTPD
import Dispatch
import Glibc
import Synchronization

/// Connections that were answered before all of their request had come. To close them with bytes that
/// nobody has read would reset them, and the client, which still sends, could lose the answer. So they
/// are closed in stages (RFC 9112 section 9.6): libmicrohttpd closes its side, and what the client
/// sends is dropped here until it has closed the other one, or the time is over.
final class Lingering: Sendable {
  /// How many there may be; others are closed at once.
  private static let limit = 64
  /// For how long.
  static let milliseconds: Int64 = 2000

  private let count = Atomic(0)
  private let queue = DispatchQueue(label: "lingering-connections")

  /// Takes part in the socket of a connection that libmicrohttpd is about to close. Never waits.
  func take(_ connection: OpaquePointer) {
    let descriptor = aasa_socket(connection)
    guard descriptor >= 0 else { return }
    if count.add(1, ordering: .relaxed).newValue <= Self.limit {
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      if own >= 0 { return linger(own) }
    }
    count.subtract(1, ordering: .relaxed)
    _ = Self.dropArrivedBytes(of: descriptor)
  }

  private func linger(_ descriptor: CInt) {
    let reading = Reading(
      source: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue))
    // These hold each other until the source is cancelled, which happens at the latest by the time.
    reading.source.setEventHandler {
      if !Self.dropArrivedBytes(of: descriptor) { reading.source.cancel() }
    }
    reading.source.setCancelHandler { [self] in
      close(descriptor)
      count.subtract(1, ordering: .relaxed)
    }
    reading.source.resume()
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(Self.milliseconds))) {
      reading.source.cancel()
    }
  }

  /// Drops what has arrived, so far as it is not endless; false at the end of the connection.
  private static func dropArrivedBytes(of descriptor: CInt) -> Bool {
    // With MSG_TRUNC the kernel drops the bytes of a TCP socket instead of copying them.
    let flags = CInt(MSG_DONTWAIT) | CInt(MSG_TRUNC)
    for _ in 0..<64 {
      let count = recv(descriptor, nil, 65_536, flags)
      if count == 0 { return false }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
    }
    return true
  }

  private struct Reading: @unchecked Sendable {
    // Unchecked is sound: a source of Dispatch may be used by any thread.
    let source: any DispatchSourceRead
  }
}
