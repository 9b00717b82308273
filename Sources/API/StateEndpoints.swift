import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/apply`, `/v1/export` and `/v1/apps/{app}/rename`: what is about many domains.
struct StateEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/apps/{app}/rename", .role(.editor), query: QueryParameter.publication, rename),
      Endpoint(.get, "/v1/export", .role(.viewer)) { _ in
        .json(.ok, StateResource.json(try publisher.store.state()))
      },
      Endpoint(
        .post, "/v1/apply", .role(.editor), query: QueryParameter.publication + [.prune], apply),
    ]
  }

  /// Makes everything what the body says, or nothing; `?prune=true` removes what it does not have.
  private func apply(_ call: Call) throws -> Response {
    let state = try Faults.collecting(in: try call.json(), StateResource.read)
    let context = try call.context()
    let applied = try publisher.write(context) {
      try $0.apply(state, prune: call.flag(.prune), accepting: call.acceptedCodes())
    }
    return .json(.ok, try Plan(applied, isDryRun: context.isDryRun).json)
  }

  /// Gives an app another identifier in every domain that names it, or nowhere.
  private func rename(_ call: Call) throws -> Response {
    let old = try call.app()
    let new = try Faults.collecting(in: try call.json()) { input in
      input.object(["to"])?.required("to")?.parse(AppIdentifier.init(_:))
    }
    let publications = try publisher.write(call.context()) {
      try $0.renameAndPublish(old, to: new, accepting: call.acceptedCodes())
    }
    let domains = try publications.map { publication -> JSON in
      var object: JSON.Object = ["domain": .string(publication.edited.stored.domain.name.text)]
      for member in try PublicationResource(publication).json.members {
        object[member.key] = member.value
      }
      return .object(object)
    }
    var object: JSON.Object = ["app": .string(new.text), "domains": .array(domains)]
    if try call.context().isDryRun { object["dryRun"] = true }
    return .json(.ok, .object(object))
  }
}
