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
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
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

  /// All apps and domains.
  ///
  /// - Throws: `Refused`, `Failure`, `UnusableDatabase`.
  func export() throws -> JSON {
    try Progress.during("Reading from \(name)") { _ in
      switch self {
      case .database(let path):
        try Store.use(path, missing: .refused) { StateResource.json(try $0.state()) }
      case .server(let client): try json(of: client.send("/v1/export"))
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
        let applied = try Publisher(store: store).write(context) {
          try $0.apply(state, prune: change.prune, accepting: change.accepted)
        }
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
    var target = "/v1/apply?dryRun=\(change.isDryRun)&prune=\(change.prune)"
    if !change.accepted.isEmpty {
      target += "&accept=" + change.accepted.map(\.rawValue).sorted().joined(separator: ",")
    }
    if !change.reason.isEmpty { target += "&reason=" + change.reason.percentEncoded }
    do {
      let json = try json(of: client.send(target, json: change.state.serialized()))
      do throws(InvalidInput) {
        return (try Faults.collecting(in: json, Plan.read), json)
      } catch {
        let faults = error.faults.map { "\($0.pointer): \($0.message)" }
        throw Failure(
          description: (change.isDryRun ? "" : "\(name) applied the state. ")
            + "This version of aasa cannot read the plan of \(name): \(faults.first ?? "") Update "
            + "aasa to the version of the server.")
      }
    } catch let error as APIClient.Unreachable where error.isOutcomeUnknown {
      if change.isDryRun { throw error }
      throw Failure(
        description: "\(error) The state may have been applied. Run 'aasa diff' to find out.")
    }
  }

  /// The content of an answer: an object with `domains`, or a problem with a `title`.
  private func json(of answer: APIClient.Answer) throws -> JSON {
    let json: JSON
    do throws(JSON.SyntaxError) {
      json = try JSON.parse(answer.body).value
    } catch {
      throw unexpected(answer.status, "an answer that is not JSON")
    }
    if answer.status == 200 && json["domains"] != nil { return json }
    if answer.status >= 400 && json["title"] != nil { throw Refused(problem: json) }
    throw unexpected(answer.status, "an answer that is not from aasa")
  }

  private func unexpected(_ status: Int, _ answer: String) -> Failure {
    Failure(
      description: "\(name) sent status \(status) and \(answer). --server must be the URL of the "
        + "admin listener of aasa.")
  }
}

extension String {
  /// Escapes everything except unreserved characters (RFC 3986 section 2.3).
  fileprivate var percentEncoded: String {
    utf8.reduce(into: "") { text, byte in
      let isPlain = Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
      if isPlain || (0x30...0x39).contains(byte) || "-._~".utf8.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
  }
}
