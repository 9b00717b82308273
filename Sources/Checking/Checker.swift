public import Association
public import Fetching
import JSONValue

/// Checks domains from outside.
public struct Checker: Sendable {
  /// Where Apple's and Google's services are.
  public struct Services: Sendable, Equatable {
    /// Apple's CDN, without the path.
    public var appleCDN = "https://app-site-association.cdn-apple.com"
    /// Google's Digital Asset Links service, without the path.
    public var googleDigitalAssetLinks = "https://digitalassetlinks.googleapis.com"
    /// The key for Google's service; `nil` asks without one.
    public var googleKey: String?

    /// The real services.
    public init() {}
  }

  /// The limit of a request with its redirects. All requests of a check run at the same time, except the one
  /// to Google, which follows; so a check takes at most twice as long.
  private static let milliseconds = 5_000

  private let fetcher: Fetcher
  private let services: Services
  private let now: @Sendable () -> Int64

  /// A checker.
  ///
  /// - Parameter now: Returns the current time in seconds since 1970.
  public init(
    _ fetcher: Fetcher, _ services: Services = Services(), now: @escaping @Sendable () -> Int64
  ) {
    self.fetcher = fetcher
    self.services = services
    self.now = now
  }

  /// Checks a domain. Takes at most about 10 seconds.
  ///
  /// - Throws: `StoreError.database`.
  public func check(_ subject: Subject) async throws -> Check {
    let (at, start) = (now(), ContinuousClock.now)
    let observations = await observe(subject)
    return try await withTaskExecutorPreference(WorkThread.computing) {
      var inspection = CheckInspection(subject, observations, at: at)
      try inspection.run()
      inspection.check.milliseconds = Int((.now - start) / .milliseconds(1))
      return inspection.check
    }
  }

  /// Checks several domains at the same time; each result is at the place of its subject.
  public func checks(of subjects: [Subject]) async -> [Result<Check, any Error>] {
    await withTaskGroup(of: (Int, Result<Check, any Error>).self) { group in
      for (index, subject) in subjects.enumerated() {
        group.addTask {
          do {
            return (index, .success(try await check(subject)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// The files that domains serve today.
  public func liveFiles(of domains: [DomainName]) async -> [LiveFiles] {
    await LiveFiles.of(domains, fetcher)
  }

  private func observe(_ subject: Subject) async -> Observations {
    let host = subject.domain.text
    async let bot = site(host, .wellKnown(.apple), .bot, readsCertificate: true)
    async let browser = site(host, .wellKnown(.apple), .browser, readsCertificate: true)
    async let root = site(host, .root, .bot)
    async let sibling = optionalSite(subject.sibling)
    async let aliases = aliases(subject)
    async let assetLinks = site(host, .wellKnown(.assetLinks), .google)
    async let webAuthn = site(host, .wellKnown(.webAuthn), .browser)
    async let cdn = cdn(host)
    var observations = Observations(
      bot: await bot, browser: await browser, root: await root, cdn: await cdn)
    observations.assetLinks = await assetLinks
    observations.webAuthn = await webAuthn
    observations.sibling = await sibling
    observations.aliases = await aliases
    observations.google = await google(host, observations.packages(subject))
    return observations
  }

  private func site(
    _ host: String, _ place: Place, _ agent: Agent, readsCertificate: Bool = false
  ) async -> Observation {
    var request = FetchRequest("https://\(host)\(place.path)")
    request.agent = agent.rawValue
    request.fields = [(name: "X-Aasa-Check", value: "1")]
    request.milliseconds = Self.milliseconds
    request.readsCertificate = readsCertificate
    return Observation(host: host, agent: agent, followed: await fetcher.follow(request))
  }

  private func optionalSite(_ host: String?) async -> Observation? {
    guard let host else { return nil }
    return await site(host, .wellKnown(.apple), .bot)
  }

  private func aliases(_ subject: Subject) async -> [(alias: Alias, observation: Observation)] {
    await withTaskGroup(of: (Alias, Observation).self) { group in
      for (alias, host) in subject.isServed ? subject.sampledAliases(at: now()) : [] {
        group.addTask { (alias, await site(host, .wellKnown(subject.mainKind), .bot)) }
      }
      return await group.reduce(into: []) { $0.append((alias: $1.0, observation: $1.1)) }
    }
  }

  private func service(_ url: String) async -> Observation {
    var request = FetchRequest(url)
    request.usesPlaces = false
    request.milliseconds = Self.milliseconds
    let fetch = await fetcher.fetch(request)
    return Observation(
      host: "", agent: .own,
      followed: FollowedFetch(hops: [FollowedFetch.Hop(url: url, fetch: fetch)]))
  }

  private func cdn(_ host: String) async -> Observation {
    await service("\(services.appleCDN)/a/v1/\(host)")
  }

  /// Asks Google whether apps are linked.
  private func google(
    _ host: String, _ targets: [GoogleTarget]
  ) async -> [(target: GoogleTarget, observation: Observation)] {
    await withTaskGroup(of: (GoogleTarget, Observation).self) { group in
      for target in targets {
        let url =
          "\(services.googleDigitalAssetLinks)/v1/assetlinks:check?source.web.site=https://\(host)"
          + "&relation=\(target.relation)&target.androidApp.packageName=\(target.package)"
          + "&target.androidApp.certificate.sha256Fingerprint=\(target.fingerprint)"
          + (services.googleKey.map { "&key=\($0)" } ?? "")
        group.addTask { (target, await service(url).withoutQuery) }
      }
      return await group.reduce(into: []) { $0.append((target: $1.0, observation: $1.1)) }
        .sorted { $0.target.package < $1.target.package }
    }
  }
}

/// Where a document is on its host.
enum Place {
  case wellKnown(DocumentKind)
  /// Apple's older location.
  case root

  var path: String {
    switch self {
    case .wellKnown(let kind): "/.well-known/\(kind.rawValue)"
    case .root: "/\(DocumentKind.apple.rawValue)"
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
}

/// What Google is asked about.
struct GoogleTarget: Sendable {
  let package: String
  let fingerprint: String
  let relation = "delegate_permission/common.handle_all_urls"
}
