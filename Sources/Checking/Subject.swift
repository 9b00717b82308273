package import Association
package import Store

/// A domain that is looked at, and what should be there.
package struct Subject: Sendable {
  package let domain: DomainName
  let aliases: [Alias]
  /// The name with `www` for a registrable one, and the other way around; `nil` if a domain here has that name,
  /// which is checked by itself.
  let sibling: String?
  /// Whether its names should serve files.
  let isServed: Bool
  /// What it should serve; `nil` if nobody said.
  let reference: Reference?
  let expectations: [Expectation]
  /// A path whose links open an app of ours; `nil` if it is somebody else's, or none is known.
  let linkPath: String?
  /// What people without an app should get; `nil` for 404.
  let fallback: ServedFallback?
  /// An app that the file has to name.
  let app: LinkedApp?

  /// The documents that it should serve as bytes.
  let named: [NamedDocument]
  /// Where it should redirect to for changing a password.
  let changePassword: SecureURL?
  /// Whether the domain is published here.
  package let isOurs: Bool

  /// A domain with what a store has of it. Without a store, or if it does not have the domain, it is somebody
  /// else's.
  ///
  /// - Parameters:
  ///   - file: What it should serve instead.
  ///   - app: An app that its file for the platform has to name.
  ///   - expectations: URLs with their resolutions, besides the stored ones.
  /// - Throws: `StoreError.database`.
  package init(
    _ domain: DomainName, in store: Store?, file: JSON? = nil, app: LinkedApp? = nil,
    expectations: [Expectation] = []
  ) throws {
    self.domain = domain
    self.app = app
    let stored: (domain: StoredDomain, published: PublishedRevision)?
    do {
      stored = try store.map { (try $0.domain(domain), try $0.currentRevision(of: domain)) }
    } catch StoreError.notFound {
      stored = nil
    }
    isOurs = stored != nil
    let name = domain.text
    let apex = name.hasPrefix("www.") ? String(name.dropFirst(4)) : name
    let sibling = name == apex ? "www.\(name)" : apex
    let owner = try store?.domain(serving: DomainName(stored: sibling))
    let isRegistrable = RegistrableName(apex)?.text == apex
    self.sibling = isRegistrable && owner == nil ? sibling : nil
    aliases = stored?.domain.domain.aliases ?? []
    isServed = stored?.domain.domain.isEnabled ?? true
    named = isServed ? stored?.domain.domain.namedDocuments ?? [] : []
    changePassword = isServed ? stored?.domain.domain.changePassword : nil
    self.expectations = (stored?.domain.domain.expectations ?? []) + expectations
    (linkPath, fallback) = try Self.people(stored?.domain.domain, stored?.published)
    reference =
      if let file {
        Reference(file, of: domain)
      } else if let stored, let store {
        Reference(stored.published, of: domain, in: store)
      } else {
        nil
      }
  }

  /// What to ask as somebody without an app, and what they should get.
  private static func people(
    _ domain: Domain?, _ published: PublishedRevision?
  ) throws -> (path: String?, fallback: ServedFallback?) {
    guard let domain, domain.isEnabled, let published,
      let documents = ReadDocuments(intact: published.documents)
    else { return (nil, nil) }
    let path = OpenedApps(documents).samplePath
    return (path, try ServedFallback.text(of: domain).map { try ServedFallback(text: $0) })
  }

  /// Whether it should serve a kind of document. If nobody said, that is the one for the app, or Apple's.
  func expects(_ kind: DocumentKind) -> Bool {
    let appKind: DocumentKind = app?.platform == .android ? .assetLinks : .apple
    return isServed && (reference.map { $0.documents[kind] != nil } ?? (kind == appKind))
  }

  /// The kind that every name of the domain should serve.
  var mainKind: DocumentKind { DocumentKind.allCases.first(where: expects) ?? .apple }

  /// A sample of the aliases, each with a host that it covers: for a wildcard, one with a random label. Of many
  /// aliases, it has others each day, and the same within a day, so that two checks can agree.
  ///
  /// - Parameter at: When the domain is looked at.
  func sampledAliases(at: UnixTime) -> [(alias: Alias, host: String)] {
    let order = aliases.sorted { left, right in
      let key = { (alias: Alias) in
        SHA256.hexadecimal(of: Array("\(at.seconds / 86_400) \(alias)".utf8))
      }
      return key(left) < key(right)
    }
    let exact = order.filter { !$0.isWildcard }.prefix(20)
    let wildcards = order.filter(\.isWildcard).prefix(10)
    return exact.map { ($0, $0.name.text) }
      + wildcards.map { ($0, "aasa-\(UInt32.random(in: .min ... .max)).\($0.name)") }
  }
}
