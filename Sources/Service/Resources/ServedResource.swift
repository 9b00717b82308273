import Association
import FoundationEssentials
import Store

/// What is served, as it is copied elsewhere, in JSON.
enum ServedResource {
  private static let pageFields: [Field<ServedPage>] = [
    Field(
      "first", .bool, get: \.isFirst, "Whether the list of all domains begins with this answer."),
    Field(
      "domains", .list(of: .written("ServedDomain", domainFields)), get: \.domains,
      "Domains as they are now. A domain may be on several answers; the last one counts."),
    Field(
      "next", .string, "The `cursor` of the next answer.", write: { .string($0.next.text) }),
    Field("current", .bool, get: \.isCurrent, "Whether nothing has changed after this answer."),
  ]

  private static let domainFields: [Field<Changes.Change>] = [
    Field("key", .row, get: \.domain, "A number by which to tell domains apart."),
    Field(
      "names", .list(of: .alias), get: \.names,
      "The domain's name, then its aliases; none if it was deleted, or if the token no longer covers it. Left "
        + "out if the domain cannot be read: a server goes on serving what it has of it."),
    Field(
      "documents", .list(of: .written("ServedDocument", documentFields)), get: \.files,
      "Every document; none if the domain is disabled: then its names are answered 404, even if another domain "
        + "has a wildcard for them. Left out like `names`."),
    Field(
      "changePassword", .string, get: \.changePassword,
      "Where `/.well-known/change-password` redirects to; left out if it does not."),
    Field("fault", .string, get: \.fault, "What is damaged; left out if nothing is."),
  ]

  private static let documentFields: [Field<ServedFile>] = [
    Field("kind", .documentKind, get: \.kind, "The name of the file."),
    Field("revision", .revision, get: \.revision, "The revision that it is of."),
    Field("publishedAt", .time, get: \.publishedAt, "When that was published."),
    Field("cacheSeconds", .count, get: \.cacheSeconds, "How long caches may keep it, in seconds."),
    Field("sha256", .sha256, get: \.sha256, "The SHA-256 of the bytes."),
    Field(
      "mediaType", .mediaType, get: \.mediaType,
      "The `Content-Type`; left out for application/json."),
    Field(
      "content", .string, "The bytes in base64.",
      write: { .string(Data($0.document).base64EncodedString()) }),
  ]

  static let schemas: JSON.Object = ["ServedPage": pageFields.members().schema()]

  static func json(_ page: ServedPage) -> JSON.Object { pageFields.json(of: page) }
}

extension ServedPage.Position {
  /// The `cursor` of the position.
  fileprivate var text: String { listed.map { "\(sequence)-\($0)" } ?? "\(sequence)" }

  /// The position of a `cursor`; `nil` for any other text.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } && part.utf8.count <= 18
        ? Int64(part) : nil
    }
    guard numbers.count == parts.count, (1...2).contains(numbers.count) else { return nil }
    self.init(sequence: numbers[0], listed: numbers.count == 2 ? numbers[1] : nil)
  }
}

extension Changes.Change {
  fileprivate var names: [Alias]? {
    switch now {
    case .deleted: []
    case .served(let served, _): served.names
    case .unreadable: nil
    }
  }

  fileprivate var files: [ServedFile]? {
    switch now {
    case .deleted: []
    case .served(let served, _): served.files
    case .unreadable: nil
    }
  }

  fileprivate var changePassword: String? {
    if case .served(let served, _) = now { served.changePassword?.text } else { nil }
  }

  fileprivate var fault: String? {
    switch now {
    case .deleted: nil
    case .served(_, let fault): fault
    case .unreadable(let fault): fault
    }
  }
}
