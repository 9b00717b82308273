import Association
import Store

/// Reviews what a change does to links: whether it keeps expectations, whether it leaves an app, or the whole
/// domain, without any URL that opens it, and whether somebody has to confirm the apps that open them.
struct ServiceReview {
  /// The accepted errors.
  let findings: [Finding]
  /// The URLs of old and new expectations that resolve differently.
  let changedResolutions: [ChangedResolution]

  /// The review of a change that is refused: nothing is accepted, and no URL is resolved.
  init() { (findings, changedResolutions) = ([], []) }

  /// - Parameters:
  ///   - domain: The new state; `nil` if the domain is deleted.
  ///   - documents: The new documents, if there are any; for a deleted domain, those of the one that gets its name.
  ///   - old: The state so far; `nil` for a new domain.
  ///   - before: Its documents.
  ///   - heir: The domain that has names of a deleted one from then on: its documents, and all its names.
  ///   - findings: The other findings, for the error.
  ///   - foreign: What to ask about apps that the domain names from now on.
  ///   - accepted: Codes of accepted errors.
  ///   - shared: A cache shared with other domains.
  /// - Throws: `PublicationError`.
  init(
    of domain: Domain?, _ documents: ReadDocuments? = nil, since old: Domain?,
    _ before: () -> ReadDocuments, heir: Resolver.Heir? = nil, findings known: [Finding],
    _ foreign: [Finding] = [],
    accepting accepted: Set<Finding.Code>, sharing shared: SharedDocuments = SharedDocuments()
  ) throws(PublicationError) {
    let name = (domain ?? old)?.name
    changedResolutions = try Self.changedResolutions(
      of: domain, documents, heir, known, since: old, before)
    findings = foreign + Self.closing(domain, documents, since: old, before, sharing: shared)
    let open = findings.filter { $0.isRefused(accepting: accepted) }
    if open.isEmpty { return }
    throw .refused(name, known.filter { $0.severity != .error } + open, account: nil)
  }

  private static func changedResolutions(
    of domain: Domain?, _ documents: ReadDocuments?, _ heir: Resolver.Heir?,
    _ findings: [Finding], since old: Domain?, _ before: () -> ReadDocuments
  ) throws(PublicationError) -> [ChangedResolution] {
    // Compiles the documents only if there is something to resolve.
    guard let subject = domain ?? old,
      !subject.expectations.isEmpty || old?.expectations.isEmpty == false
    else { return [] }
    let broken: [BrokenExpectation]
    let changes: [ChangedResolution]
    do throws(TooComplex) {
      var resolver =
        try domain == nil ? Resolver(deleted: subject, heir) : Resolver(subject, documents)
      broken = try resolver.broken()
      changes = try resolver.changes(since: old, before)
    } catch {
      throw .refused(subject.name, findings + [error.finding], account: nil)
    }
    if !broken.isEmpty { throw .expectationsBroken(subject.name, broken) }
    return changes
  }

  /// The finding about a change that leaves an app without any URL that opens it.
  static func closing(
    _ domain: Domain?, _ documents: ReadDocuments?, since old: Domain?,
    _ before: () -> ReadDocuments, sharing shared: SharedDocuments
  ) -> [Finding] {
    guard let old, old.isEnabled else { return [] }
    let isServed = domain?.isEnabled ?? true
    if isServed, domain?.hasLinks(of: old) ?? false { return [] }
    let after = isServed ? documents : nil
    let before = before()
    let lost = shared.lostApps(from: before, to: after)
    if lost.isEmpty { return [] }
    let listed = lost.prefix(5).joined(separator: ", ")
    let apps = lost.count > 5 ? "\(listed) and \(lost.count - 5) more" : listed
    let subject =
      after.map { !OpenedApps($0).opensNothing } ?? false
      ? apps : "any app; currently, they open \(apps)"
    return [
      Finding(
        .opensNothing, at: .root, "After this change, no URL of \(old.name) opens \(subject).",
        help: "If that is intended, accept \(Finding.Code.opensNothing.rawValue).")
    ].about(before.json[.apple] == nil ? .assetLinks : .apple)
  }
}

/// Resolves the URLs of a domain's expectations, all of them within one budget.
struct Resolver {
  /// About one second.
  private static let steps = 100_000_000

  private let domain: Domain
  /// `nil` if no file is served.
  private let matcher: DomainMatcher?
  private let isDeleted: Bool
  /// The names to which the matcher applies.
  private let names: [Alias]
  private var budget = MatchingBudget(steps: steps)

  /// A domain that has names of a deleted one.
  typealias Heir = (documents: ReadDocuments, names: [Alias])

  /// - Parameter documents: The documents of the domain.
  init(_ domain: Domain, _ documents: ReadDocuments?) throws(TooComplex) {
    (self.domain, isDeleted, names) = (domain, false, domain.names)
    matcher = if let documents, domain.isEnabled { try DomainMatcher(documents) } else { nil }
  }

  /// - Parameter heir: The domain that has names of the deleted one from then on.
  init(deleted domain: Domain, _ heir: Heir?) throws(TooComplex) {
    (self.domain, isDeleted, names) = (domain, true, heir?.names ?? [])
    matcher = if let heir { try DomainMatcher(heir.documents) } else { nil }
  }

  mutating func broken() throws(TooComplex) -> [BrokenExpectation] {
    var broken: [BrokenExpectation] = []
    // Those of a template are about the domains that use it, so they keep none from being deleted.
    for expectation in isDeleted ? domain.own.expectations : domain.expectations {
      if try resolve(expectation) == expectation.resolution { continue }
      broken.append(
        BrokenExpectation(expectation: expectation, explanation: try explain(expectation)))
    }
    return broken
  }

  /// The URLs of old and new expectations that resolve differently now, except where the old
  /// document is too complex, as only documents of earlier versions can be.
  mutating func changes(
    since old: Domain?, _ documents: () -> ReadDocuments
  ) throws(TooComplex) -> [ChangedResolution] {
    guard let old else { return [] }
    var resolver: Resolver
    do throws(TooComplex) {
      resolver = try Resolver(old, documents())
    } catch {
      return []
    }
    var seen: Set<Expectation> = []
    var changes: [ChangedResolution] = []
    for expectation in old.expectations + domain.expectations {
      guard seen.insert(expectation).inserted, let before = resolver.resolution(of: expectation)
      else { continue }
      let after = try resolve(expectation)
      if before == after { continue }
      changes.append(
        ChangedResolution(
          url: expectation.url, app: expectation.app, before: before, after: after))
    }
    return changes
  }

  /// The resolution; `nil` if it takes too many steps.
  private mutating func resolution(of expectation: Expectation) -> Resolution? {
    do throws(TooComplex) {
      return try resolve(expectation)
    } catch {
      return nil
    }
  }

  private mutating func resolve(_ expectation: Expectation) throws(TooComplex) -> Resolution {
    try matcher(for: expectation)?.resolution(
      of: expectation.url, for: expectation.app, domain: domain.host(for: expectation.url),
      budget: &budget) ?? .noMatch
  }

  /// The matcher of the file that the host of the URL gets.
  private func matcher(for expectation: Expectation) -> DomainMatcher? {
    let host = domain.host(for: expectation.url)
    return !isDeleted || names.contains { $0.covers(host: host) } ? matcher : nil
  }

  private mutating func explain(_ expectation: Expectation) throws(TooComplex) -> Explanation {
    guard let matcher = matcher(for: expectation) else {
      return domain.notServedExplanation(for: expectation.app.text, isDeleted: isDeleted)
    }
    return try matcher.explain(
      expectation.url, for: expectation.app, domain: domain.host(for: expectation.url),
      budget: &budget)
  }
}

extension Domain {
  /// Whether everything that decides which apps links open is as in another domain.
  fileprivate func hasLinks(of other: Domain) -> Bool {
    associationFile == other.associationFile && hasDynamicAppLinks == other.hasDynamicAppLinks
      && assetLinksExtra == other.assetLinksExtra
  }
}
