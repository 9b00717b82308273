import JSONValue

extension AssetLinks {
  static func json(of domain: Domain, _ apps: [PackageName: AndroidApp]) -> JSON? {
    domain.assetLinksExtra.isEmpty ? nil : .array(domain.assetLinksExtra)
  }
}
