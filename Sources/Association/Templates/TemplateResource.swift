package enum TemplateResource {
  private static let parameterFields: [Field<TemplateParameter>] = [
    Field("name", .string, \.name, "The name, as in `{name}`.", .required),
    Field("type", .word("ParameterType"), \.kind, typeDocumentation, .required),
    Field(
      "default", .any,
      "The value of domains that give none. `null` for no value: then the list items and routes that use the "
        + "parameter are left out. Without a default, every domain gives a value, or `null`.",
      .optional,
      write: \.defaultValue),
  ]

  private static let typeDocumentation = """
    What a value is. `path` is literal text in a pattern, `pattern` a part of one; `text` stands in comments and URLs. \
    The others are all of a string, and `apps`, `packages` and `origins` all of an item of a list.
    """

  private static let name = Member(
    "template", .shared("TemplateName"), "The name of the template.")
  private static let parameters = Member(
    "parameters",
    .list(
      of: .named(
        "TemplateParameter", request: "TemplateParameterInput", .object(parameterFields.members())),
      limit: TemplateParameter.limit),
    "What each domain gives. `{domain}` is the name of the domain, and needs no parameter.")

  /// The members of a template in JSON, for reading and for the description of the API.
  package static let members: [Member] =
    [name, parameters]
    + DomainResource.shared.map { field in
      Member(
        field.member.name, TemplatePlace.isFixed(field.member.name) ? field.member.schema : .any,
        field.member.documentation, .optional)
    }

  /// What answers have besides, so that one can be sent back as it came.
  private static let readOnly = ["revision", "publishedAt", "author", "reason", "domains"]

  /// A template as answers have it, without its revision.
  package static func json(_ template: Template) -> JSON.Object {
    var json: JSON.Object = [
      "template": .string(template.name.text),
      "parameters": .array(template.parameters.map { .object(parameterFields.json(of: $0)) }),
    ]
    for member in template.members.members { json.appendNew(member.key, member.value) }
    return json
  }

  /// Reads a template, and checks it with a sample of each value.
  ///
  /// - Parameter name: The name in the path; `nil` to read it from the body.
  package static func read(_ body: BodyValue, name expected: TemplateName? = nil) -> Template? {
    guard let object = body.object(members.map(\.name) + readOnly) else { return nil }
    let given =
      expected == nil
      ? object.required("template")?.parse(TemplateName.init(_:))
      : object["template"].flatMap { $0.parse(TemplateName.init(_:)) }
    guard let name = expected ?? given else { return nil }
    if let given, given != name {
      object["template"]?.fault(
        .templateDiffers,
        "The path names \(name.text.quoted). Leave \"template\" out, or set it to the same name.")
    }
    var template = Template(name)
    template.parameters =
      object["parameters"]?.list(atMost: TemplateParameter.limit, readParameter) ?? []
    for member in object.members.members
    where member.value != .null && TemplatePlace.members[member.key] != nil {
      template.members.appendNew(member.key, member.value)
    }
    let before = body.faults.count
    checkNames(template, object["parameters"] ?? body)
    let sample = DomainName(stored: "example.com")
    if body.faults.count == before {
      _ = template.domain(
        sample, values: template.parameters.reduce(into: [:]) { $0[$1.name] = [$1.kind.sample] },
        body)
    }
    return body.faults.count == before ? template : nil
  }

  /// Reads what `json` wrote.
  ///
  /// - Throws: `InvalidInput` for anything else.
  package static func read(record: JSON) throws(InvalidInput) -> Template {
    let faults = Faults()
    let body = BodyValue(json: record, pointer: .root, faults: faults)
    let object = body.object()
    let name = object?.required("template")?.parse(TemplateName.init(_:))
    let parameters = object?.required("parameters")?.list(readParameter)
    try faults.check()
    var members = record.objectValue ?? [:]
    members["template"] = nil
    members["parameters"] = nil
    return Template(
      name ?? TemplateName(stored: ""), parameters: parameters ?? [], members: members)
  }

  private static func readParameter(_ body: BodyValue) -> TemplateParameter? {
    var parameter = TemplateParameter(name: "", kind: .text)
    var given = body.json.objectValue
    let defaultValue = given?["default"]
    given?["default"] = nil
    let rest = BodyValue(
      json: given.map(JSON.object) ?? body.json, pointer: body.pointer, faults: body.faults)
    guard rest.read(parameterFields, into: &parameter) else { return nil }
    parameter.defaultValue = defaultValue
    let value = BodyValue(
      json: defaultValue ?? .null, pointer: body.pointer.appending("default"), faults: body.faults)
    _ = parameter.read(value)
    return parameter
  }

  /// Checks that parameters are declared once, and used.
  private static func checkNames(_ template: Template, _ body: BodyValue) {
    let used = TemplateText.parameters(in: .object(template.members))
    var seen: Set<String> = [TemplateParameter.domain.name]
    for (index, parameter) in template.parameters.enumerated() {
      let name = BodyValue(
        json: .string(parameter.name), pointer: body.pointer.appending(index).appending("name"),
        faults: body.faults)
      if !TemplateParameter.isName(parameter.name[...]) {
        name.fault(
          .malformedName,
          "\(parameter.name.quoted) is not a name of a parameter. Write a letter, then up to 62 letters, digits, "
            + "\"_\" and \"-\".")
      } else if !seen.insert(parameter.name).inserted {
        name.fault(
          .repeated,
          parameter.name == TemplateParameter.domain.name
            ? "{domain} is always there. Choose another name."
            : "The parameter \(parameter.name.quoted) is declared twice. Remove one.")
      } else if !used.contains(parameter.name) {
        name.fault(
          .unusedParameter,
          "Nothing in the template has {\(parameter.name)}. Use the parameter, or remove it.")
      }
    }
  }

  package static let schemas: JSON.Object = [
    "TemplateName": ["type": "string", "pattern": .string(Label.pattern)]
  ]
}

extension TemplatePlace {
  /// Whether a member is the same for every domain, so that its schema is that of domains.
  fileprivate static func isFixed(_ member: String) -> Bool {
    // `null` in defaults is kept as it came.
    if case .fixed? = members[member], member != "defaults" { true } else { false }
  }
}

extension TemplateParameter.Kind {
  /// A value to check a template with.
  fileprivate var sample: String {
    switch self {
    case .app, .apps: "ABCDE12345.com.example.sample"
    case .package, .packages: "com.example.sample"
    case .origin, .origins: "https://sample.example"
    case .path, .pattern, .text: "sample"
    }
  }
}

extension TemplateText {
  /// The names of the parameters in all strings of a value.
  static func parameters(in json: JSON) -> Set<String> {
    switch json {
    case .string(let text): Set(TemplateText(text).parameters.map(String.init))
    case .array(let items): items.reduce(into: []) { $0.formUnion(parameters(in: $1)) }
    case .object(let members):
      members.members.reduce(into: []) { $0.formUnion(parameters(in: $1.value)) }
    default: []
    }
  }
}

// MARK: - The domains of a template

extension Template {
  /// What the template gives to a domain with these values.
  ///
  /// - Parameter body: Where faults are recorded.
  fileprivate func domain(
    _ name: DomainName, values: [String: [String]], _ body: BodyValue
  ) -> Domain? {
    var values = values
    values[TemplateParameter.domain.name] = [name.text]
    let faults = body.faults
    let before = faults.count
    let rendered = TemplateRendering(parameters, values: values, faults: faults).members(members)
    if faults.count > before { return nil }
    var stored = StoredDomain(Domain(name: name))
    let whole = BodyValue(json: .object(rendered), pointer: body.pointer, faults: faults)
    _ = whole.read(DomainResource.shared, into: &stored)
    return faults.count == before ? stored.domain : nil
  }
}

extension Domain {
  /// The domain with what is its own, and defaults for everything else.
  package var ownPart: Domain {
    guard let template else { return self }
    var stored = StoredDomain(Domain(name: name))
    DomainResource.owned(by: template).copy(StoredDomain(self), into: &stored)
    var part = stored.domain
    part.template = template
    part.associationFile.entries = own.associationFile.entries
    part.expectations = own.expectations
    return part
  }

  /// The domain with what its template gives it now. Own entries and expectations come first, and own members win.
  ///
  /// - Throws: `InvalidInput` if the parameters do not fit the template, or what it gives with them is invalid.
  package func resolved(with template: Template) throws(InvalidInput) -> Domain {
    guard let use = self.template else { return self }
    let faults = Faults()
    let body = BodyValue(json: .null, pointer: .root, faults: faults)
    let values = template.values(of: use, faults: faults)
    try faults.check()
    guard let given = template.domain(name, values: values, body) else {
      do throws(InvalidInput) {
        try faults.check()
      } catch {
        throw error.inTemplate(template.name)
      }
      throw InvalidInput(faults: [])
    }
    var stored = StoredDomain(ownPart)
    DomainResource.shared(besides: use).copy(StoredDomain(given), into: &stored)
    var domain = stored.domain
    domain.associationFile.entries = own.associationFile.entries + given.associationFile.entries
    domain.expectations = own.expectations + given.expectations
    DomainResource.checkExpectations(domain, at: body, keeping: own.expectations)
    do throws(InvalidInput) {
      try faults.check()
    } catch {
      throw error.inTemplate(template.name)
    }
    return domain
  }
}

extension Domain {
  /// Takes new names for the values of parameters, and removes those that the template does not have.
  ///
  /// - Parameter names: The new names of parameters, by their old ones.
  package mutating func keepParameters(of template: Template, renaming names: [String: String]) {
    renameParameters(names)
    let known = Set(template.parameters.map(\.name))
    for key in self.template?.parameters.keys ?? [] where !known.contains(key) {
      self.template?.parameters[key] = nil
    }
  }

  /// Takes new names for the values of parameters.
  ///
  /// - Parameter names: The new names of parameters, by their old ones.
  package mutating func renameParameters(_ names: [String: String]) {
    guard let old = template?.parameters else { return }
    let taken = Set(names.values)
    var renamed = JSON.Object()
    for member in old.members {
      if let name = names[member.key] {
        renamed[name] = member.value
      } else if !taken.contains(member.key) {
        renamed[member.key] = member.value
      }
    }
    template?.parameters = renamed
  }
}

extension InvalidInput {
  /// The faults as those of a domain that uses a template in which they are.
  fileprivate func inTemplate(_ name: TemplateName) -> InvalidInput {
    InvalidInput(
      faults: faults.map { fault in
        Fault(
          pointer: JSONPointer.root.appending("template"), code: fault.code,
          message:
            "With the domain's parameters, \(fault.pointer) of the template \(name.text.quoted) is invalid. "
            + fault.message)
      }, more: more)
  }
}
