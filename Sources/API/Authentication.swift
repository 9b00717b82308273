import Association
import Glibc
import HTTP
import Store

/// Who a request comes from, and whether it may. It is the only place where that is decided.
struct Authentication: Sendable {
  private let store: Store
  private let failedAttempts: FailedAttempts

  init(store: Store) {
    self.store = store
    failedAttempts = FailedAttempts(now: store.now)
  }

  /// The token of a request that may call the endpoint; `nil` where none is needed.
  ///
  /// - Throws: `Problem`: 401 without a token that is known, 403 with one that may not.
  func token(
    of request: RequestHead, for endpoint: Endpoint, parameters: [String: String]
  ) throws -> Token? {
    if endpoint.access == .anybody { return nil }
    let token = try knownToken(of: request)
    guard case .role(let role) = endpoint.access else { return token }
    guard token.role >= role else {
      throw Problem(
        .forbidden, "role-too-low",
        "This needs the role “\(role.rawValue)”; the token “\(token.name)” has “\(token.role.rawValue)”."
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
      ? "This needs a token: “Authorization: Bearer aasa_…”."
      : "This token is not known, revoked or expired."
    throw Problem(
      .unauthorized, "unauthorized", "\(fault) “aasa token create” makes one.",
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

  /// A token that is limited to domains may only call what is about one of them.
  private func checkDomain(
    of token: Token, _ endpoint: Endpoint, _ parameters: [String: String]
  ) throws {
    if token.domains.isEmpty || endpoint.isFilteredByToken { return }
    guard let text = parameters["domain"] else {
      throw Problem(
        .forbidden, "token-limited",
        "The token “\(token.name)” is limited to \(token.domainList) and can "
          + "call only what is about one domain.")
    }
    try token.check(Alias(DomainName(inPath: text)))
  }
}

extension Token {
  /// The domains that the token is limited to, for people.
  fileprivate var domainList: String { domains.map(\.description).joined(separator: ", ") }

  /// Checks that a name is one of those that the token is limited to.
  ///
  /// - Throws: `Problem`, 403.
  func check(_ name: Alias) throws {
    if domains.isEmpty { return }
    if domains.contains(where: { $0.covers(name) }) { return }
    throw Problem(
      .forbidden, "token-limited",
      "The token “\(self.name)” is limited to \(domainList); “\(name)” is not "
        + "among them.")
  }
}
