import Association
import Checking
import HTTP
import Store

/// `/v1/check` and `/v1/live-files`.
struct CheckEndpoints: Sendable {
  let store: Store
  /// A check mostly waits, and computes on a thread of its own, so it takes no turn from heavy work.
  private let work = HeavyWork(atOnce: 8, share: 4)
  let checker: @Sendable () -> Checker
  let records: Bool

  init(store: Store, checker: @escaping @Sendable () -> Checker, records: Bool) {
    (self.store, self.checker, self.records) = (store, checker, records)
  }

  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/check", .role(.editor), isFilteredByToken: true, isHeavy: false,
        "check", .checks, "Check domains from outside",
        description:
          "Sends requests to each domain as Apple's bot, as a browser and as any other client, more than once, to "
          + "Apple's CDN and to Google's service, and compares the answers with what is published here. Takes about "
          + "15 seconds at most. Checks of domains that are published here are recorded.",
        body: .json("CheckQuestion", size: .document),
        problems: [.busy],
        answers: .ok(
          "The checks, in the order of the domains. A domain named twice is checked once.",
          "Checks"),
        handle: check),
      Endpoint(
        .post, "/v1/live-files", .role(.editor), isFilteredByToken: true,
        "fetchLiveFiles", .checks, "Fetch what domains serve today",
        description:
          "Fetches the association files as Apple's bot does, without publishing them; `aasa adopt` finds files in "
          + "the same way. To adopt one unchanged, `PUT` its bytes to `/v1/domains/{domain}/documents/{kind}`.",
        body: .json("LiveFilesQuestion"),
        problems: [.busy],
        answers: .ok(
          "The files, in the order of the domains. A domain named twice is fetched once.",
          "LiveFiles"),
        handle: fetchLiveFiles),
    ]
  }

  private func check(_ call: Call) throws -> Response {
    let question = try Faults.collecting(in: try call.json(), CheckQuestion.read)
    let domains = try domains(of: question, call)
    let turn = try work.turn(for: call.token?.sharer ?? "", unless: call.request.clientHasGone)
    let subjects = try domains.map { domain in
      try Subject(
        domain, in: store, file: question.document, app: question.app,
        expectations: question.expectations)
    }
    let checker = checker()
    let checks: [Check]
    do {
      checks = try withExtendedLifetime(turn) {
        try WorkThread.wait(unless: call.request.clientHasGone) {
          await checker.checks(of: subjects)
        }.map { try $0.get() }
      }
    } catch is CancellationError {
      throw Problem.busy("The client has gone.")
    }
    // A check against something else than what is published says nothing about the domain's health.
    let isPlain = question.document == nil && question.app == nil && question.expectations.isEmpty
    let mayRecord = records && isPlain && !store.isReadOnly
    let recorded =
      mayRecord ? try store.record(checks.map(\.record)) : checks.map { _ in nil }
    let items = zip(checks, recorded).map { JSON.object($1?.result ?? $0.json) }
    return .json(.ok, ["items": .array(items)])
  }
}

extension CheckEndpoints {
  /// The domains to check, each once.
  ///
  /// - Throws: `Problem`, 403; `InvalidInput` for none, and for too many with the label.
  private func domains(of question: CheckQuestion, _ call: Call) throws -> [DomainName] {
    for domain in question.domains { try call.token?.check(domain, in: store) }
    var domains = question.domains
    if let label = question.label {
      let most = CheckQuestion.mostDomains - domains.count
      let (page, total, _) = try store.domains(
        DomainFilter(label: label, within: call.scope), limit: most + 1)
      if page.count > most {
        throw InvalidInput(
          .tooMany, at: .root.appending("label"),
          "\(total.counted("domain")) with the label \"\(label)\" are too many for one request, which checks "
            + "\(CheckQuestion.mostDomains). Name them in \"domains\", some at a time, or run: aasa check --label "
            + "\(label).")
      }
      domains += page.map(\.name)
    } else if domains.isEmpty {
      throw InvalidInput(
        .choiceNeeded, at: .root.appending("domains"), "Name a domain, or a \"label\".")
    }
    return domains.uniqued()
  }

  private func fetchLiveFiles(_ call: Call) throws -> Response {
    let question = try Faults.collecting(in: try call.json(), LiveFilesQuestion.read)
    let domains = question.domains.uniqued()
    for domain in domains { try call.token?.check(domain, in: store) }
    let turn = try work.turn(for: call.token?.sharer ?? "", unless: call.request.clientHasGone)
    let checker = checker()
    let sites = withExtendedLifetime(turn) {
      WorkThread.wait(unless: call.request.clientHasGone) {
        await checker.liveFiles(of: domains)
      }
    }
    return .json(.ok, ["items": .array(sites.map(\.json))])
  }
}
