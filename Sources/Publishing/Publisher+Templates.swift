package import Association
package import Store

extension Publisher {
  /// What the action of publishing a template begins with, before its name.
  fileprivate static let putting = "put template "

  /// Creates a template or publishes its next revision, with all domains that use it, or none of this.
  ///
  /// - Parameters:
  ///   - renamed: The new names of parameters, by their old ones. Domains keep their values.
  ///   - skipsRefused: Whether domains that would be refused are left as they are. Their values get the new names, too.
  ///   - report: Takes what will be published for a domain; see `apply`.
  /// - Throws: `PublicationError` with the errors of every domain; `StoreError` if the precondition fails.
  package func publish(
    _ template: Template, if precondition: Precondition = .none,
    renaming renamed: [String: String] = [:], skippingRefused skipsRefused: Bool = false,
    accepting accepted: Set<Finding.Code> = [], by context: WriteContext,
    report: @escaping AppliedState.Report = { _, _, _ in }
  ) throws -> AppliedState {
    var options = ApplyOptions(overwrite: true, accepted: accepted)
    options.action = Self.putting + template.name.text
    options.skipsRefused = skipsRefused
    var state = DesiredState(templates: [template], domains: []) { _, _ in throw Outdated() }
    state.publishesTemplates = true
    state.renamedParameters = renamed
    state.precondition = precondition
    return try apply(state, options, by: context, report: report)
  }

  /// The names that parameters had in a revision of a template, by the names that they have now, as far as it is kept what
  /// renamed them.
  package func earlierParameters(
    of name: TemplateName, at revision: Int
  ) throws -> [String: String] {
    let current = try store.template(name).template
    let earlier = try store.template(name, revision: revision).template
    var names = current.parameters.reduce(into: [:]) { $0[$1.name] = $1.name }
    for (_, change) in try store.changes(of: name) where change.after > revision {
      let before = change.renamed.reduce(into: [:]) { $0[$1.value] = $1.key }
      names = names.mapValues { before[$0] ?? $0 }
    }
    let known = Set(earlier.parameters.map(\.name))
    return names.filter { $0.key != $0.value && known.contains($0.value) }
  }

  /// Makes everything that a domain has from its template its own. It serves the same bytes.
  ///
  /// - Throws: `StoreError.notFound`; `PublicationError.detached` if the domain uses no template.
  package func detach(
    _ name: DomainName, if precondition: Precondition = .none, by context: WriteContext
  ) throws -> Publication {
    try publish(name, if: precondition, action: "detach from template", by: context) { stored in
      guard var domain = stored?.domain else { throw StoreError.notFound(.domain(name)) }
      if domain.template == nil { throw PublicationError.detached(name) }
      domain.template = nil
      return Proposal(domain: domain, accepted: [])
    }
  }
}

extension RecordedChange {
  /// The name of the template that the change published; `nil` for any other change.
  var publishedTemplate: String? {
    action.hasPrefix(Publisher.putting) ? String(action.dropFirst(Publisher.putting.count)) : nil
  }
}
