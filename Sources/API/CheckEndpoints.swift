import APITypes
import Association
import Checking
import Fetching
import HTTP
import JSONValue
import Store

/// `/v1/check`.
struct CheckEndpoints: Sendable {
  let store: Store
  /// A look is mostly waiting, so it takes no turn from heavy work.
  private let turns = HeavyWork(turns: 8)
  let checker: @Sendable () -> Checker
  /// Whether looks are recorded.
  let records: Bool

  init(store: Store, checker: @escaping @Sendable () -> Checker, records: Bool) {
    (self.store, self.checker, self.records) = (store, checker, records)
  }

  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/check", .role(.editor), isFilteredByToken: true,
        "check", .checks, "Look at domains from outside",
        description:
          "Asks each domain as Apple's bot and as a browser, Apple's CDN and Google's service, and compares "
          + "what they serve with what is published here. Takes about ten seconds at most. A look at a domain that "
          + "is published here is recorded.",
        body: .json(
          "CheckQuestion", size: .document, #"{"domains": ["example.com"]}"#),
        problems: [.busy],
        answers: .ok(
          "The looks, in the order of the domains, each of them once.", "Checks", Example.checks),
        handle: check)
    ]
  }

  private func check(_ call: Call) throws -> Response {
    let question = try Faults.collecting(in: try call.json(), CheckQuestion.read)
    for domain in question.domains { try call.token?.check(Alias(domain)) }
    let turn = try turns.turn(for: call.token?.name ?? "", unless: call.request.clientHasGone)
    var seen: Set<DomainName> = []
    let subjects = try question.domains.filter { seen.insert($0).inserted }.map { domain in
      try Subject(
        domain, in: store, file: question.document, app: question.app,
        expectations: question.expectations)
    }
    let checker = checker()
    let checks = try withExtendedLifetime(turn) {
      try WorkThread.wait { await checker.checks(of: subjects) }.map { try $0.get() }
    }
    // A look with something else in mind says nothing about the domain's health.
    let isPlain = question.document == nil && question.app == nil && question.expectations.isEmpty
    let recorded =
      records && isPlain ? try store.record(checks.map(\.record)) : checks.map { _ in nil }
    let items = zip(checks, recorded).map { JSON.object($1?.result ?? $0.json) }
    return .json(.ok, ["items": .array(items)])
  }
}

extension Example {
  static let check = """
    {
      "domain": "example.com", "at": "2026-11-21T13:51:45Z", "milliseconds": 812,
      "status": "failing",
      "findings": [{
        "code": "connection-failed", "severity": "error", "document": "apple-app-site-association",
        "pointer": "",
        "message": "https://example.com/.well-known/apple-app-site-association: Couldn't connect to server: Connection refused.",
        "help": "Check that the server is up and speaks HTTPS on port 443.", "source": "check",
        "url": "https://example.com/.well-known/apple-app-site-association",
        "appleCode": "NETWORK_ERROR"
      }],
      "requests": [{
        "url": "https://example.com/.well-known/apple-app-site-association",
        "agent": "AASA-Bot/1.0.0", "milliseconds": 73,
        "error": "Couldn't connect to server: Connection refused."
      }]
    }
    """

  fileprivate static let checks = #"{"items": [\#(check)]}"#
}
