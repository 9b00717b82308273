import Association

enum ReplicasCommand {
  static let command = Command(
    name: "replicas", group: .server, summary: "list the servers on a database",
    details:
      "Shows each server's machine, the URL of its JSON API, its version, the last change that it serves, how "
      + "many changes it is behind, and when it was last seen. Servers that only read do not "
      + "appear.",
    options: [.json] + Option.installation,
    examples: [
      (
        "List the servers on a PostgreSQL database",
        "aasa replicas --database postgresql://aasa@db.internal/aasa"
      ),
      ("Ask one of the servers", "aasa replicas --server https://aasa.internal:8081"),
    ], run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let titles = ["NAME", "URL", "VERSION", "APPLIED", "LAG", "SEEN"]
    try ItemList(path: "/v1/replicas", isPaged: false, titles: titles, noun: "server") { item in
      ["name", "url", "version", "applied", "lag", "seenAt"].map { .init(item[$0]) }
    }.print(arguments)
    return .success
  }
}
