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
  /// The maximum size of an answer, in bytes.
  private static let byteLimit = 8_388_608

  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/match", .anyToken,
        "match", .answers, "Resolve URLs with a document",
        description: "Stores nothing. With `domain`, URLs of other hosts do not match.",
        body: .json(
          "Question", size: .document,
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
        body: .file(.any, isRequired: false, Example.file),
        answers: .ok(
          "The report, even for a file that is not JSON.", "Report",
          #"{"valid": true, "bytes": 137, "findings": [\#(Example.exclusionFinding)]}"#)
      ) { call in
        let body = call.request.body
        return .json(
          .ok, .object(FindingResource.json(Linter.report(onFile: body), size: body.count)))
      },
      Endpoint(
        .post, "/v1/domains/{domain}/match", .role(.viewer),
        "matchStored", .answers, "Resolve URLs with the document of a domain",
        body: .json(
          "StoredQuestion", size: .document,
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
    return try Self.answer(question) { _ in question.domain?.text }
  }

  private func matchStored(_ call: Call) throws -> Response {
    let stored = try store.domain(call.domain())
    let question = try Faults.collecting(in: try call.json()) {
      MatchQuestion.read($0, document: stored.domain.document.json)
    }
    return try Self.answer(question, domain: stored.domain.host(for:))
  }

  /// The steps for all URLs of a request together: less than two seconds, with the explanations.
  private static let steps = 40_000_000

  private static func answer(
    _ question: MatchQuestion, domain: (String) -> String?
  ) throws -> Response {
    do {
      return try results(question, Matcher(document: question.document), domain)
    } catch let error as TooComplex {
      throw InvalidInput(
        faults: [Fault(pointer: .root, code: .tooComplex, message: "\(error) \(error.help)")])
    }
  }

  private static func results(
    _ question: MatchQuestion, _ matcher: Matcher, _ domain: (String) -> String?
  ) throws -> Response {
    let scopes = matcher.scopes(asking: question.app)
    try check("results, one per URL and app", question.urls.count * scopes.count, resultLimit)
    var body = Array(#"{"results":["#.utf8)
    var budget = MatchingBudget(steps: steps)
    for url in question.urls {
      let results = try matcher.results(
        for: url, app: question.app, domain: domain(url), budget: &budget)
      for result in results {
        if body.last == UInt8(ascii: "}") { body.append(UInt8(ascii: ",")) }
        body += result.json.serialized()
        try check("bytes", body.count, byteLimit)
      }
    }
    body += "]}".utf8
    return Response(.ok, fields: [Field("Content-Type", "application/json")], body: body)
  }

  private static func check(_ what: String, _ count: Int, _ limit: Int) throws(InvalidInput) {
    if count <= limit { return }
    let faults = Faults()
    faults.add(
      .tooMany, at: .root.appending("urls"),
      "The answer needs at least \(count) \(what); the limit is \(limit). Name an \"app\", send fewer "
        + "URLs, or run: aasa match --file FILE -.")
    try faults.check()
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
