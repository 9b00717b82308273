/// The differences in meaning between two assetlinks.json files, or between one and none.
///
/// This compares what Android reads: for every app, its relations, its certificates and its dynamic rules. It
/// makes no difference in how many statements they are. Other statements are compared as they are.
struct StatementComparison {
  private let from: ComparedStatements
  private let to: ComparedStatements
  private let effects: RuleEffects

  init(from: AssetLinks?, to: AssetLinks?, domain: String?) throws(TooComplex) {
    let nothing = AssetLinks([])
    let interning = Interning()
    self.from = ComparedStatements(from ?? nothing, interning)
    self.to = ComparedStatements(to ?? nothing, interning)
    effects = try RuleEffects(from ?? nothing, to ?? nothing, domain: domain)
  }

  /// The changes: apps, what they may do, their certificates and rules; then other statements.
  var changes: [DocumentChange] {
    var changes: [DocumentChange] = []
    for app in from.apps where to.app(app.package) == nil {
      changes.append(change(from: app, to: nil))
    }
    for app in to.apps {
      guard let old = from.app(app.package) else {
        changes.append(change(from: nil, to: app))
        continue
      }
      changes += relationChanges(old, app) + certificateChanges(old, app)
      changes += old.isLinked && app.isLinked ? ruleChanges(old, app) : []
    }
    changes += statementChanges()
    if changes.isEmpty, from.json.sorted != to.json.sorted {
      changes.append(
        DocumentChange(
          .changed, .extra, from: .root, to: .root,
          "the order of statements, or values that Android ignores, changed"))
    }
    return changes
  }

  private func change(
    from before: ComparedStatements.App?, to after: ComparedStatements.App?
  ) -> DocumentChange {
    let app = after ?? before
    let effect =
      app?.isLinked == true
      ? effects.effect(ofAll: app?.package ?? "", before?.rules, after?.rules) : .none
    return DocumentChange(
      DocumentChange.Kind(before, after), .app, from: before?.pointer, to: after?.pointer,
      before: before.map { .string($0.package) }, after: after.map { .string($0.package) },
      apps: [app?.package].compactMap(\.self),
      effect: effect,
      "Android app \(app?.package ?? "") \(DocumentChange.Kind(before, after).rawValue)")
  }

  private func relationChanges(
    _ old: ComparedStatements.App, _ new: ComparedStatements.App
  ) -> [DocumentChange] {
    let make = { (relation: Relation, isAdded: Bool) in
      DocumentChange(
        .relation, isAdded: isAdded, at: isAdded ? new.pointer : old.pointer,
        value: .string(relation.description), apps: [new.package],
        effect: relation == .handleAllURLs
          ? effects.effect(ofAll: new.package, old.rules, new.rules) : .none,
        "relation \(relation) of \(new.package)")
    }
    return old.relations.filter { !new.relations.contains($0) }.map { make($0, false) }
      + new.relations.filter { !old.relations.contains($0) }.map { make($0, true) }
  }

  /// A certificate concerns the devices whose copy of the app is signed with it, so URLs may resolve
  /// differently there.
  private func certificateChanges(
    _ old: ComparedStatements.App, _ new: ComparedStatements.App
  ) -> [DocumentChange] {
    let make = { (certificate: ComparedStatements.Certificate, isAdded: Bool) in
      var change = DocumentChange(
        .fingerprint, isAdded: isAdded, at: certificate.pointer,
        value: .string(certificate.fingerprint.description), apps: [new.package],
        effect: certificate.relations.contains(.handleAllURLs) ? .unknown : .none,
        "fingerprint \(certificate.fingerprint) of \(new.package)")
      if certificate.relations != Set(isAdded ? new.relations : old.relations) {
        let relations = certificate.relations.map(\.description).sorted()
        change.summary += " for \(relations.joined(separator: ", "))"
      }
      return change
    }
    return Self.difference(old.certificates, new.certificates, new.relations).map {
      make($0, false)
    }
      + Self.difference(new.certificates, old.certificates, old.relations).map { make($0, true) }
  }

  /// The certificates with the relations that the other app has for other certificates only.
  private static func difference(
    _ certificates: [ComparedStatements.Certificate],
    _ others: [ComparedStatements.Certificate], _ relations: [Relation]
  ) -> [ComparedStatements.Certificate] {
    certificates.compactMap { certificate in
      var rest = certificate
      rest.relations.formIntersection(relations)
      if let other = others.first(where: { $0.fingerprint == certificate.fingerprint }) {
        rest.relations.subtract(other.relations)
      }
      return rest.relations.isEmpty ? nil : rest
    }
  }

  // MARK: - Rules

  private func ruleChanges(
    _ old: ComparedStatements.App, _ new: ComparedStatements.App
  ) -> [DocumentChange] {
    guard let before = old.rules, let after = new.rules else {
      if old.rules == nil && new.rules == nil { return [] }
      let kind = DocumentChange.Kind(old.rules, new.rules)
      let count = (new.rules ?? old.rules ?? []).count
      return [
        DocumentChange(
          kind, .rule, from: old.rules?.first?.pointer, to: new.rules?.first?.pointer,
          apps: [new.package], effect: effects.effect(ofAll: new.package, old.rules, new.rules),
          "all \(count.counted("dynamic rule")) of \(new.package) \(kind.rawValue)")
      ]
    }
    let comparison = effects.comparison(before, after, of: new.package)
    return comparison.steps.compactMap { step in
      guard let kind = step.kind else { return nil }
      let (from, to) = (step.from.map { before[$0] }, step.to.map { after[$0] })
      let words =
        switch kind {
        case .moved: step.positions
        case .changed: "changed to \(to?.label ?? "rule")"
        case .removed, .added: kind.rawValue
        }
      return DocumentChange(
        kind, .rule, from: from?.pointer, to: to?.pointer, before: from?.json, after: to?.json,
        apps: [new.package], effect: comparison.effect(of: step),
        "\((from ?? to)?.label ?? "rule") \(words)")
    }
  }

  // MARK: - Other statements

  private func statementChanges() -> [DocumentChange] {
    let text = { (element: AssetLinks.Element) in element.json.sorted.serialized() }
    var same = Dictionary(grouping: to.others.indices.reversed()) { text(to.others[$0]) }
    var kept: Set<Int> = []
    var changes: [DocumentChange] = []
    for old in from.others {
      if let index = same[text(old)]?.popLast() {
        kept.insert(index)
      } else {
        changes.append(change(of: old, isAdded: false))
      }
    }
    return changes
      + to.others.indices.filter { !kept.contains($0) }
      .map { change(of: to.others[$0], isAdded: true) }
  }

  private func change(of element: AssetLinks.Element, isAdded: Bool) -> DocumentChange {
    var effect = DocumentChange.Effect.none
    let words: String
    switch element.meaning {
    case .include(let url):
      words = "include of \(url.quoted)"
      effect = .unknown
    case .statement(let statement):
      words =
        if case .site(let site) = statement.target {
          "statement about the site \(site.description.quoted)"
        } else { "statement" }
    case .nothing: words = "element that Android does not read"
    }
    return DocumentChange(
      .statement, isAdded: isAdded, at: element.pointer, value: element.json, effect: effect, words)
  }
}

/// The statements of a file by app.
private struct ComparedStatements {
  struct Certificate {
    let fingerprint: Fingerprint
    var relations: Set<Relation>
    let pointer: JSONPointer
  }

  struct App {
    let package: String
    /// Where its first statement is.
    let pointer: JSONPointer
    private(set) var relations: [Relation] = []
    private var known: Set<Relation> = []
    private(set) var certificates: [Certificate] = []
    private var places: [Fingerprint: Int] = [:]
    /// The rules of its first statement about links; `nil` without rules.
    var rules: [ComparedRule]?

    var isLinked: Bool { known.contains(.handleAllURLs) }

    init(package: String, pointer: JSONPointer) {
      (self.package, self.pointer) = (package, pointer)
    }

    mutating func add(
      _ relations: [Relation], _ fingerprints: [Fingerprint], at list: JSONPointer
    ) {
      for relation in relations where known.insert(relation).inserted {
        self.relations.append(relation)
      }
      let relations = Set(relations)
      for (index, fingerprint) in fingerprints.enumerated() {
        if let place = places[fingerprint] {
          certificates[place].relations.formUnion(relations)
        } else {
          places[fingerprint] = certificates.count
          certificates.append(
            Certificate(
              fingerprint: fingerprint, relations: relations, pointer: list.appending(index)))
        }
      }
    }
  }

  let json: JSON
  private(set) var apps: [App] = []
  /// The elements that are not about an app.
  private(set) var others: [AssetLinks.Element] = []
  private var places: [String: Int] = [:]

  init(_ links: AssetLinks, _ interning: Interning) {
    json = links.json
    for element in links.elements {
      guard case .statement(let statement) = element.meaning,
        case .app(let package, let fingerprints) = statement.target
      else {
        others.append(element)
        continue
      }
      let place = places[package.text] ?? apps.count
      if place == apps.count { apps.append(App(package: package.text, pointer: element.pointer)) }
      places[package.text] = place
      if statement.relations.contains(.handleAllURLs), !apps[place].isLinked {
        apps[place].rules = ComparedRule.rules(of: statement, element.json, interning)
      }
      let list = element.pointer.appending("target").appending("sha256_cert_fingerprints")
      apps[place].add(statement.relations, fingerprints, at: list)
    }
  }

  func app(_ package: String) -> App? { places[package].map { apps[$0] } }
}
