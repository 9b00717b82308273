import APITypes
import Association
import HTTP
import JSONValue
import Store

/// `/v1/apps`. What is changed here by itself changes nothing that is served.
struct AppEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(.get, "/v1/apps", .role(.viewer), query: QueryParameter.page, list),
      Endpoint(.get, "/v1/apps/{app}", .role(.viewer)) { call in
        .json(.ok, AppResource.json(try store.app(call.app())))
      },
      Endpoint(.put, "/v1/apps/{app}", .role(.editor), query: QueryParameter.change, put),
      Endpoint(
        .delete, "/v1/apps/{app}", .role(.editor), query: QueryParameter.change
      ) { call in
        let id = try call.app()
        try store.write(call.context()) { try $0.delete(id) }
        return Response(.noContent)
      },
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let apps = try store.apps(after: page.after, limit: page.limit + 1)
    return .page(apps, limit: page.limit, item: { AppResource.json($0) }, cursor: \.app.id.text)
  }

  private func put(_ call: Call) throws -> Response {
    let id = try call.app()
    let app = try Faults.collecting(in: try call.json()) { input in AppResource.read(input, id: id)
    }
    let (stored, isNew) = try store.write(call.context()) { try $0.put(app) }
    return .json(isNew ? .created : .ok, AppResource.json(stored))
  }
}

extension Response {
  /// A page of a list.
  ///
  /// - Parameters:
  ///   - items: The items of the page, and one more if there are more.
  ///   - members: Further members, which come first.
  ///   - cursor: What the next page begins after.
  static func page<Item>(
    _ items: [Item], limit: Int, total: Int? = nil, beside members: JSON.Object = [:],
    item: (Item) -> JSON, cursor: (Item) -> String
  ) -> Response {
    let shown = items.prefix(limit)
    let next = items.count > limit ? shown.last.map(cursor) : nil
    var object = members
    object["items"] = .array(shown.map(item))
    object["next"] = .optional(next)
    object["total"] = total.map { .integer($0) }
    return .json(.ok, .object(object))
  }
}
