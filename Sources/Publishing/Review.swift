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
    let after = Resolver(draft.domain, draft.document)
    let broken = after.broken()
    if !broken.isEmpty { throw .expectationsBroken(draft.domain.name, broken) }
    changedResolutions =
      old.map {
        after.changes(since: Resolver($0.domain, ReadDocument($0.domain.document.json)))
      } ?? []
  }

  /// The codes of the document's errors, all of them accepted.
  var acceptedCodes: [String] {
    Set(findings.filter { $0.severity == .error }.map(\.code.rawValue)).sorted()
  }
}

/// Resolves the URLs of a domain's expectations.
private struct Resolver {
  private let domain: Domain
  private let matcher: Matcher

  init(_ domain: Domain, _ document: ReadDocument) {
    self.domain = domain
    matcher = Matcher(document.links)
  }

  func broken() -> [BrokenExpectation] {
    domain.expectations.compactMap { expectation in
      let explanation = explain(expectation)
      if explanation.resolution == expectation.resolution { return nil }
      return BrokenExpectation(expectation: expectation, explanation: explanation)
    }
  }

  /// The URLs of old and new expectations that resolve differently now.
  func changes(since old: Resolver) -> [ChangedResolution] {
    var seen: Set<Expectation> = []
    return (old.domain.expectations + domain.expectations).compactMap { expectation in
      guard seen.insert(expectation).inserted else { return nil }
      let before = old.explain(expectation).resolution
      let after = explain(expectation).resolution
      if before == after { return nil }
      return ChangedResolution(
        url: expectation.url, app: expectation.app, before: before, after: after)
    }
  }

  private func explain(_ expectation: Expectation) -> Explanation {
    matcher.explain(
      expectation.url, in: matcher.scope(of: expectation.app.text),
      domain: domain.host(for: expectation.url))
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
