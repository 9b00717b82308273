import Association
import Store

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

extension Domain {
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
