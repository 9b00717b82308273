import Association
package import JSONValue
package import Publishing
import Store

/// What was published, in JSON.
package enum PublicationResource {
  /// The revision, its size, the findings, and what changed.
  package static func json(_ publication: Publication) throws -> JSON.Object {
    let revision = publication.edited.revision
    var object: JSON.Object = [
      "revision": .integer(revision.number), "changed": .bool(publication.edited.isChanged),
      "bytes": .integer(revision.size), "sha256": .string(revision.sha256),
      "findings": .array(publication.findings.map(\.json)),
      "changedResolutions": .array(publication.changedResolutions.map(json)),
    ]
    object["diff"] = try publication.comparison()?.json
    if !revision.acceptedCodes.isEmpty { object["accepted"] = .strings(revision.acceptedCodes) }
    return object
  }

  private static func json(_ changed: ChangedResolution) -> JSON {
    [
      "url": .string(changed.url), "app": .string(changed.app.text),
      "before": .string(changed.before.rawValue), "after": .string(changed.after.rawValue),
    ]
  }
}
