import CMicroHTTPD
import Glibc

// MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR, which Swift does not import.
private let readingEnded = -1
private let readingFailed = -2

/// The body of an answer that is produced while it is sent. Used only by its connection's thread.
final class ResponseStream {
  private let next: () throws -> [UInt8]?
  private let descriptor: CInt
  private let state: OpenConnection
  private let isForHEAD: Bool
  private var piece: ArraySlice<UInt8> = []
  private var isAtEnd = false

  /// How much is produced at a time for a client of HTTP/1.0. For others it follows from the memory
  /// of the connection.
  private static let blockBytes = 16_384

  /// Each piece adds to the client's time what it takes at this rate.
  private static let slowestBytesPerMillisecond: Int64 = 64

  init(_ next: @escaping () throws -> [UInt8]?, for request: ArrivingRequest) {
    self.next = next
    state = request.state
    descriptor = aasa_socket(request.connection)
    isForHEAD = strcmp(request.method, "HEAD") == 0
  }

  /// A response that retains this object; nil if no memory is left.
  func makeResponse() -> OpaquePointer? {
    let retained = Unmanaged.passRetained(self)
    let response = MHD_create_response_from_callback(
      UInt64.max, Self.blockBytes,
      { stream, _, buffer, room in
        guard let stream, let buffer else { return readingFailed }
        // Sound: the response retains the stream.
        return Unmanaged<ResponseStream>.fromOpaque(stream)._withUnsafeGuaranteedRef {
          $0.fill(UnsafeMutableRawBufferPointer(start: buffer, count: room))
        }
      }, retained.toOpaque(),
      { stream in
        // Sound: this is the reference that was retained for this one call.
        if let stream { Unmanaged<ResponseStream>.fromOpaque(stream).release() }
      })
    guard let response else {
      retained.release()
      return nil
    }
    // Otherwise libmicrohttpd sends the end of a chunked body as an answer to HEAD.
    if isForHEAD { aasa_end_with_connection(response) }
    return response
  }

  /// Fills a buffer with what comes next.
  ///
  /// - Returns: How many bytes there are, `readingEnded` or `readingFailed`.
  private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while count < buffer.count && !isAtEnd {
      let taken = piece.prefix(buffer.count - count)
      UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: taken)
      count += taken.count
      piece = piece.dropFirst(taken.count)
      if !piece.isEmpty { break }
      do {
        // Like a handler's time, this is not charged to the client's deadline.
        let bytes = try state.withoutDeadline(next)
        isAtEnd = bytes == nil
        // A client that reads slowly, but does, gets all of a large answer.
        state.allowMore(Int64(bytes?.count ?? 0) / Self.slowestBytesPerMillisecond)
        piece = bytes?[...] ?? []
      } catch {
        reset()
        return readingFailed
      }
    }
    return count > 0 || !isAtEnd ? count : readingEnded
  }

  /// Resets the connection: an orderly end would tell a client of HTTP/1.0 that it has everything.
  private func reset() {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNSPEC)
    // A socket of TCP is reset by connecting it to no address.
    _ = connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size))
  }
}
