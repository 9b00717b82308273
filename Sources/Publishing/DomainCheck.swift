package import Association

/// What keeps a domain from being published as it is described, found without a store.
package struct DomainCheck: Sendable {
  /// The findings about its document.
  package let findings: [Finding]
  /// The expectations that the document does not meet.
  package let broken: [BrokenExpectation]
  /// The sizes of the documents in bytes.
  package let sizes: [DocumentKind: Int]

  /// Renders and lints the documents of a domain, and checks its expectations.
  package init(_ domain: Domain, _ apps: UsedApps) {
    let rendered = RenderedDomain(domain, apps)
    sizes = rendered.bytes.mapValues(\.count)
    do throws(TooComplex) {
      var resolver = try Resolver(domain, rendered.documents)
      broken = try resolver.broken()
      findings = rendered.findings(at: .now)
    } catch {
      broken = []
      let found = rendered.findings(at: .now)
      findings = found.contains { $0.code == error.finding.code } ? found : found + [error.finding]
    }
  }
}
