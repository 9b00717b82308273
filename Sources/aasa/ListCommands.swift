import Association
import Service

/// The commands that list what is stored: `aasa domains`, `revisions`, `checks`, `findings`, `changes` and `audit`.
enum ListCommands {
  private static let androidApp = Option(
    "--android-app", "PACKAGE", "Only domains that use this Android app, such as com.example.app.")
  private static let finding = Option(
    "--finding", "CODE", "Only domains whose document has a finding with this code.",
    choices: Finding.Code.allCases.map(\.rawValue).sorted())
  private static let uncollected = Option(
    "--uncollected", nil,
    "Only domains whose current document Apple's CDN has not fetched.")
  private static let check = Option(
    "--check", "STATUS", "Only domains whose last check from outside had this outcome.",
    choices: ["ok", "warning", "failing", "unchecked"])
  private static let source = Option(
    "--source", "SOURCE", "Only findings in documents (lint) or from outside (check).",
    choices: Finding.Source.allCases.map(\.rawValue))
  private static let template = Option(
    "--template", "TEMPLATE", "Only domains that use this template.")
  private static let behind = Option(
    "--behind-template", nil,
    "Only domains for which an edit of their template was not published.")
  private static let environment = Option(
    "--environment", "ENVIRONMENT", "Only domains with this environment.",
    choices: App.Environment.allCases.map(\.rawValue))
  private static let disabled = Option(
    "--disabled", nil, "Only domains that are not served.")
  private static let kind = Option(
    "--kind", "KIND", "Only domains that publish this document, such as assetlinks.json.",
    choices: DomainCommands.kind.choices)
  private static let deleted = Option("--deleted", nil, "List deleted domains instead.")
  private static let domain = Option("--domain", "DOMAIN", "Only this domain.")
  private static let author = Option(
    "--author", "NAME", "Only changes with this token, or by this user or command.")
  private static let since = Option(
    "--since", "TIME", "Only records from this time on, such as 2026-11-21 or 2026-11-21T10:00:00Z."
  )
  private static let until = Option("--until", "TIME", "Only records before this time.")
  private static let change = Option(
    "--change", "N", "Only the parts of this change; 'aasa changes' shows its number.")
  private static let code = Option(
    "--code", "CODE", "Only findings with this code.",
    choices: Finding.Code.allCases.map(\.rawValue).sorted())

  /// How many of the newest items are shown by default.
  private static let newest = 50

  static let domains = Command(
    name: "domains", group: .look, summary: "list the domains",
    details:
      "Shows the name, the current revision, when the domain last changed, its environment, "
      + "whether it is served, and how its last check from outside ended. With TEXT, only domains whose "
      + "name or alias contains it.",
    options: [
      .app, androidApp, template, behind, .label, environment, disabled, kind, finding,
      uncollected, check, deleted, ItemList.limit, .json,
    ]
      + Option.installation,
    operands: .optional("TEXT"),
    examples: [
      (
        "List the domains that an edit of their template has left behind",
        "aasa domains --template shops --behind-template"
      ),
      (
        "List those of a server that fail when they are checked from outside",
        "aasa domains --check failing --server https://aasa.internal:8081"
      ),
    ]
  ) { arguments in
    var query = try arguments.query([
      ("app", .app), ("androidApp", androidApp), ("template", template), ("label", .label),
      ("environment", environment), ("finding", finding), ("check", check),
    ])
    query["kind"] = arguments.value(kind)
    query["q"] = arguments.operands.first
    if arguments.has(uncollected) { query["collected"] = "false" }
    if arguments.has(behind) { query["behindTemplate"] = "true" }
    if arguments.has(disabled) { query["enabled"] = "false" }
    if arguments.has(deleted) { query["deleted"] = "true" }
    let titles = ["DOMAIN", "REVISION", "CHANGED", "ENVIRONMENT", "STATE", "CHECK"]
    try ItemList(path: "/v1/domains", query: query, titles: titles, noun: "domain") { item in
      let isEnabled = item["enabled"]?.boolValue != false
      return [
        .init(item["domain"]), .init(item["revision"]), .init(item["updatedAt"]),
        .init(item["environment"]),
        item["deletedAt"] != nil
          ? .init("deleted", .faint)
          : .init(isEnabled ? "served" : "disabled", isEnabled ? nil : .yellow),
        checkCell(item["check"]?["status"]),
      ]
    }.print(arguments)
    return .success
  }

  private static func checkCell(_ status: JSON?) -> TextTable.Cell {
    let colors: [String: TextStyle.Color] = ["failing": .red, "warning": .yellow]
    return .init(status, status?.stringValue.flatMap { colors[$0] })
  }

  static let revisions = Command(
    name: "revisions", group: .look, summary: "list the revisions of a domain, newest first",
    details:
      "Shows the number, when and by whom it was published, the size of the document in bytes, and "
      + "why.",
    options: [newestLimit, .json] + Option.installation, operands: .one("DOMAIN"),
    examples: [
      ("Show who changed a domain", "aasa revisions example.com"),
      (
        "Show the last change on a server",
        "aasa revisions example.com --limit 1 --server https://aasa.internal:8081"
      ),
    ]
  ) { arguments in
    let domain = try DomainName(arguments.operands[0])
    let titles = ["REVISION", "PUBLISHED", "AUTHOR", "BYTES", "REASON"]
    try ItemList(
      path: "/v1/domains/\(domain)/revisions", titles: titles, noun: "revision", limit: newest
    ) { item in
      [
        .init(item["revision"]), .init(item["publishedAt"]), .init(item["author"]),
        .init(item["bytes"]), .init(item["reason"]),
      ]
    }.print(arguments)
    return .success
  }

  static let checks = Command(
    name: "checks", group: .look, summary: "list how the checks of a domain ended, newest first",
    details:
      "Checks in a row with the same outcome are one line: when the first and the last of them were, their number, the "
      + "worst finding's severity as ok, warning or failing, the revision that Apple's CDN had, and the codes of"
      + " what was found. --json adds the last of them in full.",
    options: [newestLimit, .json] + Option.installation, operands: .one("DOMAIN"),
    examples: [
      ("Show since when a domain fails", "aasa checks example.com"),
      (
        "Show the last outcome on a server",
        "aasa checks example.com --limit 1 --server https://aasa.internal:8081"
      ),
    ]
  ) { arguments in
    let domain = try DomainName(arguments.operands[0])
    let titles = ["SINCE", "LAST", "CHECKS", "STATUS", "APPLE", "FINDINGS"]
    try ItemList(
      path: "/v1/domains/\(domain)/checks", titles: titles, noun: "check", limit: newest
    ) { item in
      [
        .init(item["since"]), .init(item["at"]), .init(item["checks"]), checkCell(item["status"]),
        .init(item["cdnRevision"]),
        .init((item["codes"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")),
      ]
    }.print(arguments)
    return .success
  }

  static let findings = Command(
    name: "findings", group: .look, summary: "list the findings of all domains",
    details:
      "Shows the severity, the code, the domain, the place in its document or the URL of a check, and "
      + "what was found. What repeats in other domains or places is shown once, with their number. --json shows "
      + "all of them, and adds what to do.",
    options: [domain, .label, code, .severity, source, ItemList.limit, .json] + Option.installation,
    examples: [
      ("List what checks from outside found", "aasa findings --source check"),
      (
        "List the errors of a server",
        "aasa findings --severity error --server https://aasa.internal:8081"
      ),
    ]
  ) { arguments in
    _ = try arguments.value(domain).map { try DomainName($0) }
    var query = try arguments.query([
      ("domain", domain), ("label", .label), ("code", code), ("source", source),
    ])
    let least = try arguments.leastSeverity()
    if least > .note { query["minSeverity"] = least.rawValue }
    let titles = ["SEVERITY", "CODE", "DOMAIN", "PLACE", "FINDING"]
    var list = ItemList(
      path: "/v1/findings", query: query, titles: titles, noun: "finding"
    ) { item in
      let isSuppressed = item["suppressed"] ?? .null != .null
      let word = item["severity"]?.stringValue ?? ""
      let color: TextStyle.Color? =
        isSuppressed ? .faint : word == "error" ? .red : word == "warning" ? .yellow : nil
      return [
        .init(isSuppressed ? "\(word) (suppressed)" : word, color), .init(item["code"]),
        .init(item["domain"]), .init(item["url"] ?? item["pointer"]), .init(item["message"]),
      ]
    }
    // The same sentence about another domain or place.
    list.group = { item, cells in
      let domain = item["domain"]?.stringValue ?? ""
      let message = domain.isEmpty ? cells[4].text : cells[4].text.replacing(domain, with: "")
      return [cells[0].text, cells[1].text, message].joined(separator: "\0")
    }
    let page = try list.print(arguments)
    if arguments.has(.json) { return .success }
    let counts = page["counts"]?.objectValue?.members ?? []
    if counts.count > 1 {
      Terminal.complain(
        counts.map { "\($0.value.integerValue ?? 0) \($0.key)" }.joined(separator: ", ").harmless)
    }
    if let pending = page["pending"]?.integerValue, pending > 0 {
      Terminal.complain(
        "Still checking \(pending.counted("domain")) again. Repeat the command in a moment.")
    }
    return .success
  }

  static let changes = Command(
    name: "changes", group: .look, summary: "list the changes of domains, newest first",
    details:
      "A change is what one author did at once to one domain or many. Shows its number, which 'aasa undo' takes, the "
      + "time, the author, how many domains it changed, the action, and why.",
    options: [domain, author, newestLimit, .json] + Option.installation,
    examples: [
      ("Show what changed a domain", "aasa changes --domain example.com"),
      (
        "Show the last change on a server",
        "aasa changes --limit 1 --server https://aasa.internal:8081"
      ),
    ]
  ) { arguments in
    _ = try arguments.value(domain).map { try DomainName($0) }
    let query = try arguments.query([("domain", domain), ("author", author)])
    let titles = ["CHANGE", "TIME", "AUTHOR", "DOMAINS", "ACTION", "REASON"]
    /// Its only domain, or how many there are.
    func domains(of item: JSON) -> JSON? {
      item["domainCount"]?.integerValue == 1 ? item["domain"] : item["domainCount"]
    }
    try ItemList(
      path: "/v1/changes", query: query, titles: titles, noun: "change", limit: newest
    ) { item in
      let undone = item["revertedBy"]?.integerValue.map { " (undone by \($0))" } ?? ""
      return [
        .init(item["id"]), .init(item["at"]), .init(item["author"]), .init(domains(of: item)),
        .init((item["action"]?.stringValue ?? "") + undone, undone.isEmpty ? nil : .faint),
        .init(item["reason"]),
      ]
    }.print(arguments)
    return .success
  }

  static let audit = Command(
    name: "audit", group: .look, summary: "list who did what, when and why, newest first",
    details:
      "Shows the time, the token or the command, the client's address, the action, its object, the "
      + "revision, the reason, and what changed. On a server, it needs a token with the role admin.",
    options: [domain, author, change, since, until, newestLimit, .json] + Option.installation,
    examples: [
      ("Show who changed a domain", "aasa audit --domain example.com"),
      (
        "Show what happened on a day", "aasa audit --since 2026-11-21 --until 2026-11-22"
      ),
    ]
  ) { arguments in
    _ = try arguments.value(domain).map { try DomainName($0) }
    var query = try arguments.query([("domain", domain), ("author", author)])
    query["change"] = try arguments.number(change).map { "\($0)" }
    let (first, end) = try (
      arguments.value(since).map { try arguments.time($0, of: since) },
      arguments.value(until).map { try arguments.time($0, of: until) }
    )
    if let first, let end, first >= end {
      throw UsageError("--since \(first.text) is not before --until \(end.text).")
    }
    (query["since"], query["until"]) = (first?.text, end?.text)
    let titles = ["TIME", "AUTHOR", "ADDRESS", "ACTION", "OBJECT", "REVISION", "REASON", "CHANGES"]
    try ItemList(
      path: "/v1/audit", query: query, titles: titles, noun: "record", limit: newest
    ) { item in
      let object = ["domain", "app", "androidApp", "token", "webhook", "user", "group", "template"]
        .lazy.compactMap { item[$0]?.stringValue }.first
      let count = item["domainCount"]?.integerValue.map { $0.counted("domain") }
      return [
        .init(item["at"]), .init(item["author"]), .init(item["address"]), .init(item["action"]),
        .init(object ?? count), .init(item["revision"]), .init(item["reason"]),
        .init(item["changes"]),
      ]
    }.print(arguments)
    return .success
  }

  private static let newestLimit = {
    var option = ItemList.limit
    option.standard = "\(newest)"
    return option
  }()
}

extension Arguments {
  /// The values of options as parameters of a query.
  fileprivate func query(
    _ parameters: [(name: String, option: Option)]
  ) throws(UsageError) -> [String: String] {
    var query: [String: String] = [:]
    for (name, option) in parameters {
      query[name] = value(option)
      guard let word = value(option), !option.choices.isEmpty, !option.choices.contains(word)
      else { continue }
      // All codes would be a page.
      throw option.choices.count > 10
        ? UsageError(unknown: "value of \(option.name)", word, among: option.choices)
        : UsageError(
          "\(option.name) must be one of \(option.choices.joined(separator: ", ")), not \(word.quoted)."
        )
    }
    return query
  }
}
