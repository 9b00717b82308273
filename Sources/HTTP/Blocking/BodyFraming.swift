/// Where a request's body ends, by its header (RFC 9112 section 6).
struct BodyFraming {
  /// The announced length.
  let contentLength: UInt64?
  let isChunked: Bool
  /// Why the end cannot be told. libmicrohttpd looks at the first field of a name only, and prefers
  /// Transfer-Encoding: two opinions are how requests are smuggled (RFC 9112 section 11.2).
  let problem: Refusal.Reason?

  var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }

  init(_ fields: Fields) {
    let lengths = fields.values(of: "Content-Length")
    let codings = fields.values(of: "Transfer-Encoding")
    contentLength = lengths.first.flatMap { UInt64($0) }
    isChunked = !codings.isEmpty
    problem =
      if codings.isEmpty {
        lengths.count > 1 ? .malformedHeader("There is more than one Content-Length.") : nil
      } else if !lengths.isEmpty {
        .malformedHeader("There is both a Content-Length and a Transfer-Encoding.")
      } else if codings.count > 1 || !codings[0].equalsIgnoringASCIICase("chunked") {
        .unknownTransferCoding
      } else {
        nil
      }
  }
}
