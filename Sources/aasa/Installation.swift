import Service
import Checking
import FoundationEssentials
import HTTP
import Association
import Publishing
import Store

/// The API that a command calls: that of a running server, or the same one in this process, on a
/// database. Each command is a client of it and works with both.
final class Installation {
  /// A refusal of the API (RFC 9457).
  struct Refused: Error {
    let problem: JSON
    /// The path or URL that it comes from.
    let origin: String
    var exitStatus = ExitStatus.failure
    /// When to try again, in seconds from now; `nil` if trying again does not help.
    var retryAfter: Int?
    /// The files that the request was made from, if it was a state.
    var files: DesiredFiles?

    /// The stable word for a program; empty if there is none.
    var code: String { problem["code"]?.stringValue ?? "" }
  }

  /// A draft was made instead of a change.
  struct Drafted: Error {
    /// As the API answers it; without an `id` if there is nothing to approve.
    let draft: JSON
    /// What to say about it.
    let text: String
  }

  private enum Site {
    case server(APIClient)
    case database(DatabaseLocation)
  }

  private let site: Site
  private let missing: MissingDatabase
  private let isReadOnly: Bool
  private let upgrades: Bool
  /// Makes what checks domains from outside, if the command works on a database.
  private let checker: @Sendable (Store) -> Checker
  private let command: String
  /// The API on the database, once a request has opened it.
  private var opened: LocalAPI?
  /// The directory of a database that stands in for a missing one.
  private var temporary: URL?

  /// Reads `--server`, with the token in `AASA_TOKEN`, or `--database`; without either, their variables.
  ///
  /// - Parameters:
  ///   - missing: What to do if the database does not exist when the first request is sent.
  ///   - isReadOnly: Whether the command only reads the database, so that the right to read is enough.
  ///   - upgrades: Whether the command upgrades the database of an earlier version, or refuses it. A dry run refuses it.
  init(
    _ arguments: Arguments, missing: MissingDatabase = .refused, isReadOnly: Bool = false,
    upgrades: Bool = true
  ) throws {
    (self.missing, self.isReadOnly) = (missing, isReadOnly)
    self.upgrades = upgrades && !arguments.has(.dryRun)
    command = "aasa \(arguments.command.name)"
    guard let server = try arguments.serverURL() else {
      let configuration = try EffectiveConfiguration(arguments).configuration
      let policy = try configuration.fetchPolicy.adding(arguments)
      let services = configuration.checkServices
      site = .database(configuration.database)
      checker = { Checker(Fetcher(policy), services, now: $0.now) }
      return
    }
    checker = { Checker(Fetcher(), now: $0.now) }
    let environment = ProcessInfo.processInfo.environment
    guard let token = environment["AASA_TOKEN"], !token.isEmpty else {
      throw UsageError(
        "A server needs a token in AASA_TOKEN. Create one on its machine with 'aasa token create "
          + "--database FILE'.")
    }
    do throws(APIClient.Invalid) {
      site = .server(
        try APIClient(
          server: server, token: token,
          certificates: environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }))
    } catch {
      throw UsageError(error.description)
    }
  }

  /// The path or URL, for messages.
  var name: String {
    switch site {
    case .database(let location): location.description
    case .server(let client): client.server
    }
  }

  /// Whether it is a running server.
  var isServer: Bool {
    if case .server = site { true } else { false }
  }

  /// Sends a request and waits for the answer, which may have any status.
  ///
  /// - Throws: `Failure`, `UnusableDatabase`, `APIClient.Unreachable`.
  func send(_ request: APIClient.Request) throws -> APIClient.Answer {
    try answer(
      request, nil, onDatabase: { try APIClient.Answer($0) }, onServer: { try $0.send(request) })
  }

  /// Sends a request and passes on the content of an answer with the status 200 as it arrives. The answer
  /// that is returned has the content of any other.
  ///
  /// - Parameters:
  ///   - body: A long body.
  ///   - sent: Called with the number of its bytes that have been sent.
  /// - Throws: Like `send`, and what `take` throws.
  func send(
    _ request: APIClient.Request, sending body: Spool? = nil,
    _ sent: @escaping (Int) -> Void = { _ in },
    _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> APIClient.Answer {
    if !isServer { sent(body?.count ?? 0) }
    return try answer(request, body) {
      try APIClient.Answer($0, take)
    } onServer: {
      try $0.send(request, sending: body?.pieces(sent), take)
    }
  }

  private func answer(
    _ request: APIClient.Request, _ body: Spool?,
    onDatabase: (Response) throws -> APIClient.Answer,
    onServer: (APIClient) throws -> APIClient.Answer
  ) throws -> APIClient.Answer {
    try Progress.during("Waiting for \(name)") { _ in
      try answer(request, body, at: site, onDatabase: onDatabase, onServer: onServer)
    }
  }

  private func answer(
    _ request: APIClient.Request, _ body: Spool?, at site: Site,
    onDatabase: (Response) throws -> APIClient.Answer,
    onServer: (APIClient) throws -> APIClient.Answer
  ) throws -> APIClient.Answer {
    switch site {
    case .database(let location):
      do {
        let api = try opened ?? open(location)
        return try onDatabase(api.answer(HTTP.Request(request, body)))
      } catch let error as StoreError {
        throw UnusableDatabase(error, at: location)
      }
    case .server(let client):
      do {
        return try onServer(client)
      } catch let error as APIClient.Unreachable where error.isOutcomeUnknown && request.isChange {
        throw Failure("\(error) The change may have been made. \(howToSee)", .unavailable)
      }
    }
  }

  /// How to see whether a change was made.
  private var howToSee: String {
    if command == "aasa apply" {
      return "To see whether it was, run 'aasa diff'. To apply the same files again is safe."
    }
    if command == "aasa token rotate" {
      return "Rotate the token once more; if it was your own, as another admin or with --database."
    }
    let list = command.split(separator: " ").dropFirst().prefix(1).joined() + " list"
    let look = Main.commands.contains { $0.name == list } ? list : "changes"
    return "To see whether it was, run 'aasa \(look)'."
  }

  deinit {
    opened = nil
    // Nothing depends on it: it is in the directory for temporary files.
    if let temporary { try? FileManager.default.removeItem(at: temporary) }
  }

  private func open(_ location: DatabaseLocation) throws -> LocalAPI {
    let isTakenAsEmpty =
      try [.takenAsEmpty, .absent].contains(missing) && Store.isMissing(location, orEmpty: false)
    let publisher = Publisher(
      store: try isTakenAsEmpty
        ? emptyStore(insteadOf: location)
        : Store.open(
          location, missing: missing, isReadOnly: isReadOnly, upgrades: upgrades))
    let api = LocalAPI(
      publisher: publisher, checker: { [checker, store = publisher.store] in checker(store) },
      command: command)
    opened = api
    return api
  }

  private func emptyStore(insteadOf location: DatabaseLocation) throws -> Store {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "aasa-\(UInt64.random(in: .min ... .max))")
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    } catch let error as CocoaError {
      throw Failure("Cannot create \(directory.path.quotedPath): \(error.reason).")
    }
    temporary = directory
    if missing == .takenAsEmpty {
      Terminal.complain(
        "No database at \(location.description.quotedPath) yet: comparing with an empty one.")
    }
    return try Store(path: directory.appending(path: "empty.db").path)
  }

  /// The content of the answer to a request: JSON with a certain member.
  ///
  /// - Throws: Like `send`, and `Refused` for a problem.
  func json(_ request: APIClient.Request, having member: String) throws -> JSON {
    try content(of: send(request), having: member)
  }

  /// Sends a request whose answer needs no content.
  ///
  /// - Throws: Like `json`.
  func perform(_ request: APIClient.Request) throws {
    let answer = try send(request)
    if !(200...299).contains(answer.status) { _ = try content(of: answer, having: "title") }
  }

  /// The content of an answer: JSON with a certain member.
  ///
  /// - Throws: `Refused` for a problem, `Drafted` for a draft, `Failure` for anything else.
  func content(of answer: APIClient.Answer, having member: String) throws -> JSON {
    do {
      let json = try JSON.parse(answer.body, limits: .trusted).value
      if let drafted = Drafted(answer.status, json) { throw drafted }
      if (200...299).contains(answer.status) && json[member] != nil { return json }
      if answer.status >= 400 && json["title"] != nil {
        let code = json["code"]?.stringValue ?? ""
        throw Refused(
          problem: json, origin: name, exitStatus: ExitStatus(ofRefusal: answer.status, code: code),
          retryAfter: answer.retryAfter)
      }
    } catch is JSON.SyntaxError {}
    throw Failure(
      answer.status >= 500
        ? "\(name) sent status \(answer.status) without an explanation from aasa. Check the logs of "
          + "the server, and of any proxy in front of it."
        : "\(name) sent status \(answer.status) and an answer that is not from aasa. --server must be "
          + "the URL of aasa's admin listener.",
      ExitStatus(ofRefusal: answer.status, code: ""))
  }
}

extension Installation.Drafted {
  fileprivate init?(_ status: Int, _ json: JSON) {
    if status == 202, let id = json["id"]?.integerValue {
      let count = (json["domainCount"]?.integerValue ?? 0).counted("domain")
      self.init(
        draft: json,
        text:
          "Draft \(id) changes \(count) when somebody approves it. To see it, run 'aasa draft show \(id)'."
      )
    } else if json["code"] == "nothing-to-approve" {
      // No failure: a pipeline may ask again.
      self.init(draft: ["id": .null, "domainCount": 0], text: json["detail"]?.stringValue ?? "")
    } else {
      return nil
    }
  }

  /// Prints the number of the draft.
  func print(asJSON: Bool) throws {
    if asJSON {
      try Terminal.print(draft.text)
    } else if let id = draft["id"]?.integerValue {
      try Terminal.print("\(id)")
    }
    Terminal.complain(text)
  }
}

extension Arguments {
  /// The server to work on; `nil` for a database. An option takes precedence over both variables.
  func serverURL() throws(UsageError) -> String? {
    if let server = value(.server) {
      if has(.database) {
        throw UsageError("--database and --server cannot be used together.")
      }
      return server
    }
    let environment = ProcessInfo.processInfo.environment
    guard !has(.database), let server = environment["AASA_SERVER"], !server.isEmpty else {
      return nil
    }
    if let database = environment[Setting.database.variable], !database.isEmpty {
      throw UsageError(
        "AASA_SERVER and \(Setting.database.variable) are both set. Choose with --server or --database."
      )
    }
    return server
  }
}

extension APIClient.Request {
  /// Whether it may change what is stored.
  fileprivate var isChange: Bool {
    let asking = ["/v1/check", "/v1/match", "/v1/explain", "/v1/template-suggestion"]
    return method != "GET" && query["dryRun"] != "true" && !asking.contains(path)
  }
}

extension HTTP.Request {
  /// The request of a command, which has no address.
  fileprivate init(_ request: APIClient.Request, _ spool: Spool?) throws {
    self.init(
      method: Method(request.method), target: try RequestTarget(request.target.utf8),
      fields: Fields(request.fields.map { HeaderField($0.key, $0.value) }),
      body: request.body ?? [],
      spool: spool, peer: "")
  }
}

extension APIClient.Answer {
  fileprivate init(_ response: Response) throws {
    var body: [UInt8] = []
    try response.forEachPiece { body += $0 }
    self.init(response, body)
  }

  fileprivate init(
    _ response: Response, _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var body: [UInt8] = []
    try response.forEachPiece { piece in
      if response.status == .ok { try piece.withUnsafeBytes(take) } else { body += piece }
    }
    self.init(response, body)
  }

  private init(_ response: Response, _ body: [UInt8]) {
    self.init(
      status: Int(response.status.code), body: body,
      retryAfter: response.fields["Retry-After"].flatMap { Int($0) },
      database: response.fields["X-Aasa-Database"])
  }
}

extension Response {
  fileprivate func forEachPiece(_ take: ([UInt8]) throws -> Void) throws {
    switch body {
    case .bytes(let bytes): try take(bytes)
    case .stream(let next): while let piece = try next() { try take(piece) }
    }
  }
}
