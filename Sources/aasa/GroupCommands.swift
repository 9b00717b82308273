import Association
import Checking
import Service
import Store

/// `aasa group set`, `list` and `delete`: what groups of the identity provider may do.
enum GroupCommands {
  private static let role = Option(
    "--role", "ROLE",
    "What everybody in the group may do: viewers read, editors also edit domains and apps, admins do everything.",
    choices: Role.allCases.map(\.rawValue)
  ).required
  private static let domain = Option(
    "--domain", "DOMAIN",
    "Limit the group to this domain, such as example.com or *.example.com. May be repeated. Default: all domains."
  ).repeatable
  private static let label = Option(
    "--label", "LABEL",
    "Limit the group to domains with this label. May be repeated: one of the labels is enough."
  ).repeatable

  static let commands = [
    Command(
      name: "group set", group: .database,
      summary: "set what a group of the identity provider may do",
      details:
        "The server reads groups from the header that adminGroupsHeader names. A person has the most that they have by "
        + "themselves or by any of their groups.",
      options: [role, domain, label, TokenCommand.publishesProtected, .json] + Option.installation,
      operands: .one("GROUP"),
      examples: [
        ("Let a group edit one brand", "aasa group set links --role editor --label brand-a"),
        ("Let a group read everything", "aasa group set support --role viewer"),
      ],
      failure: "refused; stderr says why"
    ) { arguments in
      let role: Role = try arguments.choice(role, arguments.required(role))
      var body: JSON.Object = ["role": .string(role.rawValue)]
      body["domains"] = .strings(try arguments.all(domain).map { try Alias($0).description })
      body["labels"] = .strings(try arguments.all(label).map { try Label($0).text })
      if arguments.has(TokenCommand.publishesProtected) { body["publishesProtected"] = true }
      let group = try Installation(arguments).json(
        APIClient.Request("PUT", path(arguments), body: JSON.object(body).serialized()),
        having: "name")
      if arguments.has(.json) { try Terminal.print(group.text) }
      Terminal.complain(
        "The group \(arguments.operands[0].quoted): \(role.rawValue), \(TokenCommand.text(ofDomains: group))."
      )
      return .success
    },
    Command(
      name: "group list", group: .database,
      summary: "list what groups of the identity provider may do",
      details: "Shows the name, the role, the domains, and when it last changed.",
      options: [.json] + Option.installation,
      examples: [
        ("List all groups", "aasa group list"),
        ("As JSON, for a program", "aasa group list --json"),
      ]
    ) { arguments in
      let titles = ["NAME", "ROLE", "DOMAINS", "CHANGED"]
      try ItemList(path: "/v1/groups", isPaged: false, titles: titles, noun: "group") { group in
        [
          .init(group["name"]), .init(group["role"]),
          .init(TokenCommand.text(ofDomains: group)), .init(group["updatedAt"]),
        ]
      }.print(arguments)
      return .success
    },
    Command(
      name: "group delete", group: .database,
      summary: "delete a group of the identity provider from the list",
      options: Option.installation, operands: .one("GROUP"),
      examples: [
        ("Delete one", "aasa group delete links"),
        ("On a server", "aasa group delete links --server https://aasa.example.com"),
      ],
      failure: "there is no such group"
    ) { arguments in
      try Installation(arguments).perform(APIClient.Request("DELETE", path(arguments)))
      return .success
    },
  ]

  private static func path(_ arguments: Arguments) -> String {
    "/v1/groups/\(APIClient.Request.escaped(arguments.operands[0]))"
  }
}
