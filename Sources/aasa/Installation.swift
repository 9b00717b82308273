import API
import APIClient
import APITypes
import Association
import FoundationEssentials
import JSONValue
import Publishing
import Store

/// The apps and domains that a command works with: those of a local database, or those of a server behind
/// its API. Both behave the same.
enum Installation {
  case database(String)
  case server(APIClient)

  /// A desired state with options for applying it.
  struct Change {
    let state: JSON
    var prune = false
    var isDryRun = false
    var accepted: Set<Finding.Code> = []
    /// The reason for the audit; may be empty.
    var reason = ""
  }

  /// A refusal of the API (RFC 9457) or, for a database, the equivalent problem.
  struct Refused: Error {
    let problem: JSON
    /// When to try again, in seconds from now; `nil` if trying again does not help.
    var retryAfter: Int?
  }

  /// An element of a state.
  enum Part {
    case app(JSON)
    case domain(JSON)
  }

  /// Reads the options: `--server` with the token in `AASA_TOKEN`, or a database.
  init(_ arguments: Arguments) throws {
    guard let server = arguments.value(.server) else {
      self = .database(try Store.path(arguments))
      return
    }
    if arguments.has(.database) {
      throw UsageError("--database and --server cannot be used together.")
    }
    let environment = ProcessInfo.processInfo.environment
    guard let token = environment["AASA_TOKEN"], !token.isEmpty else {
      throw UsageError("--server needs a token in AASA_TOKEN. Create one with 'aasa token create'.")
    }
    do throws(APIClient.Invalid) {
      self = .server(
        try APIClient(server: server, token: token, certificates: environment["SSL_CERT_FILE"]))
    } catch {
      throw UsageError(error.description)
    }
  }

  /// The path or URL, for messages.
  var name: String {
    switch self {
    case .database(let path): path
    case .server(let client): client.server
    }
  }

  /// Passes on all apps, then all domains, as they arrive.
  ///
  /// - Throws: `Refused`, `Failure`, `UnusableDatabase`, `APIClient.Unreachable`, what `take` throws.
  func export(_ take: (Part, Progress) throws -> Void) throws {
    try Progress.during("Reading from \(name)") { progress in
      switch self {
      case .database(let path):
        try Store.use(path, missing: .refused) { store in
          let state = try store.export()
          for app in state.apps { try take(.app(.object(AppResource.json(app.app))), progress) }
          while case let domains = try state.next(), !domains.isEmpty {
            for stored in domains { try take(.domain(StateResource.json(stored.domain)), progress) }
          }
        }
      case .server(let client):
        var elements = StateElements()
        let answer = try client.stream("/v1/export") { bytes in
          for (list, element) in try elements.take(bytes) {
            if list == "apps" { try take(.app(element), progress) }
            if list == "domains" { try take(.domain(element), progress) }
          }
        }
        if answer.status != 200 || !elements.isComplete { _ = try json(of: answer) }
        if answer.database == "replaced" {
          Terminal.complain(
            "The database file of \(name) was deleted or replaced. This is what the server still "
              + "has; when it stops, only its rescue copy and this export remain.")
        }
      }
    }
  }

  /// Applies a state, or does a dry run. Also returns the plan in the API's JSON.
  ///
  /// - Throws: Like `export`.
  func apply(_ change: Change) throws -> (plan: Plan, json: JSON) {
    let domains = (change.state["domains"]?.arrayValue?.count ?? 0).counted("domain")
    let work =
      change.isDryRun ? "Comparing \(domains) with \(name)" : "Applying \(domains) to \(name)"
    return try Progress.during(work) { _ in
      switch self {
      case .database(let path): try apply(change, to: path)
      case .server(let client): try apply(change, over: client)
      }
    }
  }

  private func apply(_ change: Change, to path: String) throws -> (plan: Plan, json: JSON) {
    let context = WriteContext(
      author: "aasa apply", reason: change.reason, isDryRun: change.isDryRun)
    return try Store.use(path, missing: change.isDryRun ? .refused : .createdWithNote) { store in
      do {
        let state = try Faults.collecting(in: change.state, StateResource.read)
        let applied = try Publisher(store: store).apply(
          state, prune: change.prune, accepting: change.accepted, by: context)
        let plan = try Plan(applied, isDryRun: change.isDryRun)
        return (plan, plan.json)
      } catch {
        throw LocalProblem.json(of: error).map { Refused(problem: $0) } ?? error
      }
    }
  }

  private func apply(
    _ change: Change, over client: APIClient
  ) throws -> (plan: Plan, json: JSON) {
    let query = [
      "dryRun": "\(change.isDryRun)", "prune": "\(change.prune)", "reason": change.reason,
      "accept": change.accepted.map(\.rawValue).sorted().joined(separator: ","),
    ]
    do {
      let answer = try client.send(
        "/v1/apply", query.filter { !$0.value.isEmpty }, json: change.state.serialized())
      let json = try json(of: answer)
      do throws(InvalidInput) {
        return (try Faults.collecting(in: json, Plan.read), json)
      } catch {
        let faults = error.faults.map { "\($0.pointer): \($0.message)" }
        throw Failure(
          (change.isDryRun ? "" : "\(name) applied the state. ")
            + "This version of aasa cannot read the plan of \(name): \(faults.first ?? "") Update "
            + "aasa to the version of the server.")
      }
    } catch let error as APIClient.Unreachable where error.isOutcomeUnknown {
      if change.isDryRun { throw error }
      throw Failure("\(error) The state may have been applied. Run 'aasa diff' to find out.")
    }
  }

  /// The content of an answer: an object with `domains`, or a problem with a `title`.
  private func json(of answer: APIClient.Answer) throws -> JSON {
    do {
      let json = try JSON.parse(answer.body, limits: .trusted).value
      if answer.status == 200 && json["domains"] != nil { return json }
      if answer.status >= 400 && json["title"] != nil {
        throw Refused(problem: json, retryAfter: answer.retryAfter)
      }
    } catch is JSON.SyntaxError {}
    throw Failure(
      answer.status >= 500
        ? "\(name) sent status \(answer.status) without an explanation from aasa. Look at the logs of "
          + "the server, and of a proxy in front of it."
        : "\(name) sent status \(answer.status) and an answer that is not from aasa. --server must be "
          + "the URL of the admin listener of aasa.")
  }
}
