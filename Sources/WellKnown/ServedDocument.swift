public import HTTP
import Synchronization

/// A domain's file as it is served: the answers to all requests for it, ready to be sent. One
/// document may be served for many names.
public final class ServedDocument: Sendable {
  let full: PreparedResponse
  /// The address of the answer 304, retained; 0 until it is asked for. For most of many documents
  /// nobody does, and it takes a fifth of the memory of a small one.
  private let notModified = Atomic<UInt>(0)
  private let cacheSeconds: Int
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
    var digest = digest
    guard digest.withUTF8({ $0.count == 64 && $0.allSatisfy(Self.isHexadecimal) }) else {
      throw .invalidField("ETag")
    }
    let tag = "\"\(digest)\""
    self.cacheSeconds = max(0, cacheSeconds)
    full = try PreparedResponse(
      .ok,
      fields: Fields(
        [Field("Content-Type", "application/json"), Field("ETag", tag)]
          + [Field("Last-Modified", modified.description), Self.cacheControl(self.cacheSeconds)]
          + [Field("X-Content-Type-Options", "nosniff")]), content: content)
    // Sound: the response lives as long as the document.
    guard let entityTag = full.value(of: "ETag") else { throw .outOfResources }
    validators = Validators(entityTag: entityTag, lastModified: modified)
    self.domain = domain
    self.revision = revision
  }

  deinit {
    // Sound: this is the reference that `makeNotModified` retained.
    if let pointer = UnsafeRawPointer(bitPattern: notModified.load(ordering: .acquiring)) {
      Unmanaged<SharedResponse>.fromOpaque(pointer).release()
    }
  }

  /// Calls `body` with the answer 304; without it if there is no memory for it, when the document itself
  /// is a right answer, too.
  func withNotModified<Result>(_ body: (SharedResponse?) -> Result) -> Result {
    // Sound: the document keeps its reference until its end.
    if let pointer = UnsafeRawPointer(bitPattern: notModified.load(ordering: .acquiring)) {
      return Unmanaged<SharedResponse>.fromOpaque(pointer)._withUnsafeGuaranteedRef { body($0) }
    }
    return body(makeNotModified())
  }

  /// Several threads may make one at the same time; the first is kept.
  private func makeNotModified() -> SharedResponse? {
    // What a 304 has to say; the date is not needed where there is a tag (RFC 9110 section 15.4.5).
    let fields = [Field("ETag", validators.entityTagText), Self.cacheControl(cacheSeconds)]
    do throws(PreparedResponse.Failure) {
      let response = SharedResponse(
        try PreparedResponse(.notModified, fields: Fields(fields), content: .empty))
      let reference = Unmanaged.passRetained(response)
      let isKept = notModified.compareExchange(
        expected: 0, desired: UInt(bitPattern: reference.toOpaque()),
        ordering: .acquiringAndReleasing
      ).exchanged
      if !isKept { reference.release() }
      return response
    } catch {
      return nil
    }
  }

  private static func cacheControl(_ seconds: Int) -> Field {
    Field("Cache-Control", "public, max-age=\(seconds)")
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

/// A response with a count of references.
final class SharedResponse: Sendable {
  let response: PreparedResponse

  init(_ response: consuming PreparedResponse) { self.response = response }
}
