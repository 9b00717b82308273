/// Collects the schemas that have a name, from which `components.schemas` and references to it are made.
package struct NamedSchemas {
  /// Where `Schema` writes the name and the definition, in place of a `$ref`.
  package static let key = "x-named"

  /// Two schemas that differ have the same name.
  package struct NameTaken: Error {
    package let name: String
  }

  package private(set) var definitions: JSON.Object

  /// - Parameter definitions: Those that already have a name.
  package init(_ definitions: JSON.Object) throws(NameTaken) {
    self.definitions = definitions
    for definition in definitions.members {
      self.definitions[definition.key] = try referring(definition.value)
    }
  }

  /// The same JSON with references in place of the schemas that have a name.
  package mutating func referring(_ json: JSON) throws(NameTaken) -> JSON {
    if let elements = json.arrayValue {
      var copy: [JSON] = []
      for element in elements { copy.append(try referring(element)) }
      return .array(copy)
    }
    guard let object = json.objectValue else { return json }
    var copy = JSON.Object()
    for member in object.members {
      if member.key == Self.key, let named = member.value.arrayValue,
        let name = named.first?.stringValue, let schema = named.last
      {
        let definition = try referring(schema)
        if let other = definitions[name], other != definition { throw NameTaken(name: name) }
        definitions[name] = definition
        copy["$ref"] = .string("#/components/schemas/\(name)")
      } else {
        copy.appendNew(member.key, try referring(member.value))
      }
    }
    return .object(copy)
  }
}
