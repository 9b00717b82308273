import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/match`, `/v1/validate` and `/v1/domains/{domain}/match`.
struct MatchEndpoints: Sendable {
  let store: Store

  /// How many results one answer may have: a result for each URL and app.
  private static let resultLimit = 100_000

  var all: [Endpoint] {
    [
      Endpoint(.post, "/v1/match", .anyToken, match),
      Endpoint(.post, "/v1/validate", .anyToken) { call in
        let body = call.request.body
        return .json(.ok, Linter.report(onFile: body).json(size: body.count))
      },
      Endpoint(.post, "/v1/domains/{domain}/match", .role(.viewer), matchStored),
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
    return try Self.answer(question, matcher, domain: stored.domain.hostThatCounts)
  }

  private static func answer(
    _ question: MatchQuestion, _ matcher: Matcher, domain: (String) -> String?
  ) throws -> Response {
    let count = question.urls.count * matcher.scopes(asking: question.app).count
    if count > resultLimit {
      let message =
        "This asks for \(count) results, a URL and an app each; at most \(resultLimit) are given at "
        + "once. Name an “app”, ask about fewer URLs, or use: aasa match --file FILE -."
      throw InvalidInput(
        faults: [Fault(pointer: .root.appending("urls"), code: .tooMany, message: message)])
    }
    let results = question.urls.flatMap {
      matcher.results(for: $0, app: question.app, domain: domain($0))
    }
    return .json(.ok, ["results": .array(results.map(\.json))])
  }
}
