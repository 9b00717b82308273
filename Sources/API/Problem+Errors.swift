import APITypes
import Association
import HTTP
package import JSONValue
import Publishing
import Store

/// An error that clients are not told about: what they see is that there was one.
struct Internal: Error {
  let detail: String
}

extension Problem {
  /// The answer to an error of a handler. It is the only place where errors become statuses.
  ///
  /// - Throws: `Internal` for an error that no client can do anything about.
  static func of(_ error: any Error) throws(Internal) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case let input as InvalidInput: return .invalid(input)
    case let error as PublicationError: return of(error)
    case let error as StoreError: return try of(error)
    default: throw Internal(detail: String(describing: error))
    }
  }

  private static func of(_ error: PublicationError) -> Problem {
    switch error {
    case .refused(let domain, let findings, let account):
      let errors = findings.filter { $0.severity == .error }
      var members: JSON.Object = [
        "errors": .array(errors.map(FindingResource.fault)),
        "findings": .array(findings.map(\.json)),
      ]
      members["domain"] = domain.map { .string($0.text) }
      members["account"] = account.map(FindingResource.json)
      let codes = Set(errors.filter(\.code.isAcceptable).map(\.code.rawValue)).sorted()
      let advice =
        codes.isEmpty
        ? ""
        : " To publish in spite of some, name their codes: ?accept=\(codes.joined(separator: ","))."
      let isSyntax = errors.contains { $0.code == .notJSON }
      return Problem(
        account != nil ? .contentTooLarge : isSyntax ? .badRequest : .unprocessableContent,
        errors.first?.code.rawValue ?? "refused",
        "Nothing was changed: the document\(domain.map { " of “\($0)”" } ?? "") has \(errors.count) "
          + (errors.count == 1 ? "error." : "errors.") + advice, members: members)
    case .expectationsBroken(let domain, let expectations):
      return broken(domain, expectations)
    case .several(let errors):
      let problems = errors.map { of($0).json }
      return Problem(
        errors.contains(where: \.isConflict) ? .conflict : .unprocessableContent,
        "several-refused",
        "Nothing was changed: \(problems.count) domains are refused; “problems” has one for each.",
        members: ["problems": .array(problems)])
    }
  }

  private static func broken(
    _ domain: DomainName, _ broken: [BrokenExpectation]
  ) -> Problem {
    let list = broken.map { broken -> JSON in
      var object: JSON.Object = [
        "url": .string(broken.expectation.url), "app": .string(broken.expectation.app.text),
        "expected": .string(broken.expectation.resolution.rawValue),
        "resolution": .string(broken.explanation.resolution.rawValue),
      ]
      object["pointer"] = broken.explanation.route.map { .string($0.description) }
      object["reason"] = .string(broken.explanation.reason)
      return .object(object)
    }
    return Problem(
      .conflict, "expectation-broken",
      "Nothing was changed: \(list.count) of the expectations of “\(domain)” would not be met. Change "
        + "the routes, or the expectations first.",
      members: ["domain": .string(domain.text), "expectations": .array(list)])
  }

  private static func of(_ error: StoreError) throws(Internal) -> Problem {
    switch error {
    case .notFound(let item): return notFound(item)
    case .staleRevision(let current):
      return Problem(
        .preconditionFailed, "stale-revision",
        "The domain has revision \(current), which If-Match does not name. Read it again, and "
          + "repeat the change on what it is now.", fields: [Field("ETag", "\"\(current)\"")])
    case .alreadyExists(let current):
      return Problem(
        .preconditionFailed, "already-exists",
        "The domain is already there, and If-None-Match asks for it to be new.",
        fields: [Field("ETag", "\"\(current)\"")])
    case .nameTaken(let name, let owner):
      return Problem(
        .conflict, "name-taken",
        "“\(name)” is a name or an alias of the domain “\(owner)”. Remove it there first.",
        members: ["domain": .string(owner.text)])
    case .appInUse(let app, let domains, let count):
      return Problem(
        .conflict, "app-in-use",
        "\(count == 1 ? "One domain names" : "\(count) domains name") “\(app)”. Remove it there "
          + "first; “domains” has the first of them.",
        members: ["domains": .strings(domains.map(\.text)), "count": .integer(count)])
    case .appExists(let app):
      return Problem(.conflict, "app-exists", "There is an app “\(app)” already.")
    case .tokenNameTaken(let name):
      return Problem(.conflict, "token-name-taken", "A token has the name “\(name)” already.")
    case .notServedYet: return notServedYet()
    case .foreign, .newerSchema, .brokenReferences:
      throw Internal(detail: String(describing: error))
    case .database(let refusal, let detail): return try of(refusal, detail)
    }
  }

  private static func of(
    _ refusal: StoreError.Refusal, _ detail: String
  ) throws(Internal) -> Problem {
    switch refusal {
    case .busy:
      return Problem(
        .serviceUnavailable, "database-busy",
        "Another process holds the database. Nothing was changed; try again.",
        fields: [Field("Retry-After", "1")])
    case .diskFull:
      return Problem(
        .insufficientStorage, "disk-full",
        "The disk of the database is full. Nothing was changed, and files are served as before.")
    case .readOnly, .cannotOpen, .inputOutput:
      return Problem(
        .serviceUnavailable, "database-unavailable",
        "The database cannot be written. Nothing was changed, and files are served as before; the "
          + "log says more.")
    case .damaged, .unexpected: throw Internal(detail: detail)
    }
  }

  /// A change that is on the disk, and that the public listener does not have yet. The status is none
  /// that proxies repeat a request for.
  ///
  /// - Parameter stored: The domain as it is stored, if the change is of one that is there.
  static func notServedYet(_ stored: StoredDomain? = nil) -> Problem {
    var members: JSON.Object = [:]
    members["domain"] = stored.map { .string($0.domain.name.text) }
    members["revision"] = stored.map { .integer($0.revision) }
    return Problem(
      .internalServerError, "committed-not-served",
      "The change is stored, but it is not served yet: until it is, files are served as before. The "
        + "server tries again four times a second. Do not repeat the change; GET /readyz says “ready” "
        + "when all that is stored is served, and else what is wrong.",
      members: members, fields: stored.map { [$0.entityTag] } ?? [])
  }

  private static func notFound(_ item: StoreError.Item) -> Problem {
    let (code, what) =
      switch item {
      case .domain(let name): ("domain-not-found", "domain “\(name)”")
      case .app(let id): ("app-not-found", "app “\(id)”")
      case .entry(let id): ("entry-not-found", "entry \(id) in this domain")
      case .route(let id): ("route-not-found", "route \(id) in this entry")
      case .revision(let number): ("revision-not-found", "revision \(number) of this domain")
      case .prunedRevision(let number):
        ("revision-pruned", "revision \(number) of this domain any more")
      case .token(let name): ("token-not-found", "token “\(name)”")
      }
    return Problem(.notFound, code, "There is no \(what).")
  }
}

extension PublicationError {
  /// Whether the document itself is fine.
  fileprivate var isConflict: Bool {
    if case .expectationsBroken = self { true } else { false }
  }
}

/// Problems for commands that work on a database without a server.
package enum LocalProblem {
  /// The problem that the API answers for an error; `nil` for an error of the database or the program.
  package static func json(of error: any Error) -> JSON? {
    switch error {
    case StoreError.database, StoreError.newerSchema, StoreError.brokenReferences: return nil
    default: break
    }
    do throws(Internal) {
      return try Problem.of(error).json
    } catch {
      return nil
    }
  }
}
