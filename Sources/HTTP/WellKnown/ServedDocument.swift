package import Association

/// A served document of a domain, for all of its names, with the answers to all requests for it.
package final class ServedDocument: Sendable {
  // The properties that a request needs come first, so that most of them share a cache line.
  private let full = LazyResponse()
  private let notModified = LazyResponse()
  /// The address of the content's bytes, kept here because reading the object itself would be one
  /// more cache miss. Sound: it is only prefetched.
  private nonisolated(unsafe) let body: UnsafeRawPointer?
  // Small, since there may be many documents. It also avoids reading the content only for its size.
  private let contentBytes: Int32
  private let cacheSeconds: Int32
  let fetches = DocumentFetches()
  // These fit into the padding behind the counts.
  package let kind: DocumentKind
  private let longestWildcard: UInt8
  private let revisionNumber: Int32
  let validators: Validators
  private let content: Content
  /// The domain's document of the next kind. The table of hosts has the first one.
  package let next: ServedDocument?
  /// The row of the domain.
  package let domain: Int64
  /// The names that it is served under, except those that another document has taken over.
  package let names: [HostKey]

  /// The limit for kept 304 answers. One takes half a kilobyte and less than a microsecond to
  /// build, and most documents never need one.
  private static let keptNotModified = ResponseCacheLimit(limit: 16_384)

  /// A document, whose answers are made when they are first needed.
  ///
  /// - Parameters:
  ///   - names: The names that it is served under.
  ///   - content: The file's bytes; documents with equal bytes may share them.
  ///   - digest: The SHA-256 of the bytes.
  ///   - publishedAt: When the file was published.
  ///   - cacheSeconds: How long caches may keep it (RFC 9111 section 5.2.2.1, `max-age`).
  ///   - domain: The row of the domain, for which fetches are counted.
  ///   - revision: The number of the revision, for which fetches are counted.
  ///   - kind: The kind.
  ///   - next: The domain's document of the next kind.
  package init(
    names: [Alias], content: Content, digest: DocumentDigest, publishedAt: UnixTime,
    cacheSeconds: Int, domain: Int64, revision: Int, kind: DocumentKind = .apple,
    next: ServedDocument? = nil
  ) {
    self.kind = kind
    self.next = next
    self.content = content
    body = content.address
    validators = Validators(digest: digest, lastModified: HTTPDate(seconds: publishedAt.seconds))
    self.cacheSeconds = max(0, Int32(clamping: cacheSeconds))
    contentBytes = Int32(clamping: content.count)
    self.domain = domain
    revisionNumber = Int32(clamping: revision)
    self.names = names.map { HostKey($0) }
    longestWildcard = UInt8(
      clamping: names.lazy.filter(\.isWildcard).map(\.labels).max() ?? 0)
  }

  /// What stands for a disabled domain: its names have no file, whatever wildcards others have.
  package convenience init(disabled names: [Alias], domain: Int64) {
    self.init(
      names: names, content: .empty, digest: .zero, publishedAt: 0, cacheSeconds: 0,
      domain: domain, revision: 0)
  }

  /// The document of a kind among this one and the next ones.
  func first(of kind: DocumentKind) -> ServedDocument? {
    var document = self
    while document.kind != kind {
      guard let next = document.next else { return nil }
      document = next
    }
    return document
  }

  /// Whether its domain is disabled. A file has at least one byte.
  package var isDisabled: Bool { contentBytes == 0 }

  deinit {
    if notModified.isKept { Self.keptNotModified.giveBack() }
  }

  /// The size of the file, in bytes.
  package var bytes: Int { Int(contentBytes) }

  /// The number of the revision.
  package var revision: Int { Int(revisionNumber) }

  /// The number of labels of the longest wildcard among the names.
  var wildcardLabels: Int { Int(longestWildcard) }

  /// Prefetches the memory that the answer most likely needs into the processor's caches. With many
  /// documents it is in none of them, and loading all lines at the same time is much faster than
  /// one by one.
  ///
  /// - Parameter isConditional: Whether the request has an entity tag, which is nearly always the
  ///   current one.
  func prefetchAnswer(isConditional: Bool) {
    if isConditional {
      notModified.prefetch()
    } else {
      full.prefetch()
      Content.prefetch(body, bytes: min(contentBytes, 1024))
    }
  }

  /// Queues the answer 200; `nil` if there is no memory for it.
  func answer(_ request: borrowing DirectRequest) -> DirectRequest.Queued? {
    request.answer(.ok, full) { () throws(PreparedResponse.Failure) in
      try PreparedResponse(
        .ok, fields: PublicAnswers.fields(validators, cacheSeconds: cacheSeconds),
        content: content)
    }
  }

  /// Queues the answer 304; `nil` if there is no memory for it.
  func answerNotModified(_ request: borrowing DirectRequest) -> DirectRequest.Queued? {
    request.answer(.notModified, notModified, within: Self.keptNotModified) {
      () throws(PreparedResponse.Failure) in
      try PreparedResponse(
        notModified: PublicAnswers.notModifiedFields(validators, cacheSeconds: cacheSeconds),
        contentBytes: bytes)
    }
  }

  func takeFetches() -> FetchCounts {
    FetchCounts(domain: domain, revision: revision, kind: kind, fetches.take())
  }
}

extension Alias {
  fileprivate var labels: Int { name.text.utf8.count { $0 == UInt8(ascii: ".") } + 1 }
}
