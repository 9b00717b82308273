public import HTTP
import Synchronization

/// A domain's file as it is served, with the answers to all requests for it. One document may be served
/// for many names.
public final class ServedDocument: Sendable {
  // What a request needs comes first, so that it lies in one line of the processor's cache.
  private let full = LazyResponse()
  private let notModified = LazyResponse()
  let fetches = DocumentFetches()
  private let content: Content
  let validators: Validators
  // Small, since there may be many documents; and the content is not looked at for its size.
  private let cacheSeconds: Int32
  private let contentBytes: Int32
  /// The row of the domain.
  public let domain: Int64
  /// The number of the revision.
  public let revision: Int
  private let names = Mutex(NameHashes())

  /// The answers 304 that are kept. One is half a kilobyte and made in less than a microsecond, and
  /// nobody asks for most of many.
  private static let keptNotModified = KeptResponses(limit: 16_384)

  /// A document, whose answers are made when they are first wanted.
  ///
  /// - Parameters:
  ///   - content: The file's bytes; documents with equal ones may share them.
  ///   - digest: That of the bytes.
  ///   - publishedAt: When the file was published, in seconds since 1970.
  ///   - cacheSeconds: For how long it may be kept (RFC 9111 section 5.2.2.1, `max-age`).
  ///   - domain: The row of the domain, for which fetches are counted.
  ///   - revision: The number of the revision, for which fetches are counted.
  public init(
    content: Content, digest: DocumentDigest, publishedAt: Int64, cacheSeconds: Int, domain: Int64,
    revision: Int
  ) {
    self.content = content
    validators = Validators(digest: digest, lastModified: HTTPDate(seconds: publishedAt))
    self.cacheSeconds = max(0, Int32(clamping: cacheSeconds))
    contentBytes = Int32(clamping: content.count)
    self.domain = domain
    self.revision = revision
  }

  deinit {
    if notModified.isKept { Self.keptNotModified.giveBack() }
  }

  /// The size of the file, in bytes.
  public var bytes: Int { Int(contentBytes) }

  /// The hashes of all names that the document was ever put into a table under. A domain's names are not
  /// kept elsewhere: it is by them that they are found when the document goes.
  var nameHashes: [UInt64] { names.withLock { $0.all } }

  func add(nameHash hash: UInt64) { names.withLock { $0.add(hash) } }

  /// Where the bytes of the file lie in memory.
  var contentExtent: Extent { Extent(of: content) }
  /// Where the header of the answer 200 lies, once it is made.
  var fullExtent: Extent { full.extent }
  /// Where the header of the answer 304 lies, while it is kept.
  var notModifiedExtent: Extent { notModified.extent }

  /// Queues the answer 200; `nil` if there is no memory for it.
  func answer(_ request: borrowing DirectRequest) -> DirectRequest.Queued? {
    request.answer(.ok, full) { () throws(PreparedResponse.Failure) in
      let fields = [
        Field("Content-Type", "application/json"), entityTag,
        Field("Last-Modified", validators.lastModified.description), cacheControl,
        Field("X-Content-Type-Options", "nosniff"),
      ]
      return try PreparedResponse(.ok, fields: Fields(fields), content: content)
    }
  }

  /// Queues the answer 304; `nil` if there is no memory for it.
  func answerNotModified(_ request: borrowing DirectRequest) -> DirectRequest.Queued? {
    request.answer(.notModified, notModified, within: Self.keptNotModified) {
      () throws(PreparedResponse.Failure) in
      // What a 304 has to say; the date is not needed where there is a tag (RFC 9110 section 15.4.5).
      try PreparedResponse(.notModified, fields: [entityTag, cacheControl], content: .empty)
    }
  }

  private var entityTag: Field { Field("ETag", validators.digest.entityTag) }
  private var cacheControl: Field {
    Field("Cache-Control", "public, max-age=" + String(cacheSeconds))
  }

  func takeFetches() -> FetchCounts {
    FetchCounts(domain: domain, revision: revision, fetches.take())
  }
}

/// A few hashes, of which the first takes no memory of its own: most documents have one name.
private struct NameHashes {
  private var first: UInt64 = 0
  private var others: [UInt64] = []

  /// Perhaps with a 0 that is the hash of no name.
  var all: [UInt64] { [first] + others }

  mutating func add(_ hash: UInt64) {
    if first == 0 && hash != 0 { first = hash } else { others.append(hash) }
  }
}
