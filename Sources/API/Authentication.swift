import Association
import Glibc
import HTTP
import Store
import Synchronization

/// Authenticates and authorizes requests. Nothing else does.
struct Authentication: Sendable {
  private let store: Store
  private let failedAttempts: FailedAttempts

  init(store: Store) {
    self.store = store
    failedAttempts = FailedAttempts(now: store.now)
  }

  /// The token of a request that may call the endpoint; `nil` if the endpoint needs none.
  ///
  /// - Throws: `Problem`: 401 without a known token, 403 for a token that may not call the endpoint.
  func token(
    of request: RequestHead, for endpoint: Endpoint, parameters: [String: String]
  ) throws -> Token? {
    if endpoint.access == .anybody { return nil }
    let token = try knownToken(of: request)
    guard case .role(let role) = endpoint.access else { return token }
    guard token.role >= role else {
      throw Problem(
        .roleTooLow,
        "The token \"\(token.name)\" has the role \"\(token.role.rawValue)\", but this request "
          + "needs \"\(role.rawValue)\"."
      )
    }
    try checkDomain(of: token, endpoint, parameters)
    return token
  }

  private func knownToken(of request: RequestHead) throws -> Token {
    let secret = secret(of: request)
    if let token = try secret.flatMap(store.token) { return token }
    if secret != nil, failedAttempts.add(request.peer) { usleep(FailedAttempts.delay) }
    let fault =
      secret == nil
      ? "This request needs a token: \"Authorization: Bearer aasa_…\"."
      : "The token is unknown, revoked or expired."
    throw Problem(
      .unauthorized, "\(fault) Create one with \"aasa token create --name NAME --role ROLE\".",
      fields: [Field("WWW-Authenticate", "Bearer realm=\"aasa\"")])
  }

  /// RFC 6750 section 2.1.
  private func secret(of request: RequestHead) -> TokenSecret? {
    let values = request.fields.values(of: "Authorization")
    guard values.count == 1, let value = values.first else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return TokenSecret(String(parts[1]))
  }

  /// A token that is limited to domains may only call endpoints for one of them.
  private func checkDomain(
    of token: Token, _ endpoint: Endpoint, _ parameters: [String: String]
  ) throws {
    if token.domains.isEmpty || endpoint.isFilteredByToken { return }
    guard let text = parameters["domain"] else {
      throw Problem(
        .tokenLimited,
        "The token \"\(token.name)\" is limited to \(token.domainList), so it can only call endpoints for "
          + "a single domain.")
    }
    try token.check(Alias(Call.name(text, DomainName.init(_:))))
  }
}

extension Token {
  fileprivate var domainList: String { domains.map(\.description).joined(separator: ", ") }

  /// Checks that the token may edit a name.
  ///
  /// - Throws: `Problem`, 403.
  func check(_ name: Alias) throws {
    if domains.isEmpty { return }
    if domains.contains(where: { $0.covers(name) }) { return }
    throw Problem(
      .tokenLimited,
      "The token \"\(self.name)\" is limited to \(domainList), which does not cover \"\(name)\".")
  }
}

/// Counts wrong tokens by address, to slow down guessing. A valid token never waits: behind a proxy
/// many clients share one address.
final class FailedAttempts: Sendable {
  /// How many wrong tokens per address and window are answered without delay.
  static let limit = 20
  /// In seconds.
  static let window: Int64 = 60
  /// How long each further answer waits, in microseconds. It is short because it blocks a thread of the
  /// admin listener.
  static let delay: UInt32 = 100_000
  /// The maximum number of addresses; beyond it, all are forgotten.
  private static let addressLimit = 10_000

  private struct Attempts {
    var count = 0
    let since: Int64
  }

  private let attempts = Mutex<[String: Attempts]>([:])
  private let now: @Sendable () -> Int64

  /// - Parameter now: The time, in seconds since 1970.
  init(now: @escaping @Sendable () -> Int64) { self.now = now }

  /// Records a wrong token. Returns whether to delay its answer.
  func add(_ address: String) -> Bool {
    let now = now()
    return attempts.withLock { attempts in
      if attempts.count >= Self.addressLimit && attempts[address] == nil { attempts = [:] }
      var known = attempts[address] ?? Attempts(since: now)
      if known.since + Self.window <= now { known = Attempts(since: now) }
      known.count += 1
      attempts[address] = known
      return known.count > Self.limit
    }
  }
}
