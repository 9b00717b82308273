import Association
import HTTP
import Publishing
import Store

/// `/v1/match`, `/v1/validate` and `/v1/domains/{domain}/match`.
struct MatchEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/match", .role(.viewer), isFilteredByToken: true,
        "matchURLs", .answers, "Resolve URLs with what is published, or with a document",
        description:
          "Without `document`, each URL is resolved with the document of the domain that serves its host. "
          + "A document that is a list is Android's, any other is Apple's. Nothing is stored.",
        body: .json("Question", size: .document),
        answers: .ok("The results.", "MatchResults"),
        handle: match),
      Endpoint(
        .post, "/v1/validate", .anyToken, query: [.fileKind],
        "validate", .answers, "Validate a file",
        description:
          "The body is the file itself; its media type is ignored. `kind` in the answer is the kind of file "
          + "that it was checked as.",
        body: .file(.any, isRequired: false),
        answers: .ok("The report, even for a file that is not JSON.", "Report")
      ) { call in
        let body = call.request.body
        let kind = try call.word(.fileKind, DocumentKind.self) ?? DocumentKind(ofFile: body)
        let report = Linter.report(onFile: body, kind: kind)
        return .json(.ok, .object(FindingResource.json(report, kind: kind, size: body.count)))
      },
      Endpoint(
        .post, "/v1/domains/{domain}/match", .role(.viewer),
        "matchStored", .answers, "Resolve URLs with the document of a domain",
        description: "While the domain is disabled, no URL matches.",
        body: .json("StoredQuestion", size: .document),
        answers: .ok("The results.", "MatchResults"),
        handle: matchStored),
    ]
  }

  private func match(_ call: Call) throws -> Response {
    let question = try Faults.collecting(in: try call.json(), MatchQuestion.read)
    var answer = MatchAnswer(to: question)
    if let document = question.document {
      try answer.resolve(
        Array(question.urls.indices), with: [(DocumentKind(of: document), document)]
      ) { _ in question.domain?.text }
      return answer.response
    }
    // By domain, so that each document is compiled once and only one is in memory.
    let hosts = Dictionary(grouping: question.urls.indices) { Self.host(of: question.urls[$0]) }
    var domains: [DomainName?: [Int]] = [:]
    for (host, urls) in hosts {
      guard let host else {
        answer.add(urls, reason: "This is not an http or https URL with a host.")
        continue
      }
      domains[try store.domain(serving: host), default: []] += urls
    }
    for (name, urls) in domains {
      // Which other domains there are is nothing that a token which is limited to some may learn.
      guard let name, try store.has(name, call.scope) else {
        answer.add(
          urls,
          reason: call.scope.isEverything
            ? "No domain is published for the host of this URL."
            : "None of the domains that you may see is published for the host of this URL.")
        continue
      }
      if call.request.clientHasGone() { throw StoreError.busy }
      do {
        try answer.resolve(urls, with: store.domain(name), in: store)
      } catch StoreError.notFound(.domain(name)) {
        answer.add(urls, reason: "The domain was deleted a moment ago.")
      }
    }
    return answer.response
  }

  /// The host of a URL; `nil` if it has none that could be published.
  private static func host(of url: String) -> DomainName? {
    Matcher.host(of: url).flatMap { DomainName(usable: String($0)) }
  }

  private func matchStored(_ call: Call) throws -> Response {
    let stored = try store.domain(call.domain())
    let question = try Faults.collecting(in: try call.json(), MatchQuestion.readStored)
    var answer = MatchAnswer(to: question)
    try answer.resolve(Array(question.urls.indices), with: stored, in: store)
    return answer.response
  }
}

/// The answer to a question about URLs.
private struct MatchAnswer {
  /// The maximum number of results, which are one per URL and app.
  private static let resultLimit = 100_000
  /// The maximum size of an answer, in bytes.
  private static let byteLimit = 8_388_608
  /// The steps for all URLs of a request together: less than two seconds, with the explanations.
  private static let steps = 40_000_000
  /// About what reading and compiling a route takes.
  private static let stepsPerRoute = 1000

  private let question: MatchQuestion
  private var budget = MatchingBudget(steps: steps)
  /// The results of each URL, as JSON with commas between them.
  private var texts: [[UInt8]]
  private var count = 0
  private var bytes = 0

  init(to question: MatchQuestion) {
    self.question = question
    texts = Array(repeating: [], count: question.urls.count)
  }

  /// Resolves some of the URLs, given by their indices, as a domain does.
  mutating func resolve(_ urls: [Int], with stored: StoredDomain, in store: Store) throws {
    let domain = stored.domain
    let published = try store.revision(stored.revision, of: stored)
    let documents = try ReadDocuments(stored: published.documents).json.sorted { $0.key < $1.key }
    if documents.allSatisfy({ $0.key.platform == nil }) {
      let files = documents.map { "a \($0.key.rawValue) file" }.joined(separator: " and ")
      let verb = documents.count == 1 ? "opens" : "open"
      return add(urls, reason: "The domain publishes only \(files), which \(verb) no URLs.")
    }
    budget.spend(
      Self.stepsPerRoute * domain.associationFile.entries.reduce(1) { $0 + $1.routes.count })
    try resolve(
      urls, with: documents.map { ($0.key, $0.value) }, disabled: domain.isEnabled ? nil : domain,
      domain: domain.host(for:))
  }

  /// - Parameters:
  ///   - documents: Documents of different kinds. Those that name the app are asked.
  ///   - disabled: The domain of the documents if it is disabled: then no URL matches.
  /// - Throws: `InvalidInput` if no document decides about links, one is too complex, or the answer is too
  ///   large.
  mutating func resolve(
    _ urls: [Int], with documents: [(kind: DocumentKind, json: JSON)], disabled: Domain? = nil,
    domain: (String) -> String?
  ) throws {
    do {
      let matchers = try documents.compactMap { try DocumentMatcher($0.json, kind: $0.kind) }
      if matchers.isEmpty, let kind = documents.first?.kind { try Self.refuse(kind) }
      let asked = matchers.asking(question.app)
      count += urls.count * asked.reduce(0) { $0 + $1.apps(asking: question.app).count }
      try Self.check("results, one per URL and app", count, Self.resultLimit)
      for index in urls {
        let url = question.urls[index]
        var results: [JSON] = []
        for matcher in asked {
          let explanations =
            if let disabled {
              matcher.apps(asking: question.app).map { disabled.notServedExplanation(for: $0) }
            } else {
              try matcher.explanations(
                for: url, app: question.app, domain: domain(url), budget: &budget)
            }
          results += explanations.map { $0.json(url: url, platform: matcher.platform) }
        }
        add(results, at: index)
        try Self.check("bytes", bytes, Self.byteLimit)
      }
    } catch let error as TooComplex {
      throw InvalidInput(.tooComplex, "\(error) \(error.help)")
    }
  }

  private static func refuse(_ kind: DocumentKind) throws(InvalidInput) {
    throw InvalidInput(
      .unknownValue, at: .root.appending("document"),
      "This is a \(kind.rawValue) file, which opens no URLs: it lists \(kind.content).")
  }

  /// Adds the result of URLs for which there is no document.
  mutating func add(_ urls: [Int], reason: String) {
    for index in urls {
      let result: JSON = [
        "url": .string(question.urls[index]),
        "platform": .optional(question.app.map { Platform(likelyOf: $0).rawValue }),
        "app": .optional(question.app), "resolution": .string(Resolution.noMatch.rawValue),
        "reason": .string(reason),
      ]
      add([result], at: index)
    }
  }

  private mutating func add(_ results: [JSON], at index: Int) {
    texts[index] = Array(results.map { $0.serialized() }.joined(separator: [UInt8(ascii: ",")]))
    bytes += texts[index].count + 1
  }

  private static func check(_ what: String, _ count: Int, _ limit: Int) throws(InvalidInput) {
    if count <= limit { return }
    throw InvalidInput(
      .tooMany, at: .root.appending("urls"),
      "The answer needs at least \(count) \(what); the limit is \(limit). Name an \"app\", send fewer "
        + "URLs, or run: aasa match --file FILE -.")
  }

  var response: Response {
    let results = texts.filter { !$0.isEmpty }.joined(separator: [UInt8(ascii: ",")])
    return Response(
      .ok, fields: [HeaderField("Content-Type", "application/json")],
      body: Array(#"{"results":["#.utf8) + results + Array("]}".utf8))
  }
}
