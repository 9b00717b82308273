public import HTTP

/// A domain's file as it is served: the answers to all requests for it, ready to be sent. One
/// document may be served for many names.
public final class ServedDocument: Sendable {
  let full: PreparedResponse
  let notModified: PreparedResponse
  let validators: Validators
  let fetches = DocumentFetches()
  private let domain: Int64
  private let revision: Int

  /// Builds the answers.
  ///
  /// - Parameters:
  ///   - content: The file's bytes; documents with equal ones may share them.
  ///   - digest: The SHA-256 of the bytes in hexadecimal, from which the strong ETag is made.
  ///   - publishedAt: When the file was published, in seconds since 1970.
  ///   - cacheSeconds: For how long it may be kept (RFC 9111 section 5.2.2.1, `max-age`).
  ///   - domain: The row of the domain, for which fetches are counted.
  ///   - revision: The number of the revision, for which fetches are counted.
  /// - Throws: `PreparedResponse.Failure`, of which `invalidField` means a digest that is not one.
  public init(
    content: Content, digest: String, publishedAt: Int64, cacheSeconds: Int, domain: Int64,
    revision: Int
  ) throws(PreparedResponse.Failure) {
    let modified = HTTPDate(seconds: publishedAt)
    guard digest.utf8.count == 64, digest.utf8.allSatisfy(Self.isHexadecimal) else {
      throw .invalidField("ETag")
    }
    let tag = "\"\(digest)\""
    let common = [
      Field("ETag", tag), Field("Last-Modified", modified.description),
      Field("Cache-Control", "public, max-age=\(max(0, cacheSeconds))"),
    ]
    full = try PreparedResponse(
      .ok,
      fields: Fields(
        [Field("Content-Type", "application/json")] + common
          + [Field("X-Content-Type-Options", "nosniff")]), content: content)
    notModified = try PreparedResponse(.notModified, fields: Fields(common), content: .empty)
    validators = Validators(entityTag: tag, lastModified: modified)
    self.domain = domain
    self.revision = revision
  }

  func takeFetches() -> FetchCounts {
    FetchCounts(domain: domain, revision: revision, fetches.take())
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
