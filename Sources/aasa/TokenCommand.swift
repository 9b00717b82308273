import APITypes
import Association
import FoundationEssentials
import Store

/// `aasa token`
enum TokenCommand {
  private static let context = WriteContext(author: "aasa token")

  static func run(_ words: ArraySlice<String>) throws -> ExitStatus {
    let arguments = try Arguments(
      words.dropFirst(), options: ["--name", "--role", "--domain", "--expires", "--database"])
    guard arguments.operands.isEmpty else {
      throw Arguments.Wrong(message: "token takes no operands.")
    }
    switch words.first {
    case "create": return try create(arguments)
    case "list": return try list(arguments)
    case "revoke": return try revoke(arguments)
    default: throw Arguments.Wrong(message: "token needs one of create, list, revoke.")
    }
  }

  /// Prints the token alone, so that a script can take it.
  private static func create(_ arguments: Arguments) throws -> ExitStatus {
    let name = try arguments.required("--name")
    let word = try arguments.required("--role")
    guard let role = Role(rawValue: word) else {
      throw Arguments.Wrong(message: "“\(word)” is not one of viewer, editor, admin.")
    }
    guard (1...100).contains(name.unicodeScalars.count), !name.contains(where: \.isControl) else {
      throw Arguments.Wrong(
        message: "--name must have 1 to 100 characters and no control characters.")
    }
    let domains = try (arguments.values["--domain"] ?? []).map { try Alias($0) }
    let expiry = try expiry(arguments.value("--expires"))
    return try Store.use(arguments, missing: .madeAndTold) { store in
      do {
        let secret = try store.write(context) {
          try $0.createToken(name: name, role: role, domains: domains, expiresAt: expiry)
        }
        try show(secret, of: name, store)
        return .fine
      } catch StoreError.tokenNameTaken {
        Terminal.complain(
          "A token has the name “\(name)” already. Revoke it, or choose another name.")
        return .no
      }
    }
  }

  /// A time such as `2027-01-31T12:00:00Z`, or the beginning of a day, in UTC.
  private static func expiry(_ text: String?) throws(Arguments.Wrong) -> Int64? {
    guard let text else { return nil }
    let time = text.count == 10 ? "\(text)T00:00:00Z" : text
    guard let seconds = Timestamp.seconds(time) else {
      throw Arguments.Wrong(
        message: "--expires: “\(text)” is no time such as 2027-01-31T12:00:00Z or 2027-01-31.")
    }
    guard seconds > Int64(Date.now.timeIntervalSince1970) else {
      throw Arguments.Wrong(message: "--expires: “\(text)” is over.")
    }
    return seconds
  }

  /// A token that could not be shown is of no use to anyone.
  private static func show(_ secret: TokenSecret, of name: String, _ store: Store) throws {
    do throws(Terminal.Unwritable) {
      try Terminal.print(secret.text)
    } catch {
      try store.write(context) { try $0.revokeToken(name) }
      throw error
    }
  }

  /// A line a token: name, role, when it was made, the domains that it is limited to, when it expires,
  /// and when it was last used.
  private static func list(_ arguments: Arguments) throws -> ExitStatus {
    for token in try Store.use(arguments, missing: .refused, { try $0.tokens() }) {
      let created = Timestamp.text(token.createdAt)
      let expiry = token.expiresAt.map { "expires \(Timestamp.text($0))" } ?? "never expires"
      let use = token.lastUsedAt.map { "last used \(Timestamp.text($0))" } ?? "never used"
      let domains =
        token.domains.isEmpty
        ? "all domains" : token.domains.map(\.description).joined(separator: ",")
      try Terminal.print(
        [token.name, token.role.rawValue, created, domains, expiry, use].joined(separator: "\t"))
    }
    return .fine
  }

  private static func revoke(_ arguments: Arguments) throws -> ExitStatus {
    let name = try arguments.required("--name")
    return try Store.use(arguments, missing: .refused) { store in
      do {
        try store.write(context) { try $0.revokeToken(name) }
        return .fine
      } catch StoreError.notFound {
        Terminal.complain("There is no token “\(name)”.")
        return .no
      }
    }
  }
}

extension Character {
  /// Whether it would change how lines and columns of a list look.
  fileprivate var isControl: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
