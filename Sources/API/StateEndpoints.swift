import APITypes
package import Association
import HTTP
package import JSONValue
package import Publishing
package import Store

/// `/v1/export` and `/v1/apply`.
struct StateEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/export", .role(.viewer),
        "export", .state, "Export all apps and domains",
        answers: .ok("A state that `apply` takes.", "State", Example.state)
      ) { _ in .json(.ok, try StateExchange(publisher: publisher).export()) },
      Endpoint(
        .post, "/v1/apply", .role(.editor), effect: .publications, query: [.prune],
        "apply", .state, "Apply a desired state", description: "All of it, or nothing.",
        body: .json("DesiredState", Example.desiredState),
        answers: .ok("What was done, or in a dry run would be.", "Plan", Example.plan),
        handle: apply),
    ]
  }

  private func apply(_ call: Call) throws -> Response {
    let plan = try StateExchange(publisher: publisher).apply(
      call.json(), call.context(), prune: call.flag(.prune), accepting: call.acceptedCodes())
    return .json(.ok, plan)
  }
}

/// What `/v1/export` and `/v1/apply` do, also for commands that work on a database without a server.
package struct StateExchange: Sendable {
  let publisher: Publisher

  /// An exchange with a publisher's store.
  package init(publisher: Publisher) { self.publisher = publisher }

  /// All apps and domains.
  package func export() throws -> JSON { StateResource.json(try publisher.store.state()) }

  /// Applies all of a state or nothing.
  ///
  /// - Parameters:
  ///   - prune: Whether to delete what the state does not list.
  ///   - accepted: Codes of errors to publish in spite of.
  /// - Returns: The plan, with `"dryRun": true` for a dry run.
  /// - Throws: What `problem(of:)` describes, and errors of the database.
  package func apply(
    _ json: JSON, _ context: WriteContext, prune: Bool, accepting accepted: Set<Finding.Code>
  ) throws -> JSON {
    let state = try Faults.collecting(in: json, StateResource.read)
    let plan = try publisher.write(context) {
      try $0.apply(state, prune: prune, accepting: accepted)
    }
    var object = try PlanResource.json(plan)
    if context.isDryRun { object["dryRun"] = true }
    return .object(object)
  }

  /// The problem that the API answers with to an error of `apply`; `nil` for an error that the state did
  /// not cause.
  package static func problem(of error: any Error) -> JSON? {
    switch error {
    case StoreError.database, StoreError.newerSchema, StoreError.brokenReferences: return nil
    default: break
    }
    do throws(InternalError) {
      return try Problem.of(error).json
    } catch {
      return nil
    }
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
