/// One difference between two documents, or between other settings of a domain.
package struct DocumentChange: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Only the second document has the thing.
    case added
    /// Only the first document has the thing.
    case removed
    /// Both have the thing, with different content.
    case changed
    /// Both have the thing, with equal content at different positions.
    case moved

    /// The sign at the start of a line: `+`, `-`, `~` or `↕`.
    package var sign: String {
      switch self {
      case .added: "+"
      case .removed: "-"
      case .changed: "~"
      case .moved: "↕"
      }
    }

    /// The kind for a thing that may be missing before or after.
    init<Thing>(_ before: Thing?, _ after: Thing?) {
      self = before == nil ? .added : after == nil ? .removed : .changed
    }
  }

  package enum What: String, Sendable, CaseIterable {
    /// An app in `applinks`. If it is added or removed, its routes are not listed separately.
    case app
    /// A route: an element of `components` or of `paths`.
    case route
    case comment
    /// A key of `defaults` that changes routes.
    case `default`
    /// A variable of `substitutionVariables`.
    case variable
    /// An app of a service other than `applinks`.
    case serviceApp = "service-app"
    /// The `paths` of an entry with `components`: only systems before iOS 13 read them.
    case legacyPaths = "legacy-paths"
    /// What an app may do by a statement of Android's file.
    case relation
    /// The fingerprint of a certificate of an Android app.
    case fingerprint
    /// A dynamic rule of Android's file.
    case rule
    /// A statement of Android's file that is not about an app, or an include.
    case statement
    /// An origin that may use the domain's passkeys.
    case origin
    /// A value that devices ignore: an unknown key, or a value of the wrong type.
    case extra
    /// The domain itself, which is deleted.
    case domain
    /// Another name of the domain.
    case alias
    /// Whether the domain serves its files.
    case enabled
    /// How long clients may cache the files, in seconds.
    case cacheSeconds
    /// What the domain is for.
    case environment
    /// Whether an app of another environment is an error.
    case strict
    /// Whether a second person must approve changes.
    case protected
    /// A label of the domain.
    case label
    /// The template that the domain uses.
    case template
    /// The value of a parameter of the template.
    case parameter
    /// Where the domain is managed.
    case managedBy
    /// What people without an app get.
    case fallback
    /// A URL with the resolution that it must have.
    case expectation
    /// A document that is published as bytes.
    case document
    /// Where people change their password.
    case changePassword
  }

  /// A URL that the documents resolve differently.
  package struct Example: Sendable, Equatable {
    package let url: String
    package let app: String
    package let before: Resolution
    package let after: Resolution
  }

  package enum Effect: Sendable, Equatable {
    /// URLs resolve differently, for example these. Further ones are decided by other routes.
    case example(Example, more: [Example] = [])
    /// No URL resolves differently.
    case none
    case unknown
  }

  /// The document that `from` and `to` are places in; Apple's also for settings, which have no places.
  package internal(set) var document = DocumentKind.apple
  package let kind: Kind
  package let what: What
  /// Where it is in the first document; `nil` if it is added.
  package let from: JSONPointer?
  /// Where it is in the second document; `nil` if it is removed.
  package let to: JSONPointer?
  /// The value before; for a route, with everything it inherits from `defaults`.
  package let before: JSON?
  package let after: JSON?
  /// The change in words, on one line without a full stop.
  package internal(set) var summary: String
  /// The apps it affects, with their identifiers in the second document if they exist there.
  package internal(set) var apps: [String] = []
  package internal(set) var effect: Effect

  init(
    _ kind: Kind, _ what: What, from: JSONPointer? = nil, to: JSONPointer? = nil,
    before: JSON? = nil, after: JSON? = nil, apps: [String] = [], effect: Effect = .none,
    _ summary: String
  ) {
    self.kind = kind
    self.what = what
    self.from = from
    self.to = to
    self.before = before
    self.after = after
    self.summary = summary
    self.apps = apps
    self.effect = effect
  }

  /// Something that only one of the documents has. The summary ends with "added" or "removed".
  init(
    _ what: What, isAdded: Bool, at pointer: JSONPointer? = nil, value: JSON? = nil,
    apps: [String] = [], effect: Effect = .none, _ subject: String
  ) {
    self.init(
      isAdded ? .added : .removed, what, from: isAdded ? nil : pointer, to: isAdded ? pointer : nil,
      before: isAdded ? nil : value, after: isAdded ? value : nil, apps: apps, effect: effect,
      "\(subject) \(isAdded ? "added" : "removed")")
  }

  /// URLs that resolve differently, up to 10, one for each pair of routes that decide before and after.
  package var examples: [Example] {
    if case .example(let first, let more) = effect { [first] + more } else { [] }
  }

  /// Whether some URL resolves differently; `nil` if that is unknown.
  package var affectsLinks: Bool? { effect.affectsLinks }
}

extension DocumentChange.Effect {
  var affectsLinks: Bool? {
    switch self {
    case .example: true
    case .none: false
    case .unknown: nil
    }
  }

  func joined(with other: Self) -> Self {
    switch (self, other) {
    case (.example, _), (.unknown, .none): self
    case (.none, _), (.unknown, _): other
    }
  }
}

extension DocumentChange {
  /// The change on one line: its sign, the summary, and the effect on links.
  package var text: String {
    switch effect {
    case .example(let first, let more):
      "\(kind.sign) \(summary) [\(first.text)\(Self.text(more))]"
    case .none where [.route, .app, .variable, .alias, .rule].contains(what):
      "\(kind.sign) \(summary) [no URL resolves differently]"
    case .none, .unknown: "\(kind.sign) \(summary)"
    }
  }

  private static let mostShown = 3

  private static func text(_ more: [Example]) -> String {
    let rest = more.count + 1 - mostShown
    return more.prefix(mostShown - 1).map { "; \($0.text)" }.joined()
      + (rest > 0 ? "; and \(rest) more" : "")
  }
}

extension DocumentChange.Example {
  fileprivate var text: String {
    "\(url.harmless) for \(app.harmless): \(before.rawValue) → \(after.rawValue)"
  }
}
