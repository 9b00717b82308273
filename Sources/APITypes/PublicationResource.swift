import Association
package import JSONValue
package import Publishing
import Store

/// The result of an edit in JSON.
package enum PublicationResource {
  /// A publication and what it changed.
  private typealias Compared = (publication: Publication, comparison: DocumentComparison?)

  private static let fields: [Field<Compared>] = [
    Field(
      "revision", .revision, "The current revision of the domain; new if `changed` is true.",
      write: { .integer($0.publication.edited.revision.number) }),
    Field(
      "changed", .bool, "Whether the edit changed anything.",
      write: { .bool($0.publication.edited.isChanged) }),
    Field(
      "bytes", .count, "The size of the document.",
      write: { .integer($0.publication.edited.revision.size) }),
    Field(
      "sha256", .sha256, "The SHA-256 of the document.",
      write: { .string($0.publication.edited.revision.sha256) }),
    Field(
      "findings", .list(of: .shared("Finding")), "The linter's findings about the document.",
      write: { .array($0.publication.findings.map(\.json)) }),
    Field(
      "changedResolutions", .list(of: .shared("ChangedResolution")),
      "The URLs of expectations that now resolve differently.",
      write: {
        .array($0.publication.changedResolutions.map { .object(fieldsOfChange.json(of: $0)) })
      }),
    Field(
      "diff", .shared("Comparison"),
      "How the document differs from the one before; left out if there was none.", .optional,
      write: { $0.comparison?.json }),
    Field(
      "accepted", .codes, "The errors that were accepted.", .optional,
      write: {
        let codes = $0.publication.edited.revision.acceptedCodes
        return codes.isEmpty ? nil : .strings(codes)
      }),
  ]

  private static let fieldsOfChange: [Field<ChangedResolution>] = [
    Field("url", .string, write: { .string($0.url) }),
    Field("app", .app, write: { .string($0.app.text) }),
    Field("before", .resolution, write: { .string($0.before.rawValue) }),
    Field("after", .resolution, write: { .string($0.after.rawValue) }),
  ]

  /// What every answer to an edit has.
  static let members = fields.members()

  static let schemas: JSON.Object = [
    "ChangedResolution": fieldsOfChange.members().schema(),
    "Publication": (members + .dryRun).schema("The result of an edit."),
    "PublishedDomain": published(Member("domain", .shared("Domain"))),
    "PublishedEntry": published(Member("entry", .shared("Entry"))),
    "PublishedRoute": published(Member("route", .shared("Route"))),
    "PublishedRoutes": published(Member("routes", .list(of: .shared("Route")))),
    "PublishedExpectations": published(ExpectationResource.list),
    "Renamed":
      ([
        Member("app", .app, "The new identifier."),
        Member(
          "domains", .list(of: .object([Member("domain", .domain)] + members)),
          "The domains that name the app."),
      ] + .dryRun).schema(),
  ]

  private static func published(_ member: Member) -> JSON {
    ([member] + members + .dryRun).schema()
  }

  /// The revision, its size, the findings, and what changed.
  package static func json(_ publication: Publication) throws -> JSON.Object {
    fields.json(of: (publication, try publication.comparison()))
  }
}
