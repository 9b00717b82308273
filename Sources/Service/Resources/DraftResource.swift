package import Association
package import Store

package enum DraftResource {
  /// A draft names no more of its domains.
  private static let mostListed = 100

  private static let fields: [Field<Draft>] = [
    Field("id", .row, \.id, "The number of the draft; it increases."),
    Field("author", .string, \.author, "Who wants it: the name of a token or of a user."),
    Field("reason", .string, \.reason, "What it is for, as given in `?reason=`."),
    Field("status", .word("DraftStatus"), \.status, "How far it is."),
    Field("createdAt", .time, \.createdAt, "When it was made."),
    Field(
      "domains", .list(of: .domain), "The domains that it changes: the first \(mostListed).",
      write: { .strings($0.domains.prefix(mostListed).map(\.text)) }),
    Field(
      "domainCount", .count, "The number of all of them.",
      write: { .integer($0.bases.domains.count) }),
    Field(
      "accept", .codes, \.acceptedCodes,
      "The codes of errors that it accepts, as given in `?accept=`; left out if there are none.",
      unless: \.isEmpty),
    Field("endedAt", .time, \.endedAt, "When it was approved, declined or withdrawn."),
    Field("endedBy", .string, \.endedBy, "Who did that."),
    Field("endedReason", .string, \.endedReason, "Why, as given in `?reason=`."),
    Field(
      "change", .row, \.change,
      "The change that it became; left out if it is not approved or changed nothing."),
  ]

  private static let commentFields: [Field<Draft.Comment>] = [
    Field("author", .string, get: \.author, "Who wrote it."),
    Field("at", .time, get: \.at, "When."),
    Field("text", .string, get: \.text, "What."),
  ]

  private static let newCommentFields: [Field<String>] = [
    Field("text", .lines(longest: Draft.longestComment), \.self, "The comment.", .required)
  ]

  static let schemas: JSON.Object = [
    "Draft": (fields.members() + .dryRun).schema(
      "A state that waits until a second person approves it."),
    "DraftWithState":
      (fields.members() + [
        Member(
          "state", .shared("DesiredState"),
          "What approving it applies; without domains that it leaves as others have changed them."),
        Member("comments", .list(of: .shared("DraftComment")), "The oldest first."),
      ]).schema(),
    "DraftComment": (commentFields.members() + .dryRun).schema(),
    "NewDraftComment": newCommentFields.members().schema(for: .request),
  ]

  package static func json(_ draft: Draft) -> JSON.Object { fields.json(of: draft) }

  /// The state that a draft of a request has.
  package static func state(_ proposed: ProposedState.Content) -> JSON {
    func apps<Key>(_ apps: [Key: Key.App], _ resource: AppResource<Key>) -> JSON? {
      let elements = apps.sorted { $0.key.id.text < $1.key.id.text }.map {
        JSON.object(resource.stated($0.value))
      }
      return elements.isEmpty ? nil : .array(elements)
    }
    var (domains, deleted) = ([JSON](), [String]())
    for (name, stored) in proposed.domains.sorted(by: { $0.key < $1.key }) {
      if let stored {
        domains.append(.object(DomainResource.stated(stored.withoutRows)))
      } else {
        deleted.append(name.text)
      }
    }
    var state: JSON.Object = [:]
    state["apps"] = apps(proposed.apps, .apple)
    state["androidApps"] = apps(proposed.androidApps, .android)
    let templates = proposed.templates.values.sorted { $0.name < $1.name }
    if !templates.isEmpty {
      state["templates"] = .array(templates.map { .object(TemplateResource.json($0)) })
    }
    state["domains"] = .array(domains)
    if !deleted.isEmpty { state["delete"] = .strings(deleted) }
    return .object(state)
  }

  package static func json(_ comment: Draft.Comment) -> JSON.Object {
    commentFields.json(of: comment)
  }

  /// Reads the text of a new comment.
  package static func readComment(_ body: BodyValue) -> String? {
    var text = ""
    return body.read(newCommentFields, into: &text) ? text : nil
  }
}
