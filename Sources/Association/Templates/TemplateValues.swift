extension Template {
  /// The values of a domain's parameters.
  func values(of use: TemplateUse, faults: Faults) -> [String: [String]] {
    let pointer = JSONPointer.root.appending("parameters")
    let names = Set(parameters.map(\.name))
    let unknown = use.parameters.keys.filter { !names.contains($0) }
    let known = unknown.isEmpty || names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
    for key in unknown {
      faults.add(
        .unknownParameter, at: pointer.appending(key),
        "The template \(name.text.quoted) has no parameter \(key.quoted). It has \(known).")
    }
    var values: [String: [String]] = [:]
    for parameter in parameters {
      let pointer = pointer.appending(parameter.name)
      guard let json = use.parameters[parameter.name] ?? parameter.defaultValue else {
        faults.add(
          .missingParameter, at: pointer,
          "The template \(name.text.quoted) needs a value for \(parameter.name.quoted). Give one, or null to leave out "
            + "what uses it.")
        continue
      }
      values[parameter.name] = parameter.read(
        BodyValue(json: json, pointer: pointer, faults: faults))
    }
    return values
  }
}
