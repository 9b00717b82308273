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
  let kindIndex: UInt8
  private let longestWildcard: UInt8
  private let revisionNumber: Int32
  let validators: Validators
  private let content: Content
  /// The domain's document of the next kind. The table of hosts has the first one.
  package let next: ServedDocument?
  /// The row of the domain.
  package let domain: Int64
  /// What people without an app get. The domain's first document has it.
  let fallback: AnswersForPeople?
  /// The names that it is served under, except those that another document has taken over.
  package let names: HostKeys
  /// What only documents that are not rendered, and redirects, have.
  private let named: Named?

  /// What makes a named document, or a redirect. On its own, since most documents are rendered.
  package final class Named: Sendable {
    fileprivate let name: DocumentName
    fileprivate let mediaType: MediaType
    fileprivate let expiresAt: UnixTime?
    fileprivate let location: SecureURL?

    /// A document.
    ///
    /// - Parameter expiresAt: When it ends by what it says.
    package init(_ name: DocumentName, _ mediaType: MediaType, expiresAt: UnixTime? = nil) {
      (self.name, self.mediaType, self.expiresAt) = (name, mediaType, expiresAt)
      location = nil
    }

    fileprivate init(redirectingTo location: SecureURL) {
      (name, mediaType) = (DocumentName(stored: DocumentName.changePassword), .bytes)
      (expiresAt, self.location) = (nil, location)
    }
  }

  private static let namedIndex = UInt8(DocumentKind.allCases.count)

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
  ///   - named: What makes a named document; `nil` for a rendered one.
  ///   - next: The domain's document of the next kind.
  ///   - fallback: What people without an app get; `nil` for 404.
  package init(
    names: [Alias], content: Content, digest: DocumentDigest, publishedAt: UnixTime,
    cacheSeconds: Int, domain: Int64, revision: Int, kind: DocumentKind = .apple,
    named: Named? = nil, next: ServedDocument? = nil, fallback: ServedFallback? = nil
  ) {
    self.fallback = fallback.map { AnswersForPeople($0) }
    if case .named(let name) = kind, named == nil {
      self.named = Named(name, name.usualMediaType)
    } else {
      self.named = named
    }
    kindIndex = named == nil ? UInt8(clamping: kind.index) : Self.namedIndex
    self.next = next
    self.content = content
    body = content.address
    validators = Validators(digest: digest, lastModified: HTTPDate(seconds: publishedAt.seconds))
    self.cacheSeconds = max(0, Int32(clamping: cacheSeconds))
    contentBytes = Int32(clamping: content.count)
    self.domain = domain
    revisionNumber = Int32(clamping: revision)
    self.names = HostKeys(names)
    longestWildcard = UInt8(
      clamping: names.lazy.filter(\.isWildcard).map(\.labels).max() ?? 0)
  }

  /// What stands for a disabled domain: its names have no file, whatever wildcards others have.
  package convenience init(disabled names: [Alias], domain: Int64) {
    self.init(
      names: names, content: .empty, digest: .zero, publishedAt: 0, cacheSeconds: 0,
      domain: domain, revision: 0)
  }

  /// What redirects from `/.well-known/change-password`, behind the documents of a domain.
  package convenience init(
    redirectingTo location: SecureURL, domain: Int64, revision: Int, next: ServedDocument? = nil
  ) {
    self.init(
      names: [], content: .empty, digest: .zero, publishedAt: 0, cacheSeconds: 0,
      domain: domain, revision: revision, named: Named(redirectingTo: location), next: next)
  }

  /// The document of a kind among this one and the next ones.
  func first(of kindIndex: UInt8) -> ServedDocument? {
    var document = self
    while document.kindIndex != kindIndex {
      guard let next = document.next else { return nil }
      document = next
    }
    return document
  }

  /// The named document, or redirect, among this one and the next ones.
  func first(named name: UnsafeRawBufferPointer) -> ServedDocument? {
    var document: ServedDocument? = self
    while let current = document {
      if let own = current.named?.name, own.text.utf8.elementsEqual(name) { return current }
      document = current.next
    }
    return nil
  }

  /// Whether it is a redirect and has no bytes.
  package var isRedirect: Bool {
    // The index is in a cache line that each request reads anyway.
    kindIndex == Self.namedIndex && named?.location != nil
  }

  package var kind: DocumentKind {
    named.map { .named($0.name) } ?? DocumentKind.allCases[Int(kindIndex)]
  }

  /// When the document ends by what it says; `nil` if that is unknown.
  package var expiresAt: UnixTime? { named?.expiresAt }

  /// Whether its domain is disabled. A file has at least one byte.
  package var isDisabled: Bool { contentBytes == 0 }

  deinit {
    if notModified.isKept { Self.keptNotModified.giveBack() }
  }

  /// The size of the file, in bytes.
  package var bytes: Int { Int(contentBytes) }

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
        .ok,
        fields: PublicAnswers.fields(
          validators, mediaType: named?.mediaType ?? .json, cacheSeconds: cacheSeconds),
        content: content)
    }
  }

  /// Queues the answer 302; `nil` if there is no memory for it.
  func answerRedirect(_ request: borrowing DirectRequest) -> DirectRequest.Queued? {
    request.answer(.found, full) { () throws(PreparedResponse.Failure) in
      try PreparedResponse(
        .found, fields: PublicAnswers.redirectFields(to: named?.location), content: content)
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

/// What people without an app get from a domain, with the redirects that are the same whatever they asked for. Those are
/// made when they are first needed.
final class AnswersForPeople: Sendable {
  let fallback: ServedFallback
  /// In the order of `Device.index`.
  private let redirects = [3 of LazyResponse] { _ in LazyResponse() }

  init(_ fallback: ServedFallback) { self.fallback = fallback }

  /// Queues the redirect of a device, whose target has no placeholder; `nil` if there is no memory for it.
  func redirect(
    _ request: borrowing DirectRequest, on device: ServedFallback.Device,
    _ make: () throws(PreparedResponse.Failure) -> PreparedResponse
  ) -> DirectRequest.Queued? {
    request.answer(.found, redirects[device.index], make)
  }
}

extension ServedFallback.Device {
  /// Its index in tables.
  var index: Int {
    switch self {
    case .apple: 0
    case .android: 1
    case .other: 2
    }
  }
}
