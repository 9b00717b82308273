package import Association
package import Publishing
import Store

/// What `POST /v1/routes` reads: which domains, which entries, and how their routes change.
package struct RouteEditing: Sendable {
  package var selection = DomainSelection()
  /// Only entries that name this app.
  package var app: LinkedApp?
  package var edits: [RouteEdit] = []
}

extension RouteEditing {
  package static let editLimit = 100

  private enum Place: String, CaseIterable { case first, last }

  private static let editMembers: [Member] = [
    Member("add", .shared("RouteInput"), "A route to add, unless the entry has it."),
    Member("remove", .shared("RouteInput"), "A route to remove."),
    Member("replace", .shared("RouteInput"), "A route that `with` replaces in its place."),
    Member("with", .shared("RouteInput"), "The route that replaces it."),
    Member("move", .shared("RouteInput"), "A route to move to `position`."),
    Member(
      "position", .words(Place.self, "RoutePlace"),
      "Where to add or move a route in each entry. Default: `last`, if neither `before` nor `after` is there."
    ),
    Member("before", .shared("RouteInput"), "The route before which to add or move one."),
    Member("after", .shared("RouteInput"), "The route after which to add or move one."),
  ]

  static let schemas: JSON.Object = [
    "RouteEdit": editMembers.schema(
      "One of `add`, `remove`, `replace` and `move`. A route is found by its path, query, fragment and `exclude`; an edit "
        + "of a route that an entry does not have leaves the entry as it is.", for: .request),
    "RouteEdits":
      (DomainSelection.members + [
        Member(
          "app", .string,
          "Only entries that name this app, by app identifier or package name. Default: all entries."
        ),
        Member(
          "edits", .list(of: .shared("RouteEdit"), limit: editLimit, atLeast: 1),
          "The edits, in order.", .required),
      ]).schema(for: .request),
  ]

  package static func read(_ body: BodyValue) -> RouteEditing? {
    guard let object = body.object(DomainSelection.members.map(\.name) + ["app", "edits"]) else {
      return nil
    }
    var editing = RouteEditing()
    editing.selection = DomainSelection.read(object)
    editing.app = object["app"]?.parse(LinkedApp.init(likely:))
    editing.edits = object.required("edits")?.list(atMost: editLimit, edit) ?? []
    if editing.edits.isEmpty && body.faults.count == 0 {
      body.fault(.wrongLength, "\"edits\" must have at least one edit.")
    }
    return editing
  }

  private static func edit(_ body: BodyValue) -> RouteEdit? {
    guard let object = body.object(editMembers.map(\.name)) else { return nil }
    let actions = ["add", "remove", "replace", "move"].filter { object[$0] != nil }
    guard actions.count == 1, let action = actions.first else {
      body.fault(.choiceNeeded, "An edit has one of add, remove, replace and move.")
      return nil
    }
    let places = ["position", "before", "after"].filter { object[$0] != nil }
    let hasPlace = action == "add" || action == "move"
    for key in ["with"] + places where object[key] != nil {
      if key == "with" ? action == "replace" : hasPlace { continue }
      body.fault(.choiceNeeded, "\"\(key)\" does not go with \"\(action)\".")
    }
    if places.count > 1 || action == "move" && places.isEmpty {
      body.fault(.choiceNeeded, "Say where with one of position, before and after.")
    }
    let place = places.first.flatMap { key in object[key].flatMap { readPlace(key, $0) } }
    guard let route = object[action].flatMap(readRoute) else { return nil }
    switch action {
    case "remove": return .remove(route)
    case "replace":
      guard let new = object["with"] else {
        body.fault(
          .choiceNeeded, "\"replace\" needs \"with\", the route that comes into its place.")
        return nil
      }
      return readRoute(new).map { .replace(route, by: $0) }
    case "move": return place.map { .move(route, $0) }
    default: return .add(route, place ?? .last)
    }
  }

  private static func readPlace(_ key: String, _ body: BodyValue) -> RouteEdit.Place? {
    switch key {
    case "before": readRoute(body).map { .before($0) }
    case "after": readRoute(body).map { .after($0) }
    default: body.word(Place.self).map { $0 == .first ? .first : .last }
    }
  }

  private static func readRoute(_ body: BodyValue) -> Route? {
    RouteResource.read(body, keys: .modern)
  }
}
