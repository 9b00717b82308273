import Association
import Checking
import Service

/// The commands for changes of many domains at once.
enum ChangeCommands {
  private static let skip = Option(
    "--skip", "changed", "Leave domains that have changed since as they are.", choices: ["changed"])

  static let undo = Command(
    name: "undo", group: .domains, summary: "undo a change of one domain or many",
    details:
      "CHANGE is a number from 'aasa changes'. Each domain goes back to its revision before the change, and the command "
      + "prints what that changes. If any domain has changed since, nothing is undone without --skip changed.",
    options: [skip, .detach, .dryRun, .draft, .accept, .reason, .json] + Option.installation,
    operands: .one("CHANGE"),
    examples: [
      ("See what would change", "aasa undo --dry-run 12"),
      (
        "Undo a change on a server",
        "aasa undo 12 --reason 'breaks /buy' --server https://aasa.internal:8081"
      ),
    ],
    failure: "refused, or stored but not served yet; stderr says which"
  ) { arguments in
    let change = try arguments.number("CHANGE")
    var query = try arguments.changeQuery()
    query["skip"] = arguments.value(skip)
    if arguments.has(.detach) { query["detach"] = "true" }
    try perform(
      APIClient.Request("POST", "/v1/changes/\(change)/revert", query: query, body: []), arguments)
    return .success
  }

  static let delete = Command(
    name: "delete", group: .domains, summary: "delete domains",
    details:
      "Deletes all of the domains, or none, and prints what changes. Their links open no app from then on, so it is "
      + "refused until --accept opens-nothing says that this is meant. 'aasa undo' brings them back.",
    options: [
      NamedDomains.from, NamedDomains.label, .dryRun, .draft, .accept, .reason, .json,
    ] + Option.installation, operands: .any("DOMAIN"),
    examples: [
      ("See what would change", "aasa delete --dry-run --accept opens-nothing old.example.com"),
      (
        "Delete the domains with a label on a server",
        "aasa delete --label brand-a --accept opens-nothing --reason Sold --server https://aasa.internal:8081"
      ),
    ],
    failure: "refused, or stored but not served yet; stderr says which"
  ) { arguments in
    var named = try NamedDomains(arguments)
    if let (line, error) = named.unreadable.first { throw Failure("\(line): \(error)") }
    let installation = try Installation(arguments)
    // Applying a state passes over one that does not exist, which here is a mistake.
    for name in named.domains {
      _ = try installation.json(APIClient.Request("GET", "/v1/domains/\(name)"), having: "domain")
    }
    try named.addLabelled(arguments, from: installation)
    let names: JSON = ["delete": .strings(named.domains.map(\.text))]
    try perform(
      APIClient.Request(
        "POST", "/v1/apply", query: try arguments.changeQuery(),
        fields: ["Content-Type": "application/x-ndjson"], body: Array(names.text.utf8)),
      arguments, by: installation)
    return .success
  }

  private static let app = Option(
    "--app", "APP", "Only entries that name this app, by app identifier or package name.")
  private static let template = Option("--template", "NAME", "Only domains that use this template.")
  private static let filter = Option(
    "--filter", "JSON",
    "Only domains that match this, as \"filter\" of POST /v1/routes, such as '{\"environment\": \"staging\"}'."
  )
  private static let add = Option("--add", "ROUTE", "Add a route, unless the entry has it.")
  private static let remove = Option("--remove", "ROUTE", "Remove a route.")
  private static let replace = Option("--replace", "ROUTE", "Replace a route, in its place.")
  private static let with = Option("--with", "ROUTE", "The route that replaces it.")
  private static let move = Option(
    "--move", "ROUTE", "Move a route to where --first, --last, --before or --after says.")
  private static let edits = Option(
    "--edits", "FILE", "Make several edits, in JSON, as \"edits\" of POST /v1/routes. - is stdin.")
  private static let exclude = Option(
    "--exclude", nil, "The route is an exclusion, and so is that of --with.")
  private static let first = Option("--first", nil, "Add or move the route before all others.")
  private static let last = Option(
    "--last", nil, "Add or move the route after all others. This is the default of --add.")
  private static let before = Option("--before", "ROUTE", "Add or move the route before this one.")
  private static let after = Option("--after", "ROUTE", "Add or move the route after this one.")

  static let routes = Command(
    name: "routes", group: .domains,
    summary: "add, remove, replace or move a route in many domains",
    details:
      "DOMAIN is a name, or a wildcard such as '*.brand.example' for all domains below a name; without one, --label, "
      + "--template or --filter chooses. ROUTE is a path, or a route in JSON, as the API takes it. Changes all domains, or "
      + "none.",
    options: [
      add, remove, replace, with, move, edits, exclude, first, last, before, after, app, .label,
      template, filter, .skipRefused, .dryRun, .draft, .accept, .reason, .json,
    ] + Option.installation, operands: .any("DOMAIN"),
    examples: [
      (
        "See what would change", "aasa routes --dry-run --add '/gift/*' --first '*.brand.example'"
      ),
      (
        "Exclude paths in all domains with a label, on a server",
        "aasa routes --add '/admin/*' --exclude --before '/*' --label brand-a --server https://aasa.internal:8081"
      ),
    ],
    failure: "refused, or stored but not served yet; stderr says which", run: editRoutes)

  private static func editRoutes(_ arguments: Arguments) throws -> ExitStatus {
    var body: JSON.Object = ["edits": try routeEdits(arguments)]
    if !arguments.operands.isEmpty { body["domains"] = .strings(arguments.operands) }
    var conditions: JSON.Object = [:]
    if let text = arguments.value(filter) {
      guard let members = try json(text, of: filter).objectValue else {
        throw UsageError(
          "--filter must be a JSON object, such as '{\"environment\": \"staging\"}'.")
      }
      conditions = members
    }
    for (key, option) in [("label", .label), ("template", template)] {
      if let value = arguments.value(option) { conditions[key] = .string(value) }
    }
    if !conditions.isEmpty { body["filter"] = .object(conditions) }
    if body["domains"] == nil && body["filter"] == nil {
      throw UsageError(
        "Name the domains, or choose them with --label, --template or --filter.")
    }
    body["app"] = arguments.value(app).map { .string($0) }
    var query = try arguments.changeQuery()
    query["skip"] = arguments.value(.skipRefused)
    try perform(
      APIClient.Request(
        "POST", "/v1/routes", query: query, body: JSON.object(body).serialized()), arguments)
    return .success
  }

  private static func routeEdits(_ arguments: Arguments) throws -> JSON {
    let actions = [("add", add), ("remove", remove), ("replace", replace), ("move", move)]
      .compactMap { key, option in arguments.value(option).map { (key, option, $0) } }
    if let file = arguments.value(edits), actions.isEmpty {
      if let other = [exclude, first, last, with, before, after].first(where: arguments.has) {
        throw UsageError("--edits says everything about its edits. Leave \(other.name) out.")
      }
      let bytes = try InputFile.bytes(of: file)
      do throws(JSON.SyntaxError) {
        return try JSON.parse(bytes).value
      } catch {
        throw Failure("\(file.quotedPath) is not JSON: \(error).")
      }
    }
    guard actions.count == 1, arguments.value(edits) == nil,
      let (action, option, text) = actions.first
    else { throw UsageError("Give one of --add, --remove, --replace, --move and --edits.") }
    let isExclusion = arguments.has(exclude)
    var edit: JSON.Object = [action: try route(text, of: option, isExclusion)]
    edit["with"] = try arguments.value(with).map { try route($0, of: with, isExclusion) }
    edit["before"] = try arguments.value(before).map { try route($0, of: before) }
    edit["after"] = try arguments.value(after).map { try route($0, of: after) }
    if arguments.has(first) && arguments.has(last) {
      throw UsageError("--first and --last cannot be used together.")
    }
    if arguments.has(first) { edit["position"] = "first" }
    if arguments.has(last) { edit["position"] = "last" }
    return [.object(edit)]
  }

  /// A route as a path, or in JSON. No path begins with a brace.
  private static func route(
    _ text: String, of option: Option, _ isExclusion: Bool = false
  ) throws(UsageError) -> JSON {
    var route: JSON = text.hasPrefix("{") ? try json(text, of: option) : ["path": .string(text)]
    if isExclusion, var members = route.objectValue {
      members["exclude"] = true
      route = .object(members)
    }
    return route
  }

  private static func json(_ text: String, of option: Option) throws(UsageError) -> JSON {
    do throws(JSON.SyntaxError) {
      return try JSON.parse(Array(text.utf8)).value
    } catch {
      throw UsageError("\(option.name) is not JSON: \(error).")
    }
  }

  /// Makes a change of many domains, and prints its plan.
  ///
  /// - Parameter isDryRun: Whether nothing is changed; by default, the arguments say that.
  @discardableResult
  static func perform(
    _ request: APIClient.Request, _ arguments: Arguments, by installation: Installation? = nil,
    isDryRun: Bool? = nil
  ) throws -> JSON {
    let plan = try (installation ?? Installation(arguments)).json(request, having: "domains")
    try print(plan, arguments, isDryRun: isDryRun)
    return plan
  }

  /// Prints the plan of a change, and how to undo it.
  static func print(_ plan: JSON, _ arguments: Arguments, isDryRun: Bool? = nil) throws {
    if arguments.has(.json) { return try Terminal.print(plan.text) }
    var printer = PlanPrinter(.text, isDryRun: isDryRun ?? arguments.has(.dryRun))
    for app in plan["apps"]?.arrayValue ?? [] { try printer.add(.app(app)) }
    for app in plan["androidApps"]?.arrayValue ?? [] { try printer.add(.androidApp(app)) }
    for template in plan["templates"]?.arrayValue ?? [] { try printer.add(.template(template)) }
    for domain in plan["domains"]?.arrayValue ?? [] { try printer.add(.domain(domain)) }
    try printer.finish(unchanged: [], nil)
    let skipped = (plan["skipped"]?.arrayValue ?? []).compactMap(\.stringValue)
    if !skipped.isEmpty {
      let more = skipped.count - 20 + (plan["moreSkipped"]?.integerValue ?? 0)
      Terminal.complain(
        "Left as they are: \(skipped.prefix(20).joined(separator: ", "))\(more > 0 ? " and \(more) more" : "")."
      )
      for line in ProblemText.lines(ofProblemsIn: plan) { Terminal.complain(line) }
    }
    sayHowToUndo(plan["change"]?.integerValue)
  }

  /// Names the change that was made, if there is one.
  static func sayHowToUndo(_ change: Int?) {
    guard let change else { return }
    Terminal.complain("This is change \(change). To undo it, run 'aasa undo \(change)'.")
  }
}
