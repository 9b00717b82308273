import Association
import Publishing
import Store
import Testing

extension Domain {
  /// A domain with one entry of routes with these paths.
  static func example(
    _ name: String = "example.com", aliases: [String] = [], paths: [String] = ["/a"]
  ) throws -> Domain {
    var document = AssociationFile()
    let app = try AppIdentifier("ABCDE12345.com.example.app")
    document.entries = [Entry(apps: [app], routes: paths.map { Route(path: $0) })]
    return Domain(
      name: try DomainName(name), aliases: try aliases.map { try Alias($0) },
      associationFile: document)
  }

  /// The paths of all routes.
  var paths: [String] { associationFile.entries.flatMap(\.routes).compactMap(\.path) }
}

extension AndroidApp {
  /// An app with certificates whose fingerprints consist of these octets.
  static func example(
    _ package: String = "com.example.shop", octets: [String] = ["AB"]
  ) throws -> AndroidApp {
    AndroidApp(
      package: try #require(PackageName(package)), name: "Shop",
      certificates: try octets.map { octet in
        let text = Array(repeating: octet, count: 32).joined(separator: ":")
        return Certificate(try #require(Fingerprint(text)), label: .playSigning)
      })
  }
}

extension PublicationError {
  /// The codes of the findings.
  var codes: [Finding.Code] {
    if case .refused(_, let findings, _) = self { findings.map(\.code) } else { [] }
  }
}

/// Each of these runs in a transaction of its own.
extension Store {
  private static var context: WriteContext { WriteContext(author: "test") }

  /// Creates or changes a domain without a review.
  @discardableResult
  func put(
    _ domain: Domain, documents: Documents? = nil, findings: [Finding] = []
  ) throws -> EditedDomain {
    let edit = try edit(to: domain, documents: documents, findings: findings)
    return try write(Self.context) { try $0.save(edit, action: "test") }
  }

  /// An edit of what is stored now.
  func edit(
    to domain: Domain, documents: Documents? = nil, findings: [Finding] = []
  ) throws -> DomainEdit {
    DomainEdit(
      domain, over: try formerDomain(of: domain.name),
      documents: documents ?? [.apple: domain.associationFile.json.serialized()], findings: findings
    )
  }

  /// Creates or changes an Android app without publishing.
  @discardableResult
  func putApp(_ app: AndroidApp) throws -> StoredApp<PackageName> {
    try write(Self.context) { try $0.put(app, PackageName.self).app }
  }

  func delete(_ name: DomainName) throws {
    let former = try formerDomain(of: name)
    try write(Self.context) { try $0.delete(former) }
  }

  func createToken(name: String, role: Role, domains: [String] = []) throws -> TokenSecret {
    let domains = try domains.map { try Alias($0) }
    return try write(Self.context) {
      try $0.createToken(name: name, role: role, domains: domains)
    }
  }

  func revokeToken(_ name: String) throws {
    try write(Self.context) { try $0.revokeToken(name) }
  }

  /// What is served for a domain; nil if it is disabled or does not exist.
  func served(_ domain: Int64) throws -> (names: [String], document: [UInt8])? {
    var found: (names: [String], document: [UInt8])?
    _ = try readServed { change in
      guard change.domain == domain, case .served(let served, nil) = change.now else { return }
      found = served.files.first.map { (served.names.map(\.description), $0.document) }
    }
    return found
  }
}
