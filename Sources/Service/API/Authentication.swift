import Association
import Glibc
package import HTTP
import Store
import Synchronization

/// From which proxies the server takes the name of the user, and the scheme that a browser used.
package struct ProxyTrust: Sendable {
  /// The addresses of the proxies.
  package var proxies: [AddressRange]
  /// The header field in which they name the user; `nil` if they name none.
  package var userHeader: String?
  /// The header field in which they list the groups of the user; `nil` if they list none.
  package var groupsHeader: String?
  /// The hosts, in lower case and without ports, of the requests in which they name users.
  package var hosts: [String]

  /// Trust in these proxies.
  package init(
    proxies: [AddressRange] = [], userHeader: String? = nil, groupsHeader: String? = nil,
    hosts: [String] = []
  ) {
    self.proxies = proxies
    self.userHeader = userHeader
    self.groupsHeader = groupsHeader
    self.hosts = hosts
  }

  func covers(_ peer: String) -> Bool {
    guard let address = IPAddress(peer) else { return false }
    return proxies.contains { $0.contains(address) }
  }

  /// Whether `hosts` has the host of a request, on any port.
  fileprivate func covers(host: String) -> Bool {
    let parts = host.lowercased().split(separator: ":", omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.first.map { hosts.contains(String($0)) } == true
  }
}

/// Authenticates and authorizes requests. Nothing else does.
final class Authentication: Sendable {
  /// The name of the cookie of a session over plain HTTP.
  static let cookie = "aasa_session"
  /// Its name over HTTPS. Browsers let no other host set a cookie with this prefix.
  static let secureCookie = "__Host-" + cookie
  /// The header field that a page of another website cannot make a browser send.
  static let dashboardHeader = "X-Aasa-Dashboard"

  private let store: Store
  private let failedAttempts: FailedAttempts
  private let usesTLS: Bool
  private let trust: Mutex<ProxyTrust>

  /// - Parameter usesTLS: Whether the listener speaks HTTPS.
  init(store: Store, usesTLS: Bool = false, trust: ProxyTrust = ProxyTrust()) {
    self.store = store
    self.usesTLS = usesTLS
    self.trust = Mutex(trust)
    failedAttempts = FailedAttempts(now: store.now)
  }

  /// Trusts these proxies from now on.
  func apply(_ new: ProxyTrust) { trust.withLock { $0 = new } }

  /// The address of the client, perhaps behind a trusted proxy.
  func client(of request: RequestHead) -> String { trust.withLock { $0 }.client(of: request) }

  /// Whom the body of a request counts for.
  func bodyHolders(of request: RequestHead, _ token: Token?) -> [BodyHolder] {
    let client = trust.withLock { $0 }.sharer(of: request).map(BodyHolder.client)
    return [client, token.map { .token($0.sharer) }].compactMap(\.self)
  }

  /// Who sends a request: by its token, by the user whom a trusted proxy names, or by the cookie of a session.
  ///
  /// - Throws: `Problem`: 401 without a known token or session; 403 for an unknown user, and for a change whose
  ///   credential a browser may have sent by itself; 421 for a user in a request to an unknown host.
  func identity(of request: RequestHead) throws -> Identity {
    if request.fields["Authorization"] != nil {
      guard let secret = Self.secret(of: request) else { throw Self.missingToken }
      let token = try token(secret, of: request)
      return Identity(token, by: .token, expiresAt: token.expiresAt)
    }
    guard let identity = try user(of: request) ?? session(of: request) else {
      throw Self.missingToken
    }
    if ![.get, .head].contains(request.method) { try Self.checkDashboardHeader(request.fields) }
    return identity
  }

  /// The token with a secret that a request has.
  ///
  /// - Throws: `Problem`: 401 for an unknown secret.
  func token(_ secret: TokenSecret, of request: RequestHead) throws -> Token {
    if let token = try store.token(secret) { return token }
    slowDown(request)
    throw Self.unknownToken
  }

  static let unknownToken = unauthorized("The token is unknown, revoked or expired. \(advice)")

  private func session(of request: RequestHead) throws -> Identity? {
    let secrets = sessionSecrets(request)
    guard let secret = secrets.first else { return nil }
    if secrets.count > 1 {
      throw Self.unauthorized(
        "The request has \(secrets.count) session cookies, perhaps one of another website of the same "
          + "domain. Delete the cookies of this page, then sign in again.")
    }
    if let session = try store.session(secret) {
      return Identity(session.token, by: .session, expiresAt: session.endsAt)
    }
    slowDown(request)
    throw Self.unauthorized("The session has ended. Sign in again.")
  }

  private func user(of request: RequestHead) throws -> Identity? {
    let trust = trust.withLock { $0 }
    guard let header = trust.userHeader, trust.covers(request.peer) else { return nil }
    let names = request.fields.values(of: header)
    guard let name = names.first, names != [""] else { return nil }
    if names.count > 1 || name.unicodeScalars.count > User.longestName {
      throw Problem(
        .unknownUser,
        "The proxy must send one \(header) field of at most \(User.longestName) characters, and remove "
          + "those of its clients.")
    }
    let host = request.fields["Host"] ?? ""
    if !trust.covers(host: host) {
      throw Problem(
        .unknownHost,
        "The request is for the host \(host.quoted), which is not in adminHosts. Add it, or let the proxy "
          + "pass on the Host of its clients.")
    }
    let groups = try groups(of: request, trust)
    if let token = try store.person(name, groups: groups) { return Identity(token, by: .user) }
    throw Problem(
      .unknownUser,
      "The user \(name.quoted) is not in the list of users\(Self.sentence(groups)). An admin can add them with PUT "
        + "/v1/users/NAME and a role.",
      members: ["user": .string(name), "admins": .strings(try admins())])
  }

  /// The first five admins who can add users, so that an unknown user knows whom to ask.
  private func admins() throws -> [String] {
    let users = try store.users()
      .filter { $0.role == .admin && $0.domains.isEmpty && $0.labels.isEmpty }
    return users.prefix(5).map(\.name)
  }

  /// The groups that a trusted proxy lists, with commas between them.
  ///
  /// - Throws: `Problem` for more than one field: the proxy may have added its own to one of the client.
  private func groups(
    of request: RequestHead, _ trust: ProxyTrust
  ) throws(Problem) -> [String] {
    guard let header = trust.groupsHeader else { return [] }
    let values = request.fields.values(of: header)
    let groups = values.flatMap { $0.split(separator: ",") }
      .map { $0.trimming { $0 == " " || $0 == "\t" } }.filter { !$0.isEmpty }
    if values.count > 1 || groups.count > User.mostGroups {
      throw Problem(
        .unknownUser,
        "The proxy must send one \(header) field of at most \(User.mostGroups) groups, and remove those of its "
          + "clients.")
    }
    return groups
  }

  private static func sentence(_ groups: [String]) -> String {
    if groups.isEmpty { return "" }
    let listed = groups.prefix(5).map(\.quoted).joined(separator: ", ")
    return
      ", nor is a group of theirs in the list of groups (\(listed)\(groups.count > 5 ? ", …" : ""))"
  }

  private static let advice =
    "Create one on the machine of the server with \"aasa token create --database FILE --name NAME --role ROLE\"."

  private static var missingToken: Problem {
    unauthorized("This request needs a token: \"Authorization: Bearer aasa_…\". \(advice)")
  }

  private static func unauthorized(_ detail: String) -> Problem {
    Problem(
      .unauthorized, detail, fields: [HeaderField("WWW-Authenticate", "Bearer realm=\"aasa\"")])
  }

  private func slowDown(_ request: RequestHead) {
    if failedAttempts.add(request.peer) { failedAttempts.wait() }
  }

  /// Whether the browser reached the API over HTTPS, as far as the listener or a trusted proxy knows.
  private func isSecure(_ request: RequestHead) -> Bool {
    if usesTLS { return true }
    let scheme = request.fields["X-Forwarded-Proto"]?.prefix { $0 != "," }
    return scheme?.lowercased() == "https" && trust.withLock { $0 }.covers(request.peer)
  }

  /// The name of the cookie to set, and whether it is secure. Browsers say with `Origin`, too, that they use HTTPS,
  /// perhaps to a proxy that is not trusted.
  func cookieName(_ request: RequestHead) -> (String, isSecure: Bool) {
    let isSecure = isSecure(request) || request.fields["Origin"]?.hasPrefix("https://") == true
    return (isSecure ? Self.secureCookie : Self.cookie, isSecure)
  }

  /// Refuses a request that a page of another website may have made a browser send.
  ///
  /// - Throws: `Problem`, 403.
  static func checkDashboardHeader(_ fields: Fields) throws(Problem) {
    if fields.values(of: dashboardHeader) == ["1"] { return }
    throw Problem(
      .dashboardHeaderMissing,
      "Nothing was changed: this request needs \"\(dashboardHeader): 1\", which no other website can make a "
        + "browser send.")
  }

  /// The secret in the cookie of a session; `nil` without one, and if there are several.
  func sessionSecret(_ request: RequestHead) -> TokenSecret? {
    let secrets = sessionSecrets(request)
    return secrets.count == 1 ? secrets[0] : nil
  }

  /// Other hosts of the same domain can set the cookie of plain HTTP, so it says nothing over HTTPS, and nothing beside
  /// the secure one.
  private func sessionSecrets(_ request: RequestHead) -> [TokenSecret] {
    let pairs = request.fields.values(of: "Cookie").flatMap { $0.split(separator: ";") }
      .map { $0.trimming { $0 == " " || $0 == "\t" } }
    let values = { (name: String) in
      pairs.filter { $0.hasPrefix("\(name)=") }
        .map { TokenSecret(String($0.dropFirst(name.count + 1))) }
    }
    let secure = values(Self.secureCookie)
    return secure.isEmpty && !cookieName(request).isSecure ? values(Self.cookie) : secure
  }

  /// RFC 6750 section 2.1.
  private static func secret(of request: RequestHead) -> TokenSecret? {
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
    _ endpoint: Endpoint, _ parameters: [String: String], in store: Store, isDryRun: Bool = false
  ) throws {
    guard case .role = endpoint.access else { return }
    let needed = endpoint.role(isDryRun: isDryRun)
    if !documents.isEmpty, needed > .viewer,
      !endpoint.changesOneDocument || !documents.contains(where: { $0.text == parameters["kind"] })
    {
      throw limitedToDocuments
    }
    if role < needed {
      throw Problem(
        .roleTooLow,
        "The \(noun) \(name.quoted) has the role \"\(role.rawValue)\", but this request needs "
          + "\"\(needed.rawValue)\".")
    }
    if scope.isEverything || endpoint.isFilteredByToken { return }
    guard let text = parameters["domain"] else {
      throw Problem(
        .tokenLimited,
        "The \(noun) \(name.quoted) is limited to \(scope.words), so it can only call endpoints for a single "
          + "domain.")
    }
    try check(Call.name(text, DomainName.init(_:)), in: store)
  }

  /// Checks that the token may see and edit a domain as it is now.
  ///
  /// - Throws: `Problem`, 403.
  func check(_ domain: DomainName, in store: Store) throws {
    if try store.has(domain, scope) { return }
    throw notCovered("\"\(domain)\"")
  }

  /// Checks that the token may give its domain a name, or add a domain with this name.
  ///
  /// - Throws: `Problem`, 403.
  func check(newName name: Alias) throws {
    if !scope.covers(name) { throw notCovered("\"\(name)\"") }
  }

  /// The problem of a domain outside the limits. It does not say whether the domain exists.
  func notCovered(_ subject: String) -> Problem {
    Problem(
      .tokenLimited,
      "The \(noun) \(name.quoted) is limited to \(scope.words), which does not cover \(subject)."
        + (scope.hasLabels
          ? " Labels do not say which names are free to take, so somebody without this limit must add domains, names "
            + "and labels." : ""))
  }

  /// The problem of anything but its documents. It could not withdraw a draft, so it makes none.
  var limitedToDocuments: Problem {
    Problem(
      .tokenLimited,
      "The \(noun) \(name.quoted) is limited to \(documents.map(\.text).joined(separator: ", ")): it can replace and "
        + "remove that, and otherwise only read.")
  }

  /// What shares of limits are counted by: a user may have the name of a token.
  var sharer: String { "\(noun) \(name)" }

  /// What it is called in problems.
  var noun: String { isUser ? "user" : "token" }
}

extension Endpoint {
  /// The lowest role that may call it.
  func role(isDryRun: Bool) -> Role {
    guard case .role(let role) = access else { return .viewer }
    return isDryRun ? roleForDryRun ?? role : role
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
  /// How many answers wait at a time. More would take connections that a proxy's users need.
  private static let waitingLimit = 16

  private struct Attempts {
    var count = 0
    let since: UnixTime
  }

  private let attempts = Mutex<[String: Attempts]>([:])
  private let waiting = Atomic(0)
  private let now: @Sendable () -> UnixTime

  /// - Parameter now: Returns the time.
  init(now: @escaping @Sendable () -> UnixTime) { self.now = now }

  /// Delays an answer, unless enough others wait.
  func wait() {
    if waiting.add(1, ordering: .relaxed).newValue <= Self.waitingLimit { usleep(Self.delay) }
    waiting.subtract(1, ordering: .relaxed)
  }

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
