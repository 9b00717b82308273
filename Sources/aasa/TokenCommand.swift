import APITypes
import Association
import FoundationEssentials
import Service
import Store

/// `aasa token`
enum TokenCommand {
  private static let name = Option("--name", "NAME", "A unique name for the token.").required
  private static let role = Option(
    "--role", "ROLE",
    "What the token may do: a viewer reads, an editor edits domains and apps, an admin does everything.",
    choices: Role.allCases.map(\.rawValue)
  ).required
  private static let domain = Option(
    "--domain", "DOMAIN",
    "A domain that the token may edit, such as example.com or *.example.com. May be repeated; without "
      + "it the token may edit all domains.")
  private static let expires = Option(
    "--expires", "TIME",
    "When the token expires, such as 2027-01-31 or 2027-01-31T12:00:00Z. Default: never.")

  static let commands = [
    Command(
      name: "token create", group: .database, summary: "create an API token and print it",
      details: "Prints only the token to stdout; it cannot be shown again. A running server on the "
        + "same database accepts it at once.",
      options: [name, role, domain, expires, .database],
      examples: [
        ("Create a token for yourself", "aasa token create --name me --role admin"),
        (
          "Create one for a release pipeline of one brand",
          "aasa token create --name release --role editor --domain '*.brand.example'"
        ),
      ],
      failure: "the name is taken, or the database cannot be used", run: create),
    Command(
      name: "token list", group: .database, summary: "list the API tokens",
      details: "Prints one line per token, separated by tabs: name, role, when it was created, its "
        + "domains, when it expires, when it was last used.",
      options: [.database],
      examples: [
        ("List all tokens", "aasa token list"),
        ("List those that were never used", "aasa token list | grep 'never used$'"),
      ], run: list),
    Command(
      name: "token revoke", group: .database, summary: "revoke an API token",
      details: "A running server on the same database refuses it at once.",
      options: [name, .database],
      examples: [
        ("Revoke a token", "aasa token revoke --name release"),
        (
          "Revoke one in another database",
          "aasa token revoke --name release --database /var/lib/aasa/aasa.db"
        ),
      ],
      failure: "no token has this name, or the database cannot be used", run: revoke),
  ]

  private static let context = WriteContext(author: "aasa token")

  /// Prints only the token, so that a script can read it.
  private static func create(_ arguments: Arguments) throws -> ExitStatus {
    let name = try arguments.required(name)
    let word = try arguments.required(role)
    guard let role = Role(rawValue: word) else {
      throw UsageError(
        "--role must be one of \(role.choices.joined(separator: ", ")), not \(word.quoted).")
    }
    guard (1...100).contains(name.unicodeScalars.count), !name.hasControlCharacter else {
      throw UsageError("--name must have 1 to 100 characters and no control characters.")
    }
    let domains = try arguments.all(domain).map { try Alias($0) }
    let expiry = try expiry(arguments.value(expires))
    return try Store.use(arguments, missing: .createdWithNote) { store in
      do {
        let secret = try store.write(context) {
          try $0.createToken(name: name, role: role, domains: domains, expiresAt: expiry)
        }
        try show(secret, of: name, store)
        let scope = [role.rawValue, text(of: domains), text(ofExpiry: expiry)]
        Terminal.complain("Created the token \(name.quoted): \(scope.joined(separator: ", ")).")
        return .success
      } catch StoreError.tokenNameTaken {
        Terminal.complain(
          "A token named \(name.quoted) already exists. Choose another name, or revoke it first.")
        return .failure
      }
    }
  }

  /// A time such as `2027-01-31T12:00:00Z`, or the beginning of a day, in UTC.
  private static func expiry(_ text: String?) throws(UsageError) -> Int64? {
    guard let text else { return nil }
    let time = text.count == 10 ? "\(text)T00:00:00Z" : text
    guard let seconds = Timestamp.seconds(time) else {
      throw UsageError(
        "--expires must be a time such as 2027-01-31T12:00:00Z or 2027-01-31, "
          + "not \(text.quoted).")
    }
    guard seconds > Int64(Date.now.timeIntervalSince1970) else {
      throw UsageError("--expires must be in the future, not \(text.quoted).")
    }
    return seconds
  }

  /// Prints the token. If that fails, revokes it, because a token that nobody has seen is useless.
  private static func show(_ secret: TokenSecret, of name: String, _ store: Store) throws {
    do throws(Failure) {
      try Terminal.print(secret.text)
    } catch {
      try store.write(context) { try $0.revokeToken(name) }
      throw error
    }
  }

  private static func list(_ arguments: Arguments) throws -> ExitStatus {
    for token in try Store.use(arguments, missing: .refused, { try $0.tokens() }) {
      let use = token.lastUsedAt.map { "last used \(Timestamp.text($0))" } ?? "never used"
      try Terminal.print(
        [
          token.name, token.role.rawValue, Timestamp.text(token.createdAt), text(of: token.domains),
          text(ofExpiry: token.expiresAt), use,
        ].joined(separator: "\t"))
    }
    return .success
  }

  private static func text(of domains: [Alias]) -> String {
    domains.isEmpty ? "all domains" : domains.map(\.description).joined(separator: ",")
  }

  private static func text(ofExpiry expiry: Int64?) -> String {
    expiry.map { "expires \(Timestamp.text($0))" } ?? "never expires"
  }

  private static func revoke(_ arguments: Arguments) throws -> ExitStatus {
    let name = try arguments.required(name)
    return try Store.use(arguments, missing: .refused) { store in
      do {
        try store.write(context) { try $0.revokeToken(name) }
        return .success
      } catch StoreError.notFound {
        Terminal.complain(
          "No token is named \(name.quoted). List them with 'aasa token list'.")
        return .failure
      }
    }
  }
}
