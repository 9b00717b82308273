import HTTP
import Testing

@Suite struct StatusTests {
  /// RFC 9110 and RFC 6585, as IANA lists them.
  private static let registered: [UInt16: String] = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 302: "Found",
    304: "Not Modified",
    400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    409: "Conflict", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 421: "Misdirected Request", 422: "Unprocessable Content",
    428: "Precondition Required", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
    507: "Insufficient Storage",
  ]

  @Test(arguments: Status.allCases)
  func everyStatusHasItsRegisteredReasonPhrase(status: Status) {
    #expect(status.reasonPhrase == Self.registered[status.code])
  }
}
