import Service
import Association
import Checking
import Store

enum TokenCommand {
  private static let name = Option("--name", "NAME", "A unique name for the token.").required
  private static let revoked = Option("--name", "NAME", "The name of the token, instead of NAME.")
  private static let role = Option(
    "--role", "ROLE",
    "What the token may do: viewers read, editors also edit domains and apps, admins do everything.",
    choices: Role.allCases.map(\.rawValue)
  ).required
  private static let domain = Option(
    "--domain", "DOMAIN",
    "Limit the token to this domain, such as example.com or *.example.com. May be repeated. Without "
      + "it, the token covers all domains."
  ).repeatable
  private static let label = Option(
    "--label", "LABEL",
    "Limit the token to domains with this label. May be repeated: one of the labels is enough. The token then cannot "
      + "add domains or names, or change labels."
  ).repeatable
  private static let document = Option(
    "--document", "NAME",
    "Limit the token to this document, such as security.txt: with the role editor it can replace and remove it, and "
      + "everything else it can only read. May be repeated."
  ).repeatable
  static let publishesProtected = Option(
    "--publishes-protected", nil,
    "Publish changes of protected domains without the approval of a second person. On a server, only an admin who may "
      + "do that can give the right.")
  private static let expires = Option(
    "--expires", "TIME",
    "When the token expires, such as 2027-01-31 (when that day begins, in UTC) or 2027-01-31T12:00:00Z. Default: "
      + "never.")
  private static let newExpiry = Option(
    "--expires", "TIME",
    "When the token expires from now on, such as 2027-01-31 or 2027-01-31T12:00:00Z. Default: as before."
  )

  static let commands = [
    Command(
      name: "token create", group: .database, summary: "create an API token and print it",
      details: "Prints only the token to stdout; it cannot be shown again. A running server on the "
        + "same database accepts it at once.",
      options: [name, role, domain, label, document, publishesProtected, expires, .json]
        + Option.installation,
      examples: [
        ("Create a token for yourself", "aasa token create --name me --role admin"),
        (
          "Create one for a release pipeline of one brand",
          "aasa token create --name release --role editor --domain '*.brand.example'"
        ),
      ],
      failure: "the name is taken", run: create),
    Command(
      name: "token list", group: .database, summary: "list the API tokens",
      details:
        "Shows the name, the role, when it was created, its domains, when it expires, and when it "
        + "was last used.",
      options: [.json] + Option.installation,
      examples: [
        ("List all tokens", "aasa token list"),
        ("List those that were never used", "aasa token list | grep 'never used$'"),
      ], run: list),
    Command(
      name: "token rotate", group: .database,
      summary: "give an API token a new secret and print it",
      details:
        "The old secret, and browsers that signed in with it, are refused at once. The name, the role, the limits and the "
        + "drafts of the token stay. Prints only the new token to stdout; it cannot be shown again.",
      options: [newExpiry, .json] + Option.installation, operands: .one("NAME"),
      examples: [
        (
          "Give a pipeline a new token",
          "aasa token rotate release | gh secret set AASA_EDITOR_TOKEN"
        ),
        ("Let it live longer", "aasa token rotate release --expires 2028-01-31"),
      ],
      failure: "no token has this name, or it has expired", run: rotate),
    Command(
      name: "token revoke", group: .database, summary: "revoke an API token",
      details: "A running server on the same database refuses it at once.",
      options: [revoked] + Option.installation, operands: .optional("NAME"),
      examples: [
        ("Revoke a token", "aasa token revoke release"),
        (
          "Revoke one in another database",
          "aasa token revoke release --database /var/lib/aasa/aasa.db"
        ),
      ],
      failure: "no token has this name", run: revoke),
  ]

  /// Prints only the token, so that a script can read it.
  private static func create(_ arguments: Arguments) throws -> ExitStatus {
    let name = try arguments.required(name)
    guard (1...100).contains(name.unicodeScalars.count), !name.hasControlCharacter else {
      throw UsageError("--name must have 1 to 100 characters and no control characters.")
    }
    let role: Role = try arguments.choice(role, arguments.required(role))
    let domains = try arguments.all(domain).map { try Alias($0).description }
    var token: JSON.Object = [
      "name": .string(name), "role": .string(role.rawValue), "domains": .strings(domains),
      "expiresAt": try arguments.value(expires).map {
        .time(try arguments.futureTime($0, of: expires))
      } ?? .null,
    ]
    // Left out, because earlier versions do not know it.
    let labels = try arguments.all(label).map { try Label($0).text }
    if !labels.isEmpty { token["labels"] = .strings(labels) }
    let documents = try arguments.all(document).map { try DocumentName($0).text }
    if !documents.isEmpty { token["documents"] = .strings(documents) }
    if arguments.has(publishesProtected) { token["publishesProtected"] = true }
    let installation = try Installation(arguments, missing: .createdWithNote)
    let created = try installation.json(
      APIClient.Request("POST", "/v1/tokens", body: JSON.object(token).serialized()),
      having: "token")
    Terminal.outliveReaders()
    do throws(Failure) {
      let secret = created["token"]?.stringValue ?? ""
      try Terminal.print(arguments.has(.json) ? created.text : secret)
    } catch {
      // A token that nobody has seen is useless.
      try installation.revokeToken(name)
      throw error
    }
    let scope = [role.rawValue, text(ofDomains: created), text(ofExpiry: created)]
    Terminal.complain("Created the token \(name.quoted): \(scope.joined(separator: ", ")).")
    return .success
  }

  private static func rotate(_ arguments: Arguments) throws -> ExitStatus {
    let name = arguments.operands[0]
    var body: JSON.Object = [:]
    if let end = arguments.value(newExpiry) {
      body["expiresAt"] = .time(try arguments.futureTime(end, of: newExpiry))
    }
    let rotated = try Installation(arguments).json(
      APIClient.Request(
        "POST", "/v1/tokens/\(APIClient.Request.escaped(name))/rotate",
        body: JSON.object(body).serialized()), having: "token")
    Terminal.outliveReaders()
    do throws(Failure) {
      try Terminal.print(
        arguments.has(.json) ? rotated.text : rotated["token"]?.stringValue ?? "")
    } catch {
      throw Failure(
        "\(error) The old token is not accepted any more: rotate it again, as another admin or with --database."
      )
    }
    let role = rotated["role"]?.stringValue ?? ""
    let scope = [role, text(ofDomains: rotated), text(ofExpiry: rotated)]
    Terminal.complain("Rotated the token \(name.quoted): \(scope.joined(separator: ", ")).")
    return .success
  }

  private static func list(_ arguments: Arguments) throws -> ExitStatus {
    let titles = ["NAME", "ROLE", "CREATED", "DOMAINS", "EXPIRES", "LAST USED"]
    try ItemList(path: "/v1/tokens", isPaged: false, titles: titles, noun: "token") { token in
      [
        .init(token["name"]), .init(token["role"]), .init(token["createdAt"]),
        .init(text(ofDomains: token)), .init(text(ofExpiry: token)),
        .init(token["lastUsedAt"]?.stringValue.map { "last used \($0)" } ?? "never used"),
      ]
    }.print(arguments)
    return .success
  }

  /// The domains that a token or a group is limited to.
  static func text(ofDomains token: JSON) -> String {
    let domains = (token["domains"]?.arrayValue ?? []).compactMap(\.stringValue)
    let labels = (token["labels"]?.arrayValue ?? []).compactMap(\.stringValue)
    let text = domains.isEmpty ? "all domains" : domains.joined(separator: ",")
    let documents = (token["documents"]?.arrayValue ?? []).compactMap(\.stringValue)
    return (labels.isEmpty ? text : "\(text) with \(labels.joined(separator: ","))")
      + (documents.isEmpty ? "" : " (only \(documents.joined(separator: ",")))")
      + (token["publishesProtected"]?.boolValue == true ? " (publishes protected domains)" : "")
  }

  private static func text(ofExpiry token: JSON) -> String {
    token["expiresAt"]?.stringValue.map {
      "\($0 <= UnixTime.now.text ? "expired" : "expires") \($0)"
    } ?? "never expires"
  }

  private static func revoke(_ arguments: Arguments) throws -> ExitStatus {
    let names = arguments.operands + arguments.all(revoked)
    if names.count != 1 {
      throw UsageError(names.isEmpty ? "NAME is required." : "Name one token.")
    }
    try Installation(arguments).revokeToken(names[0])
    return .success
  }
}

extension Arguments {
  /// A time such as `2027-01-31T12:00:00Z`, or the beginning of a day, in UTC.
  func time(_ text: String, of option: Option) throws(UsageError) -> UnixTime {
    guard let time = UnixTime(text.count == 10 ? "\(text)T00:00:00Z" : text) else {
      throw UsageError(
        "\(option.name) must be a time such as 2027-01-31T12:00:00Z or 2027-01-31, "
          + "not \(text.quoted).")
    }
    return time
  }

  /// Such a time in the future.
  func futureTime(_ text: String, of option: Option) throws(UsageError) -> UnixTime {
    let time = try time(text, of: option)
    guard time > .now else {
      throw UsageError("\(option.name) must be in the future, not \(text.quoted).")
    }
    return time
  }
}

extension Installation {
  fileprivate func revokeToken(_ name: String) throws {
    let path = "/v1/tokens/\(APIClient.Request.escaped(name))"
    try perform(APIClient.Request("DELETE", path))
  }
}
