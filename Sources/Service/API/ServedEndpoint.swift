import Association
import HTTP
import Store

/// `/v1/served`.
struct ServedEndpoint: Sendable {
  let store: Store

  var list: Endpoint {
    Endpoint(
      .get, "/v1/served", .role(.viewer), query: [.servedCursor], isFilteredByToken: true,
      "listServed", .state, "Copy what is served",
      description:
        "The bytes of every document with its names, for a copy elsewhere, as `aasa render` makes one. The first answers "
        + "list all domains. After them, send the last `next` again, for example once a second: the answer has "
        + "the domains that have changed. If `first` is true later on, the list begins again, because the changes are no "
        + "longer known: whatever is on no answer from there up to the one with `current` is not served. If the database "
        + "file was deleted or replaced while the server ran, the answer has the header field "
        + "`X-Aasa-Database: replaced`.",
      answers: .ok("Some domains, and where to go on.", "ServedPage"), handle: list)
  }

  private func list(_ call: Call) throws -> Response {
    let cursor = call.query(.servedCursor)
    let position = cursor.flatMap(ServedPage.Position.init)
    if cursor != nil && position == nil {
      throw Problem(.malformedCursor, "\"cursor\" must be the \"next\" of an answer.")
    }
    let isReplaced = store.replacedFile != nil
    let page = try store.served(after: position, within: call.scope)
    return .json(
      .ok, .object(ServedResource.json(page)),
      fields: isReplaced ? [HeaderField("X-Aasa-Database", "replaced")] : [])
  }
}
