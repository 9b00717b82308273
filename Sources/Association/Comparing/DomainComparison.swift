/// Everything that differs between two states of a domain: the documents by meaning, and the other
/// settings.
package struct DomainComparison: Sendable {
  /// What a domain published at one time.
  package struct State: Sendable {
    package let documents: ReadDocuments
    /// The domain with everything else; `nil` if it was not recorded.
    package let domain: Domain?

    package init(_ documents: ReadDocuments, _ domain: Domain?) {
      (self.documents, self.domain) = (documents, domain)
    }

    fileprivate var isServed: Bool { domain?.isEnabled ?? true }
  }

  /// Compares documents.
  package typealias Comparing = (ReadDocuments, ReadDocuments) throws(TooComplex) -> DocumentChanges

  /// The changes of settings, then those of the document.
  package let changes: [DocumentChange]
  /// Whether the settings of both states are known, so that their changes are listed.
  package let areSettingsKnown: Bool

  /// Whether some URL resolves differently for some app; `nil` if that is unknown.
  package var affectsLinks: Bool? {
    changes.reduce(DocumentChange.Effect.none) { $0.joined(with: $1.effect) }.affectsLinks
  }

  /// Compares two states.
  ///
  /// - Parameters:
  ///   - moves: Names that other domains take over or gave up at the same time.
  ///   - findsExamples: Whether to look for URLs that show the effects of documents on links, which takes most of the
  ///     time and memory. Otherwise these effects are unknown.
  ///   - comparing: Compares documents with examples.
  /// - Throws: `TooComplex` if the patterns of a document are over a limit.
  package init(
    of name: DomainName, from: State, to: State, moves: [Alias: MovedName] = [:],
    findsExamples: Bool = true,
    comparing: @escaping Comparing = { (from, to) throws(TooComplex) in
      try DocumentChanges(from: from, to: to)
    }
  ) throws(TooComplex) {
    var effects = ServiceEffects(from, to, comparing)
    var changes: [DocumentChange] = []
    if let before = from.domain, let after = to.domain {
      changes = before.changes(to: after)
      for index in changes.indices {
        try effects.complete(&changes[index], before.names(of: name), after.names(of: name), moves)
      }
    }
    // While nothing is served, the document changes no link.
    let isServed = from.isServed && to.isServed
    let documents =
      findsExamples
      ? try comparing(from.documents, to.documents)
      : try DocumentChanges(from: from.documents, to: to.documents, findsExamples: false)
    changes += documents.changes.map { change in
      var change = change
      change.effect = isServed ? change.effect.at(name.text) : .none
      return change
    }
    self.changes = changes
    areSettingsKnown = from.domain != nil && to.domain != nil
  }

  /// Compares a state with the deletion of the domain.
  ///
  /// - Throws: `TooComplex` if the patterns of the document are over a limit.
  package init(
    deleting name: DomainName, from: State, moves: [Alias: MovedName] = [:],
    comparing: @escaping Comparing
  ) throws(TooComplex) {
    var effects = ServiceEffects(from, nil, comparing)
    var deletion = DocumentChange(
      .removed, .domain, before: .string(name.text), "domain \(name) deleted")
    try effects.complete(&deletion, [Alias(name)], [], moves)
    var changes = [deletion]
    let names = from.domain?.names(of: name) ?? []
    for alias in from.domain?.aliases ?? [] {
      var change = DocumentChange.alias(alias, isAdded: false)
      try effects.complete(&change, names, [], moves)
      changes.append(change)
    }
    self.changes = changes
    areSettingsKnown = from.domain != nil
  }
}

/// How the documents of two states differ, whatever their domain is called.
package struct DocumentChanges: Sendable {
  /// The changes of all documents, in the order of their kinds, with examples at `example.com`.
  fileprivate let changes: [DocumentChange]
  /// The host of examples, which is replaced by the name of the domain.
  static let host = "example.com"

  /// Compares documents.
  ///
  /// - Parameter findsExamples: See `DomainComparison`.
  /// - Throws: `TooComplex` if the patterns of a document are over a limit.
  package init(
    from: ReadDocuments, to: ReadDocuments, findsExamples: Bool = true
  ) throws(TooComplex) {
    var changes: [DocumentChange] = []
    for kind in DocumentKind.allCases {
      changes += try kind.changes(from: from, to: to, domain: findsExamples ? Self.host : nil)
    }
    self.changes = changes
  }

  package var count: Int { changes.count }

  fileprivate var effect: DocumentChange.Effect {
    changes.reduce(.none) { $0.joined(with: $1.effect) }
  }
}

/// A name that one domain gives up and another takes in the same change.
package struct MovedName: Sendable {
  let from: DomainName
  let to: DomainName
  /// The document that was served for the name, and the one that is now; `nil` if none is.
  let before: ReadDocuments?
  let after: ReadDocuments?

  package init(
    from: DomainName, to: DomainName, before: ReadDocuments?, after: ReadDocuments?
  ) {
    (self.from, self.to) = (from, to)
    (self.before, self.after) = (before, after)
  }
}

extension Domain {
  fileprivate func names(of domain: DomainName) -> [Alias] { [Alias(domain)] + aliases }
}

/// The effects on links of serving a document, or of no longer serving it.
private struct ServiceEffects {
  private let before: ReadDocuments?
  private let after: ReadDocuments?
  private let comparing: DomainComparison.Comparing
  private var stoppingEffect: DocumentChange.Effect?
  private var startingEffect: DocumentChange.Effect?

  init(
    _ from: DomainComparison.State, _ to: DomainComparison.State?,
    _ comparing: @escaping DomainComparison.Comparing
  ) {
    self.comparing = comparing
    before = from.isServed ? from.documents : nil
    after = to.flatMap { $0.isServed ? $0.documents : nil }
  }

  /// Sets the effect of a changed setting.
  mutating func complete(
    _ change: inout DocumentChange, _ before: [Alias], _ after: [Alias],
    _ moves: [Alias: MovedName]
  ) throws(TooComplex) {
    switch (change.what, change.kind) {
    case (.enabled, _):
      let name = (after.first ?? before.first).map(\.exampleHost) ?? DocumentChanges.host
      change.effect = try effect(isStarting: change.after == true).at(name)
    case (.alias, .added), (.alias, .removed), (.domain, _):
      guard let text = (change.before ?? change.after)?.stringValue else { return }
      let name = Alias(stored: text)
      let others = change.kind == .added ? before : after
      if others.contains(where: { $0.covers(host: name.exampleHost) }) { return }
      if let move = moves[name] {
        change.summary =
          switch (change.what, change.kind) {
          case (.domain, _): change.summary + ", and its name moved to \(move.to)"
          case (_, .added): "alias \(name) moved here from \(move.from)"
          default: "alias \(name) moved to \(move.to)"
          }
        change.effect = try effect(from: move.before, to: move.after).at(name.exampleHost)
      } else {
        change.effect = try effect(isStarting: change.kind == .added).at(name.exampleHost)
      }
    default: break
    }
  }

  private mutating func effect(isStarting: Bool) throws(TooComplex) -> DocumentChange.Effect {
    if let known = isStarting ? startingEffect : stoppingEffect { return known }
    let effect = try effect(
      from: isStarting ? nil : before, to: isStarting ? after : nil)
    if isStarting { startingEffect = effect } else { stoppingEffect = effect }
    return effect
  }

  private func effect(
    from before: ReadDocuments?, to after: ReadDocuments?
  ) throws(TooComplex) -> DocumentChange.Effect {
    if before == nil && after == nil { return .none }
    return try comparing(before ?? .none, after ?? .none).effect
  }
}

extension Alias {
  fileprivate var exampleHost: String { isWildcard ? "a.\(name)" : name.text }
}

extension DocumentChange.Effect {
  /// The effect with its example at another host.
  fileprivate func at(_ host: String) -> Self {
    guard case .example(let first, let more) = self else { return self }
    let moved = { (example: DocumentChange.Example) in
      let path = example.url.dropFirst("https://\(DocumentChanges.host)".utf8.count)
      return DocumentChange.Example(
        url: "https://\(host)\(path)", app: example.app, before: example.before,
        after: example.after)
    }
    return .example(moved(first), more: more.map(moved))
  }
}
