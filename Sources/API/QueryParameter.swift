import HTTP

/// What a query can have, by its name. Each endpoint has some of them.
enum QueryParameter: String, Sendable {
  case accept, app, author, cursor, domain, dryRun, enabled, environment, finding, from, limit,
    prune, q, reason, to

  /// Of a list that has pages.
  static let page: [QueryParameter] = [.limit, .cursor]
  /// Of a change.
  static let change: [QueryParameter] = [.dryRun, .reason]
  /// Of a change that publishes a document.
  static let publication = change + [.accept]
}

extension Endpoint {
  /// Refuses a parameter that the endpoint does not have, since who misspells `dryRun` must not make a
  /// change, and one that is repeated: each takes one value, and none is to be lost.
  ///
  /// - Throws: `Problem`, 400.
  func check(_ items: [RequestTarget.QueryItem]) throws(Problem) {
    let unknown = items.first { item in
      !query.contains { $0.rawValue.utf8.elementsEqual(item.name.utf8) }
    }
    guard let unknown else { return try checkRepetition(items) }
    let names = query.map(\.rawValue).sorted().joined(separator: ", ")
    throw Problem(
      .badRequest, "unknown-parameter",
      "The query has “\(unknown.name)”, which is no parameter of \(method.name) \(path). "
        + (query.isEmpty ? "It has none." : "It has \(names)."))
  }

  private func checkRepetition(_ items: [RequestTarget.QueryItem]) throws(Problem) {
    for parameter in query {
      let count = items.count { $0.name == parameter.rawValue }
      if count < 2 { continue }
      throw Problem(
        .badRequest, "repeated-parameter",
        "The query has “\(parameter.rawValue)” \(count) times, and it can be there once. "
          + (parameter == .accept
            ? "Write all codes in it, with commas between them." : "Leave one of them."))
    }
  }
}
