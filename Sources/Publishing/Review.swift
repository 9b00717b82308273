import Association
import Store

/// The state of a domain that somebody wants.
struct Proposal {
  var domain: Domain
  /// Findings from reading the file; the linter's own follow.
  var findings: [Finding] = []
  /// What the effect on links is compared with, if not with the stored domain: a new name is no effect.
  var before: Domain?
  /// Codes of errors with which the document is published anyway.
  var accepted: Set<Finding.Code>
  /// The Android apps of adopted statements.
  var androidApps: [AdoptedApp] = []
  /// Whether those that are not stored are created.
  var createsAndroidApps = false
}

/// A proposal that passed review. All that is left is to write its rows.
struct Review {
  let edit: DomainEdit
  /// What publishing gives, without the numbers of new entries and routes.
  var publication: Publication
  private let createdApps: [AndroidApp]
  private let action: String

  /// Renders and lints a proposal, and checks its expectations.
  ///
  /// - Parameters:
  ///   - apps: Where the apps are found.
  ///   - action: The action for the audit.
  ///   - refuse: Takes what stops the proposal. Unless it throws, the review goes on, for a plan that is only
  ///     shown.
  /// - Throws: `PublicationError`, and what `apps` throws.
  init(
    _ proposal: Proposal, over former: FormerDomain, apps source: AppSource, action: String,
    by context: WriteContext, now: UnixTime,
    refuse: (PublicationError) throws -> Void = { throw $0 }
  ) throws {
    self.action = action
    let old = proposal.before ?? former.stored?.domain
    var proposal = proposal
    let templates = try source.resolve(&proposal.domain)
    createdApps = proposal.createdApps.map { PackageName.rows.written($0, nil, context) }
    let source = source.adding(createdApps)
    var domain = proposal.domain
    domain.associationFile = domain.associationFile.keepingRows(
      of: old?.associationFile ?? AssociationFile())
    try context.refuse(from: former.stored?.domain, to: domain)
    var apps = try source.apps(of: [domain] + (old.map { [$0] } ?? []))
    apps.templates = templates
    let rendered = RenderedDomain(domain, apps)
    var readBefore: ReadDocuments?
    let before = {
      if readBefore == nil {
        readBefore = former.published.flatMap { ReadDocuments(intact: $0.documents) }
      }
      return readBefore ?? ReadDocuments()
    }
    let found = rendered.findings(at: now)
    let findings = proposal.findings + found
    // A document that only time has made wrong keeps nobody from editing the rest of the domain.
    let asStored = Set(
      domain.namedDocuments.filter { former.stored?.domain.namedDocuments.contains($0) == true }
        .map { DocumentKind.named($0.name) })
    let concerned = findings.filter { !asStored.contains($0.kind) }
    let counts = Dictionary(grouping: concerned.filter { $0.severity == .error }, by: \.code)
    let known = former.stored.map { Self.acceptedErrors(of: $0, apps, at: now) } ?? [:]
    let asBefore = counts.filter { code, findings in findings.count <= known[code] ?? 0 }
    let accepted = proposal.accepted.union(asBefore.keys)
    let foreign = rendered.domain.findings(namingSince: old, apps)
    var service = ServiceReview()
    if concerned.contains(where: { $0.isRefused(accepting: accepted) }) {
      let tooLarge = DocumentKind.allCases.first { kind in
        rendered.bytes[kind].map { $0.count > kind.maximumSize } ?? false
      }
      let account = tooLarge.flatMap { ByteAccount(of: rendered.documents, $0) }
      var open = concerned.filter { $0.severity != .error || $0.isRefused(accepting: accepted) }
      if open.allSatisfy(\.code.isAcceptable) {
        open +=
          (foreign + ServiceReview.closing(rendered.domain, rendered.documents, since: old, before))
          .filter { $0.isRefused(accepting: proposal.accepted) }
      }
      try refuse(.refused(domain.name, open, account: account))
    } else {
      do throws(PublicationError) {
        service = try ServiceReview(
          of: rendered.domain, rendered.documents, since: old, before, findings: findings, foreign,
          accepting: proposal.accepted)
      } catch {
        try refuse(error)
      }
    }
    edit = DomainEdit(
      domain, over: former, apps: apps, documents: rendered.bytes,
      acceptedCodes: Set(counts.keys).union(service.findings.map(\.code)).map(\.rawValue).sorted(),
      findings: found)
    publication = Publication(
      edited: edit.preview(action: action, by: context, now: now),
      findings: findings + service.findings, changedResolutions: service.changedResolutions,
      documents: rendered.documents, readBefore: readBefore,
      androidApps: proposal.androidApps, createsAndroidApps: proposal.createsAndroidApps)
    if publication.edited.isChanged && context.needsApproval(of: former) {
      try refuse(.needsApproval(domain.name))
    }
  }

  /// The number of each error that was accepted when a domain was published.
  private static func acceptedErrors(
    of stored: StoredDomain, _ apps: UsedApps, at now: UnixTime
  ) -> [Finding.Code: Int] {
    let codes = Set(stored.acceptedCodes.compactMap(Finding.Code.init))
    if codes.isEmpty { return [:] }
    let findings = RenderedDomain(stored.domain, apps).findings(at: now)
      .filter { $0.severity == .error && codes.contains($0.code) }
    return Dictionary(grouping: findings, by: \.code).mapValues(\.count)
  }

  /// Writes the rows.
  ///
  /// - Throws: `StoreError`, `Outdated`.
  func publish(in transaction: borrowing Transaction) throws -> Publication {
    for app in createdApps {
      if try transaction.app(app.package) != nil { throw Outdated() }
      _ = try transaction.put(app, PackageName.self)
    }
    var publication = publication
    publication.edited = try transaction.save(edit, action: action)
    if publication.edited.isChanged {
      publication.change = transaction.change
      try transaction.context.proposed?.note(publication)
    }
    return publication
  }
}

extension WriteContext {
  /// Refuses an edit of a domain outside the author's limits. Endpoints check that, too, but labels may change between
  /// their check and the edit.
  ///
  /// - Throws: `PublicationError.outsideLimits`.
  func refuse(from old: Domain?, to new: Domain?) throws(PublicationError) {
    try refuseOthers(than: documents, from: old, to: new)
    for scope in [within, approvedWithin] { try refuse(outside: scope, from: old, to: new) }
  }

  private func refuse(
    outside within: Scope, from old: Domain?, to new: Domain?
  ) throws(PublicationError) {
    guard !within.isEverything, let name = (old ?? new)?.name else { return }
    // Who may give a domain this name may do anything with it.
    if within.covers(Alias(name)) { return }
    guard let old, within.covers(Alias(name), labels: old.labels) else {
      throw .outsideLimits(name, .domain)
    }
    if let new, new.labels != old.labels { throw .outsideLimits(name, .labels(old.labels)) }
  }
}

extension WriteContext {
  /// Whether a second person must approve the author's change of a domain. The domain before the change decides, so
  /// that nobody can end its protection alone.
  func needsApproval(of former: FormerDomain) -> Bool {
    guard former.isProtected, let domain = former.stored?.domain else { return false }
    return unapproved?.covers(Alias(domain.name), labels: domain.labels) != true
  }

  /// Refuses whatever an author who is limited to documents changes besides these.
  private func refuseOthers(
    than documents: [DocumentName], from old: Domain?, to new: Domain?
  ) throws(PublicationError) {
    if documents.isEmpty { return }
    guard var allowed = old, let new else {
      guard let name = (old ?? new)?.name else { return }
      throw .outsideLimits(name, .documents(documents))
    }
    for name in documents {
      allowed.namedDocuments.removeAll { $0.name == name }
      if let document = new.namedDocuments.first(where: { $0.name == name }) {
        allowed.put(document)
      }
    }
    if allowed != new { throw .outsideLimits(new.name, .documents(documents)) }
  }
}

/// Where edits find the apps that domains name.
struct AppSource: Sendable {
  /// The environment of an Apple app.
  var environment: @Sendable (AppIdentifier) throws -> App.Environment
  /// An Android app; `nil` if there is none with this package.
  var androidApp: @Sendable (PackageName) throws -> AndroidApp?
  /// A template; `nil` if there is none with this name. Without a revision, it is one that the edit itself writes.
  var template: @Sendable (TemplateName) throws -> (template: Template, revision: Int?)?

  /// Adds to a domain what its template gives it now.
  ///
  /// - Returns: The revision of the template that this depends on.
  /// - Throws: `PublicationError.invalid`.
  func resolve(_ domain: inout Domain) throws -> [TemplateName: Int] {
    guard let name = domain.template?.name else { return [:] }
    do {
      guard let found = try template(name) else {
        throw InvalidInput(
          .templateNotFound, at: JSONPointer.root.appending("template"),
          "The template \(name.text.quoted) does not exist. Add it first, or correct the name.")
      }
      domain = try domain.resolved(with: found.template)
      return found.revision.map { [name: $0] } ?? [:]
    } catch let error as InvalidInput {
      throw PublicationError.invalid(domain.name, error)
    }
  }

  /// Changes a domain wherever it names some app; of a domain with a template, its own part and its parameters.
  ///
  /// - Throws: `PublicationError.fromTemplate` if what comes from the template would have to change, too.
  func changing(_ domain: Domain, _ change: (Domain) -> Domain) throws -> Domain {
    guard let template = domain.template?.name else { return change(domain) }
    let own = domain.ownPart
    var changed = change(own)
    changed.takeOwnership(changing: own)
    var resolved = changed
    _ = try resolve(&resolved)
    let again = change(resolved)
    if again.associationFile != resolved.associationFile
      || again.androidCredentials != resolved.androidCredentials
      || again.expectations != resolved.expectations
    {
      throw PublicationError.fromTemplate(domain.name, template)
    }
    return changed
  }

  /// The apps of domains.
  ///
  /// - Throws: `StoreError.unknownApps` for an Android app that does not exist.
  func apps(of domains: [Domain]) throws -> UsedApps {
    var apps = try androidApps(of: domains)
    for app in domains.flatMap(\.associationFile.appIdentifiers) where apps.environments[app] == nil
    {
      apps.environments[app] = try environment(app)
    }
    return apps
  }

  /// Those of them that documents are rendered with.
  ///
  /// - Throws: `StoreError.unknownApps` for an Android app that does not exist.
  func androidApps(of domains: [Domain]) throws -> UsedApps {
    var apps = UsedApps()
    for package in domains.flatMap(\.androidApps) where apps.android[package] == nil {
      guard let app = try androidApp(package) else {
        throw StoreError.unknownApps([.android(package)])
      }
      apps.android[package] = app
    }
    for package in domains.flatMap(\.keptAndroidApps) where apps.android[package] == nil {
      apps.android[package] = try androidApp(package)
    }
    return apps
  }
}

extension AppSource {
  /// Whether apps are as they were found.
  func has(_ apps: UsedApps) throws -> Bool {
    try apps.environments.allSatisfy { try environment($0) == $1 }
      && apps.android.allSatisfy { try androidApp($0) == $1 }
      && apps.templates.allSatisfy { try template($0)?.revision == $1 }
  }
}

extension Store {
  var appSource: AppSource {
    AppSource(environment: environment(of:), androidApp: androidApp(_:)) { name in
      try self.storedTemplate(name).map { ($0.template, $0.revision) }
    }
  }
}

/// The rendered documents of a domain.
struct RenderedDomain {
  let domain: Domain
  let documents: ReadDocuments
  let bytes: Documents
  private let apps: UsedApps
  private let rendering: AssetLinksRendering?

  init(_ domain: Domain, _ apps: UsedApps) {
    self.domain = domain
    self.apps = apps
    rendering = domain.assetLinksRendering(apps)
    let json = domain.documents(with: rendering)
    documents = ReadDocuments(json)
    bytes = domain.bytes(of: json)
  }

  func findings(at now: UnixTime) -> [Finding] {
    let context = Linter.Context(
      domain: domain.name.text, aliases: domain.aliases.map(\.description))
    return Linter.findings(
      in: documents, sizes: bytes.mapValues(\.count), context: context
    ).filter {
      rendering?.concernsTranslation($0) != true && !concernsKnownCertificate($0)
        && !concernsUnknownCertificate($0)
    }
      + environmentFindings() + androidFindings() + crossPlatformFindings()
      + domain.namedFindings(at: now)
  }

  /// Whether a finding asks what certificate a statement has, and the stored app tells.
  private func concernsKnownCertificate(_ finding: Finding) -> Bool {
    guard finding.code == .singleFingerprint,
      let (index, package, fingerprints) = statement(of: finding), let app = apps.android[package]
    else { return false }
    if app.certificates.contains(where: { $0.label == .unknown }) { return false }
    let isRendered =
      index < (documents.assetLinks?.elements.count ?? 0) - domain.assetLinksExtra.count
    return isRendered || app.environment != .production
      || app.certificates.contains {
        $0.label == .playSigning && fingerprints.contains($0.fingerprint)
      }
  }

  /// Whether a finding compares fingerprints with those of an app that are not known.
  private func concernsUnknownCertificate(_ finding: Finding) -> Bool {
    finding.code == .credentialsWithoutLinks
      && statement(of: finding).map { apps.unlisted.contains($0.package) } ?? false
  }

  /// The index of the statement that a finding is about, and its app.
  private func statement(
    of finding: Finding
  ) -> (index: Int, package: PackageName, fingerprints: [Fingerprint])? {
    guard let links = documents.assetLinks,
      let index = finding.pointer.keys.first.flatMap({ Int($0) }),
      links.elements.indices.contains(index),
      case .statement(let statement) = links.elements[index].meaning,
      case .app(let package, let fingerprints) = statement.target
    else { return nil }
    return (index, package, fingerprints)
  }

  /// Reports where the documents of the two platforms disagree.
  private func crossPlatformFindings() -> [Finding] {
    guard let links = documents.assetLinks else { return [] }
    var found = Linter.findings(comparing: documents.apple, with: links)
    if let rendering {
      found[.assetLinks, default: []] +=
        PlatformComparison(rendering, domain: domain.name.text).findings
    }
    found[.assetLinks, default: []] += Linter.findings(
      aboutStatementsBesideRoutesOf: domain, in: links)
    return found.sorted { $0.key < $1.key }.flatMap { kind, findings in findings.about(kind) }
  }

  /// Reports what is wrong with the domain's Android apps themselves.
  private func androidFindings() -> [Finding] {
    domain.androidApps.flatMap { apps.android[$0]?.findings ?? [] } + keptFindings()
  }

  /// Reports kept statements that new fingerprints of their app do not change.
  private func keptFindings() -> [Finding] {
    let kept = documents.assetLinks?.elements.suffix(domain.assetLinksExtra.count) ?? []
    return kept.compactMap { element -> Finding? in
      guard case .statement(let statement) = element.meaning,
        case .app(let package, let fingerprints) = statement.target,
        let app = apps.android[package], !apps.unlisted.contains(package),
        Set(fingerprints) != Set(app.certificates.map(\.fingerprint))
      else { return nil }
      return Finding(
        .keptStatementDiffers, at: element.pointer.appending("target"),
        "This statement was adopted as it is, and it has other fingerprints than the stored app \(package)."
          + " If they change, the statement stays as it is.",
        help: "Make the fingerprints in `assetlinksExtra` those of the app, or the other way round."
      )
    }.about(.assetLinks)
  }

  /// Reports apps of an environment other than the domain's.
  private func environmentFindings() -> [Finding] {
    let used =
      domain.associationFile.appIdentifiers.map {
        (DocumentKind.apple, $0.text, apps.environment(of: $0))
      }
      + domain.androidApps.map {
        (.assetLinks, $0.text, apps.android[$0]?.environment ?? .production)
      }
    return used.flatMap { kind, app, environment -> [Finding] in
      if environment == domain.environment || environment == .production { return [] }
      let finding = Finding(
        .environmentMismatch, severity: domain.isStrict ? .error : .warning, at: .root,
        "\"\(app)\" is a \(environment.rawValue) app, but this is a \(domain.environment.rawValue) "
          + "domain: what the domain shares with that app works for everybody who has it installed.",
        help: "Remove the app from this domain, or set the domain's \"environment\".")
      return [finding].about(kind)
    }
  }
}

/// An association file to publish unchanged.
struct AdoptedFile {
  private let kind: DocumentKind
  private let bytes: [UInt8]
  private let file: JSON
  /// The accepted findings about its syntax.
  private let findings: [Finding]
  private let accepted: Set<Finding.Code>

  /// Reads a file. Its document is linted when it is published. The size of the file itself does not
  /// matter, because white space is not served.
  ///
  /// - Throws: `PublicationError` with everything that is wrong with the file.
  init(
    _ bytes: [UInt8], as kind: DocumentKind, accepting accepted: Set<Finding.Code>
  ) throws(PublicationError) {
    let syntax = Linter.syntax(ofFile: bytes, kind: kind)
    guard let file = syntax.document,
      !syntax.findings.contains(where: { $0.isRefused(accepting: accepted) }),
      !syntax.findings.contains(where: { $0.code == .duplicateKey })
    else { throw Self.refusal(of: bytes, as: kind, accepting: accepted) }
    (self.kind, self.bytes, self.file) = (kind, bytes, file)
    findings = syntax.findings
    self.accepted = accepted
  }

  /// The domain with this file.
  ///
  /// - Parameter apps: Where the Android apps are found that the file names.
  /// - Throws: `PublicationError`, and what `apps` throws.
  func proposal(for domain: Domain, apps source: AppSource) throws -> Proposal {
    var domain = domain
    var apps = UsedApps()
    for package in domain.androidApps + packages {
      apps.android[package] = try source.androidApp(package)
    }
    do throws(AdoptionError) {
      try domain.adopt(file, as: kind, apps)
    } catch {
      throw Self.refusal(of: bytes, as: kind, accepting: accepted, error)
    }
    return Proposal(domain: domain, findings: findings, accepted: accepted)
  }

  /// The Android apps that the file names.
  private var packages: [PackageName] {
    if kind != .assetLinks { return [] }
    return AssetLinks(file).statements.compactMap {
      if case .app(let package, _) = $0.target { package } else { nil }
    }
  }

  private static func refusal(
    of bytes: [UInt8], as kind: DocumentKind, accepting accepted: Set<Finding.Code>,
    _ error: AdoptionError? = nil
  ) -> PublicationError {
    var findings = Linter.report(onFile: bytes, kind: kind).findings.filter {
      $0.code != .tooLarge && $0.code != .nearSizeLimit
        && ($0.severity != .error || $0.isRefused(accepting: accepted))
    }
    .map { finding in
      // Even where it is a warning: which of the values should be stored?
      finding.code != .duplicateKey
        ? finding
        : Finding(.duplicateKey, at: finding.pointer, finding.message, help: finding.help)
    }
    .about(kind)
    if let error, !findings.contains(where: { $0.severity == .error && !$0.code.isAcceptable }) {
      let finding = Finding(
        .wrongType, at: error.pointer, error.message,
        help: "Correct the file: this part cannot be stored and served.")
      findings += [finding].about(kind)
    }
    return .refused(nil, findings, account: nil)
  }
}

extension Finding {
  func isRefused(accepting accepted: Set<Finding.Code>) -> Bool {
    severity == .error && !(code.isAcceptable && accepted.contains(code))
  }
}

extension Domain {
  /// Asks about the Android apps that the domain names from now on, and that somebody limited to other domains added:
  /// their fingerprints decide whose app opens the links.
  fileprivate func findings(namingSince old: Domain?, _ apps: UsedApps) -> [Finding] {
    let before = Set(old?.androidApps ?? [])
    return androidApps.compactMap { package in
      guard !before.contains(package), let app = apps.android[package], let author = app.addedBy,
        !author.covers(self)
      else { return nil }
      let fingerprints = app.certificates.map(\.fingerprint.description)
      return Finding(
        .appAddedByLimitedToken, at: .root,
        "\(author.name.quoted), which is limited to other domains, added the Android app \(package). \(name) would "
          + "publish its fingerprint\(fingerprints.count == 1 ? "" : "s") \(fingerprints.joined(separator: ", ")).",
        help: "Compare them with those in Google Play Console. If they are right, accept "
          + "\(Finding.Code.appAddedByLimitedToken.rawValue). Otherwise, correct the app's fingerprints first."
      )
    }.about(.assetLinks)
  }

  /// Names the rows of Android apps that adopting a file has removed.
  func findings(adoptedOver old: Domain) -> [Finding] {
    var lost = old.associationFile.entries.compactMap { entry -> String? in
      let new = associationFile.entries.first { $0.id == entry.id }
      let gone = entry.androidApps.filter { new?.androidApps.contains($0) != true }
      guard !gone.isEmpty, let id = entry.id else { return nil }
      let apps = gone.map(\.text).joined(separator: ", ")
      return new == nil
        ? "entry \(id) with \(entry.routes.count.counted("route")) (\(apps))"
        : "\(apps) in entry \(id)"
    }
    let sharing = old.androidCredentials.filter { !androidCredentials.contains($0) }
    if !sharing.isEmpty {
      lost.append("\(sharing.map(\.text).joined(separator: ", ")) in androidCredentials")
    }
    if lost.isEmpty { return [] }
    let more = lost.count > 10 ? " and \(lost.count - 10) more" : ""
    return [
      Finding(
        .androidRowsRemoved, at: .root,
        "The file does not say what these rows render, so they are removed: "
          + lost.prefix(10).joined(separator: "; ") + "\(more).",
        help: "To keep them, edit the rows instead of adopting a file.")
    ]
  }
}
