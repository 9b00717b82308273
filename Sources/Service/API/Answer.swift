import Association
import HTTP

/// An answer of an endpoint, as it is described.
struct Answer: Sendable {
  let status: Status
  let description: String
  var mediaType = "application/json"
  var schema: Schema?
  /// Whether it has the revision as its `ETag`, as every answer to a publication of one domain has.
  var isTagged = false
  /// The operations that can follow: their path parameters are those of this request, or the `id`,
  /// `revision` or `name` of this answer.
  var links: [String] = []

  static func ok(
    _ description: String, _ schema: Schema, isTagged: Bool = false, links: [String] = []
  ) -> Answer {
    Answer(
      status: .ok, description: description, schema: schema, isTagged: isTagged, links: links)
  }

  static func created(
    _ description: String, _ schema: Schema, links: [String] = []
  ) -> Answer {
    Answer(status: .created, description: description, schema: schema, links: links)
  }

  static let draft = Answer(
    status: .accepted, description: "The draft, with `draft=true`.", schema: "Draft",
    links: ["getDraft", "planDraft", "approveDraft", "declineDraft", "withdrawDraft"])

  static let deleted = Answer(status: .noContent, description: "Deleted.")
}
