package import Association
package import JSONValue
package import Store

/// A revision in JSON.
package enum RevisionResource {
  private static let fields: [Field<Revision>] = [
    Field("revision", .revision, "The number of the revision.", write: { .integer($0.number) }),
    Field("bytes", .count, "The size of the document.", write: { .integer($0.size) }),
    Field("sha256", .sha256, "The SHA-256 of the document.", write: { .string($0.sha256) }),
    Field(
      "publishedAt", .time, "When it was published.",
      write: { .string(Timestamp.text($0.publishedAt)) }),
    Field(
      "author", .string, "Who published it: the name of a token, or of a command.",
      write: { .string($0.author) }),
    Field(
      "reason", .string, "Why: `?reason=`, or the action.", write: { .string($0.reason) }),
    Field(
      "accepted", .codes, "The errors that were accepted.",
      write: { .strings($0.acceptedCodes) }),
  ]

  static let schemas: JSON.Object = ["Revision": fields.members().schema()]

  package static func json(_ revision: Revision) -> JSON { .object(fields.json(of: revision)) }
}

/// How often the file of a domain was fetched, in JSON.
package enum FetchResource {
  /// Devices ask Apple's CDN again about once a week (TN3155), so most devices have a revision a week
  /// after the CDN. This is an estimate: Apple promises nothing.
  private static let deviceSeconds: Int64 = 7 * 86_400

  private typealias Total = (fetcher: FetcherClass, count: FetchCount?)

  private static let fields: [Field<RevisionFetches>] = [
    Field(
      "revision", .revision, "The number of the revision.",
      write: { .integer($0.revision.number) }),
    Field(
      "publishedAt", .time, "When it was published.",
      write: { .string(Timestamp.text($0.revision.publishedAt)) }),
    Field(
      "collected", .bool, "Whether Apple's CDN has fetched this revision.",
      write: { .bool($0.counts[.appleCDN] != nil) }),
    Field(
      "firstFetchedByAppleAt", .nullable(.time),
      "When Apple's CDN first fetched it; null if it has not.",
      write: { time($0.counts[.appleCDN]?.firstAt) }),
    Field(
      "devicesExpectedBy", .nullable(.time),
      "An estimate: when most devices have it, a week after Apple's CDN fetched it. Null if it has "
        + "not.",
      write: { time($0.counts[.appleCDN].map { $0.firstAt + deviceSeconds }) }),
    Field(
      "counts", .object(fieldsOfCounts.members()), "The number of fetches by class of fetcher.",
      write: { .object(fieldsOfCounts.json(of: $0)) }),
  ]

  private static let fieldsOfCounts: [Field<RevisionFetches>] = FetcherClass.allCases.map {
    fetcher in
    Field(fetcher.rawValue, .count, write: { .integer($0.counts[fetcher]?.count ?? 0) })
  }

  private static let fieldsOfTotal: [Field<Total>] = [
    Field(
      "fetcher", .words(FetcherClass.self),
      "By the User-Agent: `apple-cdn` is AASA-Bot, `device` is swcd.",
      write: { .string($0.fetcher.rawValue) }),
    Field("count", .count, "The number of fetches.", write: { .integer($0.count?.count ?? 0) }),
    Field("firstAt", .nullable(.time), "The first fetch.", write: { time($0.count?.firstAt) }),
    Field("lastAt", .nullable(.time), "The last fetch.", write: { time($0.count?.lastAt) }),
    Field(
      "lastRevision", .nullable(.revision), "The revision of the last fetch.",
      write: { $0.count.map { .integer($0.lastRevision) } ?? .null }),
  ]

  static let schemas: JSON.Object = [
    "RevisionFetches": fields.members().schema(),
    "FetcherTotal": fieldsOfTotal.members().schema(),
    "Fetches":
      ([
        Member("domain", .domain),
        Member("current", .shared("RevisionFetches"), "The revision that is served."),
        Member(
          "fetchers", .list(of: .shared("FetcherTotal")),
          "The totals of all revisions that are kept, under every name of the domain."),
      ] + ResourceSchemas.page(of: "RevisionFetches")).schema(),
  ]

  /// The members of the answer beside the page of revisions.
  package static func members(_ report: FetchReport, of domain: DomainName) -> JSON.Object {
    [
      "domain": .string(domain.text), "current": json(report.current),
      "fetchers": .array(
        FetcherClass.allCases.map { fetcher in
          .object(fieldsOfTotal.json(of: (fetcher, report.totals[fetcher])))
        }),
    ]
  }

  /// One revision.
  package static func json(_ fetches: RevisionFetches) -> JSON {
    .object(fields.json(of: fetches))
  }

  private static func time(_ seconds: Int64?) -> JSON {
    .optional(seconds.map(Timestamp.text))
  }
}
