import Service
import Association
import Checking
import Publishing

/// The commands for one domain, `aasa show`, `put` and `rollback`, and `convert`, which takes several one by one.
enum DomainCommands {
  private static let document = Option(
    "--document", nil, "Print a served document, byte for byte, instead.")
  static let kind = Option(
    "--kind", "KIND",
    "The kind or the name of that document. Default: \(DocumentKind.apple.rawValue).",
    choices: (DocumentKind.allCases + DocumentName.known.map { .named($0.name) }).map(\.rawValue))

  static let show = Command(
    name: "show", group: .look, summary: "show a domain and its routes",
    details:
      "Shows the routes in the order in which they decide, the settings and expectations, and whether "
      + "Apple's CDN has fetched the current revision; also what comes from the template of the domain. With --json, "
      + "shows what is the domain's own, as the API does.",
    options: [document, kind, .json] + Option.installation, operands: .one("DOMAIN"),
    examples: [
      ("Show a domain", "aasa show example.com"),
      (
        "Save the document that a server serves",
        "aasa show --document example.com --server https://aasa.internal:8081 > file.json"
      ),
    ]
  ) { arguments in
    let path = "/v1/domains/\(try DomainName(arguments.operands[0]))"
    if arguments.has(document) && arguments.has(.json) {
      throw UsageError("--document prints the document as it is. Leave --json out.")
    }
    if arguments.has(kind) && !arguments.has(document) {
      throw UsageError("--kind is the kind of the document that --document shows.")
    }
    let installation = try Installation(arguments, upgrades: false)
    if arguments.has(document) {
      let name = arguments.value(kind) ?? DocumentKind.apple.rawValue
      let answer = try installation.send(
        APIClient.Request("GET", "\(path)/documents/\(APIClient.Request.escaped(name))"))
      // A problem is no document.
      if answer.status != 200 { _ = try installation.content(of: answer, having: "title") }
      try Terminal.write(answer.body)
      return .success
    }
    let isJSON = arguments.has(.json)
    // For a program, what it can change and send back.
    let domain = try installation.json(
      APIClient.Request("GET", path, query: isJSON ? [:] : ["resolved": "true"]), having: "domain")
    if isJSON {
      try Terminal.print(domain.text)
    } else {
      let request = APIClient.Request("GET", "\(path)/fetches", query: ["limit": "1"])
      let fetches = try installation.json(request, having: "current")
      let template = try domain["template"]?.stringValue.map {
        try installation.json(
          APIClient.Request("GET", "/v1/templates/\(TemplateName($0))"), having: "template")
      }
      try Terminal.print(
        DomainText(domain, of: template ?? .null, fetches: fetches, TextStyle()).text)
    }
    return .success
  }

  private static let type = Option(
    "--type", "TYPE",
    "The media type, such as text/plain. Default: the usual one of the name.")
  private static let remove = Option("--remove", nil, "Remove the document instead.")

  static let put = Command(
    name: "put", group: .domains, summary: "publish a file byte for byte below /.well-known/",
    details:
      "Publishes FILE, or - for stdin, as /.well-known/NAME of the domain, and prints what changes. Known names are "
      + DocumentName.known.map(\.name.text).joined(separator: ", ") + ".",
    options: [type, remove, .dryRun, .draft, .accept, .reason, .json] + Option.installation,
    operands: Command.Operands(name: "DOMAIN NAME [FILE]", count: 2...3),
    examples: [
      ("Publish a security.txt", "aasa put example.com security.txt security.txt"),
      ("Remove it", "aasa put --remove example.com security.txt"),
    ],
    failure: "refused, or stored but not served yet; stderr says which"
  ) { arguments in
    let domain = try DomainName(arguments.operands[0])
    let name = try DocumentName(arguments.operands[1])
    let removes = arguments.has(remove)
    if (arguments.operands.count == 3) == removes {
      throw UsageError(removes ? "--remove takes no FILE." : "FILE is missing.")
    }
    let mediaType = try arguments.value(type).map { try MediaType($0) } ?? name.usualMediaType
    let bytes = removes ? nil : try InputFile.bytes(of: arguments.operands[2])
    let request = APIClient.Request(
      removes ? "DELETE" : "PUT", "/v1/domains/\(domain)/documents/\(name)",
      query: try arguments.changeQuery(),
      fields: removes ? [:] : ["Content-Type": mediaType.text], body: bytes)
    let missing: MissingDatabase =
      removes ? .refused : arguments.has(.dryRun) ? .takenAsEmpty : .createdWithNote
    let answer = try Installation(arguments, missing: missing).json(request, having: "revision")
    try print(answer, of: domain, "\(domain) already has this \(name).", arguments)
    return .success
  }

  static let rollback = Command(
    name: "rollback", group: .domains, summary: "publish an earlier revision of a domain again",
    details:
      "REVISION is a number from 'aasa revisions'. Publishes that revision again under a new number, "
      + "and prints what changes.",
    options: [.detach, .dryRun, .draft, .accept, .reason, .json] + Option.installation,
    operands: Command.Operands(name: "DOMAIN REVISION", count: 2...2),
    examples: [
      ("See what would change", "aasa rollback --dry-run example.com 7"),
      (
        "Roll back on a server",
        "aasa rollback example.com 7 --reason 'breaks /buy' --server https://aasa.internal:8081"
      ),
    ],
    failure: "refused, or stored but not served yet; stderr says which"
  ) { arguments in
    let domain = try DomainName(arguments.operands[0])
    let number = try arguments.number("REVISION", at: 1)
    let installation = try Installation(arguments)
    var query = try arguments.changeQuery()
    if arguments.has(.detach) { query["detach"] = "true" }
    let request = APIClient.Request(
      "POST", "/v1/domains/\(domain)/revisions/\(number)/restore", query: query, body: [])
    let answer = try installation.json(request, having: "revision")
    try print(answer, of: domain, "\(domain) already matches revision \(number).", arguments)
    return .success
  }

  static let convert = Command(
    name: "convert", group: .domains, summary: "write legacy paths as components",
    details:
      "Compares both documents of each domain exactly, and converts the domain if every URL resolves as before. "
      + "Otherwise it prints the URLs that would change, and changes nothing of the domain without --force.",
    options: [force, .dryRun, .draft, .accept, .reason, .json] + Option.installation,
    operands: .many("DOMAIN"),
    examples: [
      ("See what would change", "aasa convert --dry-run example.com"),
      (
        "Convert two domains on a server",
        "aasa convert example.com shop.example --server https://aasa.internal:8081"
      ),
    ],
    failure: "refused, or a URL would resolve differently", run: convert)

  private static let force = Option(
    "--force", nil, "Convert it even if URLs would resolve differently.")

  /// Each domain by itself: one that is refused does not keep the others from being converted.
  private static func convert(_ arguments: Arguments) throws -> ExitStatus {
    let domains = try arguments.operands.map { try DomainName($0) }
    let installation = try Installation(arguments)
    var status = ExitStatus.success
    for domain in domains {
      let result = try Main.answering(arguments) { try convert(domain, installation, arguments) }
      // Trying again does not help against a refusal.
      if result != .success && status != .failure { status = result }
    }
    return status
  }

  /// Does a dry run first, and then converts the revision that it has seen.
  private static func convert(
    _ domain: DomainName, _ installation: Installation, _ arguments: Arguments
  ) throws -> ExitStatus {
    let path = "/v1/domains/\(domain)"
    let seen = try installation.json(APIClient.Request("GET", path), having: "revision")
    func send(isDryRun: Bool) throws -> JSON {
      let request = APIClient.Request(
        "POST", "\(path)/convert",
        query: try arguments.changeQuery(isDryRun: isDryRun),
        fields: ["If-Match": "\"\(seen["revision"]?.integerValue ?? 0)\""],
        body: Array(#"{"format":"modern"}"#.utf8))
      return try installation.json(request, having: "revision")
    }
    let plan = try send(isDryRun: true)
    let diff = plan["diff"]
    // What becomes of `paths` beside `components`, which only old systems read, is unknown; remarks name them.
    let isSame =
      diff?["affectsLinks"] == false
      || diff?["moreChanges"] == nil
        && (diff?["changes"]?.arrayValue ?? []).allSatisfy {
          $0["affectsLinks"] == false
            || $0["what"]?.stringValue == DocumentChange.What.legacyPaths.rawValue
        }
    let isRefused = !isSame && plan["changed"] == true && !arguments.has(force)
    let isDone = !isRefused && !arguments.has(.dryRun)
    try print(
      isDone ? send(isDryRun: false) : plan, of: domain, "\(domain) has no paths.", arguments)
    for remark in plan["remarks"]?.arrayValue ?? [] {
      let text = { remark[$0]?.stringValue ?? "" }
      let place = arguments.operands.count == 1 ? "" : "\(domain) "
      Terminal.complain("note \(place)\(text("pointer")): \(text("message"))".harmless)
    }
    if isSame { Terminal.complain("No URL of \(domain) resolves differently.") }
    if isRefused && !arguments.has(.dryRun) {
      Terminal.complain(
        "Not converted: URLs of \(domain) may resolve differently. To convert it anyway, use --force."
      )
    }
    return isRefused ? .failure : .success
  }

  /// Prints what a publication changes.
  static func print(
    _ answer: JSON, of domain: DomainName, _ unchanged: String, _ arguments: Arguments
  ) throws {
    if arguments.has(.json) { return try Terminal.print(answer.text) }
    let publication = try Faults.collecting(in: answer, PublicationResource.read)
    let action: Plan.Action = publication.isChanged ? .update : .unchanged
    var lines = PlanText.lines(
      Plan.Step(name: domain.text, action: action, publication: publication), domain.text,
      TextStyle())
    if !publication.isChanged { lines.append("No changes: \(unchanged)") }
    if answer["dryRun"] == true { lines.append("Nothing was changed.") }
    try Terminal.print(lines.joined(separator: "\n"))
  }
}

extension Arguments {
  /// The options of a change as parameters of a query.
  ///
  /// - Parameter isDryRun: Whether nothing is changed; by default, the arguments say that.
  func changeQuery(isDryRun: Bool? = nil) throws(UsageError) -> [String: String] {
    let accepted = try acceptedCodes().map(\.rawValue).sorted().joined(separator: ",")
    let isDryRun = isDryRun ?? has(.dryRun)
    var query = ["accept": accepted, "reason": value(.reason) ?? "", "dryRun": "\(isDryRun)"]
    if has(.draft) { query[isDryRun ? "approved" : "draft"] = "true" }
    return query.filter { !$0.value.isEmpty }
  }
}
