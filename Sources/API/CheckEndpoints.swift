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

  init(store: Store, checker: @escaping @Sendable () -> Checker) {
    (self.store, self.checker) = (store, checker)
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
        answers: .ok("The looks, in the order of the domains.", "Checks", Example.checks),
        handle: check)
    ]
  }

  private func check(_ call: Call) throws -> Response {
    let question = try Faults.collecting(in: try call.json(), CheckQuestion.read)
    for domain in question.domains { try call.token?.check(Alias(domain)) }
    let turn = try turns.turn(for: call.token?.name ?? "", unless: call.request.clientHasGone)
    let subjects = try question.domains.map { domain in
      try Subject(
        domain, in: store, file: question.document, app: question.app,
        expectations: question.expectations)
    }
    let checker = checker()
    let checks = try withExtendedLifetime(turn) {
      try waiting { await checker.checks(of: subjects) }.map { try $0.get() }
    }
    return .json(.ok, ["items": .array(checks.map { $0.json() })])
  }
}

extension Example {
  static let checkFinding = """
    {
      "code": "bot-blocked", "severity": "error", "document": "apple-app-site-association",
      "pointer": "",
      "message": "https://example.com/.well-known/apple-app-site-association answers 403 to AASA-Bot, and 200 to a browser.",
      "help": "Exempt this path, or the User-Agent AASA-Bot, from bot rules, rate limits and challenges.",
      "source": "check",
      "url": "https://example.com/.well-known/apple-app-site-association",
      "appleCode": "BAD_HTTP_RESPONSE"
    }
    """

  static let check = """
    {
      "domain": "example.com", "at": "2026-11-21T13:51:45Z", "milliseconds": 812,
      "status": "failing", "findings": [\(checkFinding)],
      "cdn": {
        "revision": 5, "current": 7, "by": "bytes", "bytes": 812,
        "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
        "age": 8000, "expires": "2026-11-21T14:51:45Z"
      },
      "certificate": {
        "names": ["example.com"], "issuer": "R11", "expires": "2027-01-20T00:00:00Z"
      },
      "requests": [{
        "url": "https://example.com/.well-known/apple-app-site-association",
        "agent": "AASA-Bot/1.0.0", "milliseconds": 73, "address": "93.184.215.14", "status": 403,
        "contentType": "text/html", "bytes": 4512
      }]
    }
    """

  fileprivate static let checks = #"{"items": [\#(check)]}"#
}
