import Association
import HTTP
import Publishing
import Store

/// An error that clients can do nothing about. They see `internal-error`; the log has the details.
struct InternalError: Error {
  let detail: String
}

extension Problem {
  /// - Parameter token: The token of the request.
  fileprivate static func of(_ error: any Error, for token: Token?) throws(InternalError) -> Problem
  {
    switch error {
    case let problem as Problem: return problem
    // A token that is limited to domains learns nothing of others.
    case StoreError.nameTaken(let name, let owner) where token?.scope.covers(Alias(owner)) == false:
      return Problem(.nameTaken, "\(name.quoted) is in use. Choose another name.")
    case PublicationError.nameTaken(let name, let claimant, let owner)
    where token?.scope.covers(Alias(owner)) == false:
      return Problem(
        .nameTaken, "\(name.quoted) of \(claimant.text.quoted) is in use. Choose another name.")
    case StoreError.readOnlyStore where token?.scope.isEverything == false:
      return try of(.readOnlyStore(writers: []))
    case let input as InvalidInput: return .invalid(input)
    case let error as PublicationError: return of(error)
    case let failure as Spool.Failure: return of(failure)
    case let error as StoreError: return try of(error)
    default: throw InternalError(detail: String(describing: error))
    }
  }

  /// The problem of domains that are not published.
  static func of(_ error: PublicationError) -> Problem {
    switch error {
    case .refused(let domain, let findings, let account):
      let errors = findings.filter { $0.severity == .error }
      let listed = errors.prefix(Faults.limit).map(FindingResource.fault)
      var members = Self.errors(listed, more: errors.count - listed.count)
      members.set("findings", more: "moreFindings", Excerpt(of: findings))
      members["domain"] = domain.map { .string($0.text) }
      members["account"] = account.map(FindingResource.json)
      let unacceptable = Set(errors.filter { !$0.code.isAcceptable }.map(\.code.rawValue))
        .sorted()
      let codes = Set(errors.map(\.code.rawValue)).sorted()
      if unacceptable.isEmpty { members["acceptable"] = .strings(codes) }
      let advice =
        unacceptable.isEmpty
        ? " To publish anyway, repeat with ?accept=\(codes.joined(separator: ","))."
        : " Correct \(unacceptable.joined(separator: ", ")), which cannot be accepted."
      let detail =
        "Not published: the document\(domain.map { " of \"\($0)\"" } ?? "") has "
        + "\(errors.count.counted("error"))." + advice
      guard let first = errors.first else { return Problem(.refused, detail, members: members) }
      if errors.allSatisfy({ $0.code == .opensNothing }) {
        return Problem(
          first.code, status: .unprocessableContent,
          "Nothing was changed: links\(domain.map { " of \"\($0)\"" } ?? "") would stop opening an app. To "
            + "make the change anyway, repeat with ?accept=\(first.code.rawValue).",
          members: members)
      }
      if errors.allSatisfy({ $0.code == .appAddedByLimitedToken }) {
        return Problem(
          first.code, status: .unprocessableContent,
          "Nothing was changed:\(domain.map { " \"\($0)\"" } ?? "") would use an app that somebody limited to other "
            + "domains added. Compare its fingerprints. To make the change anyway, repeat with ?accept=\(first.code.rawValue).",
          members: members)
      }
      let isSyntax = errors.contains { $0.code == .notJSON }
      return Problem(
        first.code,
        status: account != nil ? .contentTooLarge : isSyntax ? .badRequest : .unprocessableContent,
        detail, members: members)
    case .expectationsBroken(let domain, let expectations):
      var members: JSON.Object = ["domain": .string(domain.text)]
      members.set(
        "expectations", more: "moreExpectations",
        Excerpt(of: expectations) { ExpectationResource.json($0) })
      return Problem(
        .expectationBroken,
        "Not published: \(expectations.count.counted("expectation")) of \"\(domain)\" would break. Correct the "
          + "change, or change the expectations first.",
        members: members)
    case .changedElsewhere(let changes, let count):
      var members: JSON.Object = [:]
      members.set(
        "conflicts", more: "moreConflicts",
        Excerpt(of: changes, total: count, atMost: Faults.limit) { ForeignChangeResource.json($0) })
      return Problem(
        .changedElsewhere,
        "Nothing was changed: others have changed \(count.counted("domain")) since this state was exported. "
          + "Applying it would undo that. Export again and merge, or repeat with ?overwrite=true.",
        members: members)
    case .invalid(let domain, let input):
      return .invalid(input, in: domain)
    case .usesTemplate(let domain, let template):
      return Problem(
        .usesTemplate,
        "\(domain) gets its content from the template \(template.text.quoted), so no file of its own can be adopted or "
          + "removed. Detach it first: POST /v1/domains/\(domain)/detach.",
        members: ["domain": .string(domain.text)])
    case .templateChangedElsewhere(let template, let author, let revision, let expected):
      return Problem(
        .changedElsewhere,
        "Nothing was changed: \(author.quoted) has published revision \(revision) of the template "
          + "\(template.text.quoted), and this state was made from revision \(expected). Export again and merge, or "
          + "repeat with ?overwrite=true.")
    case .appTakenBack(let app, let author):
      return Problem(
        .changedElsewhere,
        "Nothing was changed: \(author.quoted) has taken back what this state has of the app \(app). Take it out of the state, "
          + "or repeat with ?overwrite=true to publish it again.")
    case .appChangedElsewhere(let app, let author):
      return Problem(
        .changedElsewhere,
        "Nothing was changed: \(author?.quoted ?? "somebody") has changed the app \(app) since this state was exported, and the state "
          + "changes it, too. Export again and merge, or repeat with ?overwrite=true.")
    case .fromTemplate(let domain, let template):
      return Problem(
        .usesTemplate,
        "Nothing was changed: what the edit concerns comes to \(domain) from the template \(template.text.quoted). Change "
          + "the template, or the domain's parameters.",
        members: ["domain": .string(domain.text)])
    case .templateNamesApp(_, let reason):
      return Problem(.usesTemplate, "Nothing was changed: \(reason)")
    case .detached(let domain):
      return Problem(
        .noTemplate, "\(domain) uses no template.", members: ["domain": .string(domain.text)])
    case .notAdoptable(let domain, let template, let obstacle):
      return of(obstacle, domain, template)
    case .notAlike(let reason): return Problem(.notAlike, reason)
    case .templateChanged(let domain, let template, let differences):
      return Problem(
        .templateChanged,
        "Nothing was changed: since that revision of \(domain), the template \(template.text.quoted) has changed, so "
          + "\(differences.count.counted("difference")) would stay. Roll the template back, or repeat with ?detach=true, "
          + "which makes everything the domain's own.",
        members: [
          "domain": .string(domain.text),
          "differences": .strings(differences.prefix(Faults.limit)),
        ])
    case .changedSince(let change, let domains, let count):
      let listed = domains.map { domain in
        domain.name.text + (domain.laterChange.map { " (in change \($0))" } ?? "")
      }
      return Problem(
        .changedSince,
        "Nothing was undone: \(names(listed, of: count)) changed since change \(change). "
          + (domains.contains { $0.laterChange != nil }
            ? "Undo the later changes first, beginning with the last. " : "")
          + (domains.contains { $0.laterChange == nil }
            ? "Domains without a later change were restored from a backup, for example: roll these back instead. "
            : "")
          + "To leave such domains as they are and undo the change in the others, repeat with ?skip=changed.",
        members: members(domains.map(\.name), of: count))
    case .notRevertible(let change, let detail, let domains):
      return Problem(
        .notRevertible, "Change \(change) cannot be undone. \(detail)",
        members: domains.isEmpty ? [:] : members(domains, of: domains.count))
    case .nothingChosen:
      return Problem(
        .domainNotFound,
        "Nothing was changed: there is no domain that the request chooses. Correct \"domains\" or \"filter\"."
      )
    case .notEditable(let domain, let reason):
      return Problem(
        .notEditable, "Nothing was changed: the edit does not fit \"\(domain)\". \(reason)",
        members: ["domain": .string(domain.text)])
    case .revisionsPruned(let change, let domains, let count):
      return Problem(
        .revisionPruned,
        "Change \(change) cannot be undone: the revision before it is no longer kept of "
          + "\(names(domains.map(\.name.text), of: count)). Edit the domains instead.",
        members: members(domains.map(\.name), of: count))
    case .nameTaken(let name, let claimant, let owner):
      return Problem(
        .nameTaken,
        "Nothing was changed: \(name.quoted) cannot be a name of both \(claimant.text.quoted) and "
          + "\(owner.text.quoted). Remove it from one of them.",
        members: [
          "domain": .string(owner.text), "name": .string(name), "claimant": .string(claimant.text),
        ])
    case .tooMuchWork(let work, let done, let count, let longest, let slowest):
      let listed = slowest.map(\.text).joined(separator: ", ")
      let names = listed.isEmpty ? "" : " The slowest were \(listed)."
      return Problem(
        .tooMuchWork,
        "Nothing was changed: after \(longest.components.seconds) seconds, \(done) of "
          + "\(count.counted("domain")) had been \(work.rawValue).\(names) Apply the state in parts."
      )
    case .outsideLimits(let domain, .domain):
      return Problem(
        .tokenLimited,
        "Nothing was changed: \"\(domain)\" is not, or no longer, one of the domains that the token is limited to."
      )
    case .outsideLimits(let domain, .labels(let labels)):
      return Problem(
        .tokenLimited,
        "Nothing was changed: what is limited to labels cannot change the labels of \"\(domain)\". Send "
          + "\"labels\" as they are: \(JSON.strings(labels.map(\.text)).text).")
    case .outsideLimits(let domain, .documents(let names)):
      return Problem(
        .tokenLimited,
        "Nothing was changed: of \"\(domain)\", the token can change only "
          + "\(names.map(\.text).joined(separator: ", ")).")
    case .needsApproval(let domain):
      return Problem(
        .approvalRequired,
        "Not published: \"\(domain)\" is protected, so a second person must approve the change. \(howToAsk)",
        members: ["domain": .string(domain.text)])
    case .nothingToApprove:
      return Problem(
        .nothingToApprove, "No draft was created: nothing would change.")
    case .draftOutdated(let draft, let thing, let domain):
      return Problem(
        .draftOutdated,
        "Nothing was changed: others have changed \(thing) since draft \(draft) was made. Create a new draft over what "
          + "there is now.", members: domain.map { ["domain": .string($0.text)] } ?? [:])
    case .several(let errors, let count):
      let unapproved = errors.compactMap {
        if case .needsApproval(let name) = $0 { name } else { nil }
      }
      if unapproved.count == errors.count {
        return Problem(
          .approvalRequired,
          "Not published: \(names(unapproved.map(\.text), of: count)) are protected, so a second person must approve the "
            + "change. \(howToAsk)", members: self.members(unapproved, of: count))
      }
      var members: JSON.Object = [:]
      members.set(
        "problems", more: "moreProblems",
        Excerpt(of: errors, total: count, atMost: Faults.limit) { of($0).json })
      let isConflict = errors.contains { if case .expectationsBroken = $0 { true } else { false } }
      return Problem(
        .severalRefused,
        status: isConflict ? .conflict : .unprocessableContent,
        "Nothing was changed: \(count) domains were refused.",
        members: members)
    }
  }

  private static func of(
    _ obstacle: AdoptionObstacle, _ domain: DomainName, _ template: TemplateName
  ) -> Problem {
    var members: JSON.Object = ["domain": .string(domain.text)]
    let reason: String
    switch obstacle {
    case .parameters(let open):
      members["parameters"] = .strings(open.map(\.name))
      let words = open.prefix(5).map { parameter in
        let candidates = parameter.candidates.prefix(5).map(\.quoted).joined(separator: " or ")
        return parameter.name.quoted + (candidates.isEmpty ? "" : ", which could be \(candidates)")
      }
      reason =
        "Give a value for \(words.joined(separator: ", and for ")) in \"parameters\", or null to leave out what uses it."
    case .differences(let changes):
      members["differences"] = .strings(changes.prefix(Faults.limit).map(\.text))
      reason =
        "With the template, \(changes.count.counted("thing")) would change: \(changes.first?.text ?? ""). Change the "
        + "template or the domain first."
    case .incomparable:
      reason = "Its documents are too complex to prove that the same links open."
    case .uses(let name):
      reason =
        name == template
        ? "It uses the template already, with other values. Change \"parameters\" of the domain."
        : "It uses the template \(name.text.quoted). Detach it first: POST /v1/domains/\(domain)/detach. Or move it: set its "
          + "\"template\" and \"parameters\" together."
    }
    return Problem(
      .notAdoptable,
      "\(domain) was not taken under the template \(template.text.quoted). \(reason)",
      members: members)
  }

  private static let howToAsk =
    "To ask for that, repeat with ?draft=true (aasa: --draft), and let somebody else approve the draft."

  /// The first few of some domains in a sentence.
  private static func names(_ domains: [String], of count: Int) -> String {
    let listed = domains.prefix(5).joined(separator: ", ")
    return count > 5 ? "\(listed) and \(count - 5) more" : listed
  }

  private static func members(_ domains: [DomainName], of count: Int) -> JSON.Object {
    var members: JSON.Object = [:]
    members.set(
      "domains", more: "moreDomains",
      Excerpt(of: domains, total: count, atMost: Faults.limit) { .string($0.text) })
    return members
  }

  private static func of(_ failure: Spool.Failure) -> Problem {
    switch failure {
    case .full(let limit):
      Problem(
        .bodyTooLarge,
        "The request needs more than \(limit) bytes of temporary files. Nothing was changed. Send fewer "
          + "domains at a time.")
    case .noRoom: Problem(Refusal.Reason.noRoom)
    case .file: Problem(Refusal.Reason.spoolFailed)
    }
  }

  private static func of(_ error: StoreError) throws(InternalError) -> Problem {
    switch error {
    case .notFound(let item): return notFound(item)
    case .staleRevision(let current):
      return Problem(
        .staleRevision,
        "If-Match does not name the current revision, \(current). Read it again, then repeat the change.",
        fields: [HeaderField("ETag", "\"\(current)\"")])
    case .alreadyExists(let current):
      return Problem(
        .alreadyExists, "It already exists, and If-None-Match requires a new one.",
        fields: [HeaderField("ETag", "\"\(current)\"")])
    case .notDeleted(let name, let current):
      return Problem(
        .notDeleted, "The domain \"\(name)\" is not deleted: revision \(current) is current.",
        fields: [HeaderField("ETag", "\"\(current)\"")])
    case .nameTaken(let name, let owner):
      return Problem(
        .nameTaken,
        "\"\(name)\" is a name or an alias of the domain \"\(owner)\". Remove it there first.",
        members: ["domain": .string(owner.text)])
    case .templateInUse(let name, let domains, let count):
      return Problem(
        .templateInUse,
        "\(count.counted("domain")) use\(count == 1 ? "s" : "") the template \(name.text.quoted). Detach or delete "
          + "them first.",
        members: ["domains": .strings(domains.map(\.text)), "count": .integer(count)])
    case .appInUse(let app, let domains, let count):
      return Problem(
        .appInUse,
        "\"\(app)\" is in use by \(count.counted("domain")). Remove it there first, or repeat with "
          + "?everywhere=true. \"domains\" lists the first of them.",
        members: ["domains": .strings(domains.map(\.text)), "count": .integer(count)])
    case .appExists(let app):
      return Problem(
        .appExists, "An app \"\(app)\" already exists. If no domain uses it, delete it first.")
    case .unknownApps(let apps): return unknown(apps)
    case .tokenNameTaken(let name):
      return Problem(.tokenNameTaken, "A token named \(name.quoted) already exists.")
    case .userNameTaken(let name):
      return Problem(.tokenNameTaken, "A user named \(name.quoted) already exists.")
    case .tokenExpired(let name, let end):
      return .invalid(
        InvalidInput(
          .timePassed, at: JSONPointer.root.appending("expiresAt"),
          "The token \(name.quoted) expired at \(end.text). Set a time in the future (aasa: --expires)."
        ))
    case .tooManyWebhooks:
      return .invalid(
        InvalidInput(
          .tooMany,
          "There are \(Webhook.limit) webhooks, the limit. Delete those that nobody needs."))
    case .tooManyDrafts(let author):
      return .invalid(
        InvalidInput(
          .tooMany,
          "\(author.quoted) has \(Draft.mostOpen) open drafts, the limit. Withdraw those that nobody needs."
        ))
    case .tooManyComments(let id):
      return .invalid(
        InvalidInput(.tooMany, "Draft \(id) has \(Draft.mostComments) comments, the limit."))
    case .draftEnded(let id, let status, let author):
      return Problem(
        .draftEnded, "Draft \(id) has ended: \(author.quoted) has \(status.rawValue) it.")
    case .webhookDisabled(let name):
      return Problem(
        .webhookDisabled,
        "The webhook \(name.quoted) is disabled. Send PUT with \"enabled\": true first.")
    case .busy: return .busy("The database is busy with other edits.")
    case .tookTooLong:
      return .busy(
        "Writing so many domains took too long for others who wait to edit."
          + " Apply the state in parts, or when fewer people edit.", seconds: 60)
    case .notServedYet(let stored, _): return notServedYet(stored)
    case .readOnlyStore(let writers):
      let servers = writers.isEmpty ? "one that accepts them" : writers.joined(separator: " or ")
      return Problem(
        .readOnlyServer, "This server only reads (readOnly). Send edits to \(servers).",
        members: ["servers": .strings(writers)])
    case .foreign, .empty, .leftover, .newerSchema, .olderSchema, .unsuitable, .brokenReferences:
      throw InternalError(detail: String(describing: error))
    case .database(let refusal, let detail): return try of(refusal, detail)
    }
  }

  private static func of(
    _ refusal: StoreError.Refusal, _ detail: String
  ) throws(InternalError) -> Problem {
    switch refusal {
    case .diskFull:
      return Problem(
        .diskFull,
        "The disk is full. Nothing was changed, and files are still served. Free some space.")
    case .readOnly, .cannotOpen, .unreachable, .inputOutput:
      return Problem(
        .databaseUnavailable,
        "Cannot use the database. Nothing was changed, and files are still served. See the log.",
        fields: [HeaderField("Retry-After", "5")])
    case .unknownOutcome:
      return Problem(
        .outcomeUnknown,
        "The connection to the database was lost while it stored the change. Check whether the change was made before you "
          + "repeat it.", fields: [HeaderField("Retry-After", "5")])
    case .replaced:
      return Problem(
        .databaseReplaced,
        "The database file was deleted or replaced while the server ran. Edits are refused, and files "
          + "are still served. Restore the rescue copy that the log names, and restart the server.")
    case .damaged, .unexpected: throw InternalError(detail: detail)
    }
  }

  /// A change that is stored, but that the public listener does not serve yet. Proxies do not retry
  /// requests with this status.
  ///
  /// - Parameter stored: The domain as it is stored, if the change left one.
  private static func notServedYet(_ stored: StoredDomain?) -> Problem {
    var members: JSON.Object = [:]
    members["domain"] = stored.map { .string($0.domain.name.text) }
    members["revision"] = stored.map { .integer($0.revision) }
    return Problem(
      .committedNotServed,
      "The change is stored but not served yet. Do not repeat it: the server retries four times a "
        + "second. GET /readyz answers \"ready\" once it is served.",
      members: members, fields: stored.map { [$0.entityTag] } ?? [])
  }

  /// Nothing is known of an Android app except its package name, which is not enough to render it.
  private static func unknown(_ apps: [LinkedApp]) -> Problem {
    let listed = apps.prefix(20).map(\.description.quoted).joined(separator: ", ")
    let more = apps.count > 20 ? " and \(apps.count - 20) more" : ""
    return Problem(
      .unknownAndroidApp,
      "Nothing was changed: the fingerprints of \(listed)\(more) are not known. First add each Android "
        + "app with PUT /v1/android-apps/{package}, or in \"androidApps\" of the state.")
  }

  private static func notFound(_ item: StoreError.Item) -> Problem {
    switch item {
    case .domain(let name): Problem(.domainNotFound, "The domain \"\(name)\" does not exist.")
    case .app(let id): Problem(.appNotFound, "The app \"\(id)\" does not exist.")
    case .entry(let number, let existing):
      Problem(.entryNotFound, "This domain has no entry \(number). \(sentence(existing))")
    case .route(let number, let existing):
      Problem(.routeNotFound, "This entry has no route \(number). \(sentence(existing))")
    case .suppression(let number, let existing):
      Problem(
        .suppressionNotFound, "This domain has no suppression \(number). \(sentence(existing))")
    case .draft(let id):
      Problem(
        .draftNotFound, "Draft \(id) does not exist, or is no longer kept.")
    case .change(let id):
      Problem(
        .changeNotFound,
        "Change \(id) does not exist, is no longer kept, or changed only domains that you may not see."
      )
    case .sharedSuppression(let number, let existing):
      Problem(
        .suppressionNotFound,
        "No suppression of several domains has the number \(number). "
          + (existing.isEmpty
            ? "There is none." : "They are \(existing.map(String.init).joined(separator: ", "))."))
    case .revision(let id):
      Problem(.revisionNotFound, "There is no revision \(id), or it is no longer kept.")
    case .prunedRevision(let number):
      Problem(.revisionPruned, "Revision \(number) of this domain is no longer kept.")
    case .template(let name):
      Problem(.templateNotFound, "The template \(name.text.quoted) does not exist.")
    case .token(let name): Problem(.tokenNotFound, "The token \"\(name)\" does not exist.")
    case .webhook(let name):
      Problem(.webhookNotFound, "The webhook \(name.quoted) does not exist.")
    case .user(let name): Problem(.userNotFound, "The user \(name.quoted) does not exist.")
    case .group(let name): Problem(.groupNotFound, "The group \(name.quoted) does not exist.")
    }
  }
}

extension Publisher {
  /// The problem for any error that a handler throws. Nothing else turns errors into problems.
  ///
  /// - Parameter token: The token of the request.
  func problem(of error: any Error, for token: Token? = nil) throws(InternalError) -> Problem {
    if case StoreError.notFound(.domain(let name)) = error,
      let reason = reason(whyMissing: name, for: token)
    {
      return Problem(.domainNotFound, reason)
    }
    return try Problem.of(error, for: token)
  }

  /// Why a domain does not exist; `nil` if it never did, or if the database does not say so.
  private func reason(whyMissing name: DomainName, for token: Token?) -> String? {
    do {
      if try store.isDeleted(name) {
        return
          "The domain \"\(name)\" was deleted. To bring it back, send POST /v1/domains/\(name)/restore."
      }
      // Somebody limited to domains may not know the other one.
      let mayKnow = token?.scope.isEverything ?? true
      let owner = mayKnow ? try store.domain(serving: name) : nil
      return owner.map {
        "The domain \"\(name)\" does not exist. The host belongs to the domain \"\($0)\": name that one."
      }
    } catch {
      return nil
    }
  }
}

extension Problem {
  /// Says which numbers exist: "It has 1, 2 and 5."
  private static func sentence(_ numbers: [Int64]) -> String {
    let listed = numbers.prefix(20).map(String.init)
    if numbers.count > listed.count {
      return "It has \(listed.joined(separator: ", ")) and \(numbers.count - listed.count) more."
    }
    guard let last = listed.last else { return "It has none." }
    let others = listed.dropLast().joined(separator: ", ")
    return others.isEmpty ? "It only has \(last)." : "It has \(others) and \(last)."
  }
}
