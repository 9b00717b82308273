import Association
import JSONValue
import Store

/// The state of a domain that somebody wants.
struct Proposal {
  var domain: Domain
  /// Findings from reading the file; the linter's own follow.
  var findings: [Finding] = []
  /// Codes of errors with which the document is published anyway.
  var accepted: Set<Finding.Code>
}

/// A proposal that passed review. All that is left is to write its rows.
struct Review {
  let edit: DomainEdit
  private let document: ReadDocument
  private let findings: [Finding]
  private let changedResolutions: [ChangedResolution]

  /// Renders and lints a proposal, and checks its expectations.
  ///
  /// - Parameter environment: The environment of an app.
  /// - Throws: `PublicationError`, and what `environment` throws.
  init(
    _ proposal: Proposal, over basis: DomainBasis,
    environment: (AppIdentifier) throws -> App.Environment
  ) throws {
    let old = basis.stored?.domain
    var domain = proposal.domain
    domain.document = domain.document.keepingRows(of: old?.document ?? Document())
    var environments: [AppIdentifier: App.Environment] = [:]
    for app in domain.document.appIdentifiers + (old?.document.appIdentifiers ?? [])
    where environments[app] == nil {
      environments[app] = try environment(app)
    }
    let draft = Draft(domain, environments: environments)
    document = draft.document
    let found = draft.findings()
    let findings = proposal.findings + found
    let counts = Dictionary(grouping: findings.filter { $0.severity == .error }, by: \.code)
    let known = basis.stored.map { Self.acceptedErrors(of: $0, environments) } ?? [:]
    let asBefore = counts.filter { code, findings in findings.count <= known[code] ?? 0 }
    let accepted = proposal.accepted.union(asBefore.keys)
    if findings.contains(where: { $0.isRefused(accepting: accepted) }) {
      let isTooLarge = draft.bytes.count > Linter.maximumSize
      let account = isTooLarge ? ByteAccount(of: document) : nil
      var open = findings.filter { $0.severity != .error || $0.isRefused(accepting: accepted) }
      if open.allSatisfy(\.code.isAcceptable) {
        open += ServiceReview.closing(draft.domain, document, since: old)
          .filter { $0.isRefused(accepting: accepted) }
      }
      throw PublicationError.refused(domain.name, open, account: account)
    }
    let service = try ServiceReview(
      of: draft.domain, document, since: old, findings: findings, accepting: proposal.accepted)
    self.findings = findings + service.findings
    changedResolutions = service.changedResolutions
    edit = DomainEdit(
      domain, over: basis, environments: environments, document: draft.bytes,
      acceptedCodes: Set(counts.keys).union(service.findings.map(\.code)).map(\.rawValue).sorted(),
      findings: found)
  }

  /// The number of each error that was accepted when a domain was published.
  private static func acceptedErrors(
    of stored: StoredDomain, _ environments: [AppIdentifier: App.Environment]
  ) -> [Finding.Code: Int] {
    let codes = Set(stored.acceptedCodes.compactMap(Finding.Code.init))
    if codes.isEmpty { return [:] }
    let findings = Draft(stored.domain, environments: environments).findings()
      .filter { $0.severity == .error && codes.contains($0.code) }
    return Dictionary(grouping: findings, by: \.code).mapValues(\.count)
  }

  /// What publishing a domain that changes will give; see `DomainEdit.preview`.
  func preview(action: String, by context: WriteContext, now: Int64) -> Publication {
    Publication(
      edited: edit.preview(action: action, by: context, now: now), findings: findings,
      changedResolutions: changedResolutions, document: document)
  }

  /// Writes the rows.
  ///
  /// - Throws: `StoreError`, `Outdated`.
  func publish(
    in transaction: borrowing Transaction, action: String
  ) throws -> Publication {
    Publication(
      edited: try transaction.save(edit, action: action), findings: findings,
      changedResolutions: changedResolutions, document: document)
  }
}

/// A rendered document.
struct Draft {
  let domain: Domain
  let document: ReadDocument
  let bytes: [UInt8]
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
          + "domain: its links open in that app for everybody who has it installed.",
        help: "Remove the app from this domain, or set the domain's \"environment\".")
    }
  }
}

/// An association file to publish unchanged.
struct AdoptedFile {
  private let document: Document
  /// The accepted findings about its syntax.
  private let findings: [Finding]
  private let accepted: Set<Finding.Code>

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
    self.accepted = accepted
  }

  /// The domain with this file.
  func proposal(for domain: Domain) -> Proposal {
    var domain = domain
    domain.format = Domain.Format(of: document)
    domain.document = document
    return Proposal(domain: domain, findings: findings, accepted: accepted)
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
