import API
import APIClient
import Association
import FoundationEssentials
import JSONValue
import Publishing
import Store

/// Where the state is that a command is about: in a database, which it works on by itself, or behind
/// the API of a server. Both take the same JSON and answer with the same JSON.
enum StateSite {
  case database(String)
  case server(APIClient)

  /// What came back.
  enum Answer {
    case done(JSON)
    /// A problem (RFC 9457), which says whether anything was changed.
    case problem(JSON)
  }

  /// What is to be applied, and how.
  struct Application {
    let state: JSON
    var prune = false
    var isDryRun = false
    var accepted: Set<Finding.Code> = []
    /// Why, for the audit; may be empty.
    var reason = ""
  }

  /// What went wrong, as a sentence.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The site that a command names: `--server` with the token in `AASA_TOKEN`, or a database.
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
      throw UsageError(
        "--server needs a token in AASA_TOKEN. Create one with 'aasa token create'.")
    }
    do throws(APIClient.Invalid) {
      self = .server(
        try APIClient(server: server, token: token, certificates: environment["SSL_CERT_FILE"]))
    } catch {
      throw UsageError(error.description)
    }
  }

  /// What it is called in messages.
  var name: String {
    switch self {
    case .database(let path): path
    case .server(let client): client.server
    }
  }

  /// All apps and domains.
  func export() throws -> Answer {
    try Progress.during("Reading what \(name) has") { _ in
      switch self {
      case .database(let path):
        return .done(try use(path, missing: .refused) { try $0.export() })
      case .server(let client):
        return try answer(client.send("/v1/export"))
      }
    }
  }

  /// Applies a state, or tries it.
  func apply(_ application: Application) throws -> Answer {
    let count = application.state["domains"]?.arrayValue?.count ?? 0
    let domains = count.counted("domain")
    let work =
      application.isDryRun ? "Comparing \(domains) with \(name)" : "Applying \(domains) to \(name)"
    return try Progress.during(work) { _ in
      switch self {
      case .database(let path): return try apply(application, to: path)
      case .server(let client): return try apply(application, over: client)
      }
    }
  }

  private func apply(_ application: Application, to path: String) throws -> Answer {
    let context = WriteContext(
      author: "aasa apply", reason: application.reason, isDryRun: application.isDryRun)
    return try use(path, missing: application.isDryRun ? .refused : .createdWithNote) { exchange in
      do {
        return .done(
          try exchange.apply(
            application.state, context, prune: application.prune, accepting: application.accepted))
      } catch {
        guard let problem = StateExchange.problem(of: error) else { throw error }
        return .problem(problem)
      }
    }
  }

  private func apply(_ application: Application, over client: APIClient) throws -> Answer {
    var target = "/v1/apply?dryRun=\(application.isDryRun)&prune=\(application.prune)"
    if !application.accepted.isEmpty {
      target += "&accept=" + application.accepted.map(\.rawValue).sorted().joined(separator: ",")
    }
    if !application.reason.isEmpty { target += "&reason=" + application.reason.percentEncoded }
    do {
      let answer = try client.send(target, json: application.state.serialized())
      return try self.answer(answer)
    } catch let error as APIClient.Unreachable where error.isOutcomeUnknown {
      if application.isDryRun { throw error }
      throw Failure(
        description: "\(error) The state may have been applied or not; “aasa diff” tells.")
    }
  }

  /// Does `body` with a database.
  private func use<Result>(
    _ path: String, missing: MissingDatabase, _ body: (StateExchange) throws -> Result
  ) throws -> Result {
    try Store.use(path, missing: missing) {
      try body(StateExchange(publisher: Publisher(store: $0)))
    }
  }

  /// What an answer of HTTP says. Every answer that is used has the domains, every problem a title.
  private func answer(_ answer: APIClient.Answer) throws -> Answer {
    let reason: String
    do throws(JSON.SyntaxError) {
      let json = try JSON.parse(answer.body).value
      if answer.status == 200 && json["domains"] != nil { return .done(json) }
      if answer.status >= 400 && json["title"] != nil { return .problem(json) }
      reason = "what is no answer of aasa"
    } catch {
      reason = "what is not JSON"
    }
    throw Failure(
      description:
        "\(name) answers with status \(answer.status) and \(reason). --server must be the "
        + "URL of the admin listener of aasa.")
  }
}

extension String {
  /// With everything but unreserved characters escaped (RFC 3986 section 2.3).
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
