import Association
import Checking
import Service

/// `aasa suppression create`, `list` and `delete`: suppressions of findings of several domains.
enum SuppressionCommands {
  private static let code = Option(
    "--code", "CODE", "The code of the findings.",
    choices: Finding.Code.allCases.map(\.rawValue).sorted()
  ).required
  private static let domain = Option(
    "--domain", "DOMAIN", "The domains that it covers, such as example.com or '*.brand.example'.")
  private static let label = Option(
    "--label", "LABEL", "The domains that it covers: those with this label.")
  private static let kind = Option(
    "--kind", "KIND",
    "The kind of the files whose findings it covers. Default: apple-app-site-association.",
    choices: DocumentKind.allCases.map(\.rawValue))
  private static let pointer = Option(
    "--pointer", "POINTER",
    "Only findings at this place or below it, such as /applinks. Default: the whole document.")
  private static let why = Option("--reason", "TEXT", "Why no action is needed.").required
  private static let owner = Option(
    "--owner", "NAME", "Who made the decision and can answer questions."
  ).required
  private static let until = Option(
    "--until", "TIME",
    "When the findings are no longer suppressed, such as 2027-01-31 or 2027-01-31T12:00:00Z."
  ).required

  static let commands = [
    Command(
      name: "suppression create", group: .domains,
      summary: "suppress findings of several domains until a time",
      details:
        "It also holds for domains that are added, or get the label, later. Prints its number.",
      options: [code, domain, label, kind, pointer, why, owner, until, .json]
        + Option.installation,
      examples: [
        (
          "Suppress a finding in all domains of a brand",
          "aasa suppression create --code shadowed-route --domain '*.brand.example' --reason 'wanted' --owner Anna "
            + "--until 2027-01-31"
        ),
        (
          "In all domains with a label",
          "aasa suppression create --code no-final-rule --kind assetlinks.json --label legacy --reason 'moves in June' "
            + "--owner Ben --until 2027-06-30"
        ),
      ],
      failure: "refused; stderr says why", run: create),
    Command(
      name: "suppression list", group: .look,
      summary: "list the suppressions of several domains",
      details:
        "Shows the number, the code, what it covers, how many findings it covers now, when it ends, who decided, and why.",
      options: [.json] + Option.installation,
      examples: [
        ("List all of them", "aasa suppression list"),
        ("As JSON, for a program", "aasa suppression list --json"),
      ], run: list),
    Command(
      name: "suppression delete", group: .domains, summary: "end a suppression of several domains",
      options: Option.installation, operands: .one("NUMBER"),
      examples: [
        ("End one", "aasa suppression delete 3"),
        (
          "On a server",
          "aasa suppression delete 3 --server https://aasa.example.com"
        ),
      ],
      failure: "there is no such suppression"
    ) { arguments in
      let number = try arguments.number("NUMBER")
      try Installation(arguments).perform(
        APIClient.Request("DELETE", "/v1/suppressions/\(number)"))
      return .success
    },
  ]

  private static func create(_ arguments: Arguments) throws -> ExitStatus {
    if (arguments.value(domain) == nil) == (arguments.value(label) == nil) {
      throw UsageError("Give one of --domain and --label.")
    }
    var body: JSON.Object = [
      "code": .string(try arguments.required(code)),
      "pointer": .string(arguments.value(pointer) ?? ""),
      "reason": .string(try arguments.required(why)),
      "owner": .string(try arguments.required(owner)),
      "until": .time(try arguments.futureTime(try arguments.required(until), of: until)),
    ]
    body["domain"] = try arguments.value(domain).map { .string(try Alias($0).description) }
    body["label"] = try arguments.value(label).map { .string(try Label($0).text) }
    body["document"] = try arguments.kind().map { .string($0.rawValue) }
    let created = try Installation(arguments).json(
      APIClient.Request("POST", "/v1/suppressions", body: JSON.object(body).serialized()),
      having: "id")
    try Terminal.print(arguments.has(.json) ? created.text : created["id"]?.text ?? "")
    let count = created["findings"]?.integerValue ?? 0
    let isDefault = arguments.value(kind) == nil
    Terminal.complain(
      "It covers \(count.counted("finding")) of "
        + "\(created["document"]?.stringValue ?? DocumentKind.apple.rawValue) now."
        + (count == 0 && isDefault ? " Those of another file need --kind." : ""))
    return .success
  }

  private static func list(_ arguments: Arguments) throws -> ExitStatus {
    let titles = ["NUMBER", "CODE", "COVERS", "FINDINGS", "UNTIL", "OWNER", "REASON"]
    try ItemList(path: "/v1/suppressions", isPaged: false, titles: titles, noun: "suppression") {
      item in
      return [
        .init(item["id"]), .init(item["code"]),
        .init(covered(by: item)),
        .init(item["findings"]),
        .init(item["until"], item["active"] == false ? .faint : nil), .init(item["owner"]),
        .init(item["reason"]),
      ]
    }.print(arguments)
    return .success
  }

  /// The domains that a suppression covers, and the file, unless it is Apple's.
  private static func covered(by item: JSON) -> String {
    let domains =
      item["label"]?.stringValue.map { "label \($0)" } ?? item["domain"]?.stringValue ?? ""
    let document = item["document"]?.stringValue ?? ""
    return document == DocumentKind.apple.rawValue ? domains : "\(domains) (\(document))"
  }
}
