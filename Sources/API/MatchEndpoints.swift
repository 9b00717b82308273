import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/match`, `/v1/validate` and `/v1/domains/{domain}/match`.
struct MatchEndpoints: Sendable {
  let store: Store

  /// How many URLs one request may ask about.
  private static let urlLimit = 10_000
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

  /// What a request asks about.
  private struct Question {
    let urls: [String]
    let app: String?
    let domain: DomainName?
    let document: JSON
  }

  private func match(_ call: Call) throws -> Response {
    let question = try Faults.collecting(in: try call.json()) { input in
      input.object(["document", "domain", "urls", "app"]).flatMap {
        Self.read($0, document: $0.required("document")?.json)
      }
    }
    let matcher = Matcher(document: question.document)
    return try Self.answer(question, matcher) { _ in question.domain?.text }
  }

  private func matchStored(_ call: Call) throws -> Response {
    let stored = try store.domain(call.domain())
    let question = try Faults.collecting(in: try call.json()) { input in
      input.object(["urls", "app"]).flatMap {
        Self.read($0, document: stored.domain.document.json)
      }
    }
    let matcher = Matcher(document: question.document)
    return try Self.answer(question, matcher, domain: stored.domain.hostThatCounts)
  }

  private static func read(_ object: InputObject, document: JSON?) -> Question? {
    guard let urls = object.required("urls")?.list(\.string), let document else { return nil }
    if urls.count > urlLimit {
      object.faults.add(
        "too-many", at: object.pointer.appending("urls"),
        "At most \(urlLimit) URLs can be asked about at once. For more: aasa match --file FILE -.")
      return nil
    }
    return Question(
      urls: urls, app: object["app"]?.string, domain: object["domain"]?.parse(DomainName.init(_:)),
      document: document)
  }

  private static func answer(
    _ question: Question, _ matcher: Matcher, domain: (String) -> String?
  ) throws -> Response {
    let count = question.urls.count * matcher.scopes(asking: question.app).count
    if count > resultLimit {
      let message =
        "This asks for \(count) results, a URL and an app each; at most \(resultLimit) are given at "
        + "once. Name an “app”, ask about fewer URLs, or use: aasa match --file FILE -."
      throw InvalidInput(
        faults: [Fault(pointer: .root.appending("urls"), code: "too-many", message: message)])
    }
    let results = question.urls.flatMap {
      matcher.results(for: $0, app: question.app, domain: domain($0))
    }
    return .json(.ok, ["results": .array(results.map(\.json))])
  }
}
