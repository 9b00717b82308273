import Association
import JSONValue

/// A document that is about to be published.
struct Draft {
  let domain: Domain
  let document: ReadDocument
  let bytes: [UInt8]
  /// The environments of the apps that the document names.
  private let environments: [AppIdentifier: App.Environment]

  init(_ domain: Domain, environments: [AppIdentifier: App.Environment]) {
    self.domain = domain
    self.environments = environments
    document = ReadDocument(domain.document.json)
    bytes = document.json.serialized()
  }

  func findings() -> [Finding] {
    let context = Linter.Context(
      domain: domain.name.text, aliases: domain.aliases.map(\.description))
    return Linter.findings(in: document, size: bytes.count, context: context)
      + environmentFindings()
  }

  /// Reports apps of an environment other than the domain's.
  private func environmentFindings() -> [Finding] {
    domain.document.appIdentifiers.compactMap { app in
      let environment = environments[app] ?? .production
      if environment == domain.environment || environment == .production { return nil }
      return Finding(
        .environmentMismatch, severity: domain.isStrict ? .error : .warning, at: .root,
        "\"\(app)\" is a \(environment.rawValue) app, but this is a \(domain.environment.rawValue) "
          + "domain: people who have that app installed open shared links in it.",
        help: "Remove the app from this domain, or set the domain's \"environment\".")
    }
  }
}

/// A draft that passed review.
struct Review {
  /// The stored domain, with the number of each error that was accepted when it was published.
  struct Known {
    let domain: Domain
    let errors: [Finding.Code: Int]
  }

  let findings: [Finding]
  let changedResolutions: [ChangedResolution]

  /// Lints a draft and checks its expectations.
  ///
  /// - Throws: `PublicationError`.
  init(
    _ draft: Draft, over old: Known?, after earlier: [Finding],
    accepting explicitly: Set<Finding.Code>
  ) throws(PublicationError) {
    findings = earlier + draft.findings()
    let counts = Dictionary(grouping: findings.filter { $0.severity == .error }, by: \.code)
    let asBefore = counts.filter { code, findings in findings.count <= old?.errors[code] ?? 0 }
    let accepted = explicitly.union(asBefore.keys)
    if findings.contains(where: { $0.isRefused(accepting: accepted) }) {
      let isTooLarge = draft.bytes.count > Linter.maximumSize
      let account = isTooLarge ? ByteAccount(of: draft.document) : nil
      let open = findings.filter { $0.severity != .error || $0.isRefused(accepting: accepted) }
      throw .refused(draft.domain.name, open, account: account)
    }
    // Compiles the documents only if there is something to resolve.
    if draft.domain.expectations.isEmpty && old?.domain.expectations.isEmpty != false {
      changedResolutions = []
      return
    }
    let broken: [BrokenExpectation]
    do throws(TooComplex) {
      var resolver = try Resolver(draft.domain, draft.document)
      broken = try resolver.broken()
      changedResolutions = try resolver.changes(since: old?.domain)
    } catch {
      throw .refused(draft.domain.name, findings + [error.finding], account: nil)
    }
    if !broken.isEmpty { throw .expectationsBroken(draft.domain.name, broken) }
  }

  /// The codes of the document's errors, all of them accepted.
  var acceptedCodes: [String] {
    Set(findings.filter { $0.severity == .error }.map(\.code.rawValue)).sorted()
  }
}

/// Resolves the URLs of a domain's expectations, all of them within one budget.
private struct Resolver {
  /// About one second.
  private static let steps = 100_000_000

  private let domain: Domain
  private let matcher: Matcher
  private var budget = MatchingBudget(steps: steps)

  init(_ domain: Domain, _ document: ReadDocument) throws(TooComplex) {
    self.domain = domain
    matcher = try Matcher(document.links)
  }

  mutating func broken() throws(TooComplex) -> [BrokenExpectation] {
    var broken: [BrokenExpectation] = []
    for expectation in domain.expectations {
      let explanation = try explain(expectation)
      if explanation.resolution == expectation.resolution { continue }
      broken.append(BrokenExpectation(expectation: expectation, explanation: explanation))
    }
    return broken
  }

  /// The URLs of old and new expectations that resolve differently now, except where the old
  /// document is too complex, as only documents of earlier versions can be.
  mutating func changes(since old: Domain?) throws(TooComplex) -> [ChangedResolution] {
    guard let old else { return [] }
    var resolver: Resolver
    do throws(TooComplex) {
      resolver = try Resolver(old, ReadDocument(old.document.json))
    } catch {
      return []
    }
    var seen: Set<Expectation> = []
    var changes: [ChangedResolution] = []
    for expectation in old.expectations + domain.expectations {
      guard seen.insert(expectation).inserted, let before = resolver.resolution(of: expectation)
      else { continue }
      let after = try explain(expectation).resolution
      if before == after { continue }
      changes.append(
        ChangedResolution(
          url: expectation.url, app: expectation.app, before: before, after: after))
    }
    return changes
  }

  /// The resolution; `nil` if it takes too many steps.
  private mutating func resolution(of expectation: Expectation) -> Resolution? {
    do throws(TooComplex) {
      return try explain(expectation).resolution
    } catch {
      return nil
    }
  }

  private mutating func explain(_ expectation: Expectation) throws(TooComplex) -> Explanation {
    try matcher.explain(
      expectation.url.utf8.span, in: matcher.scope(of: expectation.app.text),
      domain: domain.host(for: expectation.url), budget: &budget)
  }
}

/// An association file to publish unchanged.
struct AdoptedFile {
  let document: Document
  /// The accepted findings about its syntax.
  let findings: [Finding]

  /// Reads a file. Its document is linted when it is published. The size of the file itself does not
  /// matter, because white space is not served.
  ///
  /// - Throws: `PublicationError` with everything that is wrong with the file.
  init(_ bytes: [UInt8], accepting accepted: Set<Finding.Code>) throws(PublicationError) {
    let syntax = Linter.syntax(ofFile: bytes)
    guard let file = syntax.document,
      !syntax.findings.contains(where: { $0.isRefused(accepting: accepted) })
    else { throw Self.refusal(of: bytes, accepting: accepted) }
    do throws(AdoptionError) {
      document = try Document(adopting: file)
    } catch {
      throw Self.refusal(of: bytes, accepting: accepted, error)
    }
    findings = syntax.findings
  }

  private static func refusal(
    of bytes: [UInt8], accepting accepted: Set<Finding.Code>, _ error: AdoptionError? = nil
  ) -> PublicationError {
    var findings = Linter.report(onFile: bytes).findings.filter {
      $0.code != .tooLarge && $0.code != .nearSizeLimit
        && ($0.severity != .error || $0.isRefused(accepting: accepted))
    }
    if let error, !findings.contains(where: { $0.severity == .error && !$0.code.isAcceptable }) {
      findings.append(
        Finding(
          .wrongType, at: error.pointer, error.message,
          help: "Correct the file: this part cannot be stored and served."))
    }
    return .refused(nil, findings, account: nil)
  }
}

extension Finding {
  fileprivate func isRefused(accepting accepted: Set<Finding.Code>) -> Bool {
    severity == .error && !(code.isAcceptable && accepted.contains(code))
  }
}
