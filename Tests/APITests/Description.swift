import Association

/// The description of the API, as `GET /openapi.json` gives it.
struct Description {
  /// One method of one path.
  struct Operation {
    let method: String
    let path: String
    let json: JSON

    var id: String { json["operationId"]?.stringValue ?? "" }

    /// "GET /v1/domains".
    var name: String { "\(method) \(path)" }
  }

  let json: JSON
  let operations: [Operation]

  init(_ json: JSON) {
    self.json = json
    operations = (json["paths"]?.objectValue?.members ?? []).flatMap { path in
      (path.value.objectValue?.members ?? []).map {
        Operation(method: $0.key.uppercased(), path: path.key, json: $0.value)
      }
    }
  }

  /// The operation that a request calls.
  func operation(_ method: String, _ target: String) -> Operation? {
    let segments = target.prefix { $0 != "?" }.split(separator: "/")
    return operations.first { operation in
      let parts = operation.path.split(separator: "/")
      return operation.method == method && parts.count == segments.count
        && zip(parts, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
  }

  /// Follows a `$ref`.
  func resolve(_ json: JSON?) -> JSON? {
    guard let reference = json?["$ref"]?.stringValue else { return json }
    return reference.split(separator: "/").dropFirst().reduce(self.json as JSON?) {
      $0?[String($1)]
    }
  }

  func component(_ kind: String, _ name: String) -> JSON? {
    json["components"]?[kind]?[name]
  }

  /// The values that a schema allows.
  func words(_ schema: JSON?) -> [String] {
    (resolve(schema)?["enum"]?.arrayValue ?? []).compactMap(\.stringValue)
  }

  /// All objects of the description, at any depth.
  func objects() -> [JSON] {
    var found: [JSON] = []
    var open = [json]
    while let next = open.popLast() {
      if let object = next.objectValue {
        found.append(next)
        open += object.members.map(\.value)
      }
      open += next.arrayValue ?? []
    }
    return found
  }

  /// The codes of the problems of one response.
  func codes(_ response: JSON?) -> [String] {
    (resolve(response)?["x-codes"]?.arrayValue ?? []).compactMap(\.stringValue)
  }
}
