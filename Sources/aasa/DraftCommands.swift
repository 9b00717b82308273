import Association
import Checking
import HTTP
import Service

/// `aasa draft list`, `show`, `comment`, `approve`, `decline` and `withdraw`; `--draft` of a change makes one.
enum DraftCommands {
  private static let all = Option("--all", nil, "List also drafts that have ended.")
  private static let why = Option("--reason", "TEXT", "Why it is declined.").required
  private static let text = Option("--text", "TEXT", "The comment.").required

  static let commands = [
    Command(
      name: "draft list", group: .domains,
      summary: "list the drafts that wait for approval, newest first",
      details:
        "A draft is a change that waits until a second person approves it. Shows its number, when and by whom it was made, "
        + "its status, how many domains it changes, and why.",
      options: [all, ItemList.limit, .json] + Option.installation,
      examples: [
        ("List what waits for approval", "aasa draft list"),
        (
          "List all drafts of a server", "aasa draft list --all --server https://aasa.internal:8081"
        ),
      ]
    ) { arguments in
      try ItemList(
        path: "/v1/drafts", query: arguments.has(all) ? [:] : ["status": "open"],
        titles: ["DRAFT", "TIME", "AUTHOR", "STATUS", "DOMAINS", "REASON"], noun: "draft"
      ) { item in
        [
          .init(item["id"]), .init(item["createdAt"]), .init(item["author"]),
          .init(item["status"]), .init(item["domainCount"]), .init(item["reason"]),
        ]
      }.print(arguments)
      return .success
    },
    Command(
      name: "draft show", group: .domains,
      summary: "show a draft, its comments and what it changes",
      options: [.json] + Option.installation, operands: .one("DRAFT"),
      examples: [
        ("Show draft 12", "aasa draft show 12"),
        ("Its state, in JSON", "aasa draft show 12 --json"),
      ],
      failure: "the draft cannot be approved as it is, or does not exist", run: show),
    Command(
      name: "draft comment", group: .domains, summary: "comment on a draft",
      options: [text] + Option.installation, operands: .one("DRAFT"),
      examples: [
        ("Ask its author", "aasa draft comment 12 --text 'Why /buy?'"),
        (
          "On a server",
          "aasa draft comment 12 --text 'Looks good.' --server https://aasa.internal:8081"
        ),
      ],
      failure: "refused; stderr says why"
    ) { arguments in
      let body: JSON = ["text": .string(try arguments.required(text))]
      try Installation(arguments).perform(
        APIClient.Request("POST", path(arguments) + "/comments", body: body.serialized()))
      return .success
    },
    Command(
      name: "draft approve", group: .domains, summary: "approve and apply a draft of somebody else",
      details: "Prints what it changes. Applies all of it, or nothing.",
      options: [.dryRun, .accept, .json] + Option.installation, operands: .one("DRAFT"),
      examples: [
        ("See what would change", "aasa draft approve --dry-run 12"),
        (
          "Approve a draft on a server",
          "aasa draft approve 12 --server https://aasa.internal:8081"
        ),
      ],
      failure: "refused, or stored but not served yet; stderr says which"
    ) { arguments in
      try ChangeCommands.perform(
        APIClient.Request(
          "POST", path(arguments) + "/approve", query: arguments.changeQuery(), body: []), arguments
      )
      return .success
    },
    Command(
      name: "draft decline", group: .domains, summary: "decline a draft of somebody else",
      options: [why] + Option.installation, operands: .one("DRAFT"),
      examples: [
        ("Decline draft 12", "aasa draft decline 12 --reason 'The sale is over.'"),
        (
          "On a server",
          "aasa draft decline 12 --reason 'Too early.' --server https://aasa.internal:8081"
        ),
      ],
      failure: "refused; stderr says why"
    ) { arguments in
      try Installation(arguments).perform(
        APIClient.Request(
          "POST", path(arguments) + "/decline", query: ["reason": arguments.required(why)],
          body: []))
      return .success
    },
    Command(
      name: "draft withdraw", group: .domains, summary: "withdraw a draft of your own",
      options: Option.installation, operands: .one("DRAFT"),
      examples: [
        ("Withdraw draft 12", "aasa draft withdraw 12"),
        ("On a server", "aasa draft withdraw 12 --server https://aasa.internal:8081"),
      ],
      failure: "refused; stderr says why"
    ) { arguments in
      try Installation(arguments).perform(APIClient.Request("DELETE", path(arguments)))
      return .success
    },
  ]

  private static func path(_ arguments: Arguments) throws(UsageError) -> String {
    "/v1/drafts/\(try arguments.number("DRAFT"))"
  }

  private static func show(_ arguments: Arguments) throws -> ExitStatus {
    let path = try path(arguments)
    let installation = try Installation(arguments, upgrades: false)
    let draft = try installation.json(APIClient.Request("GET", path), having: "state")
    let value = { (member: String) in draft[member]?.stringValue ?? "" }
    if arguments.has(.json) {
      try Terminal.print(draft.text)
      if value("status") != "open" { return .success }
      let plan = try installation.json(APIClient.Request("GET", path + "/plan"), having: "domains")
      return plan["refused"] == nil ? .success : .failure
    }
    var lines = [
      "Draft \(draft["id"]?.integerValue ?? 0) by \(value("author")), \(value("createdAt")): \(value("status"))"
    ]
    if !value("reason").isEmpty { lines.append(value("reason")) }
    if !value("endedBy").isEmpty {
      let change = draft["change"]?.integerValue.map { " as change \($0)" } ?? ""
      let why = value("endedReason").isEmpty ? "" : ": \(value("endedReason"))"
      lines.append("\(value("status")) by \(value("endedBy")), \(value("endedAt"))\(change)\(why)")
    }
    for comment in draft["comments"]?.arrayValue ?? [] {
      let author = comment["author"]?.stringValue ?? ""
      let text = comment["text"]?.stringValue ?? ""
      let said = text.split(separator: "\n", omittingEmptySubsequences: false)
      lines.append("\(author), \(comment["at"]?.stringValue ?? ""): \(said[0])")
      lines += said.dropFirst().map { "  \($0)" }
    }
    try Terminal.print(lines.map(\.harmless).joined(separator: "\n"))
    if value("status") != "open" { return .success }
    let plan = try ChangeCommands.perform(
      APIClient.Request("GET", path + "/plan"), arguments, by: installation, isDryRun: true)
    guard let refused = plan["refused"] else { return .success }
    for line in ProblemText.lines(ofProblemsIn: ["problems": refused]) { Terminal.complain(line) }
    return .failure
  }
}
