import Association
import HTTP
import Store

/// `/v1/replicas`.
struct ReplicaEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/replicas", .role(.viewer),
        "listReplicas", .service, "List the servers on this database",
        description:
          "Servers that run on the same database, and how far behind each one is. A server that was killed disappears after "
          + "15 seconds (180 with SQLite). Servers that only read do not appear.",
        answers: .ok(
          "All servers, by name.",
          .named("Replicas", .object([Member("items", .list(of: "Replica"))])))
      ) { _ in
        .json(.ok, ["items": .array(try store.replicas().map(ReplicaResource.json))])
      }
    ]
  }
}

extension Call {
  /// How long to wait until all servers serve a change: `?wait=all`; `nil` not to wait.
  func longestWait() throws(Problem) -> Duration? {
    let seconds = query(.waitSeconds).map { Int($0) } ?? 10
    guard let seconds, (1...60).contains(seconds) else {
      throw Problem(.unknownValue, "\"waitSeconds\" must be a number from 1 to 60.")
    }
    guard let word = query(.wait) else { return nil }
    guard word == "all" else { throw Problem(.unknownValue, "\"wait\" must be all.") }
    return try context().isDryRun ? nil : .seconds(seconds)
  }

  /// Waits until all servers serve what is stored. The answer names those that do not in time; to a token that is
  /// limited to domains, it says how many they are.
  func wait(_ longestWait: Duration, _ response: Response, _ store: Store) -> Response {
    var response = response
    let names: [String]
    do {
      let late = try store.waitUntilServed(longestWait, isAbandoned: request.clientHasGone)
      if late.isEmpty { return response }
      names =
        token?.scope.isEverything == false
        ? [late.count.counted("server")]
        : late.map { "\($0.name) (\($0.url))".filter { $0.isASCII } }
    } catch {
      // The change is made, so the answer must not be that of an error.
      names = ["unknown"]
    }
    response.fields.append(
      HeaderField(Self.lateField, names.joined(separator: ", ")))
    return response
  }

  /// The header field that names servers that do not serve a change yet.
  static let lateField = "X-Aasa-Not-Served-By"
}
