import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/match`, `/v1/validate` and `/v1/domains/{domain}/match`.
struct MatchEndpoints: Sendable {
  let store: Store

  /// The maximum number of results, which are one per URL and app.
  private static let resultLimit = 100_000

  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/match", .anyToken,
        "match", .answers, "Resolve URLs with a document",
        description: "Stores nothing. With `domain`, URLs of other hosts do not match.",
        body: .json(
          "Question",
          """
          {
            "document": \(Example.file), "domain": "example.com",
            "urls": ["https://example.com/buy/1"]
          }
          """),
        answers: .ok("The results.", "MatchResults", #"{"results": [\#(Example.match)]}"#),
        handle: match),
      Endpoint(
        .post, "/v1/validate", .anyToken,
        "validate", .answers, "Validate a file",
        description: "The body is the file itself; its media type is ignored.",
        body: .file(Schema([:]), isRequired: false, Example.file),
        answers: .ok(
          "The report, even for a file that is not JSON.", "Report",
          #"{"valid": true, "bytes": 137, "findings": [\#(Example.exclusionFinding)]}"#)
      ) { call in
        let body = call.request.body
        return .json(.ok, Linter.report(onFile: body).json(size: body.count))
      },
      Endpoint(
        .post, "/v1/domains/{domain}/match", .role(.viewer),
        "matchStored", .answers, "Resolve URLs with the document of a domain",
        body: .json(
          "StoredQuestion",
          """
          {
            "urls": ["https://example.com/help/1", "https://example.com/help/website/faq"],
            "app": "ABCDE12345.com.example.app"
          }
          """),
        answers: .ok(
          "The results.", "MatchResults",
          #"{"results": [\#(Example.noMatch), \#(Example.blocked)]}"#),
        handle: matchStored),
    ]
  }

  private func match(_ call: Call) throws -> Response {
    let question = try Faults.collecting(in: try call.json(), MatchQuestion.read)
    let matcher = Matcher(document: question.document)
    return try Self.answer(question, matcher) { _ in question.domain?.text }
  }

  private func matchStored(_ call: Call) throws -> Response {
    let stored = try store.domain(call.domain())
    let question = try Faults.collecting(in: try call.json()) {
      MatchQuestion.read($0, document: stored.domain.document.json)
    }
    let matcher = Matcher(document: question.document)
    return try Self.answer(question, matcher, domain: stored.domain.host(for:))
  }

  private static func answer(
    _ question: MatchQuestion, _ matcher: Matcher, domain: (String) -> String?
  ) throws -> Response {
    let count = question.urls.count * matcher.scopes(asking: question.app).count
    if count > resultLimit {
      let message =
        "The answer would have \(count) results, one per URL and app; the limit is \(resultLimit). "
        + "Name an \"app\", send fewer URLs, or run: aasa match --file FILE -."
      throw InvalidInput(
        faults: [Fault(pointer: .root.appending("urls"), code: .tooMany, message: message)])
    }
    let results = question.urls.flatMap {
      matcher.results(for: $0, app: question.app, domain: domain($0))
    }
    return .json(.ok, ["results": .array(results.map(\.json))])
  }
}

extension Example {
  private static func result(_ path: String, _ resolution: String, _ members: String) -> String {
    """
    {
      "url": "https://example.com\(path)", "app": "ABCDE12345.com.example.app",
      "resolution": "\(resolution)", \(members)
    }
    """
  }

  fileprivate static let match = result(
    "/buy/1", "match",
    #"""
    "pointer": "/applinks/details/0/components/1",
    "reason": "The first matching route is /applinks/details/0/components/1: path \"/buy/*\"."
    """#)

  fileprivate static let noMatch = result(
    "/help/1", "no-match",
    #""reason": "No route matches. The closest is /applinks/details/0/components/2.""#)

  fileprivate static let blocked = result(
    "/help/website/faq", "blocked",
    """
    "pointer": "/applinks/details/0/components/1",
    "reason": "The first matching route is the exclusion /applinks/details/0/components/1."
    """)
}
