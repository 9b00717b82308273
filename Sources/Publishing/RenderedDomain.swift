import Association
import Store

/// The rendered documents of a domain.
struct RenderedDomain {
  let domain: Domain
  let documents: ReadDocuments
  let bytes: Documents
  private let apps: UsedApps
  private let rendering: AssetLinksRendering?

  init(_ domain: Domain, _ apps: UsedApps, sharing shared: SharedDocuments = SharedDocuments()) {
    self.domain = domain
    self.apps = apps
    rendering = domain.assetLinksRendering(apps)
    let json = domain.documents(with: rendering)
    bytes = domain.bytes(of: json)
    documents = shared.documents(bytes) { ReadDocuments(json) }
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
