import CCurl
import Glibc
import HTTP

/// A request to another machine, which collects the answer. Only the thread of `Transfers` uses it.
final class FetchTransfer: Transfer {
  /// A request with what waits for it.
  struct Job: Sendable {
    let request: FetchRequest
    let continuation: CheckedContinuation<Fetch, Never>
    let start = ContinuousClock.now

    init(_ request: FetchRequest, _ continuation: CheckedContinuation<Fetch, Never>) {
      self.request = request
      self.continuation = continuation
    }
  }

  /// The limit of a header, in bytes.
  private static let headerLimit = 65_536

  private let job: Job
  private let policy: Fetcher.Policy
  /// What a refused certificate made of the request. This transfer only reads the chain.
  private let refused: (code: Int, words: String)?
  private var proxy: String?
  private var answer = Fetch.Answer()
  private var headerBytes = 0
  private var isHeaderComplete = false
  /// The first address that the policy refused.
  private var refusedAddress: IPAddress?
  /// Of a lookup: those that it allows.
  private var addresses: [IPAddress] = []
  private var hasAddress = false

  init(_ job: Job, _ policy: Fetcher.Policy, refused: (code: Int, words: String)? = nil) {
    self.job = job
    self.policy = policy
    self.refused = refused
  }

  /// Sets the options. Returns the handle, or nil if the request has already ended.
  func prepare() -> UnsafeMutableRawPointer? {
    guard let handle else {
      finish(.failure(.connection("libcurl has no memory")))
      return nil
    }
    switch Destination(job.request, policy) {
    case .refused(let failure):
      finish(.failure(failure))
      return nil
    case .allowed(let place, let isName):
      proxy = isName ? policy.proxy : nil
      setOptions(place)
      if let refusal {
        finish(.failure(.url(String(cString: curl_easy_strerror(refusal)))))
        return nil
      }
      return handle
    }
  }

  private func setOptions(_ place: Fetcher.Place?) {
    let request = job.request
    let elapsed = Int((.now - job.start) / .milliseconds(1))
    set(CURLOPT_URL, request.url)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_USERAGENT, request.agent)
    set(CURLOPT_ACCEPT_ENCODING, "")
    set(CURLOPT_PROXY, proxy ?? "")
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_TIMEOUT_MS, max(1, request.milliseconds - elapsed))
    set(CURLOPT_CONNECTTIMEOUT_MS, max(1, request.milliseconds - elapsed))
    // Without it, a resolver that hangs would block this thread.
    set(CURLOPT_QUICK_EXIT, 1)
    // A connection of its own, because libcurl does not know the certificate of a used one.
    set(CURLOPT_FRESH_CONNECT, request.usesPlaces ? 1 : 0)
    set(CURLOPT_FORBID_REUSE, request.usesPlaces ? 1 : 0)
    set(CURLOPT_CERTINFO, request.readsCertificate || refused != nil ? 1 : 0)
    // Without a file, OpenSSL looks the system's authorities up in the directory, one by one when it needs
    // them. Reading the file of all for each connection takes 20 ms and 1 MB.
    set(CURLOPT_CAINFO, pointer: nil)
    if let authorities = policy.authorities { set(CURLOPT_CAINFO, authorities) }
    set(CURLOPT_CAPATH, "/etc/ssl/certs")
    if refused != nil {
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
      set(CURLOPT_CONNECT_ONLY, 1)
    }
    if let place {
      set(CURLOPT_CONNECT_TO, ["::\(place.addressAndPort)" + (place.port == nil ? ":" : "")])
    }
    set(CURLOPT_CUSTOMREQUEST, request.method)
    if let body = request.body { set(body: body) }
    // libcurl would wait for a 100 before it sends a long body.
    set(CURLOPT_HTTPHEADER, request.fields.map { "\($0.name): \($0.value)" } + ["Expect:"])
    note(aasa_curl_set_header_reader(handle, receiveHeader))
    set(CURLOPT_HEADERDATA, pointer: context)
    note(aasa_curl_set_socket_opener(handle, openSocket))
    set(CURLOPT_OPENSOCKETDATA, pointer: context)
  }

  override func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if answer.body.isEmpty, let length = answer["Content-Length"].flatMap(UInt.init) {
      answer.body.reserveCapacity(Int(min(length, UInt(job.request.bytes))))
    }
    let room = job.request.bytes - answer.body.count
    answer.body.append(contentsOf: bytes.prefix(room))
    answer.isCut = bytes.count > room
    return !answer.isCut
  }
}

// What libcurl calls.
extension FetchTransfer {
  /// Takes a line of the header; `false` to end the transfer.
  fileprivate func takeLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    let line = bytes.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    if line.starts(with: "HTTP/".utf8) {
      // An interim response (RFC 9110 section 15.2) has a header of its own.
      (answer.fields, isHeaderComplete) = ([], false)
    } else if line.isEmpty {
      // Trailers follow the content.
      isHeaderComplete = true
    } else if !isHeaderComplete, let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      answer.fields.append(
        (
          name: String(decoding: line[..<colon], as: UTF8.self),
          value: String(decoding: value, as: UTF8.self)
        ))
    }
    return headerBytes <= Self.headerLimit
  }

  /// Opens a socket for an address if the policy allows it. This is the very address that libcurl connects to,
  /// so a name that has another address each time cannot get around the policy.
  fileprivate func open(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    hasAddress = true
    let numeric = Self.numeric(address)
    let isOnWebPort =
      Destination.port(of: job.request.url).map(Destination.webPorts.contains) == true
    let isAllowed = numeric.map { address in
      let isAllowed =
        proxy != nil || address.isPublic && (isOnWebPort || !address.isOwnAddress)
        || policy.allowedAddresses.contains { $0.contains(address) }
      if !isAllowed && refusedAddress == nil { refusedAddress = address }
      return isAllowed
    }
    guard isAllowed == true, let numeric else { return curl_socket_t(-1) }
    if job.request.isLookup {
      // libcurl goes on with the next address.
      if !addresses.contains(numeric) { addresses.append(numeric) }
      return curl_socket_t(-1)
    }
    return socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol)
  }
}

// The end of a transfer.
extension FetchTransfer {
  private static func numeric(_ address: UnsafePointer<curl_sockaddr>) -> IPAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let size = Int(NI_MAXHOST)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { text in
      // Sound: the address is as long as libcurl says, longer than `sockaddr` for IPv6, so it is read where it
      // is. The text has its size, and the call ends it with NUL.
      let code = getnameinfo(
        UnsafeRawPointer(address).advanced(by: offset).assumingMemoryBound(to: sockaddr.self),
        address.pointee.addrlen, text.baseAddress, socklen_t(size), nil, 0, NI_NUMERICHOST)
      return code == 0 ? text.baseAddress.flatMap { IPAddress(String(cString: $0)) } : nil
    }
  }

  /// Ends the request, or returns the transfer that finds out what is wrong with the certificate.
  func end(_ code: CURLcode) -> FetchTransfer? {
    if let refused {
      let certificate = certificate()
      let fault = TLSFinding(verification: refused.code, chain: chain).fault
      finish(.failure(.tls(fault, refused.words)), certificate)
      return nil
    }
    // Versions of libcurl spell it differently.
    let words =
      code == CURLE_COULDNT_CONNECT
      ? "Could not connect to server" : String(cString: curl_easy_strerror(code))
    if code == CURLE_PEER_FAILED_VERIFICATION {
      return FetchTransfer(job, policy, refused: (getLong(CURLINFO_SSL_VERIFYRESULT), words))
    }
    finish(result(code, words), certificate())
    return nil
  }

  private func result(
    _ code: CURLcode, _ words: String
  ) -> Result<Fetch.Answer, Fetch.Failure> {
    let status = getLong(CURLINFO_RESPONSE_CODE)
    if code == CURLE_OK || code == CURLE_WRITE_ERROR && answer.isCut {
      answer.status = status
      answer.redirect = aasa_curl_get_string(handle, CURLINFO_REDIRECT_URL).map {
        String(cString: $0)
      }
      return .success(answer)
    }
    if headerBytes > Self.headerLimit { return .failure(.header) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .failure(.name(words))
    case CURLE_OPERATION_TIMEDOUT: return .failure(.timeout(phase))
    case CURLE_SSL_CACERT_BADFILE:
      return .failure(
        .connection("Cannot read the certificate authorities in \(policy.authorities ?? "")"))
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER:
      return .failure(.tls(.other, words))
    // The scheme was checked before.
    case CURLE_UNSUPPORTED_PROTOCOL:
      return .failure(.connection("The server does not speak HTTP"))
    // What libcurl before 8.6 says of a line of the header over 100 KB.
    case CURLE_OUT_OF_MEMORY: return .failure(.header)
    case CURLE_URL_MALFORMAT: return .failure(.url(words))
    default:
      if let refusedAddress, primaryAddress == nil {
        return .failure(.privateAddress(refusedAddress.description))
      }
      let isRoute =
        code == CURLE_COULDNT_CONNECT
        && [ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL].contains(
          Int32(getLong(CURLINFO_OS_ERRNO)))
      let all = withSystemError(words)
      return .failure(isRoute ? .route(all) : .connection(all))
    }
  }

  /// What the request waits for.
  private var phase: Fetch.Phase {
    if headerBytes > 0 { return .rest }
    let tunnel = getLong(CURLINFO_HTTP_CONNECTCODE)
    if proxy != nil, job.request.url.lowercased().hasPrefix("https:"), tunnel != 200 {
      return .proxy
    }
    // CURLINFO_CONNECT_TIME stays 0 while a handshake hangs.
    if primaryAddress == nil { return hasAddress ? .connection : .lookup }
    return getSize(CURLINFO_PRETRANSFER_TIME_T) > 0 ? .answer : .handshake
  }

  /// The words, with those of the system, such as "Connection refused".
  private func withSystemError(_ words: String) -> String {
    let code = getLong(CURLINFO_OS_ERRNO)
    return code == 0 ? words : "\(words): \(String(cString: strerror(Int32(code))))"
  }

  private var primaryAddress: String? {
    aasa_curl_get_string(handle, CURLINFO_PRIMARY_IP).map { String(cString: $0) }
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  private func finish(
    _ result: Result<Fetch.Answer, Fetch.Failure>, _ certificate: ServerCertificate? = nil
  ) {
    var fetch = Fetch()
    fetch.result = result
    fetch.address = primaryAddress
    fetch.port = getLong(CURLINFO_PRIMARY_PORT)
    fetch.addresses = addresses
    fetch.certificate = certificate
    fetch.milliseconds = Int((.now - job.start) / .milliseconds(1))
    job.continuation.resume(returning: fetch)
  }

  private func certificate() -> ServerCertificate? { ServerCertificate(chain) }

  /// The certificates that the server sent, each as the lines that libcurl makes of it.
  private var chain: [[String]] {
    guard let info = aasa_curl_get_certificates(handle)?.pointee else { return [] }
    // Sound: libcurl keeps the lists as long as the handle, and their texts are copied here.
    return (0..<Int(info.num_of_certs)).map { index in
      var lines: [String] = []
      var line = info.certinfo[index]
      while let current = line {
        if let data = current.pointee.data { lines.append(String(cString: data)) }
        line = current.pointee.next
      }
      return lines
    }
  }
}

/// The transfer that a callback is for.
private func transfer(_ context: UnsafeMutableRawPointer?) -> FetchTransfer? {
  // Sound: only `setOptions` passes these callbacks, and the context of its transfer.
  context.map { Unmanaged<FetchTransfer>.fromOpaque($0).takeUnretainedValue() }
}

/// libcurl's callback for a line of the header.
private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let transfer = transfer(context) else { return 0 }
  // Sound: the `size * count` bytes are valid during the call.
  return transfer.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
    ? size * count : 0
}

/// libcurl's callback that opens a socket.
private func openSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address, let transfer = transfer(context) else { return curl_socket_t(-1) }
  return transfer.open(address)
}
