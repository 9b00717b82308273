import Association
import Checking
import Publishing
import Service

/// `aasa apps`, and `aasa app rename`, `accompany` and `delete`: the apps of both platforms.
enum AppCommands {
  private static let everywhere = Option(
    "--everywhere", nil, "First remove the app from all domains that name it.")
  private static let changing: [Option] =
    [.dryRun, .draft, .accept, .reason, .json] + Option.installation
  private static let failure = "refused, or stored but not served yet; stderr says which"

  static let list = Command(
    name: "apps", group: .look, summary: "list the apps of both platforms",
    details:
      "Shows the app identifier or the package name, the name, the environment, and how many domains use the app. With "
      + "TEXT, only apps whose name or identifier contains it. --json adds the fingerprints of Android apps.",
    options: [.json] + Option.installation, operands: .optional("TEXT"),
    examples: [
      ("List all apps", "aasa apps"),
      (
        "List the apps of a team on a server",
        "aasa apps ABCDE12345. --server https://aasa.internal:8081"
      ),
    ]
  ) { arguments in
    let titles = ["APP", "NAME", "ENVIRONMENT", "DOMAINS"]
    var list = ItemList(
      path: "/v1/apps", query: text(arguments.operands.first), titles: titles, noun: "app"
    ) { app in
      [
        .init(app["app"] ?? app["package"]), .init(app["name"]), .init(app["environment"]),
        .init(app["domains"]),
      ]
    }
    list.following = ["/v1/android-apps"]
    try list.print(arguments)
    return .success
  }

  static let changes = [
    Command(
      name: "app rename", group: .domains, summary: "give an app another identifier in all domains",
      details:
        "OLD and NEW are app identifiers, or package names. Changes all domains that use the app, and all templates that name it, "
        + "or none. Links then open only NEW; while people still have OLD, use 'aasa app accompany'.",
      options: changing, operands: Command.Operands(name: "OLD NEW", count: 2...2),
      examples: [
        (
          "See what would change",
          "aasa app rename --dry-run ABCDE12345.com.example.app ABCDE12345.com.example.phone"
        ),
        (
          "Rename an Android app on a server",
          "aasa app rename com.example.app com.example.phone --server https://aasa.internal:8081"
        ),
      ],
      failure: failure, run: rename),
    Command(
      name: "app accompany", group: .domains,
      summary: "name a second app wherever an app is named",
      details:
        "For an app that moves to another team or package: until everybody has the new one, links open both. Changes all "
        + "domains and templates that name OLD, or none. NEW is added like OLD; an Android app must exist already. OLD and NEW may also "
        + "be the prefixes of two teams: then each app of the one is accompanied by that of the other, one change for "
        + "each, after a dry run of all.",
      options: changing, operands: Command.Operands(name: "OLD NEW", count: 2...2),
      examples: [
        (
          "See what would change for one app",
          "aasa app accompany --dry-run ABCDE12345.com.example.app FGHIJ67890.com.example.app"
        ),
        (
          "Move all apps of a team on a server",
          "aasa app accompany ABCDE12345 FGHIJ67890 --server https://aasa.internal:8081"
        ),
      ],
      failure: failure, run: accompany),
    Command(
      name: "app delete", group: .domains, summary: "delete an app",
      details:
        "Refused while domains use the app, unless --everywhere removes it from all of them, or from none. With "
        + "--everywhere, APP may also be the prefix of a team, for all of its apps: one change for each, after a dry run of "
        + "all.",
      options: [everywhere] + changing, operands: .one("APP"),
      examples: [
        ("Delete an app that no domain uses", "aasa app delete com.example.app"),
        (
          "End the old app of a move on a server",
          "aasa app delete --everywhere ABCDE12345.com.example.app --server https://aasa.internal:8081"
        ),
      ],
      failure: failure, run: delete),
  ]

  private static func text(_ text: String?) -> [String: String] {
    text.map { ["q": $0] } ?? [:]
  }

  /// An app identifier or a package name.
  private struct Name {
    let text: String
    let platform: Platform

    /// - Parameter platform: `nil` for the one that it looks like.
    init(_ text: String, _ platform: Platform? = nil) throws(ValidationError) {
      self.text = text
      self.platform = platform ?? Platform(likelyOf: text)
      switch self.platform {
      case .ios: _ = try AppIdentifier(text)
      case .android: _ = try PackageName(validating: text)
      }
    }

    var path: String {
      "/v1/\(platform == .ios ? "apps" : "android-apps")/\(APIClient.Request.escaped(text))"
    }
    /// The member of a plan that lists such apps, and the one that names one.
    var list: String { platform == .ios ? "apps" : "androidApps" }
    var key: String { platform == .ios ? "app" : "package" }

    /// A plan that only says what happens to the app.
    func plan(_ action: Plan.Action) -> JSON.Object {
      [
        list: [[key: .string(text), "action": .string(action.rawValue)]], "domains": [],
      ]
    }
  }

  /// OLD and NEW.
  private static func names(_ old: String, _ new: String) throws -> (old: Name, new: Name) {
    let names = (old: try Name(old), new: try Name(new))
    if names.old.platform != names.new.platform {
      throw UsageError(
        "\(old.quoted) and \(new.quoted) are apps of two platforms. Give two app identifiers, or two package names."
      )
    }
    return names
  }

  // MARK: Renaming

  private static func rename(_ arguments: Arguments) throws -> ExitStatus {
    let (old, new) = try names(arguments.operands[0], arguments.operands[1])
    let body: JSON = ["to": .string(new.text)]
    let answer = try Installation(arguments).json(
      APIClient.Request(
        "POST", "\(old.path)/rename", query: arguments.changeQuery(), body: body.serialized()),
      having: "domains")
    if arguments.has(.json) {
      try Terminal.print(answer.text)
      return .success
    }
    var plan = answer.objectValue ?? [:]
    plan[new.list] = new.plan(.update)[new.list]
    // Only their names are listed.
    plan["templates"] = answer["templates"]?.arrayValue.map { names in
      .array(names.map { ["template": $0, "action": .string(Plan.Action.update.rawValue)] })
    }
    plan["domains"] = .array(
      (answer["domains"]?.arrayValue ?? []).map { domain in
        var step = domain.objectValue ?? [:]
        let action: Plan.Action = domain["changed"] == false ? .unchanged : .update
        step["action"] = .string(action.rawValue)
        return .object(step)
      })
    try ChangeCommands.print(.object(plan), arguments)
    return .success
  }

  // MARK: Moving to another team

  private static func accompany(_ arguments: Arguments) throws -> ExitStatus {
    let (old, new) = (arguments.operands[0], arguments.operands[1])
    let installation = try Installation(arguments)
    var pairs: [(old: Name, new: Name)] = []
    switch (try isPrefix(old), try isPrefix(new)) {
    case (false, false): pairs = [try names(old, new)]
    case (true, true):
      for app in try apps(withPrefix: old, of: installation, arguments) {
        pairs.append((app, try Name(new + app.text.dropFirst(old.count), .ios)))
      }
    default:
      throw UsageError(
        "\(old.quoted) and \(new.quoted) must both be apps, or both the prefixes of teams.")
    }
    return try perform(pairs, arguments, by: installation) { pair, query in
      let body: JSON = ["app": .string(pair.new.text)]
      return APIClient.Request(
        "POST", "\(pair.old.path)/accompany", query: query, body: body.serialized())
    }
  }

  private static func delete(_ arguments: Arguments) throws -> ExitStatus {
    let app = arguments.operands[0]
    let isPrefix = try isPrefix(app)
    let installation = try Installation(arguments)
    if arguments.has(everywhere) {
      let names =
        isPrefix ? try apps(withPrefix: app, of: installation, arguments) : [try Name(app)]
      return try perform(names, arguments, by: installation) { name, query in
        APIClient.Request(
          "DELETE", name.path, query: query.merging(["everywhere": "true"]) { $1 })
      }
    }
    if isPrefix {
      throw UsageError("\(app.quoted) is no app. All apps of a team need --everywhere.")
    }
    if arguments.has(.draft) {
      throw UsageError(
        "An app that no domain uses is deleted without approval. Leave --draft out.")
    }
    let name = try Name(app)
    try installation.perform(
      APIClient.Request("DELETE", name.path, query: try arguments.changeQuery()))
    var plan = name.plan(.delete)
    if arguments.has(.dryRun) { plan["dryRun"] = true }
    try ChangeCommands.print(.object(plan), arguments)
    return .success
  }

  /// Whether an operand stands for all apps of a team.
  private static func isPrefix(_ text: String) throws(ValidationError) -> Bool {
    if text.contains(".") { return false }
    _ = try AppIdentifier("\(text).app")
    return true
  }

  /// - Throws: `Failure` if there are none.
  private static func apps(
    withPrefix prefix: String, of installation: Installation, _ arguments: Arguments
  ) throws -> [Name] {
    if arguments.has(.draft) { throw UsageError("--draft is for one app.") }
    var names: [Name] = []
    var query = text("\(prefix).")
    repeat {
      let page = try installation.json(
        APIClient.Request("GET", "/v1/apps", query: query), having: "items")
      names += try (page["items"]?.arrayValue ?? []).compactMap { $0["app"]?.stringValue }
        .filter { $0.hasPrefix("\(prefix).") }.map { try Name($0, .ios) }
      query["cursor"] = page["next"]?.stringValue
    } while query["cursor"] != nil
    if names.isEmpty {
      throw Failure("\(installation.name): No app has the prefix \(prefix.quoted).")
    }
    return names
  }

  /// Makes a change for each of some apps, and prints their plans. If there are several, a dry run of all comes first.
  private static func perform<App>(
    _ apps: [App], _ arguments: Arguments, by installation: Installation,
    _ request: (App, [String: String]) -> APIClient.Request
  ) throws -> ExitStatus {
    if apps.count > 1 && !arguments.has(.dryRun) {
      let query = try arguments.changeQuery(isDryRun: true)
      for app in apps { _ = try installation.json(request(app, query), having: "domains") }
    }
    for app in apps {
      try ChangeCommands.perform(
        request(app, try arguments.changeQuery()), arguments, by: installation)
    }
    return .success
  }
}
