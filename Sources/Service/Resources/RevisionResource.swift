package import Association
package import Store

extension Coding<MediaType> {
  /// The media type of a document.
  static var mediaType: Coding {
    Coding(.string, read: { $0.parse(MediaType.init(_:)) }, write: { .string($0.text) })
  }
}

package enum RevisionResource {
  private static let fields: [Field<Revision>] = [
    Field("revision", .revision, \.number, "The number of the revision."),
    Field("bytes", .count, get: \.main.size, sizeDocumentation),
    Field("sha256", .sha256, get: \.main.sha256, "The SHA-256 of that document."),
    Field("documents", documents, get: \.documents, "Every document."),
    Field("publishedAt", .time, \.publishedAt, "When it was published."),
    Field(
      "author", .string, \.author, "Who published it: the name of a token, or of a command."),
    Field("reason", .string, \.reason, "The reason: `?reason=`, or the action."),
    Field("accepted", .codes, \.acceptedCodes, "The errors that were accepted."),
    Field(
      "change", .row, \.change,
      "The change that it is a part of; left out if an earlier version of the program published it."
    ),
  ]

  static let sizeDocumentation =
    "The size of the document: Apple's file, or else the first of `documents`."

  static let documents = Coding<[Revision.Document]>.list(
    of: .open(.shared("Document"), documentFields, Revision.Document(.apple, size: 0, sha256: ""))
  )

  private static let documentFields: [Field<Revision.Document>] = [
    Field("kind", .documentKind, \.kind, "The name of the file."),
    Field("bytes", .count, \.size, "The size."),
    Field("sha256", .sha256, \.sha256, "The SHA-256."),
    Field(
      "mediaType", .mediaType, \.mediaType, "The `Content-Type`; left out for application/json."),
  ]

  private static let settings = Member(
    "settings",
    .nullable(.named("RevisionSettings", .object(DomainResource.revisionSettings.members()))),
    "Everything else that decided what visitors got. Null if it was not recorded, because an earlier "
      + "version of the program published the revision.")

  static let schemas: JSON.Object = [
    "Revision": fields.members().schema(),
    "Document": documentFields.members().schema("A document that a domain publishes."),
    "Documents": [Member("documents", documents.schema, "The documents, in the order of kinds.")]
      .schema(),
    "PublishedRevision": (fields.members() + [settings]).schema(),
  ]

  package static func json(_ list: [Revision.Document]) -> JSON { documents.write(list) }

  package static func json(_ revision: Revision) -> JSON { .object(fields.json(of: revision)) }

  package static func json(_ published: PublishedRevision) throws -> JSON {
    var object = fields.json(of: published.revision)
    object["settings"] =
      try published.domain().map {
        .object(DomainResource.revisionSettings.json(of: StoredDomain($0)))
      } ?? .null
    return .object(object)
  }
}

extension Revision {
  /// The document that stands for all: Apple's file, or else the first one.
  var main: Document {
    documents.first ?? Document(.apple, size: 0, sha256: "")
  }
}

/// How often the file of a domain was fetched, in JSON.
package enum FetchResource {
  /// Devices ask Apple's CDN again about once a week (TN3155), so most devices have a revision a week
  /// after the CDN. This is an estimate: Apple promises nothing.
  private static let deviceSeconds: Int64 = 7 * 86_400

  private static let fields: [Field<RevisionFetches>] = [
    Field("revision", .revision, get: \.revision.number, "The number of the revision."),
    Field("publishedAt", .time, get: \.revision.publishedAt, "When it was published."),
    Field(
      "collected", .bool,
      "Whether Apple's CDN has the document of this revision: the last one that it fetched is equal.",
      write: { .bool($0.collectedAt != nil) }),
    Field(
      "firstFetchedByAppleAt", .nullable(.time), get: \.collectedAt,
      "When Apple's CDN first fetched it, from this revision or from one before it with the same document; "
        + "null if it has not."),
    Field(
      "devicesExpectedBy", .nullable(.time),
      "An estimate: when most devices have it, a week after Apple's CDN fetched it. Null if it has "
        + "not.",
      write: {
        $0.collectedAt.map { .time($0 + deviceSeconds) } ?? .null
      }),
    Field(
      "counts", .written("FetchCounts", countFields), get: \.counts,
      "The number of fetches by class of fetcher."),
  ]

  private static let countFields: [Field<[FetcherClass: FetchCount]>] =
    FetcherClass.allCases.map { fetcher in
      Field(fetcher.rawValue, .count, write: { .integer($0[fetcher]?.count ?? 0) })
    }

  /// All fetches by one class of fetcher.
  private struct Total {
    let fetcher: FetcherClass
    let count: FetchCount?
  }

  private static let totalFields: [Field<Total>] = [
    Field(
      "fetcher", .word("Fetcher"), get: \.fetcher,
      "By User-Agent: `apple-cdn` is AASA-Bot, `device` is swcd."),
    Field("count", .count, "The number of fetches.", write: { .integer($0.count?.count ?? 0) }),
    Field("firstAt", .nullable(.time), get: \.count?.firstAt, "The first fetch."),
    Field("lastAt", .nullable(.time), get: \.count?.lastAt, "The last fetch."),
    Field(
      "lastRevision", .nullable(.revision), get: \.count?.lastRevision,
      "The revision of the last fetch."),
  ]

  static let schemas: JSON.Object = [
    "RevisionFetches": fields.members().schema(),
    "FetcherTotal": totalFields.members().schema(),
    "Fetches":
      ([
        Member("domain", .domain),
        Member("current", .shared("RevisionFetches"), "The revision that is served."),
        Member(
          "fetchers", .list(of: .shared("FetcherTotal")),
          "The totals of all revisions that are kept, under every name of the domain."),
      ] + ResourceSchemas.page(of: "RevisionFetches")).schema(),
  ]

  /// The members of the answer besides the page of revisions.
  package static func members(_ report: FetchReport, of domain: DomainName) -> JSON.Object {
    [
      "domain": .string(domain.text), "current": json(report.current),
      "fetchers": .array(
        FetcherClass.allCases.map { fetcher in
          .object(totalFields.json(of: Total(fetcher: fetcher, count: report.totals[fetcher])))
        }),
    ]
  }

  package static func json(_ fetches: RevisionFetches) -> JSON {
    .object(fields.json(of: fetches))
  }
}
