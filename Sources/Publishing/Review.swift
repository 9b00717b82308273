import Association
import Store

/// The state of a domain that somebody wants.
struct Proposal {
  var domain: Domain
  /// Whether the domain has what its template gives it.
  var isResolved = false
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
  ///   - shared: A cache shared with other domains.
  ///   - refuse: Takes what stops the proposal. Unless it throws, the review goes on, for a plan that is only
  ///     shown.
  /// - Throws: `PublicationError`, and what `apps` throws.
  init(
    _ proposal: Proposal, over former: FormerDomain, apps source: AppSource, action: String,
    by context: WriteContext, now: UnixTime, sharing shared: SharedDocuments = SharedDocuments(),
    refuse: (PublicationError) throws -> Void = { throw $0 }
  ) throws {
    self.action = action
    let old = proposal.before ?? former.stored?.domain
    var proposal = proposal
    let templates =
      try proposal.isResolved
      ? source.templates(of: proposal.domain) : source.resolve(&proposal.domain)
    createdApps = proposal.createdApps.map { PackageName.rows.written($0, nil, context) }
    let source = source.adding(createdApps)
    var domain = proposal.domain
    domain.associationFile = domain.associationFile.keepingRows(
      of: old?.associationFile ?? AssociationFile())
    try context.refuse(from: former.stored?.domain, to: domain)
    try Self.refuseRepetition(in: domain)
    var apps = try source.apps(of: [domain] + (old.map { [$0] } ?? []))
    apps.templates = templates
    let rendered = RenderedDomain(domain, apps, sharing: shared)
    let before = { former.published.flatMap { shared.intact($0.documents) } ?? .none }
    let found = rendered.findings(at: now)
    let findings = proposal.findings + found
    // A document that only time has made wrong keeps nobody from editing the rest of the domain.
    let asStored = Set(
      domain.namedDocuments.filter { former.stored?.domain.namedDocuments.contains($0) == true }
        .map { DocumentKind.named($0.name) })
    let concerned = findings.filter { !asStored.contains($0.kind) }
    let counts = Dictionary(grouping: concerned.filter { $0.severity == .error }, by: \.code)
    let known =
      former.stored.map { Self.acceptedErrors(of: $0, apps, at: now, sharing: shared) } ?? [:]
    let asBefore = counts.filter { code, findings in findings.count <= known[code] ?? 0 }
    let accepted = proposal.accepted.union(asBefore.keys)
    let foreign = rendered.domain.findings(namingSince: old, apps)
    var service = ServiceReview()
    if concerned.contains(where: { $0.isRefused(accepting: accepted) }) {
      let tooLarge = DocumentKind.allCases.first { kind in
        rendered.bytes[kind].map { $0.count > kind.maximumSize } ?? false
      }
      let account = tooLarge.map { ByteAccount(of: rendered.documents, $0) }
      var open = concerned.filter { $0.severity != .error || $0.isRefused(accepting: accepted) }
      if open.allSatisfy(\.code.isAcceptable) {
        open +=
          (foreign
          + ServiceReview.closing(
            rendered.domain, rendered.documents, since: old, before, sharing: shared))
          .filter { $0.isRefused(accepting: proposal.accepted) }
      }
      try refuse(.refused(domain.name, open, account: account))
    } else {
      do throws(PublicationError) {
        service = try ServiceReview(
          of: rendered.domain, rendered.documents, since: old, before, findings: findings, foreign,
          accepting: proposal.accepted, sharing: shared)
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
      documents: rendered.documents, androidApps: proposal.androidApps,
      createsAndroidApps: proposal.createsAndroidApps)
    if publication.edited.isChanged && context.needsApproval(of: former) {
      try refuse(.needsApproval(domain.name))
    }
  }

  /// The most that entries with `appID` alone may repeat, in bytes: a document of that is made, and refused with what its
  /// parts take.
  private static let mostRepeated = 8 * DocumentKind.apple.maximumSize

  /// Refuses a document that would be too long to be made.
  ///
  /// - Throws: `PublicationError.refused`.
  private static func refuseRepetition(in domain: Domain) throws(PublicationError) {
    if domain.associationFile.repeatedBytes <= mostRepeated { return }
    let finding = Finding(
      .tooLarge, at: .root,
      "The document would have more than \(mostRepeated) bytes, and devices ignore one of more than "
        + "\(DocumentKind.apple.maximumSize): an entry with `appID` alone repeats its routes for each of its apps.",
      help:
        "Name the apps of an entry in `appIDs`, as the modern form does, or move apps to other domains."
    )
    throw .refused(domain.name, [finding].about(.apple), account: nil)
  }

  /// The number of each error that was accepted when a domain was published.
  private static func acceptedErrors(
    of stored: StoredDomain, _ apps: UsedApps, at now: UnixTime, sharing shared: SharedDocuments
  ) -> [Finding.Code: Int] {
    let codes = Set(stored.acceptedCodes.compactMap(Finding.Code.init))
    if codes.isEmpty { return [:] }
    let findings = RenderedDomain(stored.domain, apps, sharing: shared).findings(at: now)
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
}
