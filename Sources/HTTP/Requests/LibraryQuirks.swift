import CMicroHTTPD
import Glibc

// Unexpected behavior of libmicrohttpd, and where this module deals with it. All of it was observed
// in version 0.9.75. Look here first when the version changes: each line names the test that fails
// without the workaround, or that will show when it is no longer needed. All of them pass with 1.0.1 too,
// which needs `aasa_header_is_sound` only for names; docs/architecture.md says what else differs.
//
// | libmicrohttpd 0.9.75 … | here | test |
// |---|---|---|
// | decodes `%2F` and `%00` before the handler sees the target | `keepEscapes` | `ListenerTests.theHandlerGetsTheWholeRequest` |
// | hides what follows a NUL in the target | `hidesTarget` | `LimitTests.aNULInTheTargetIsABadRequest` |
// | keeps an entry for each query parameter, and neither answers nor closes a connection whose memory they fill | `joinParameters` | `LimitTests.anyNumberOfQueryParametersIsAnswered` |
// | writes the answer's header into the memory that the request's header has left, and closes without an answer where that is too little | `ConnectionMemory` | `LimitTests.aLargerHeaderIsAnswered431` |
// | leaves some long targets without an answer | `DirectHandler.takeTarget` | `LimitTests.aTargetOfAnyLengthIsAnswered` |
// | looks at the first Content-Length only, and prefers Transfer-Encoding | `BodyFraming`, `DirectFields` | `ListenerTests.anUnusableRequestIsRefusedBeforeTheHandler` |
// | leaves blanks at the end of a field's value | `trimmingEnd` | `ListenerTests.theHandlerGetsTheWholeRequest` |
// | closes the connection if the answer is queued at the first call | `RequestCycle` | `ServingTests.aConnectionServesSeveralRequestsAlsoPipelined` |
// | accepts no answer between two pieces of a body | `sendLast` | `HTTPTests/AbuseTests.aChunkedBodyWithoutEndIsAnswered413` |
// | drops the header when a request ends before its last call | `DirectHandler.found` | `WellKnownTests/AbuseTests.aRequestThatEndsEarlyLeavesNothingToTheNext` |
// | resets a connection that it closes while the client sends | `LingeringConnections` | `LimitTests.aClientThatIsStillSendingSeesThatItIsRefused` |
// | closes silent connections only, not those that send bytes very slowly | `OpenConnections` | `WellKnownTests/AbuseTests.aClientThatDripsIsDisconnectedAlthoughItIsNeverIdle` |
// | leaves connections that wait in the kernel's queue to be reset when it stops listening | `Daemon.quiesce` | `DrainTests.connectionsMadeDuringShutdownAreAnsweredOrRefused` |
// | resets connections beyond its limit | `OpenConnections.acceptLimit` | `CrowdTests.aProbeIsAnsweredWhenAllConnectionsAreBusyAndMoreWait` |
// | calls GnuTLS without a pause while a handshake waits for the client | `SessionSocket` | `SecureServerTests.stalledHandshakesUseNoProcessorAndKeepNobodyWaiting` |
// | closes without an alert where no certificate is chosen | `chooseCertificate` | `HTTPSTests.withoutADefaultAnUnknownNameIsRefusedWithItsAlert` |
// | with `MHD_USE_TURBO`, ends TLS connections without `close_notify`, and others without a FIN while any process still holds the socket | not used | `HTTPSTests.theLastAnswerOfAConnectionIsFollowedByCloseNotify` |
// | closes the connection after a 304 without Content-Length | a 304 says the document's length | `ConditionTests.aRequestThatHasTheDocumentIsAnswered304WithoutABody` |
// | sends the end of a chunked body as an answer to HEAD | `ResponseStream` | `BodyTests.theAnswerToHEADHasNoPartOfAStream` |
// | misses the end of the client's half if it comes with the request, and closes after the idle time | `noticeEndedSending` | `ServingTests.aClientThatHasEndedItsSendingIsAnsweredAndClosed` |
// | accepts blanks before a colon, folded lines, bare CR and LF and names that are no tokens; ends a header at a line that begins with a colon or NUL. `MHD_OPTION_STRICT_FOR_CLIENT` 1 refuses none of them, -1 the blanks only | `aasa_header_is_sound`. A line of a colon or NUL and a bare LF cannot be told from the end | `MalformedRequestTests.aMalformedRequestIsAnswered400OnceAndNothingAfterIt` |
// | accepts bare LF in chunks, and ends trailers like headers | nothing follows a chunked body | `MalformedRequestTests.nothingIsAnsweredAfterAChunkedBody` |
// | sends its own answers to a bad Content-Length or too many cookies with two headers | `aasa_ignore_content_length`, `aasa_take_errors` | `MalformedRequestTests.whatTheLibraryFindsTooLargeIsAnsweredOnce` |
// | takes a line that begins with NUL for an empty one before a request | nothing | `LimitTests.garbageEndsTheConnectionAndNothingElse` |
// | does not tell, when it fails to start, whether it has closed the socket | `Daemon.init` leaves it open | none |

/// Leaves targets as they are. An unescape callback that does nothing.
func keepEscapes(
  _: UnsafeMutableRawPointer?, _: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
  text.map { strlen($0) } ?? 0
}

/// What stands for an ampersand in the memory of a connection. No URL has it.
private let joinedAmpersand = CChar(1)

/// Joins a target's whole query into one parameter, in the connection's own memory, before
/// libmicrohttpd splits it. This module never reads its parameters; `DirectRequest.readQuery` undoes it.
///
/// - Parameter target: The argument of the URI log callback.
func joinParameters(of target: UnsafePointer<CChar>) {
  // Sound: libmicrohttpd itself writes to this memory later. The text ends with NUL, and no other
  // byte becomes NUL.
  guard let query = strchr(UnsafeMutablePointer(mutating: target), CInt(UInt8(ascii: "?"))) else {
    return
  }
  var next = strchr(query, CInt(UInt8(ascii: "&")))
  while let separator = next {
    separator.pointee = joinedAmpersand
    next = strchr(separator, CInt(UInt8(ascii: "&")))
  }
}

extension ArrivingRequest {
  /// The memory between the `?` and the blank before the version, where libmicrohttpd has changed the query.
  ///
  /// - Parameter path: The length of the target up to its `?`.
  func changedQuery(behind path: Int) -> UnsafeRawBufferPointer {
    let all = version - url - 1
    return all > path
      ? UnsafeRawBufferPointer(start: url + path + 1, count: all - path - 1)
      : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Whether a NUL or a blank is in the target, between `url` and the blank before the version.
  ///
  /// - Parameter bytes: The length of the target up to a NUL or a blank.
  func hidesTarget(ofBytes bytes: Int) -> Bool { version - url - 1 != bytes }
}

extension DirectRequest {
  /// Calls `body` with the query as it was written, without its question mark; empty if there is none.
  func readQuery<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeTemporaryAllocation(byteCount: changedQuery.count, alignment: 1) { query in
      for (index, byte) in changedQuery.enumerated() {
        // libmicrohttpd ends the name of the one parameter with NUL, and reads a plus sign as a blank.
        query[index] =
          switch byte {
          case 0: UInt8(ascii: "=")
          case UInt8(ascii: " "): UInt8(ascii: "+")
          case UInt8(bitPattern: joinedAmpersand): UInt8(ascii: "&")
          default: byte
          }
      }
      return body(UnsafeRawBufferPointer(query))
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Without blanks at the end.
  var trimmingEnd: UnsafeRawBufferPointer {
    var count = count
    while count > 0 && (self[count - 1] == 0x20 || self[count - 1] == 0x09) { count -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[..<count])
  }
}

/// Where a request's body ends, by its header (RFC 9112 section 6).
struct BodyFraming {
  /// The announced length.
  let contentLength: UInt64?
  let isChunked: Bool
  /// Why the end is not clear. Requests are smuggled where two servers read two lengths (RFC 9112 section
  /// 11.2).
  let problem: Refusal.Reason?

  var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }

  init(_ fields: Fields) {
    let lengths = fields.values(of: "Content-Length")
    let codings = fields.values(of: "Transfer-Encoding")
    contentLength = lengths.first.flatMap { UInt64($0) }
    isChunked = !codings.isEmpty
    problem =
      if codings.isEmpty {
        lengths.count > 1 ? .malformedHeader("The request has more than one Content-Length.") : nil
      } else if !lengths.isEmpty {
        .malformedHeader("The request has both Content-Length and Transfer-Encoding.")
      } else if codings.count > 1 || !codings[0].equalsIgnoringASCIICase("chunked") {
        .unknownTransferCoding
      } else {
        nil
      }
  }
}

/// The memory of a connection, which a request's header and its answer's header share.
struct ConnectionMemory {
  /// The largest request header, in bytes.
  let headerLimit: Int
  /// The memory per connection. libmicrohttpd clears all of it after each request, so its size
  /// costs time. Half of it holds received data; the rest holds an entry per field and a copy of
  /// cookies.
  var bytes: Int { 4 * headerLimit }

  /// The memory to leave for an answer's header.
  private static let answerBytes = 640
  /// The memory that libmicrohttpd needs per field, besides its text.
  private static let bytesPerField = 64

  /// Whether a request's header is within the limit and leaves room for an answer. Many small fields need
  /// more room than their text.
  func holds(_ request: borrowing DirectRequest) -> Bool {
    let head = aasa_head_size(request.connection)
    if head > headerLimit { return false }
    // Not even fields of one byte each would need too much.
    if head * (Self.bytesPerField + 2) + Self.answerBytes + Self.bytesPerField <= bytes {
      return true
    }
    let fields = Int(aasa_value_count(request.connection))
    let used = head + request.fields.cookieBytes + fields * Self.bytesPerField
    return used + Self.answerBytes <= bytes
  }

  /// The memory that a request leaves for the header of its answer.
  func room(besides request: borrowing DirectRequest) -> Int {
    bytes - aasa_head_size(request.connection) - request.fields.cookieBytes
      - (Int(aasa_value_count(request.connection)) + 1) * Self.bytesPerField
  }

  /// Whether a target may be part of a header within the limit.
  func holds(targetOf bytes: Int) -> Bool { bytes <= headerLimit }
}

extension Response {
  /// The bytes of the message as the last one of its connection, for `sendLast`. It has no Date, and no
  /// body if that is a stream.
  var lastBytes: [UInt8] {
    let reason = MHD_get_reason_phrase_for(UInt32(status.code)).map { String(cString: $0) } ?? ""
    var head = "HTTP/1.1 \(status.code) \(reason)\r\n"
    for field in fields.all { head += "\(field)\r\n" }
    head += "Connection: close\r\nContent-Length: \(bytes.count)\r\n\r\n"
    return Array(head.utf8) + bytes
  }
}

/// Sends the bytes of an answer, like `send`. No other part of an answer may have been sent.
func sendLast(_ bytes: [UInt8], on connection: OpaquePointer) {
  send(bytes, on: connection)
  endTLS(connection)
  // libmicrohttpd must not send anything further for such a request.
  shutdown(aasa_socket(connection), CInt(SHUT_WR))
}

/// Makes libmicrohttpd see that a client has ended its sending. It misses the end if that comes with the
/// request, and would keep the connection until the idle time is over.
func noticeEndedSending(_ descriptor: CInt) {
  if aasa_client(descriptor) == AASA_CLIENT_ENDED_SENDING { shutdown(descriptor, CInt(SHUT_RD)) }
}

/// Sends bytes, bypassing libmicrohttpd, as many as the connection accepts without waiting.
func send(_ bytes: [UInt8], on connection: OpaquePointer) {
  if sendInTLS(bytes, on: connection) { return }
  // Sound: the pointer is used during the call only.
  _ = bytes.withUnsafeBytes {
    send(
      aasa_socket(connection), $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
  }
}
