import Association
import HTTP
import Store

/// One method of one path: who may call it, what it does, and how the description shows it.
struct Endpoint: Sendable {
  /// Who may call an endpoint.
  enum Access: Sendable, Equatable {
    /// Anybody, without a token.
    case anybody
    /// Any known token or user, since the answer depends on nothing that is stored.
    case anyToken
    /// A token or a user of this role or a higher one.
    case role(Role)
  }

  /// What an endpoint changes. It decides the parameters and problems that all such endpoints share.
  enum Effect: Sendable, Equatable {
    /// Nothing that is stored.
    case none
    /// Something that no domain's document depends on.
    case change
    /// The existence of a domain.
    case deletion
    /// One domain, whose document is published.
    case publication
    /// Several domains, whose documents are published.
    case publications
    /// A template, and all domains that use it.
    case template

    fileprivate var query: [Parameter] {
      switch self {
      case .none: []
      case .change: [.dryRun, .reason]
      case .deletion, .publication, .publications, .template:
        [.dryRun, .approved, .accept, .reason, .wait, .waitSeconds]
      }
    }

    /// Whether documents are rendered, linted and compared.
    fileprivate var publishes: Bool { self != .none && self != .change }

    /// The header fields that guard against lost updates.
    var preconditions: [Parameter] {
      switch self {
      case .deletion, .publication, .template: [.ifMatch, .ifNoneMatch]
      case .none, .change, .publications: []
      }
    }

    /// The problems that only such endpoints have.
    var problems: [Problem.Code] {
      switch self {
      case .none: []
      case .change: [.diskFull, .databaseReplaced, .preconditionUnsupported]
      case .deletion:
        [.diskFull, .databaseReplaced, .staleRevision, .alreadyExists, .committedNotServed]
          + [.expectationBroken, .refused, .approvalRequired]
      case .publication:
        Self.deletion.problems + [.nameTaken, .documentTooLarge, .unknownAndroidApp]
      case .publications: Self.publicationProblems + [.preconditionUnsupported]
      case .template: Self.publicationProblems + [.staleRevision, .alreadyExists]
      }
    }

    private static let publicationProblems: [Problem.Code] = [
      .nameTaken, .expectationBroken, .documentTooLarge, .unknownAndroidApp, .refused, .diskFull,
      .databaseReplaced, .committedNotServed, .severalRefused, .approvalRequired,
    ]
  }

  /// The topics of the description, in its order.
  enum Topic: String, Sendable, CaseIterable {
    case service, apps, domains, templates, entries, routes, revisions, fetches, expectations,
      findings
    case answers, checks, state, changes, drafts, webhooks, sessions, tokens, users, audit
  }

  let method: Method
  /// The path with its parameters in braces, such as `/v1/domains/{domain}`.
  let path: String
  let access: Access
  /// The role that is enough for a dry run, if that is a lower one.
  let roleForDryRun: Role?
  let effect: Effect
  /// The parameters that its query may have.
  let query: [Parameter]
  /// The header fields that it needs.
  let headers: [Parameter]
  /// Whether a token that is limited to domains sees only those.
  let isFilteredByToken: Bool
  /// Whether it changes only the document that its path names.
  let changesOneDocument: Bool
  /// Whether a draft can be made of what it would change.
  let mayWait: Bool
  /// Whether it may need much time or memory, so that it takes a turn of heavy work.
  let isHeavy: Bool
  /// Whether it limits by itself how many such requests run at a time.
  let hasOwnTurns: Bool
  /// Whether it answers the dashboard's files. It then takes any query, and the description leaves it out.
  let isFile: Bool
  /// The `operationId` of the description.
  let id: String
  let topic: Topic
  let summary: String
  let description: String
  let body: Body?
  /// The problems that only this endpoint has.
  let ownProblems: [Problem.Code]
  let answers: [Answer]
  /// Where the elements of a body that come as lines (NDJSON), whose number no setting limits, are received for a
  /// token; `nil` if the endpoint takes none.
  let receiveLines: (@Sendable (Token?) throws -> Spool)?
  /// A variable, because one of the endpoints serves the description that is built from all of
  /// them.
  var handle: @Sendable (Call) throws -> Response

  /// - Parameters:
  ///   - roleForDryRun: The role that is enough for a dry run, if that is a lower one.
  ///   - query: The parameters beyond those of the effect.
  ///   - mayWait: Whether a draft can be made of what it would publish.
  ///   - isHeavy: Whether it takes a turn of heavy work. By default, if it publishes or has a large body.
  ///   - hasOwnTurns: Whether it limits by itself how many such requests run at a time.
  ///   - problems: The problems beyond those that follow from the effect, the parameters and the body.
  init(
    _ method: Method, _ path: String, _ access: Access, roleForDryRun: Role? = nil,
    effect: Effect = .none, query: [Parameter] = [], headers: [Parameter] = [],
    isFilteredByToken: Bool = false, changesOneDocument: Bool = false, mayWait: Bool = true,
    isHeavy: Bool? = nil,
    hasOwnTurns: Bool = false,
    isFile: Bool = false,
    _ id: String, _ topic: Topic, _ summary: String,
    description: String = "", body: Body? = nil,
    problems: [Problem.Code] = [], answers: Answer...,
    receiveLines: (@Sendable (Token?) throws -> Spool)? = nil,
    handle: @escaping @Sendable (Call) throws -> Response
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.roleForDryRun = roleForDryRun
    self.effect = effect
    self.mayWait = mayWait && effect.publishes
    self.query = query + effect.query + (self.mayWait ? [.draft] : [])
    self.headers = headers
    self.isFilteredByToken = isFilteredByToken
    self.changesOneDocument = changesOneDocument
    self.isHeavy = isHeavy ?? (effect.publishes || (body.map { $0.size != .small } ?? false))
    self.hasOwnTurns = hasOwnTurns
    self.isFile = isFile
    self.id = id
    self.topic = topic
    self.summary = summary
    self.description = description
    self.body = body
    ownProblems = problems
    self.answers = answers + (self.mayWait ? [.draft] : [])
    self.receiveLines = receiveLines
    self.handle = handle
  }

  /// Whether it reads, for those who have a token, so that only a few such requests run at a time.
  var isReading: Bool { method == .get && access != .anybody && !isHeavy && !hasOwnTurns }

  /// Refuses conditions that no single domain can meet, instead of ignoring them.
  ///
  /// - Throws: `Problem`, 412.
  func checkPreconditions(of head: RequestHead) throws(Problem) {
    guard effect == .change || effect == .publications,
      head.fields["If-Match"] != nil || head.fields["If-None-Match"] != nil
    else { return }
    throw Problem(
      .preconditionUnsupported,
      "\(method.name) \(path) supports neither If-Match nor If-None-Match. Nothing was changed. "
        + (effect == .publications
          ? "In a state, give the \"revision\" of each domain." : "Leave them out."))
  }

  /// Refuses a body that would have to be decompressed, instead of reading other bytes than were meant.
  ///
  /// - Throws: `Problem`, 415 (RFC 9110 section 8.4).
  func checkCoding(of head: RequestHead) throws(Problem) {
    let codings = head.fields.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { $0.trimming(while: \.isWhitespace).lowercased() }
      .filter { !$0.isEmpty && $0 != "identity" }
    guard body != nil, let coding = codings.first else { return }
    throw Problem(
      .unknownContentCoding,
      "The server does not decompress bodies, and this one has the Content-Encoding \(coding.quoted). Send it uncompressed, "
        + "without Content-Encoding.", fields: [HeaderField("Accept-Encoding", "identity")])
  }

  /// The largest body that is read, in bytes. An endpoint without a body ignores a small one.
  var bodyLimit: Int { (body?.size ?? .small).bytes ?? .max }
}

/// Finds endpoints by the segments of a path.
struct Router: Sendable {
  private enum Part: Sendable {
    case literal(String)
    case parameter(String)
    /// The last part: one segment or more.
    case rest(String)
  }

  private let routes: [(parts: [Part], endpoint: Endpoint)]

  init(_ endpoints: [Endpoint]) {
    routes = endpoints.map { endpoint in
      let parts = endpoint.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        .map { part in
          if part.hasSuffix("...}") { return Part.rest(String(part.dropFirst().dropLast(4))) }
          return part.hasPrefix("{")
            ? Part.parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
      return (parts, endpoint)
    }
  }

  /// The endpoint of a method and a path with the values of its parameters.
  ///
  /// - Throws: `Problem`: 404 for an unknown path, 405 for a method that the path does not have.
  func find(
    _ method: Method, _ segments: [String]
  ) throws(Problem) -> (endpoint: Endpoint, parameters: [String: String]) {
    let wanted = method == .head ? .get : method
    var allowed: [String] = []
    for (parts, endpoint) in routes {
      guard let parameters = Self.match(parts, segments) else { continue }
      if endpoint.method == wanted { return (endpoint, parameters) }
      allowed += endpoint.method == .get ? ["GET", "HEAD"] : [endpoint.method.name]
    }
    if allowed.isEmpty {
      throw Problem(.pathNotFound, "No endpoint has this path. GET /openapi.json lists them.")
    }
    let list = allowed.joined(separator: ", ")
    throw Problem(
      .methodNotAllowed, "This path only allows \(list).",
      fields: [HeaderField("Allow", list)])
  }

  private static func match(_ parts: [Part], _ segments: [String]) -> [String: String]? {
    var segments = segments
    if case .rest = parts.last, segments.count > parts.count {
      segments =
        segments.prefix(parts.count - 1)
        + [segments.dropFirst(parts.count - 1).joined(separator: "/")]
    }
    guard parts.count == segments.count else { return nil }
    let isMatch = zip(parts, segments).allSatisfy { part, segment in
      switch part {
      case .literal(let text): sameScalars(text, segment)
      case .parameter, .rest: !segment.isEmpty
      }
    }
    guard isMatch else { return nil }
    return zip(parts, segments).reduce(into: [:]) { parameters, pair in
      switch pair.0 {
      case .literal: break
      case .parameter(let name), .rest(let name): parameters[name] = pair.1
      }
    }
  }
}
