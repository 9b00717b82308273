package import Association
package import JSONValue
package import Store

/// Who fetched the file of a domain, in JSON.
package enum FetchResource {
  /// Devices ask Apple's CDN again about once a week (TN3155), so a week after it has the revision
  /// most of them should. It is an estimate: Apple promises nothing.
  private static let deviceSeconds: Int64 = 7 * 86_400

  /// What is said beside the page of revisions.
  package static func members(_ report: FetchReport, of domain: DomainName) -> JSON.Object {
    [
      "domain": .string(domain.text), "current": json(report.current),
      "fetchers": .array(FetcherClass.allCases.map { json($0, report.totals[$0]) }),
    ]
  }

  /// One revision.
  package static func json(_ fetches: RevisionFetches) -> JSON {
    let apple = fetches.counts[.appleCDN]
    var counts: JSON.Object = [:]
    for fetcher in FetcherClass.allCases {
      counts[fetcher.rawValue] = .integer(fetches.counts[fetcher]?.count ?? 0)
    }
    return [
      "revision": .integer(fetches.revision.number),
      "publishedAt": time(fetches.revision.publishedAt), "collected": .bool(apple != nil),
      "firstFetchedByAppleAt": time(apple?.firstAt),
      "devicesExpectedBy": time(apple.map { $0.firstAt + deviceSeconds }),
      "counts": .object(counts),
    ]
  }

  /// All fetches by one class.
  private static func json(_ fetcher: FetcherClass, _ count: FetchCount?) -> JSON {
    [
      "fetcher": .string(fetcher.rawValue), "count": .integer(count?.count ?? 0),
      "firstAt": time(count?.firstAt), "lastAt": time(count?.lastAt),
      "lastRevision": count.map { .integer($0.lastRevision) } ?? .null,
    ]
  }

  private static func time(_ seconds: Int64?) -> JSON {
    .optional(seconds.map(Timestamp.text))
  }
}
