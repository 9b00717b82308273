import CCurl

/// A transfer of libcurl: owns the handle, and what libcurl only refers to. One thread at a time may use it.
class Transfer {
  /// Initializes libcurl once, before any thread uses it (curl_global_init(3)).
  static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// `nil` if libcurl cannot be initialized.
  let handle = Transfer.isReady ? curl_easy_init() : nil
  /// The code of the first option that libcurl refused.
  private(set) var refusal: CURLcode?
  private var lists: [UnsafeMutablePointer<curl_slist>] = []

  /// Makes a transfer that only receives. The caller sets its URL, and keeps it alive while libcurl performs it.
  init() {
    note(aasa_curl_set_writer(handle, receive))
    set(CURLOPT_WRITEDATA, pointer: context)
  }

  deinit {
    if let handle { curl_easy_cleanup(handle) }
    lists.forEach(curl_slist_free_all)
  }

  /// Takes bytes of the content; `false` to end the transfer.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool { true }

  /// What callbacks are given.
  ///
  /// Sound: libcurl calls back only while the transfer is performed, and so alive.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Takes note of the code of an option.
  func note(_ code: CURLcode) {
    if code != CURLE_OK && refusal == nil { refusal = code }
  }

  func set(_ option: CURLoption, _ value: Int) {
    note(aasa_curl_set_long(handle, option, value))
  }

  /// libcurl copies the string.
  func set(_ option: CURLoption, _ value: String) {
    note(value.withCString { aasa_curl_set_pointer(handle, option, $0) })
  }

  func set(_ option: CURLoption, pointer: UnsafeRawPointer?) {
    note(aasa_curl_set_pointer(handle, option, pointer))
  }

  /// libcurl keeps a reference to the list, which lives as long as this.
  func set(_ option: CURLoption, _ lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines { list = curl_slist_append(list, line) ?? list }
    if let list { lists.append(list) }
    set(option, pointer: list)
  }

  /// Sets the content to send. libcurl copies the bytes.
  func set(body: [UInt8]) {
    note(
      aasa_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
    // An empty array may have no address.
    (body + [0]).withUnsafeBytes { set(CURLOPT_COPYPOSTFIELDS, pointer: $0.baseAddress) }
  }

  func getLong(_ info: CURLINFO) -> Int {
    var value = 0
    _ = aasa_curl_get_long(handle, info, &value)
    return value
  }

  func getSize(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    _ = aasa_curl_get_size(handle, info, &value)
    return Int(value)
  }
}

/// libcurl's callback for content. Returning anything but the number of bytes ends the transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  // Sound: `context` is that of the transfer. The `size * count` bytes are valid during the call.
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
    ? size * count : 0
}
