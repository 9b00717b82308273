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
    "Draft": (fields.members() + ManagedDomains.members + .dryRun).schema(
      "A change that waits until a second person approves it."),
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

  /// The state that a draft of a request has: only what it changes.
  package static func state(_ proposed: ProposedState.Content) -> JSON {
    var (apple, android) = ([JSON](), [JSON]())
    for (app, _) in proposed.apps.values.sorted(by: { $0.new.id.text < $1.new.id.text }) {
      switch app {
      case .ios(let app): apple.append(.object(AppResource.apple.stated(app)))
      case .android(let app): android.append(.object(AppResource.android.stated(app)))
      }
    }
    let templates = proposed.templates.values.map(\.template).sorted { $0.name < $1.name }
    let domains = proposed.domains.sorted { $0.key < $1.key }
    let deleted = domains.filter { $0.value.members == nil }.map(\.key.text)
    let lists: [(String, [JSON])] = [
      ("apps", apple), ("androidApps", android),
      ("templates", templates.map { .object(TemplateResource.json($0)) }),
      ("domains", domains.compactMap { $0.value.members.map { .object($0) } }),
      ("delete", deleted.map { .string($0) }),
    ]
    var state: JSON.Object = [:]
    for (name, list) in lists where !list.isEmpty { state[name] = .array(list) }
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
