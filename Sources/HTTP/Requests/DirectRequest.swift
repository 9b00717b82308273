import CMicroHTTPD
import Glibc

/// A request in its connection's buffer. Nothing is copied, so nothing of it may be kept after the
/// handler returns.
package struct DirectRequest: ~Copyable {
  /// Why a request is unusable, regardless of its target.
  package enum Fault: Sendable {
    /// The header is malformed (RFC 9112 sections 2.2, 3, 5.1 and 5.2): 400.
    case malformedHeader
    /// The target contains a NUL: 400.
    case malformedTarget
    /// The header is not clear about where the body ends (RFC 9112 section 6.3): 400.
    case unclearLength
  }

  /// Proof that an answer was queued, which every handler must return.
  package struct Queued {
    let result: MHD_Result
  }

  let connection: OpaquePointer
  package let method: UnsafeRawBufferPointer
  /// The target as written, up to its first `?`.
  package let target: UnsafeRawBufferPointer
  /// The query, for `readQuery`.
  let changedQuery: UnsafeRawBufferPointer
  /// Whether the version is HTTP/1.0.
  package let isVersion10: Bool
  /// The fields that the public listener uses.
  package let fields: DirectFields
  /// Why the request is unusable; nil if it is not.
  package let fault: Fault?

  // Sound: libmicrohttpd ends its strings with NUL and keeps them during the call.
  init(_ request: ArrivingRequest, fields: DirectFields) {
    connection = request.connection
    method = UnsafeRawBufferPointer(start: request.method, count: strlen(request.method))
    target = UnsafeRawBufferPointer(start: request.url, count: strlen(request.url))
    changedQuery = request.changedQuery(behind: target.count)
    // libmicrohttpd refuses everything but "HTTP/1.x".
    isVersion10 = request.version[7] == CChar(bitPattern: UInt8(ascii: "0"))
    self.fields = fields
    fault =
      if !fields.isSound {
        .malformedHeader
      } else if request.hidesTarget(ofBytes: request.state.targetBytes) {
        .malformedTarget
      } else if fields.isLengthUnclear {
        .unclearLength
      } else {
        nil
      }
  }

  /// The client's address, or a proxy's; nil if the connection has none.
  package var peer: IPAddress? { peerAddress(of: connection) }

  /// Queues an answer. The response may be released while it is still being sent.
  package func answer(_ response: borrowing PreparedResponse) -> Queued {
    Queued(result: response.queue(on: connection))
  }

  /// Queues an answer that is built when it is first needed; `nil` if there is no memory for it.
  ///
  /// - Parameters:
  ///   - limit, make: See `LazyResponse.withResponse`.
  package func answer(
    _ status: Status, _ response: borrowing LazyResponse, within limit: ResponseCacheLimit? = nil,
    _ make: () throws(PreparedResponse.Failure) -> PreparedResponse
  ) -> Queued? {
    response.withResponse(within: limit, make) { response in
      Queued(result: MHD_queue_response(connection, UInt32(status.code), response))
    }
  }

  /// Whether any line of a field satisfies a condition. For fields that have several lines
  /// according to `fields`.
  package func anyLine(
    of wanted: StaticString, satisfies condition: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var isFound = false
    forEachField(of: connection) { name, value in
      guard let start = name.baseAddress, name.count == wanted.utf8CodeUnitCount,
        strncasecmp(start, UnsafeRawPointer(wanted.utf8Start), name.count) == 0
      else { return true }
      isFound = condition(value)
      return !isFound
    }
    return isFound
  }
}

/// Calls `body` with the name and the value of each line of a header, until it returns false. It may
/// allocate.
func forEachField(
  of connection: OpaquePointer,
  _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
) {
  typealias Body = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  withoutActuallyEscaping(body) { body in
    withUnsafePointer(to: body) { body in
      _ = MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { body, _, name, nameBytes, value, valueBytes in
          // Sound: the pointer is to the closure, which waits for this call.
          guard let body = body?.assumingMemoryBound(to: Body.self) else { return .NO }
          let name = UnsafeRawBufferPointer(start: name, count: nameBytes)
          let value = UnsafeRawBufferPointer(start: value, count: valueBytes).trimmingEnd
          return body.pointee(name, value) ? .YES : .NO
        }, UnsafeMutableRawPointer(mutating: body))
    }
  }
}

/// The fields of a header that decide how a document is answered, found in one pass. The bytes belong to
/// the connection.
package struct DirectFields {
  /// A field that should have one line, and its actual number of lines.
  package struct Line {
    /// The value of the first line, or of the last for forwarding fields, without surrounding white
    /// space.
    package private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The number of lines.
    package private(set) var count = 0

    fileprivate mutating func add(_ line: UnsafeRawBufferPointer) {
      if count == 0 { value = line.trimmingEnd }
      count += 1
    }

    /// Keeps the value of the last line.
    fileprivate mutating func addLast(_ line: UnsafeRawBufferPointer) {
      value = line.trimmingEnd
      count += 1
    }
  }

  package private(set) var host = Line()
  package private(set) var ifNoneMatch = Line()
  package private(set) var ifModifiedSince = Line()
  package private(set) var ifMatch = Line()
  package private(set) var ifUnmodifiedSince = Line()
  package private(set) var userAgent = Line()
  /// Whether there is an `X-Aasa-Check`, which a check from outside sends that asks as Apple's bot.
  package private(set) var isCheck = false
  /// `Forwarded` (RFC 7239): the last line, which the nearest proxy wrote
  package private(set) var forwarded = Line()
  /// `X-Forwarded-Host`: the last line, which the nearest proxy wrote
  package private(set) var forwardedHost = Line()
  /// After the line of `aasa_ignore_content_length`, which is "0".
  private var contentLength = Line()
  private var transferEncoding = Line()
  private var hasExpectation = false
  /// Whether the header is well-formed.
  let isSound: Bool
  /// The length of all Cookie fields, which libmicrohttpd copies.
  private(set) var cookieBytes = 0

  init(of request: ArrivingRequest) {
    isSound = aasa_header_is_sound(
      request.connection, request.method, request.url, request.version)
    withUnsafeMutablePointer(to: &self) {
      _ = MHD_get_connection_values_n(request.connection, .HEADER_KIND, takeField, $0)
    }
  }

  package var hasBody: Bool {
    transferEncoding.count > 0 || contentLength.value.contains { $0 != UInt8(ascii: "0") }
  }

  /// Whether another request may follow on the connection. No body is read: it is never wanted.
  var canBeFollowed: Bool { isSound && !hasBody && !hasExpectation && !isLengthUnclear }

  var isLengthUnclear: Bool {
    transferEncoding.count > 0 || contentLength.count > 2 || contentLength.value.isEmpty
      || !contentLength.value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  fileprivate mutating func take(
    _ name: UnsafePointer<CChar>, _ bytes: Int, _ value: UnsafeRawBufferPointer
  ) {
    let name = UnsafeRawPointer(name)
    // Eight bytes at a time, with the bit set that makes ASCII letters lower case: no other
    // character of a name becomes a letter or a hyphen. Sound: neither is read beyond its end.
    func isNamed(_ wanted: StaticString) -> Bool {
      let wanted = UnsafeRawPointer(wanted.utf8Start)
      var index = 0
      while index + 8 <= bytes {
        let eight = name.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if eight | 0x2020_2020_2020_2020
          != wanted.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        {
          return false
        }
        index += 8
      }
      while index < bytes {
        if name.load(fromByteOffset: index, as: UInt8.self) | 0x20
          != wanted.load(fromByteOffset: index, as: UInt8.self)
        {
          return false
        }
        index += 1
      }
      return true
    }
    switch bytes {
    case 4 where isNamed("host"): host.add(value)
    case 6 where isNamed("expect"): hasExpectation = true
    case 6 where isNamed("cookie"): cookieBytes += value.count
    case 8 where isNamed("if-match"): ifMatch.add(value)
    case 9 where isNamed("forwarded"): forwarded.addLast(value)
    case 10 where isNamed("user-agent"): userAgent.add(value)
    case 12 where isNamed("x-aasa-check"): isCheck = true
    case 13 where isNamed("if-none-match"): ifNoneMatch.add(value)
    case 14 where isNamed("content-length"): contentLength.addLast(value)
    case 16 where isNamed("x-forwarded-host"): forwardedHost.addLast(value)
    case 17 where isNamed("if-modified-since"): ifModifiedSince.add(value)
    case 17 where isNamed("transfer-encoding"): transferEncoding.add(value)
    case 19 where isNamed("if-unmodified-since"): ifUnmodifiedSince.add(value)
    default: break
    }
  }
}

private func takeField(
  _ fields: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ nameBytes: Int, _ value: UnsafePointer<CChar>?, _ valueBytes: Int
) -> MHD_Result {
  guard let name, let fields = fields?.assumingMemoryBound(to: DirectFields.self) else {
    return .YES
  }
  // Sound: the initializer passes a pointer to itself and waits for this call.
  fields.pointee.take(name, nameBytes, UnsafeRawBufferPointer(start: value, count: valueBytes))
  return .YES
}
