package import Association
package import JSONValue

/// A revision in JSON.
package enum RevisionResource {
  package static func json(_ revision: Revision) -> JSON {
    [
      "revision": .integer(revision.number), "bytes": .integer(revision.size),
      "sha256": .string(revision.sha256),
      "publishedAt": .string(Timestamp.text(revision.publishedAt)),
      "author": .string(revision.author), "reason": .string(revision.reason),
      "accepted": .strings(revision.acceptedCodes),
    ]
  }
}
