import Association
import Checking
import Service

/// `aasa template adopt` and `aasa template suggest`: existing domains under a template.
enum TemplateCommands {
  private static let table = Option(
    "--from", "FILE",
    "A CSV file with values: the first column is \"domain\", each other one a parameter of the template. What it leaves "
      + "out is found in the domain.")
  private static let name = Option("--name", "NAME", "The name for the template.")
  private static let values = Option(
    "--values", nil, "Print the values of each domain instead, as a table for --from.")

  static let commands = [
    Command(
      name: "template adopt", group: .domains, summary: "take existing domains under a template",
      details:
        "DOMAIN is a name, or a wildcard such as '*.brand.example' for all domains below a name. Each domain must open the "
        + "same URLs in the same apps as before; otherwise it is named, with an example. What it has beyond the template "
        + "stays its own. Takes all of the domains, or none.",
      options: [.label, .app, table, .skipRefused, .dryRun, .draft, .accept, .reason, .json]
        + Option.installation,
      operands: Command.Operands(name: "NAME [DOMAIN]", count: 1...Int.max),
      examples: [
        (
          "See what would happen", "aasa template adopt --dry-run white-label '*.brand.example'"
        ),
        (
          "Take the domains of a table, on a server",
          "aasa template adopt white-label --from customers.csv --server https://aasa.internal:8081"
        ),
      ],
      failure: "refused, or stored but not served yet; stderr says which", run: adopt),
    Command(
      name: "template suggest", group: .domains,
      summary: "suggest a template for domains that are alike",
      details:
        "Prints a template with what the domains have in common, and parameters for what differs, as 'aasa apply' takes "
        + "it. Changes nothing. stderr says what each domain would have.",
      options: [name, .label, .app, values, .json] + Option.installation,
      operands: .any("DOMAIN"),
      examples: [
        (
          "Write a template for the domains of a brand",
          "aasa template suggest --name white-label '*.brand.example' > rules.json"
        ),
        (
          "Then take them under it, with the values that were found",
          "aasa apply rules.json && aasa template adopt white-label '*.brand.example'"
        ),
      ],
      failure: "the domains are not alike; stderr says why", run: suggest),
    Command(
      name: "template detach", group: .domains, summary: "detach a domain from its template",
      details:
        "Everything that the domain has from the template becomes its own. It serves the same bytes, and later edits of the "
        + "template do not concern it.",
      options: [.dryRun, .draft, .accept, .reason, .json] + Option.installation,
      operands: .one("DOMAIN"),
      examples: [
        ("See what would happen", "aasa template detach --dry-run anna.example"),
        (
          "Detach a domain on a server",
          "aasa template detach anna.example --server https://aasa.internal:8081"
        ),
      ],
      failure: "refused, or stored but not served yet; stderr says which"
    ) { arguments in
      let domain = try DomainName(arguments.operands[0])
      let answer = try Installation(arguments).json(
        APIClient.Request(
          "POST", "/v1/domains/\(domain)/detach", query: try arguments.changeQuery(), body: []),
        having: "revision")
      try DomainCommands.print(answer, of: domain, "\(domain) is detached.", arguments)
      return .success
    },
  ]

  private static func selection(
    _ arguments: Arguments, _ domains: some Collection<String>
  ) throws -> JSON.Object {
    var body: JSON.Object = [:]
    if !domains.isEmpty { body["domains"] = .strings(domains) }
    var filter: JSON.Object = [:]
    filter["label"] = arguments.value(.label).map { .string($0) }
    filter["app"] = arguments.value(.app).map { .string($0) }
    if !filter.isEmpty { body["filter"] = .object(filter) }
    return body
  }

  // MARK: Adopting

  private static func adopt(_ arguments: Arguments) throws -> ExitStatus {
    let name = try TemplateName(arguments.operands[0])
    let domains = arguments.operands.dropFirst()
    let installation = try Installation(arguments)
    var body = try selection(arguments, domains)
    if let file = arguments.value(table) {
      let template = try TemplateResource.read(
        record: installation.json(
          APIClient.Request("GET", "/v1/templates/\(name)"), having: "template"))
      let rows = try TemplateTable(
        try InputFile.bytes(of: file), named: file, of: template, leavesOpen: true)
      body["parameters"] = .object(
        rows.domains.reduce(into: [:]) { values, row in
          values[row.json["domain"]?.stringValue ?? ""] = row.json["parameters"] ?? [:]
        })
      if body["domains"] == nil && body["filter"] == nil {
        body["domains"] = .array(rows.domains.compactMap { $0.json["domain"] })
      }
    }
    if body["domains"] == nil && body["filter"] == nil {
      throw UsageError("Name the domains, or choose them with --label, --app or --from.")
    }
    var query = try arguments.changeQuery()
    query["skip"] = arguments.value(.skipRefused)
    try ChangeCommands.perform(
      APIClient.Request(
        "POST", "/v1/templates/\(name)/adopt", query: query, body: JSON.object(body).serialized()),
      arguments, by: installation)
    return .success
  }

  // MARK: Suggesting

  private static func suggest(_ arguments: Arguments) throws -> ExitStatus {
    var body = try selection(arguments, arguments.operands)
    if arguments.has(.json) && arguments.has(values) {
      throw UsageError("--json has the values already. Leave out --values.")
    }
    if body.isEmpty { throw UsageError("Name the domains, or choose them with --label or --app.") }
    body["template"] = arguments.value(name).map { .string($0) }
    let answer = try Installation(arguments, upgrades: false).json(
      APIClient.Request(
        "POST", "/v1/template-suggestion", body: JSON.object(body).serialized()),
      having: "template")
    let template = answer["template"] ?? [:]
    let domains = answer["domains"]?.arrayValue ?? []
    if arguments.has(.json) {
      try Terminal.print(answer.text)
    } else if arguments.has(values) {
      try Terminal.write(Self.table(of: template, domains))
    } else {
      try Terminal.write(StateResource.file(template))
    }
    for domain in domains { Terminal.complain(try line(of: domain)) }
    if let more = answer["moreDomains"]?.integerValue { Terminal.complain("and \(more) more") }
    for problem in answer["refused"]?.arrayValue ?? [] {
      Terminal.complain((problem["detail"]?.stringValue ?? "").harmless)
    }
    return .success
  }

  private static func line(of domain: JSON) throws(InvalidInput) -> String {
    let adoption = try Faults.collecting(in: domain, JoinedTemplate.read)
    let name = domain["domain"]?.stringValue ?? "?"
    return "\(name.harmless)  \(PlanText.words(of: adoption, hasSameLinks: true))"
  }

  /// A table of values, as `--from` reads it.
  private static func table(of template: JSON, _ domains: [JSON]) -> String {
    let names = (template["parameters"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
    let rows = domains.map { domain in
      [domain["domain"]?.stringValue ?? ""]
        + names.map { name in
          let value = domain["parameters"]?[name]
          return value?.arrayValue?.compactMap(\.stringValue).joined(separator: " ")
            ?? value?.stringValue ?? ""
        }
    }
    return ([["domain"] + names] + rows).map { row in
      row.map(CSVFile.cell).joined(separator: ",") + "\n"
    }.joined()
  }
}
