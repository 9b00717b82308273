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

  /// The token of a request.
  ///
  /// - Throws: `Problem`: 401 without a known token.
  func token(of request: RequestHead) throws -> Token {
    let secret = secret(of: request)
    if let token = try secret.flatMap(store.token) { return token }
    if secret != nil, failedAttempts.add(request.peer) { usleep(FailedAttempts.delay) }
    let fault =
      secret == nil
      ? "This request needs a token: \"Authorization: Bearer aasa_…\"."
      : "The token is unknown, revoked or expired."
    throw Problem(
      .unauthorized,
      "\(fault) Create one on the machine of the server with \"aasa token create --database FILE "
        + "--name NAME --role ROLE\".",
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
}

extension Token {
  /// Checks that the token may call an endpoint. One that is limited to domains may only call endpoints
  /// for one of them.
  ///
  /// - Throws: `Problem`, 403.
  func check(
    _ endpoint: Endpoint, _ parameters: [String: String], isDryRun: Bool = false
  ) throws {
    guard case .role(var needed) = endpoint.access else { return }
    if isDryRun, let role = endpoint.roleForDryRun { needed = role }
    if role < needed {
      throw Problem(
        .roleTooLow,
        "The token \"\(name)\" has the role \"\(role.rawValue)\", but this request needs "
          + "\"\(needed.rawValue)\".")
    }
    if domains.isEmpty || endpoint.isFilteredByToken { return }
    guard let text = parameters["domain"] else {
      throw Problem(
        .tokenLimited,
        "The token \"\(name)\" is limited to \(domainList), so it can only call endpoints for a single "
          + "domain.")
    }
    try check(Alias(Call.name(text, DomainName.init(_:))))
  }

  /// Checks that the token may edit a name.
  ///
  /// - Throws: `Problem`, 403.
  func check(_ name: Alias) throws {
    if covers(name) { return }
    throw Problem(
      .tokenLimited,
      "The token \"\(self.name)\" is limited to \(domainList), which does not cover \"\(name)\".")
  }

  /// Whether the token may edit a name.
  func covers(_ name: Alias) -> Bool {
    domains.isEmpty || domains.contains { $0.covers(name) }
  }

  /// The first few domains that it is limited to.
  var domainList: String {
    let listed = domains.prefix(5).map(\.description).joined(separator: ", ")
    return domains.count > 5 ? "\(listed) and \(domains.count - 5) more" : listed
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
