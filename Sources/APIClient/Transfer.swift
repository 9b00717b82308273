import CCurl

/// One libcurl request: owns the handle, its header fields and the received bytes.
final class Transfer {
  /// The largest answer that is kept. It is enough for a plan of 100,000 domains, and keeps a wrong
  /// server from using up all memory.
  private static let limit = 1_073_741_824

  private let handle: UnsafeMutableRawPointer
  private let server: String
  private var fields: UnsafeMutablePointer<curl_slist>?
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
    _ server: String, _ receiver: ((UnsafeRawBufferPointer) throws -> Void)?,
    _ pieces: (() throws -> [UInt8]?)?
  ) throws(APIClient.Unreachable) {
    guard let handle = Self.isReady ? curl_easy_init() : nil else {
      throw APIClient.Unreachable(
        description: "Cannot initialize libcurl.", isOutcomeUnknown: false)
    }
    self.handle = handle
    self.server = server
    self.receiver = receiver
    self.pieces = pieces
  }

  /// The text with everything escaped except unreserved characters (RFC 3986 section 2.3).
  static func escaped(_ text: String) -> String {
    let escaped = curl_easy_escape(nil, text, 0)
    defer { curl_free(escaped) }
    return escaped.map { String(cString: $0) } ?? ""
  }

  /// Initializes libcurl once, before any thread uses it (curl_global_init(3)).
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(fields)
  }

  func set(_ option: CURLoption, _ value: Int) throws(APIClient.Unreachable) {
    try check(aasa_curl_set_long(handle, option, value))
  }

  /// libcurl copies the string.
  func set(_ option: CURLoption, _ value: String) throws(APIClient.Unreachable) {
    try check(value.withCString { aasa_curl_set_pointer(handle, option, $0) })
  }

  /// Sets header fields. `Name:` removes one that libcurl would add.
  func setFields(_ lines: [String]) throws(APIClient.Unreachable) {
    for line in lines { fields = curl_slist_append(fields, line) }
    try check(aasa_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields))
  }

  /// Sends the request and waits for the answer.
  ///
  /// - Throws: `APIClient.Unreachable`, and what the receiver throws.
  func perform(sending body: [UInt8]?) throws -> APIClient.Answer {
    try check(aasa_curl_set_writer(handle, receive))
    // Sound: `self` outlives the transfer, and libcurl calls the writer only during it.
    try check(
      aasa_curl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque()))
    if pieces != nil {
      try set(CURLOPT_POST, 1)
      try check(aasa_curl_set_reader(handle, supply))
      // Sound: like the writer's.
      try check(
        aasa_curl_set_pointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque()))
    }
    let code = withExtendedLifetime(self) { send(body) }
    if let failure { throw failure }
    try check(code)
    var seconds: curl_off_t = 0
    try check(aasa_curl_get_size(handle, CURLINFO_RETRY_AFTER, &seconds))
    return APIClient.Answer(
      status: status, body: received, retryAfter: seconds == 0 ? nil : Int(seconds),
      database: field("X-Aasa-Database"))
  }

  /// The status of the answer; 0 before it has begun.
  private var status: Int {
    var status = 0
    return aasa_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0
  }

  /// A header field of the answer.
  private func field(_ name: String) -> String? {
    var header: UnsafeMutablePointer<curl_header>?
    let code = curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header)
    // Sound: libcurl keeps the text until the handle is used again, and it is copied here.
    return code == CURLHE_OK ? header?.pointee.value.map { String(cString: $0) } : nil
  }

  /// Sound: libcurl reads the body only during the transfer.
  private func send(_ body: [UInt8]?) -> CURLcode {
    guard let body else { return curl_easy_perform(handle) }
    // Not empty, because libcurl would ask for a body that has no address.
    return (body.isEmpty ? [0] : body).withUnsafeBytes { buffer in
      let size = aasa_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      guard size == CURLE_OK else { return size }
      let content = aasa_curl_set_pointer(handle, CURLOPT_POSTFIELDS, buffer.baseAddress)
      return content == CURLE_OK ? curl_easy_perform(handle) : content
    }
  }

  /// Takes bytes of the answer; `false` to end the transfer.
  fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
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

  private func check(_ code: CURLcode) throws(APIClient.Unreachable) {
    if code == CURLE_OK { return }
    // A request that failed before it was sent cannot have changed anything.
    let afterSending = [
      CURLE_OPERATION_TIMEDOUT, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
      CURLE_WRITE_ERROR, CURLE_SEND_ERROR,
    ]
    var connected = 0.0
    _ = aasa_curl_get_double(handle, CURLINFO_PRETRANSFER_TIME, &connected)
    let subject = status == 0 ? "\(server) does not answer" : "\(server) cut its answer short"
    throw APIClient.Unreachable(
      description: "\(subject): \(String(cString: curl_easy_strerror(code))).",
      isOutcomeUnknown: connected > 0 && afterSending.contains(code))
  }
}

/// libcurl's callback for received bytes. Returning anything but their number aborts the transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  // Sound: the context is the transfer that `Transfer.perform` passes and keeps alive.
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  // Sound: the `size * count` bytes are valid during the call.
  return transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
    ? size * count : 0
}

/// libcurl's callback for bytes to send.
private func supply(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
  // Sound: the context is the transfer that `Transfer.perform` passes and keeps alive.
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  // Sound: the buffer has room for `size * count` bytes during the call.
  return transfer.fill(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    ?? Int(CURL_READFUNC_ABORT)
}
