package import Association
import HTTP
import Store
import Synchronization

/// Checks domains from outside.
package struct Checker: Sendable {
  /// Where Apple's and Google's services are.
  package struct Services: Sendable, Equatable {
    /// Apple's CDN, without the path.
    package var appleCDN = "https://app-site-association.cdn-apple.com"
    /// Google's Digital Asset Links service, without the path.
    package var googleDigitalAssetLinks = "https://digitalassetlinks.googleapis.com"
    /// The key for Google's service; `nil` asks without one.
    package var googleKey: String?

    package init() {}
  }

  /// The limit of a request with its redirects. A check makes them in two rounds, and repeats some in the second
  /// one, so it takes at most three times as long.
  private static let milliseconds = 5_000
  /// Of how many places of a host, such as the addresses of its name, each is asked.
  private static let mostPlaces = 4

  private let fetcher: Fetcher
  private let services: Services
  private let now: @Sendable () -> UnixTime

  /// A checker.
  ///
  /// - Parameter now: Returns the current time.
  package init(
    _ fetcher: Fetcher, _ services: Services = Services(), now: @escaping @Sendable () -> UnixTime
  ) {
    self.fetcher = fetcher
    self.services = services
    self.now = now
  }

  /// Checks a domain. Takes at most about 15 seconds, and what it computes.
  ///
  /// - Throws: `StoreError.database`; `CancellationError` if the task is cancelled.
  package func check(_ subject: Subject, _ budget: CheckBudget = CheckBudget()) async throws
    -> Check
  {
    let (at, start, share) = (now(), ContinuousClock.now, budget.share())
    let observations = try await observe(subject, share)
    return try await withTaskExecutorPreference(WorkThread.computing) {
      try Task.checkCancellation()
      return try share.work { work in
        var inspection = CheckInspection(subject, observations, at: at, work)
        try inspection.run()
        inspection.check.milliseconds = Int((.now - start) / .milliseconds(1))
        return inspection.check
      }
    }
  }

  /// Checks several domains at the same time; each result is at the place of its subject.
  package func checks(
    of subjects: [Subject], _ budget: CheckBudget = CheckBudget()
  ) async -> [Result<Check, any Error>] {
    await subjects.concurrently { subject in
      do {
        return .success(try await check(subject, budget))
      } catch {
        return .failure(error)
      }
    }
  }

  /// The files that domains serve today.
  package func liveFiles(of domains: [DomainName]) async -> [LiveFiles] {
    await LiveFiles.of(domains, fetcher)
  }

  /// All requests of the first round are made at the same time, then all of the second one.
  private func observe(
    _ subject: Subject, _ share: CheckBudget.Share
  ) async throws -> Observations {
    let host = subject.domain.text
    async let surveys = DocumentKind.allCases.concurrently { await survey(host, $0, subject) }
    async let places = fetcher.places(of: host, milliseconds: Self.milliseconds)
    async let root = site(host, Place.root, .bot)
    async let sibling = optionalSite(subject.sibling)
    async let aliases = aliases(subject, share)
    async let cdn = cdn(host)
    async let people = people(subject)
    var observations = Observations(
      surveys: await surveys, root: await root, cdn: await cdn)
    observations.sibling = await sibling
    observations.people = await people
    observations.aliases = try await aliases
    try Task.checkCancellation()
    let (first, all) = (observations, Array(await places.prefix(Self.mostPlaces)))
    async let more = DocumentKind.allCases.concurrently { kind in
      await self.more(host, kind, first, subject, kind.platform == nil ? [] : all)
    }
    async let robots = robots(host, first, subject)
    async let google = google(host, first.packages(subject))
    async let named = named(host, subject)
    async let password = optional(Place.path(DocumentName.changePassword), host, subject)
    async let probe = optional(Place.path(DocumentName.probe), host, subject)
    async let misnamed = misnamed(host, first, subject)
    for (kind, more) in zip(DocumentKind.allCases, await more) { observations[kind].add(more) }
    observations.robots = await robots
    observations.google = await google
    observations.named = await named
    (observations.password, observations.probe) = (await password, await probe)
    observations.misnamed = await misnamed
    return observations
  }

  /// Asks for a file as each User-Agent that should get it.
  private func survey(_ host: String, _ kind: DocumentKind, _ subject: Subject) async -> Survey {
    let agents = Agent.asking(for: kind)
    let isWanted = subject.expects(kind) || subject.isServed && subject.reference == nil
    let asking = isWanted ? agents : [agents[0]]
    return Survey(
      asking,
      await asking.concurrently { agent in
        await site(host, .wellKnown(kind), agent, readsCertificate: kind == .apple)
      })
  }

  /// Asks again for a file: as the User-Agent that matters, and at each place of the host. If the first answers
  /// differ, it asks as each User-Agent several times, to tell whether they depend on it.
  private func more(
    _ host: String, _ kind: DocumentKind, _ first: Observations, _ subject: Subject,
    _ places: [Fetcher.Place]
  ) async -> [Observation] {
    let survey = first[kind]
    let isThere = survey.observations.contains { $0.file != nil }
    guard subject.expects(kind) || isThere && subject.reference == nil,
      survey.observations.contains(where: { $0.answer != nil })
    else { return [] }
    let end = ContinuousClock.now + .milliseconds(Self.milliseconds)
    // Nobody else asks meanwhile: servers that answer by turns could give all wrong answers to the others.
    async let again = repeated(survey.varies ? 6 : 2, until: end) {
      await site(host, .wellKnown(kind), survey.agents[0])
    }
    async let there = (places.count > 1 ? places : []).concurrently {
      await site(host, .wellKnown(kind), survey.agents[0], at: $0)
    }
    let main = await again + Self.reachable(there, at: places)
    guard survey.varies else { return main }
    let others = await Array(survey.agents.dropFirst()).concurrently { agent in
      await repeated(3, until: end) { await site(host, .wellKnown(kind), agent) }
    }
    return main + others.joined()
  }

  /// What was observed at the places of a host, without IPv6 if this machine has a route to none of those addresses:
  /// that says nothing about the site.
  private static func reachable(
    _ observations: [Observation], at places: [Fetcher.Place]
  ) -> [Observation] {
    let isLost = zip(observations, places).map { observation, place in
      guard !place.address.isIPv4, case .failure(.route) = observation.result else { return false }
      return true
    }
    let hasRoute = zip(isLost, places).contains { !$0 && !$1.address.isIPv4 }
    return hasRoute ? observations : zip(observations, isLost).filter { !$1 }.map(\.0)
  }

  /// Asks one time after the other, so that a check does not meet a rate limit by itself.
  private func repeated(
    _ times: Int, until end: ContinuousClock.Instant, _ observe: @Sendable () async -> Observation
  ) async -> [Observation] {
    var observations: [Observation] = []
    while observations.count < times, .now < end { observations.append(await observe()) }
    return observations
  }

  /// `robots.txt`, which only Google heeds, where there is or should be a file for Android.
  private func robots(
    _ host: String, _ first: Observations, _ subject: Subject
  ) async -> Observation? {
    let survey = first[.assetLinks]
    let file = survey.observations.contains { $0.file != nil }
    guard subject.expects(.assetLinks) || file && subject.reference == nil,
      survey.observations.contains(where: { $0.answer != nil })
    else { return nil }
    return await site(host, .robots, .google, bytes: RobotsFile.limit)
  }

  /// The file that the site should serve, under the names that people give it by mistake.
  private func misnamed(
    _ host: String, _ first: Observations, _ subject: Subject
  ) async -> [(kind: DocumentKind, observation: Observation)] {
    let paths: [(kind: DocumentKind, path: String)] = [
      (.apple, "\(DocumentKind.apple.path).json"), (.apple, "\(Place.root.path).json"),
      (.assetLinks, "/\(DocumentKind.assetLinks.rawValue)"),
    ].filter { kind, _ in
      subject.expects(kind) && first[kind].chosen.answer?.status == 404
        && (kind != .apple || first.root.file == nil)
    }
    return await paths.concurrently { kind, path in
      (kind, await site(host, .at(path), first[kind].agents[0]))
    }.filter { kind, observation in
      observation.followed.hops.count == 1
        && observation.file.flatMap(JSON.readable)?.isLikely(kind) ?? false
    }
  }

  private func site(
    _ host: String, _ place: Place, _ agent: Agent, readsCertificate: Bool = false,
    at address: Fetcher.Place? = nil, bytes: Int? = nil
  ) async -> Observation {
    var request = FetchRequest("https://\(host)\(place.path)")
    request.agent = agent.rawValue
    request.fields = [(name: "X-Aasa-Check", value: "1")]
    request.milliseconds = Self.milliseconds
    request.readsCertificate = readsCertificate
    request.place = address
    request.bytes = bytes ?? request.bytes
    let followed = await fetcher.follow(request)
    return Observation(
      host: host, agent: agent, followed: followed,
      place: address?.addressAndPort ?? followed.hops[0].fetch.place)
  }

  /// Asks for a link as somebody without the app. Where an answer redirects to is another site's.
  private func people(_ subject: Subject) async -> Observation? {
    guard let path = subject.linkPath else { return nil }
    var request = FetchRequest("https://\(subject.domain)\(path)")
    request.agent = Agent.browser.rawValue
    request.fields = [(name: "X-Aasa-Check", value: "1")]
    request.milliseconds = Self.milliseconds
    return await observation(of: request, host: subject.domain.text, .browser)
  }

  /// Follows no redirect.
  private func observation(
    of request: FetchRequest, host: String, _ agent: Agent
  ) async -> Observation {
    let hop = FollowedFetch.Hop(url: request.url, fetch: await fetcher.fetch(request))
    return Observation(host: host, agent: agent, followed: FollowedFetch(hops: [hop]))
  }

  /// Asks for each document that is published as bytes, at each of its places.
  private func named(
    _ host: String, _ subject: Subject
  ) async -> [(document: NamedDocument, observation: Observation)] {
    await subject.named.flatMap { document in document.name.paths.map { (document, $0) } }
      .concurrently { document, path in
        (document: document, observation: await site(host, .at(path), .arbitrary))
      }
  }

  /// Asks for what concerns changing a password, if the domain has a page for that.
  private func optional(
    _ place: Place, _ host: String, _ subject: Subject
  ) async -> Observation? {
    subject.changePassword == nil ? nil : await site(host, place, .browser)
  }

  private func optionalSite(_ host: String?) async -> Observation? {
    guard let host else { return nil }
    return await site(host, .wellKnown(.apple), .bot)
  }

  /// Of the files of aliases, only whether each is the current one is kept. Those with the same bytes are compared once.
  private func aliases(
    _ subject: Subject, _ share: CheckBudget.Share
  ) async throws -> [(alias: Alias, observation: Observation)] {
    let kind = subject.mainKind
    let compared = Compared()
    return try await withThrowingTaskGroup(of: (Alias, Observation).self) { group in
      for (alias, host) in subject.isServed ? subject.sampledAliases(at: now()) : [] {
        group.addTask {
          var observation = await site(host, .wellKnown(kind), .bot)
          if let reference = subject.reference, let answer = observation.answer,
            answer.status == 200
          {
            observation.isCurrent = try await withTaskExecutorPreference(WorkThread.computing) {
              try share.work { work in
                try compared.isCurrent(answer.body) {
                  try reference.isCurrent(answer.body, kind, while: work.goesOn)
                }
              }
            }
          }
          return (alias, observation.withoutBodies)
        }
      }
      return try await group.reduce(into: []) { $0.append((alias: $1.0, observation: $1.1)) }
    }
  }

  private func service(_ url: String) async -> Observation {
    var request = FetchRequest(url)
    request.usesPlaces = false
    request.milliseconds = Self.milliseconds
    return await observation(of: request, host: "", .own)
  }

  private func cdn(_ host: String) async -> Observation {
    await service("\(services.appleCDN)/a/v1/\(host)")
  }

  /// Asks Google whether apps are linked.
  private func google(
    _ host: String, _ targets: [GoogleTarget]
  ) async -> [(target: GoogleTarget, observation: Observation)] {
    await targets.sorted { $0.package < $1.package }.concurrently { target in
      let url =
        "\(services.googleDigitalAssetLinks)/v1/assetlinks:check?source.web.site=https://\(host)"
        + "&relation=\(target.relation)&target.androidApp.packageName=\(target.package)"
        + "&target.androidApp.certificate.sha256Fingerprint=\(target.fingerprint)"
        + (services.googleKey.map { "&key=\($0)" } ?? "")
      return (target: target, observation: await service(url).withoutQuery)
    }
  }
}

extension Array where Element: Sendable {
  /// The results for all elements, in their order, made at the same time.
  func concurrently<Result: Sendable>(
    _ body: @escaping @Sendable (Element) async -> Result
  ) async -> [Result] {
    await withTaskGroup(of: (Int, Result).self) { group in
      for (index, element) in enumerated() { group.addTask { (index, await body(element)) } }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}

/// Which files are the current one, by their SHA-256.
private final class Compared: Sendable {
  private let results = Mutex<[String: Bool]>([:])

  /// - Parameter compare: Compares a file that is not known yet; `nil` if there is no time for that.
  func isCurrent(_ body: [UInt8], _ compare: () throws -> Bool?) throws -> Bool? {
    let sha256 = SHA256.hexadecimal(of: body)
    return try results.withLock { results in
      if let known = results[sha256] { return known }
      results[sha256] = try compare()
      return results[sha256]
    }
  }
}

/// Where a document is on its host.
enum Place {
  case wellKnown(DocumentKind)
  /// Apple's older location.
  case root
  case robots
  case at(String)

  static func path(_ name: String) -> Place { .at("/.well-known/\(name)") }

  var path: String {
    switch self {
    case .wellKnown(let kind): kind.path
    case .root: "/\(DocumentKind.apple.rawValue)"
    case .robots: "/robots.txt"
    case .at(let path): path
    }
  }
}

/// Who a request says it is from.
enum Agent: String {
  case bot = "AASA-Bot/1.0.0"
  case google = "GoogleAssociationService"
  case browser =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
  case own = "aasa"
  /// One that no rule knows.
  case arbitrary = "Example/1.0"

  /// Who asks for a kind of file: first the fetcher on which links depend.
  static func asking(for kind: DocumentKind) -> [Agent] {
    switch kind.platform {
    case .ios: [.bot, .browser, .arbitrary]
    case .android: [.google, .browser, .arbitrary]
    case nil: [.browser, .arbitrary]
    }
  }

  /// The agent as a part of a sentence.
  var words: String {
    switch self {
    case .bot: "Apple's bot (AASA-Bot)"
    case .google: "Google's fetcher (GoogleAssociationService)"
    case .browser: "a browser"
    case .own, .arbitrary: "any other User-Agent (\(rawValue))"
    }
  }

  /// What a rule knows a bot by.
  var token: String? {
    switch self {
    case .bot: "AASA-Bot"
    case .google: rawValue
    case .browser, .own, .arbitrary: nil
    }
  }
}

/// What Google is asked about.
struct GoogleTarget: Sendable {
  let package: String
  let fingerprint: String
  let relation = "delegate_permission/common.handle_all_urls"
}

extension JSON {
  /// Whether it has members of Apple's file, or statements. Sites answer with JSON of any kind.
  fileprivate func isLikely(_ kind: DocumentKind) -> Bool {
    kind == .assetLinks
      ? arrayValue?.contains { $0["target"] != nil || $0["include"] != nil } ?? false
      : ["applinks", "webcredentials", "appclips", "activitycontinuation"].contains {
        self[$0] != nil
      }
  }
}
