import CCurl

/// One request through libcurl: owns the handle, its list of fields and what was received.
final class Transfer {
  /// More than any state of a hundred thousand domains, so that a wrong server cannot take all memory.
  private static let limit = 4_294_967_296

  private let handle: UnsafeMutableRawPointer
  private let server: String
  private var fields: UnsafeMutablePointer<curl_slist>?
  private var received: [UInt8] = []

  init(_ server: String) throws(APIClient.Unreachable) {
    guard let handle = Self.isReady ? curl_easy_init() : nil else {
      throw APIClient.Unreachable(
        description: "libcurl cannot be used.", isOutcomeUnknown: false)
    }
    self.handle = handle
    self.server = server
  }

  /// Has to be done once, before other threads use the library (curl_global_init(3)).
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(fields)
  }

  func set(_ option: CURLoption, _ value: Int) throws(APIClient.Unreachable) {
    try check(aasa_curl_set_long(handle, option, value))
  }

  /// libcurl copies strings.
  func set(_ option: CURLoption, _ value: String) throws(APIClient.Unreachable) {
    try check(value.withCString { aasa_curl_set_pointer(handle, option, $0) })
  }

  /// The fields of the header. `Name:` takes away one that libcurl would add.
  func setFields(_ lines: [String]) throws(APIClient.Unreachable) {
    for line in lines { fields = curl_slist_append(fields, line) }
    try check(aasa_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields))
  }

  /// Sends the request, with a body as a POST, and waits for the answer.
  func perform(sending body: [UInt8]?) throws(APIClient.Unreachable) -> APIClient.Answer {
    try check(aasa_curl_set_writer(handle, receive))
    // Sound: `self` lives until the transfer has ended, which is the only time that it is called.
    try check(
      aasa_curl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque()))
    let code = withExtendedLifetime(self) { post(body) }
    try check(code)
    var status = 0
    try check(aasa_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status))
    return APIClient.Answer(status: status, body: received)
  }

  /// Sound: libcurl reads the bytes of the body during the transfer only.
  private func post(_ body: [UInt8]?) -> CURLcode {
    guard let body else { return curl_easy_perform(handle) }
    return body.withUnsafeBytes { buffer in
      let size = aasa_curl_set_size(
        handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(buffer.count))
      guard size == CURLE_OK else { return size }
      let content = aasa_curl_set_pointer(handle, CURLOPT_POSTFIELDS, buffer.baseAddress)
      return content == CURLE_OK ? curl_easy_perform(handle) : content
    }
  }

  /// Takes bytes of the answer; `false` where there are too many.
  fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    received.append(contentsOf: bytes)
    return received.count <= Self.limit
  }

  private func check(_ code: CURLcode) throws(APIClient.Unreachable) {
    if code == CURLE_OK { return }
    // What failed before the request was sent cannot have changed anything.
    let afterSending = [
      CURLE_OPERATION_TIMEDOUT, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
      CURLE_WRITE_ERROR, CURLE_SEND_ERROR,
    ]
    var connected = 0.0
    _ = aasa_curl_get_double(handle, CURLINFO_PRETRANSFER_TIME, &connected)
    throw APIClient.Unreachable(
      description: "\(server) does not answer: \(String(cString: curl_easy_strerror(code))).",
      isOutcomeUnknown: connected > 0 && afterSending.contains(code))
  }
}

/// libcurl's callback for bytes of the answer; another number than that of the bytes ends the
/// transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  // Sound: `Transfer.perform` passes a transfer and nothing else, and keeps it alive meanwhile.
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  // Sound: libcurl gives `size * count` bytes for the time of the call.
  return transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
    ? size * count : 0
}
