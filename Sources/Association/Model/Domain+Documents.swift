// MARK: The table of kinds: how each is rendered, adopted and compared.

extension DocumentKind {
  /// The largest document that is published, in bytes.
  package var maximumSize: Int {
    switch self {
    case .apple, .passkeyEndpoints: Linter.maximumSize
    case .assetLinks: Linter.maximumAssetLinksSize
    case .webAuthn: RelatedOrigins.maximumSize
    case .named: NamedDocument.maximumSize
    }
  }

  /// The document of a domain; `nil` if the domain says nothing in it.
  fileprivate func json(of domain: Domain, _ assetLinks: AssetLinksRendering?) -> JSON? {
    switch self {
    case .apple: domain.associationFile.saysSomething ? domain.associationFile.json : nil
    case .assetLinks: assetLinks?.json
    case .webAuthn: domain.webAuthn
    case .passkeyEndpoints: domain.passkeyEndpoints.map(JSON.object)
    case .named: nil
    }
  }

  /// What changes from one document of the kind to another.
  ///
  /// - Parameter domain: The host of example URLs; `nil` to look for none. Then effects on links are unknown.
  /// - Throws: `TooComplex` if a document is over a limit.
  package func changes(
    from before: ReadDocuments, to after: ReadDocuments, domain: String?
  ) throws(TooComplex) -> [DocumentChange] {
    if before.json[self] == nil && after.json[self] == nil { return [] }
    var changes: [DocumentChange] =
      switch self {
      case .apple:
        try ChangeCollection.changes(from: before.apple, to: after.apple, domain: domain)
      case .assetLinks:
        try StatementComparison(from: before.assetLinks, to: after.assetLinks, domain: domain)
          .changes
      case .webAuthn: DocumentChange.origins(from: before.json[self], to: after.json[self])
      case .passkeyEndpoints:
        DocumentChange.passkeyEndpoints(from: before.json[self], to: after.json[self])
      case .named: []
      }
    for index in changes.indices { changes[index].document = self }
    return changes
  }

  /// Makes a domain say what a file says; with `nil`, nothing.
  fileprivate func adopt(
    _ file: JSON?, into domain: inout Domain, _ apps: UsedApps
  ) throws(AdoptionError) {
    switch self {
    case .apple:
      var document = AssociationFile()
      if let file { document = try AssociationFile(adopting: file) }
      domain.associationFile = document.keepingAndroid(of: domain.associationFile)
        .keepingFallbacks(of: domain.associationFile)
      if let file, domain.associationFile.json != file {
        throw AdoptionError(
          pointer: .root,
          message:
            "Beside what the domain has for Android, the file cannot be kept as it is. Remove its assetlinks.json first."
        )
      }
      domain.format = Domain.Format(of: domain.associationFile)
    case .assetLinks: try domain.adoptAssetLinks(file, apps)
    case .webAuthn:
      (domain.webAuthnOrigins, domain.webAuthnExtra) = ([], [:])
      if let file { try domain.adoptWebAuthn(file) }
    case .passkeyEndpoints: domain.passkeyEndpoints = try file.map(PasskeyEndpoints.adopt)
    case .named(let name):
      if file != nil {
        throw AdoptionError(
          pointer: .root, message: "This document is published as bytes, which JSON does not keep.")
      }
      domain.namedDocuments.removeAll { $0.name == name }
    }
  }
}

// MARK: All documents of a domain

extension Domain {
  /// The documents of the domain that are rendered. Apple's is left out only if it would be empty and there is another one.
  ///
  /// - Parameter apps: At least the Android apps that the domain names.
  package func documents(_ apps: UsedApps) -> [DocumentKind: JSON] {
    documents(with: assetLinksRendering(apps))
  }

  /// The documents of the domain, with an `assetlinks.json` that is rendered already: that can be slow.
  package func documents(with assetLinks: AssetLinksRendering?) -> [DocumentKind: JSON] {
    var documents: [DocumentKind: JSON] = [:]
    for kind in DocumentKind.allCases { documents[kind] = kind.json(of: self, assetLinks) }
    if documents.isEmpty && namedDocuments.isEmpty { documents[.apple] = associationFile.json }
    return documents
  }

  /// The documents as they are served.
  package func rendered(_ apps: UsedApps) -> Documents { bytes(of: documents(apps)) }

  /// All documents as they are served, given those that are rendered.
  package func bytes(of rendered: [DocumentKind: JSON]) -> Documents {
    var bytes = rendered.mapValues { $0.serialized() }
    for document in namedDocuments { bytes[.named(document.name)] = document.bytes }
    return bytes
  }

  /// Adds a document, or replaces the one with its name.
  package mutating func put(_ document: NamedDocument) {
    namedDocuments.removeAll { $0.name == document.name }
    namedDocuments.append(document)
    namedDocuments.sort { $0.name < $1.name }
  }

  /// Makes the document of a kind equal to a file. The other documents stay as they are.
  ///
  /// - Parameters:
  ///   - file: The file; `nil` for no document of this kind.
  ///   - apps: At least the Android apps that the domain or the file names, if they exist.
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
    (associationFile.androidApps + androidCredentials).uniqued()
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

extension AssociationFile {
  /// The document with the Android apps of another one, for the entries that both have. Entries that only
  /// Android apps use stay at their places.
  fileprivate func keepingAndroid(of old: AssociationFile) -> AssociationFile {
    if old.androidApps.isEmpty { return self }
    // An entry of the file that names no app is none that only Android apps use.
    var apple = old
    apple.entries.removeAll { !$0.isForApple }
    var document = keepingRows(of: apple)
    for (index, entry) in old.entries.enumerated() where !entry.androidApps.isEmpty {
      if !entry.isForApple {
        document.entries.insert(entry, at: min(index, document.entries.count))
      } else if let place = document.entries.firstIndex(where: {
        $0.id != nil && $0.id == entry.id
      }) {
        document.entries[place].androidApps = entry.androidApps
      }
    }
    return document
  }
}

extension AssociationFile {
  /// The document with the targets of another one's routes, for the routes that both have: a file does not have them.
  fileprivate func keepingFallbacks(of old: AssociationFile) -> AssociationFile {
    let targets = old.entries.map { entry in
      (entry.id, entry.routes.filter { $0.fallback != nil }.map { ($0.id, $0.fallback) })
    }.filter { !$0.1.isEmpty }
    if targets.isEmpty { return self }
    var document = keepingRows(of: old)
    for (id, routes) in targets {
      guard let id, let entry = document.entries.firstIndex(where: { $0.id == id }) else {
        continue
      }
      for (id, target) in routes {
        guard let id,
          let route = document.entries[entry].routes.firstIndex(where: { $0.id == id })
        else { continue }
        document.entries[entry].routes[route].fallback = target
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
      androidCredentials, androidCredentials.filter(associationFile.androidApps.contains),
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
    associationFile.entries.removeAll { !$0.isForApple }
    for index in associationFile.entries.indices { associationFile.entries[index].androidApps = [] }
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
