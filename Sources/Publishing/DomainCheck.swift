package import Association

/// What keeps a domain from being published as it is described, found without a store.
package struct DomainCheck: Sendable {
  /// The findings about its document.
  package let findings: [Finding]
  /// The expectations that the document does not meet.
  package let broken: [BrokenExpectation]
  /// The size of the document in bytes.
  package let size: Int

  /// Renders and lints the document of a domain, and checks its expectations.
  ///
  /// - Parameter environments: The environments of apps; of any other app it is production.
  package init(_ domain: Domain, environments: [AppIdentifier: App.Environment]) {
    let draft = Draft(domain, environments: environments)
    size = draft.bytes.count
    do throws(TooComplex) {
      var resolver = try Resolver(domain, draft.document)
      broken = try resolver.broken()
      findings = draft.findings()
    } catch {
      broken = []
      let found = draft.findings()
      findings = found.contains { $0.code == error.finding.code } ? found : found + [error.finding]
    }
  }
}
