import CCurl

/// A request to the API, which collects the answer or passes it on.
final class ClientTransfer: Transfer {
  /// The largest answer that is kept. It is enough for a plan of 100,000 domains, and keeps a wrong
  /// server from using up all memory.
  private static let limit = 1_073_741_824

  private var received: [UInt8] = []
  /// Takes the content of an answer with the status 200, which `received` then does not get.
  private let receiver: ((UnsafeRawBufferPointer) throws -> Void)?
  /// Returns the next bytes of a long body.
  private let pieces: (() throws -> [UInt8]?)?
  /// What is left of the piece that is being sent.
  private var piece: ArraySlice<UInt8> = []
  /// What `receiver` or `pieces` threw.
  private var failure: (any Error)?

  init(
    _ receiver: ((UnsafeRawBufferPointer) throws -> Void)?, _ pieces: (() throws -> [UInt8]?)?
  ) {
    self.receiver = receiver
    self.pieces = pieces
    super.init()
    if pieces == nil { return }
    set(CURLOPT_POST, 1)
    note(aasa_curl_set_reader(handle, supply))
    set(CURLOPT_READDATA, pointer: context)
  }

  /// Sends the request and waits for the answer.
  ///
  /// - Parameter server: The server, for errors.
  /// - Throws: `APIClient.Unreachable`, and what the receiver throws.
  func perform(_ server: String) throws -> APIClient.Answer {
    let code = withExtendedLifetime(self) { refusal ?? curl_easy_perform(handle) }
    if let failure { throw failure }
    if code != CURLE_OK { throw error(code, server) }
    let seconds = getSize(CURLINFO_RETRY_AFTER)
    return APIClient.Answer(
      status: status, body: received, retryAfter: seconds == 0 ? nil : seconds,
      database: field("X-Aasa-Database"))
  }

  /// The status of the answer; 0 before it has begun.
  private var status: Int { getLong(CURLINFO_RESPONSE_CODE) }

  /// A header field of the answer.
  private func field(_ name: String) -> String? {
    var header: UnsafeMutablePointer<curl_header>?
    let code = curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header)
    // Sound: libcurl keeps the text until the handle is used again, and it is copied here.
    return code == CURLHE_OK ? header?.pointee.value.map { String(cString: $0) } : nil
  }

  override func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let receiver, status == 200 else {
      received.append(contentsOf: bytes)
      return received.count <= Self.limit
    }
    do {
      try receiver(bytes)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Puts the next bytes of the body into a buffer; `nil` to end the transfer.
  fileprivate func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
    do {
      while piece.isEmpty {
        guard let next = try pieces?() else { return 0 }
        piece = next[...]
      }
    } catch {
      failure = error
      return nil
    }
    let part = piece.prefix(buffer.count)
    buffer.copyBytes(from: part)
    piece = piece.dropFirst(part.count)
    return part.count
  }

  private func error(_ code: CURLcode, _ server: String) -> APIClient.Unreachable {
    // A request that failed before it was sent cannot have changed anything.
    let afterSending = [
      CURLE_OPERATION_TIMEDOUT, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
      CURLE_WRITE_ERROR, CURLE_SEND_ERROR,
    ]
    let subject = status == 0 ? "\(server) does not answer" : "\(server) cut its answer short"
    return APIClient.Unreachable(
      description: "\(subject): \(String(cString: curl_easy_strerror(code))).",
      isOutcomeUnknown: getSize(CURLINFO_PRETRANSFER_TIME_T) > 0 && afterSending.contains(code))
  }
}

/// libcurl's callback for bytes to send.
private func supply(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
  // Sound: only `ClientTransfer` passes this callback, and its context.
  let transfer = Unmanaged<ClientTransfer>.fromOpaque(context).takeUnretainedValue()
  // Sound: the buffer has room for `size * count` bytes during the call.
  return transfer.fill(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    ?? Int(CURL_READFUNC_ABORT)
}
