package import Association
package import JSONValue
package import Publishing
import Store

/// A desired state in JSON: `{"apps": […], "domains": […]}`, as in `GET /v1/export` and in files.
package enum StateResource {
  /// The maximum number of apps, and of domains.
  private static let itemLimit = 200_000

  static let schemas: JSON.Object = [
    "State": [
      Member("apps", .list(of: .shared("ExportedApp"))),
      Member("domains", .list(of: .shared("ExportedDomain"))),
    ].schema(),
    "DesiredState": [
      Member("apps", .list(of: .shared("AppOfState"))),
      Member("domains", .list(of: .shared("DomainOfState"))),
    ].schema("The desired apps and domains.", for: .request),
  ]

  /// A domain as it is exported: without row identifiers and revisions, so that the text is the same on every
  /// server.
  package static func json(_ domain: Domain) -> JSON {
    var domain = domain
    for entry in domain.document.entries.indices {
      domain.document.entries[entry].id = nil
      for route in domain.document.entries[entry].routes.indices {
        domain.document.entries[entry].routes[route].id = nil
      }
    }
    return .object(DomainResource.json(domain))
  }

  package static func json(_ state: DesiredState) -> JSON {
    [
      "apps": .array(state.apps.map { .object(AppResource.json($0)) }),
      "domains": .array(state.domains.map(json)),
    ]
  }

  package static func read(_ input: BodyValue) -> DesiredState? {
    guard let object = input.object(["apps", "domains"]) else { return nil }
    let apps = object["apps"]?.list(atMost: itemLimit, AppResource.read) ?? []
    var keeping: Set<DomainName> = []
    let domains =
      object["domains"]?.list(atMost: itemLimit) { readDomain($0, keeping: &keeping) } ?? []
    checkRepetition(apps.map(\.id.text), in: "apps", object)
    checkRepetition(domains.map(\.name.text), in: "domains", object)
    return DesiredState(apps: apps, domains: domains, keepingExpectations: keeping)
  }

  /// Reads a domain with its name. Adds it to `keeping` if it does not list expectations.
  private static func readDomain(_ input: BodyValue, keeping: inout Set<DomainName>) -> Domain? {
    guard let domain = DomainResource.read(input) else { return nil }
    if input.json["expectations"] ?? .null == .null { keeping.insert(domain.name) }
    return domain
  }

  private static func checkRepetition(_ names: [String], in key: String, _ object: BodyObject) {
    var seen: Set<String> = []
    for (index, name) in names.enumerated() where !seen.insert(name).inserted {
      object.faults.add(
        .repeated, at: object.pointer.appending(key).appending(index),
        "\"\(name)\" is listed twice.")
    }
  }
}
