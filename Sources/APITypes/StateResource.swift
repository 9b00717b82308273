package import Association
package import JSONValue
package import Publishing
package import Store

/// A desired state in JSON: `{"apps": […], "domains": […]}`, as in `GET /v1/export` and in files.
package enum StateResource {
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

  /// The text of an export, made piece by piece.
  package static func text(_ reader: StateReader) -> StreamedLists {
    var apps = reader.apps[...]
    return StreamedLists([
      (
        "apps",
        {
          let batch = apps.prefix(1000)
          apps = apps.dropFirst(1000)
          return batch.map { .object(AppResource.json($0.app)) }
        }
      ), ("domains", { try reader.next().map { json($0.domain) } }),
    ])
  }

  package static func read(_ input: BodyValue) -> DesiredState? {
    guard let object = input.object(["apps", "domains"]) else { return nil }
    var reading = StateReading(faults: input.faults)
    for key in ["apps", "domains"] {
      _ = object[key]?.list(atMost: StateReading.itemLimit) { reading.add($0, to: key) }
    }
    return reading.state
  }
}

/// Reads a state app by app and domain by domain, so that its JSON need not be held as a whole.
package struct StateReading {
  /// The maximum number of apps, and of domains.
  fileprivate static let itemLimit = 200_000

  fileprivate private(set) var state = DesiredState(apps: [], domains: [])
  private let faults: Faults
  private var apps: Set<String> = []
  private var domains: Set<String> = []

  package init() { self.init(faults: Faults()) }

  fileprivate init(faults: Faults) { self.faults = faults }

  /// Reads an element of a member of the state.
  package mutating func add(_ json: JSON, to key: String, at index: Int) {
    if index < Self.itemLimit {
      let pointer = JSONPointer.root.appending(key).appending(index)
      add(BodyValue(json: json, pointer: pointer, faults: faults), to: key)
    } else if index == Self.itemLimit {
      faults.add(
        .tooMany, at: .root.appending(key),
        "The list has more than \(index) elements, which is the limit. Split the state.")
    }
  }

  /// The state.
  ///
  /// - Parameter rest: The whole text without the elements.
  /// - Throws: `InvalidInput` with the faults of all elements.
  package func state(_ rest: JSON) throws(InvalidInput) -> DesiredState {
    _ = StateResource.read(BodyValue(json: rest, pointer: .root, faults: faults))
    try faults.check()
    return state
  }

  fileprivate mutating func add(_ body: BodyValue, to key: String) {
    switch key {
    case "apps":
      guard let app = AppResource.read(body) else { return }
      if isNew(apps.insert(app.id.text).inserted, app.id.text, body) { state.apps.append(app) }
    case "domains":
      guard let domain = DomainResource.read(body) else { return }
      let name = domain.name
      guard isNew(domains.insert(name.text).inserted, name.text, body) else { return }
      state.domains.append(domain)
      if body.json["expectations"] ?? .null == .null { state.keepingExpectations.insert(name) }
    default: break
    }
  }

  /// Whether to keep an element: nothing is kept of a state that is refused.
  private func isNew(_ isInserted: Bool, _ name: String, _ body: BodyValue) -> Bool {
    if !isInserted { body.fault(.repeated, "\"\(name)\" is listed twice.") }
    return faults.count == 0
  }
}
