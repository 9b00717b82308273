import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/export` and `/v1/apply`.
struct StateEndpoints: Sendable {
  let publisher: Publisher
  /// Each export keeps the database from emptying its WAL until the client has read all of it.
  private let exports = HeavyWork(turns: 5)

  init(publisher: Publisher) { self.publisher = publisher }

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/export", .role(.viewer),
        "export", .state, "Export all apps and domains",
        description:
          "If the database file was deleted or replaced while the server ran, the state is what the "
          + "server still has, and the answer has the header field `X-Aasa-Database: replaced`.",
        answers: .ok("A state that `apply` accepts.", "State", Example.state), handle: export),
      Endpoint(
        .post, "/v1/apply", .role(.editor), effect: .publications, query: [.prune],
        "apply", .state, "Apply a desired state", description: "Applies all of it, or nothing.",
        body: .json("DesiredState", size: .state, Example.desiredState),
        answers: .ok("What changed or, for a dry run, would change.", "Plan", Example.plan),
        handle: apply),
    ]
  }

  private func export(_ call: Call) throws -> Response {
    let turn = try exports.turn(for: call.token?.name ?? "", unless: call.request.clientHasGone)
    let isReplaced = publisher.store.replacedFile != nil
    var text = StateResource.text(try publisher.store.export())
    var response = Response.json(.ok) { try withExtendedLifetime(turn) { try text.next() } }
    if isReplaced { response.fields.append(Field("X-Aasa-Database", "replaced")) }
    return response
  }

  private func apply(_ call: Call) throws -> Response {
    var reading = StateReading()
    let rest = try call.json { reading.add($2, to: $0, at: $1) }
    let state = try reading.state(rest)
    let context = try call.context()
    let applied = try publisher.apply(
      state, prune: call.flag(.prune), accepting: call.acceptedCodes(), by: context)
    var text = Plan.text(applied, isDryRun: context.isDryRun)
    return .json(.ok) { try text.next() }
  }
}

extension Example {
  fileprivate static let state = """
    {
      "apps": [{"app": "ABCDE12345.com.example.app", "name": "Example", "environment": "production"}],
      "domains": [{
        "domain": "example.com", "aliases": ["www.example.com", "*.go.example.com"],
        "enabled": true, "format": "modern", "cacheSeconds": 600, "environment": "production",
        "strict": false, "defaults": {"caseSensitive": false},
        "substitutionVariables": {"food": ["burrito", "pizza"]},
        "entries": [
          {
            "apps": ["ABCDE12345.com.example.app"],
            "routes": [
              {"path": "/help/*", "query": {"articleNumber": "????"}},
              {"path": "/order/$(food)/*"}
            ]
          }
        ],
        "webcredentials": ["ABCDE12345.com.example.app"], "appclips": [],
        "activitycontinuation": [], "expectations": \(expectations)
      }]
    }
    """

  fileprivate static let desiredState = """
    {
      "apps": [{"app": "ABCDE12345.com.example.app", "name": "Example"}],
      "domains": [{
        "domain": "example.org",
        "entries": [{"apps": ["ABCDE12345.com.example.app"], "routes": [{"path": "/*"}]}]
      }]
    }
    """

  fileprivate static let plan = """
    {
      "apps": [{"app": "ABCDE12345.com.example.app", "action": "create"}],
      "domains": [
        \(publication(1, findings: [siblingFinding], #""domain": "example.org", "action": "create""#))
      ]
    }
    """

  private static let siblingFinding = """
    {
      "code": "www-sibling-missing", "severity": "note", "pointer": "",
      "message": "The file is published for example.org, but not for www.example.org.",
      "help": "If www.example.org serves links, add it as an alias."
    }
    """
}
