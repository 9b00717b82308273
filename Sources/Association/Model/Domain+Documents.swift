// MARK: The table of kinds: how each is rendered, adopted and compared.

extension DocumentKind {
  /// The largest document that is published, in bytes.
  package var maximumSize: Int {
    switch self {
    case .apple, .passkeyEndpoints: Linter.maximumSize
    case .assetLinks: Linter.maximumAssetLinksSize
    case .webAuthn: RelatedOrigins.maximumSize
    }
  }

  /// The document of a domain; `nil` if the domain says nothing in it.
  fileprivate func json(of domain: Domain, _ assetLinks: AssetLinksRendering?) -> JSON? {
    switch self {
    case .apple: domain.document.saysSomething ? domain.document.json : nil
    case .assetLinks: assetLinks?.json
    case .webAuthn: domain.webAuthn
    case .passkeyEndpoints: domain.passkeyEndpoints.map(JSON.object)
    }
  }

  /// What changes from one document of the kind to another.
  func changes(
    from before: ReadDocuments, to after: ReadDocuments, domain: String?
  ) throws(TooComplex) -> [DocumentChange] {
    switch self {
    case .apple:
      return try DocumentComparison(from: before.apple, to: after.apple, domain: domain).changes
    case .assetLinks:
      if before.assetLinks == nil && after.assetLinks == nil { return [] }
      return try StatementComparison(
        from: before.assetLinks, to: after.assetLinks, domain: domain
      ).changes
    case .webAuthn: return DocumentChange.origins(from: before.json[self], to: after.json[self])
    case .passkeyEndpoints:
      return DocumentChange.passkeyEndpoints(from: before.json[self], to: after.json[self])
    }
  }

  /// Makes a domain say what a file says; with `nil`, nothing.
  fileprivate func adopt(
    _ file: JSON?, into domain: inout Domain, _ apps: UsedApps
  ) throws(AdoptionError) {
    switch self {
    case .apple:
      var document = Document()
      if let file { document = try Document(adopting: file) }
      domain.document = document.keepingAndroid(of: domain.document)
      domain.format = Domain.Format(of: domain.document)
    case .assetLinks: try domain.adoptAssetLinks(file, apps)
    case .webAuthn:
      (domain.webAuthnOrigins, domain.webAuthnExtra) = ([], [:])
      if let file { try domain.adoptWebAuthn(file) }
    case .passkeyEndpoints: domain.passkeyEndpoints = try file.map(PasskeyEndpoints.adopt)
    }
  }
}

// MARK: All documents of a domain

extension Domain {
  /// The documents of the domain. Apple's is left out only if it would be empty and there is another one.
  ///
  /// - Parameter apps: At least the Android apps that the domain names.
  package func documents(_ apps: UsedApps) -> [DocumentKind: JSON] {
    documents(with: assetLinksRendering(apps))
  }

  /// The documents of the domain, with an `assetlinks.json` that is rendered already: that can be slow.
  package func documents(with assetLinks: AssetLinksRendering?) -> [DocumentKind: JSON] {
    var documents: [DocumentKind: JSON] = [:]
    for kind in DocumentKind.allCases { documents[kind] = kind.json(of: self, assetLinks) }
    if documents.isEmpty { documents[.apple] = document.json }
    return documents
  }

  /// The documents as they are served.
  package func rendered(_ apps: UsedApps) -> Documents {
    documents(apps).mapValues { $0.serialized() }
  }

  /// Makes the document of a kind equal to a file. The other documents stay as they are.
  ///
  /// - Parameters:
  ///   - file: The file; `nil` for no document of this kind.
  ///   - apps: At least the Android apps that the domain or the file names, if they exist.
  /// - Throws: `AdoptionError`.
  package mutating func adopt(
    _ file: JSON?, as kind: DocumentKind, _ apps: UsedApps
  ) throws(AdoptionError) {
    try kind.adopt(file, into: &self, apps)
  }

  /// The `assetlinks.json` of the domain; `nil` if it has none.
  package func assetLinksRendering(_ apps: UsedApps) -> AssetLinksRendering? {
    AssetLinksRendering(self) { apps.android[$0]?.certificates ?? [] }
  }

  fileprivate func assetLinks(_ apps: UsedApps) -> JSON? { assetLinksRendering(apps)?.json }

  /// Every Android app that the domain names, each once.
  package var androidApps: [PackageName] {
    var seen: Set<PackageName> = []
    return (document.androidApps + androidCredentials).filter { seen.insert($0).inserted }
  }

  /// The Android apps that kept statements are about; they need not be stored.
  package var keptAndroidApps: [PackageName] { assetLinksExtra.compactMap(\.keptPackage) }
}

extension JSON {
  /// The package that a statement is about.
  package var keptPackage: PackageName? {
    self["target"]?["package_name"]?.stringValue.flatMap { PackageName($0) }
  }
}

extension Document {
  /// The document with the Android apps of another one, for the entries that both have. Entries that only
  /// Android apps use stay at their places.
  fileprivate func keepingAndroid(of old: Document) -> Document {
    if old.androidApps.isEmpty { return self }
    var document = keepingRows(of: old)
    for (index, entry) in old.entries.enumerated() where !entry.androidApps.isEmpty {
      if let place = document.entries.firstIndex(where: { $0.id != nil && $0.id == entry.id }) {
        document.entries[place].androidApps = entry.androidApps
      } else if !entry.isForApple {
        document.entries.insert(entry, at: min(index, document.entries.count))
      }
    }
    return document
  }
}

extension Domain {
  /// Takes the statements of a file. If the rows render the first ones, they stay; if apps that are stored
  /// say the same, the domain names these apps; otherwise it keeps the statements as they are.
  fileprivate mutating func adoptAssetLinks(
    _ file: JSON?, _ apps: UsedApps
  ) throws(AdoptionError) {
    assetLinksExtra = []
    // Without the second, an earlier version's statements of those that only share passwords would cost the
    // rows of all apps.
    for credentials in [
      androidCredentials, androidCredentials.filter(document.androidApps.contains),
    ] {
      var rows = self
      rows.androidCredentials = credentials
      if let file = file?.arrayValue, let rendered = rows.assetLinks(apps)?.arrayValue,
        !rendered.isEmpty, file.starts(with: rendered)
      {
        rows.assetLinksExtra = Array(file.dropFirst(rendered.count))
        self = rows
        return
      }
    }
    // What only Android apps used is of no use any more.
    document.entries.removeAll { !$0.isForApple }
    for index in document.entries.indices { document.entries[index].androidApps = [] }
    (androidCredentials, hasDynamicAppLinks) = ([], true)
    guard let file else { return }
    guard case .array(let statements) = file else {
      throw AdoptionError(
        pointer: .root, message: "The file is \(file.kind) but must be an array of statements.")
    }
    if statements.isEmpty {
      // A domain without statements has no file at all.
      throw AdoptionError(
        pointer: .root,
        message: "The list is empty, so it says the same as no file. Delete the document instead.")
    }
    assetLinksExtra = statements
    var named = self
    var adopted = keptApps(apps)
    if adopted.contains(where: \.isNew) { return }
    named.nameKeptApps(&adopted, apps)
    if named.assetLinksExtra.isEmpty { self = named }
  }
}
