import Association
import JSONValue

/// A document that is about to be published.
struct Draft {
  /// From which size of a document on linting takes so long that nobody should be kept waiting by it.
  static let longWorkBytes = 16_384

  let domain: Domain
  let document: ReadDocument
  let bytes: [UInt8]
  /// What the apps of the document are built for.
  let environments: [AppIdentifier: App.Environment]

  init(_ domain: Domain, environments: [AppIdentifier: App.Environment]) {
    self.domain = domain
    self.environments = environments
    document = ReadDocument(domain.document.json)
    bytes = document.json.serialized()
  }

  /// Everything that is noteworthy about the document on its domain.
  func findings() -> [Finding] {
    let context = Linter.Context(
      domain: domain.name.text, aliases: domain.aliases.map(\.description))
    return Linter.findings(in: document, size: bytes.count, context: context)
      + environmentFindings()
  }

  /// Apps that are built for something else than what the domain is for.
  private func environmentFindings() -> [Finding] {
    domain.document.appIdentifiers.compactMap { app in
      let environment = environments[app] ?? .production
      if environment == domain.environment || environment == .production { return nil }
      return Finding(
        .environmentMismatch, severity: domain.isStrict ? .error : .warning, at: .root,
        "“\(app)” is an app for \(environment.rawValue), and the domain is for "
          + "\(domain.environment.rawValue): people who have that app are sent to it by links that "
          + "others share.",
        help: "Remove the app from this domain, or say what the domain is for with “environment”.")
    }
  }
}

/// A draft that may be published.
struct Review {
  /// A domain before, with how often it has each error that was accepted then.
  struct Known {
    let domain: Domain
    let errors: [Finding.Code: Int]
  }

  let findings: [Finding]
  let changedResolutions: [ChangedResolution]
  let document: ReadDocument

  /// Lints a draft and checks its expectations.
  ///
  /// - Throws: `PublicationError`.
  init(
    _ draft: Draft, over old: Known?, after earlier: [Finding],
    accepting explicitly: Set<Finding.Code>
  ) throws(PublicationError) {
    findings = earlier + draft.findings()
    document = draft.document
    let counts = Dictionary(grouping: findings.filter { $0.severity == .error }, by: \.code)
    let asBefore = counts.filter { code, findings in findings.count <= old?.errors[code] ?? 0 }
    let accepted = explicitly.union(asBefore.keys)
    if findings.contains(where: { $0.isRefused(accepting: accepted) }) {
      let isTooLarge = draft.bytes.count > Linter.maximumSize
      let account = isTooLarge ? ByteAccount(of: document) : nil
      throw .refused(draft.domain.name, findings, account: account)
    }
    // Compiling the documents is only worth it where there is something to resolve.
    if draft.domain.expectations.isEmpty && old?.domain.expectations.isEmpty != false {
      changedResolutions = []
      return
    }
    let after = Resolver(draft.domain, document)
    let broken = after.broken()
    if !broken.isEmpty { throw .expectationsBroken(draft.domain.name, broken) }
    changedResolutions =
      old.map {
        after.changes(since: Resolver($0.domain, ReadDocument($0.domain.document.json)))
      } ?? []
  }

  /// The codes of the errors that the document has.
  var acceptedCodes: [String] {
    Set(findings.filter { $0.severity == .error }.map(\.code.rawValue)).sorted()
  }
}

extension Finding {
  /// Whether nothing with this finding is published when these codes are accepted.
  func isRefused(accepting accepted: Set<Finding.Code>) -> Bool {
    severity == .error && !(code.isAcceptable && accepted.contains(code))
  }
}
