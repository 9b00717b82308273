import CMicroHTTPD
import Glibc

/// A request as it lies in the connection's buffer: nothing is copied, so nothing of it may be kept
/// after the handler returns.
public struct DirectRequest: ~Copyable {
  /// What makes a request unusable, whatever it asks for.
  public enum Fault: Sendable {
    /// There is a NUL in the target: 400.
    case malformedTarget
    /// The header is not clear about where the body ends (RFC 9112 section 6.3): 400.
    case unclearLength
  }

  /// Proof that an answer was queued, which a handler owes.
  public struct Queued {
    let result: MHD_Result
  }

  let connection: OpaquePointer
  /// The method's bytes.
  public let method: UnsafeRawBufferPointer
  /// The target as written, up to its first `?`.
  public let target: UnsafeRawBufferPointer
  /// Whether the version is HTTP/1.0.
  public let isVersion10: Bool
  /// The fields that the public listener looks at.
  public let fields: DirectFields
  /// What makes the request unusable; nil if nothing does.
  public let fault: Fault?

  // Sound: libmicrohttpd ends its strings with NUL and keeps them during the call.
  init(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>, targetBytes: Int, fields: DirectFields
  ) {
    self.connection = connection
    self.method = UnsafeRawBufferPointer(start: method, count: strlen(method))
    target = UnsafeRawBufferPointer(start: url, count: strlen(url))
    // "HTTP/1.x" is all that libmicrohttpd lets through.
    isVersion10 = version[7] == CChar(bitPattern: UInt8(ascii: "0"))
    self.fields = fields
    fault =
      if version - url - 1 != targetBytes {
        // The target lies between `url` and the space before the version; a NUL hides its rest.
        .malformedTarget
      } else if fields.isLengthUnclear {
        .unclearLength
      } else {
        nil
      }
  }

  /// The client's address, or a proxy's; nil if the connection has none.
  public var peer: IPAddress? { peerAddress(of: connection) }

  /// Queues an answer. The response may go out of use while it is still being sent.
  public func answer(_ response: borrowing PreparedResponse) -> Queued {
    Queued(result: response.queue(on: connection))
  }

  /// Queues an answer that is made when it is first asked for; `nil` if there is no memory for it.
  ///
  /// - Parameters:
  ///   - limit: How many are kept together with others, where the owner of the answer gives its place
  ///     back at the end, if it `isKept`. Beyond it the answer is made for this request.
  ///   - make: Makes the response, always the same one, with the status.
  public func answer(
    _ status: Status, _ response: borrowing LazyResponse, within limit: KeptResponses? = nil,
    _ make: () throws(PreparedResponse.Failure) -> PreparedResponse
  ) -> Queued? {
    response.withReference(within: limit, make) { reference in
      Queued(result: reference.queue(status, on: connection))
    }
  }

  /// Whether any line of a field satisfies a condition; for fields of which `fields` knows that
  /// there are several lines.
  public func anyLine(
    of name: StaticString, satisfies condition: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    withoutActuallyEscaping(condition) { condition in
      var search = LineSearch(name: name, condition: condition)
      withUnsafeMutablePointer(to: &search) {
        _ = MHD_get_connection_values_n(connection, .HEADER_KIND, searchLine, $0)
      }
      return search.isFound
    }
  }
}

private struct LineSearch {
  let name: StaticString
  let condition: (UnsafeRawBufferPointer) -> Bool
  var isFound = false
}

private func searchLine(
  _ search: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ nameBytes: Int, _ value: UnsafePointer<CChar>?, _ valueBytes: Int
) -> MHD_Result {
  guard let name, let search = search?.assumingMemoryBound(to: LineSearch.self) else { return .YES }
  // Sound: `anyLine` passes a pointer to its variable and waits for this call.
  let wanted = search.pointee.name
  guard wanted.utf8CodeUnitCount == nameBytes,
    strncasecmp(name, UnsafeRawPointer(wanted.utf8Start), nameBytes) == 0
  else { return .YES }
  let line = UnsafeRawBufferPointer(start: value, count: valueBytes).trimmingEnd
  search.pointee.isFound = search.pointee.condition(line)
  return search.pointee.isFound ? .NO : .YES
}
