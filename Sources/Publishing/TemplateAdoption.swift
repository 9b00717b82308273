package import Association
package import Store
import Synchronization

extension Publisher {
  /// Takes domains under a template, all of them or none, if each opens and shares the same with it. What they have beyond
  /// the template stays their own. Domains that use the template already stay as they are.
  ///
  /// - Parameters:
  ///   - values: The values of parameters that are known, by domain. The others are found out.
  ///   - skipsRefused: Whether domains that would be refused are left as they are.
  ///   - report: Takes what will be published for a domain; see `apply`.
  /// - Throws: `PublicationError` with the errors of every domain; `StoreError.notFound`.
  package func adopt(
    _ selection: DomainSelection, into name: TemplateName, values: [DomainName: JSON.Object],
    skippingRefused skipsRefused: Bool = false, accepting accepted: Set<Finding.Code> = [],
    by context: WriteContext,
    report: @escaping AppliedState.Report = { _, _, _ in }
  ) throws -> (applied: AppliedState, domains: [DomainName]) {
    var options = ApplyOptions(overwrite: true, accepted: accepted)
    (options.action, options.skipsRefused) = ("adopt into template \(name.text)", skipsRefused)
    return try apply(options, by: context, report: report) {
      let adoption = TemplateAdoption(try store.template(name).template, values)
      let domains = try selection.domains(of: store)
      let chosen = Set(domains)
      if let other = values.keys.filter({ !chosen.contains($0) }).min() {
        throw InvalidInput(
          .domainDiffers, at: JSONPointer.root.appending("parameters").appending(other.text),
          "The request does not choose \(other). Choose it, or leave its parameters out.")
      }
      return adoption.state(of: domains)
    }
  }

  /// A template for domains that are alike, and what taking them under it would do. Nothing is stored.
  ///
  /// - Parameter report: Takes what would be published for a domain.
  /// - Returns: The template and its values, and why domains would be refused.
  /// - Throws: `PublicationError.notAlike`; `StoreError.notFound`.
  package func suggestTemplate(
    _ name: TemplateName, for selection: DomainSelection, by context: WriteContext,
    report: @escaping (DomainName, Publication) throws -> Void
  ) throws -> (suggestion: TemplateSuggestion, refusals: [PublicationError]) {
    let names = try selection.domains(of: store)
    if names.count > TemplateSuggestion.mostDomains {
      throw PublicationError.notAlike(
        "The request chooses \(names.count) domains. Choose at most \(TemplateSuggestion.mostDomains)."
      )
    }
    let domains = try names.map { try store.domain($0).domain }
    if let domain = domains.first(where: { $0.template != nil }), let use = domain.template {
      throw PublicationError.notAlike(
        "\(domain.name) uses the template \(use.name.text.quoted) already. Leave it out.")
    }
    if let domain = domains.first(where: { !TemplateSuggestion.canCompare($0) }) {
      throw PublicationError.notAlike("\(domain.name) has too much to compare. Leave it out.")
    }
    guard domains.count > 1, let suggestion = TemplateSuggestion(name, from: domains) else {
      throw PublicationError.notAlike(
        domains.count > 1
          ? "The domains have nothing in common that a template could give. Choose domains that are more alike."
          : "The request chooses \(domains.count.counted("domain")). Choose at least 2 that are alike."
      )
    }
    var options = ApplyOptions(overwrite: true)
    options.skipsRefused = true
    var state = TemplateAdoption(suggestion.template, suggestion.values).state(of: names)
    state.templates = [suggestion.template]
    var context = context
    context.isDryRun = true
    var planning = StatePlanning(self, state, options, by: context) { name, _, publication in
      if let publication { try report(name, publication) }
    }
    do {
      return (suggestion, try planning.plan(reusing: nil).skipReasons)
    } catch is Outdated {
      throw StoreError.busy
    }
  }
}

/// Domains that are taken under a template.
private final class TemplateAdoption: Sendable {
  private let template: Template
  private let values: [DomainName: JSON.Object]
  /// What was found out when a domain was planned, so that it is not while it is written.
  private let known = Mutex<[DomainName: Known]>([:])

  private struct Known: Sendable {
    let version: StoredDomain.Version
    let use: TemplateUse?
    let entries: [Entry]
    let expectations: [Expectation]
  }

  init(_ template: Template, _ values: [DomainName: JSON.Object]) {
    (self.template, self.values) = (template, values)
  }

  func state(of domains: [DomainName]) -> DesiredState {
    var state = DesiredState(domains: domains, deleted: []) { _, stored in
      // If not, it was deleted after the list was read.
      guard let stored else { throw Outdated() }
      return (try self.domain(stored), nil)
    }
    state.check = { [template] in try $0.checkAdoption(into: template.name) }
    return state
  }

  private func domain(_ stored: StoredDomain) throws -> Domain {
    let name = stored.domain.name
    let given = values[name] ?? [:]
    if let use = stored.domain.template {
      if use.name == template.name
        && given.members.allSatisfy({ use.parameters[$0.key] == $0.value })
      {
        return stored.domain
      }
      throw PublicationError.notAdoptable(name, template.name, .uses(use.name))
    }
    if let known = known.withLock({ $0[name] }), known.version == stored.version {
      var domain = stored.domain
      domain.template = known.use
      (domain.associationFile.entries, domain.expectations) = (known.entries, known.expectations)
      return domain
    }
    do {
      let domain = try stored.domain.joining(template, given: given)
      let found = Known(
        version: stored.version, use: domain.template, entries: domain.associationFile.entries,
        expectations: domain.expectations)
      known.withLock { $0[name] = found }
      return domain
    } catch let error as OpenParameters {
      throw PublicationError.notAdoptable(name, template.name, .parameters(error.parameters))
    } catch let error as InvalidInput {
      throw PublicationError.invalid(name, error)
    }
  }
}

extension Publication {
  /// Whether the bytes of all documents are as before.
  package var hasSameBytes: Bool {
    edited.documentsBefore == documents.json.mapValues { $0.serialized() }
  }

  /// - Throws: `PublicationError.notAdoptable` unless the domain opens and shares the same as before.
  fileprivate func checkAdoption(into template: TemplateName) throws(PublicationError) {
    let name = edited.stored.domain.name
    guard let changes = changesWhenServed() else {
      throw .notAdoptable(name, template, .incomparable)
    }
    let differences = changes.filter { !$0.changesOnlyBytes }
    if !differences.isEmpty { throw .notAdoptable(name, template, .differences(differences)) }
  }

  /// The changes of the domain, also if it is disabled; `nil` if they are too complex to know.
  private func changesWhenServed() -> [DocumentChange]? {
    if edited.stored.domain.isEnabled { return comparison?.changes }
    guard let before = documentsBefore() else { return nil }
    do throws(TooComplex) {
      return try DomainComparison(
        of: edited.stored.domain.name, from: DomainComparison.State(before, nil),
        to: DomainComparison.State(documents, nil)
      ).changes
    } catch {
      return nil
    }
  }
}

extension DocumentChange {
  /// Whether, in spite of it, every URL opens the same, and everything else is shared as before.
  fileprivate var changesOnlyBytes: Bool {
    switch what {
    case .comment, .template, .parameter: true
    // Which of several apps opens a link does not depend on it, as far as Apple says.
    case .app: kind == .moved
    case .expectation: kind != .removed
    case .route, .rule, .default, .variable: affectsLinks == false
    case .serviceApp, .relation, .fingerprint, .statement: kind == .moved && affectsLinks == false
    default: false
    }
  }
}
