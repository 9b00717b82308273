public import JSONValue

/// One thing that two documents say differently.
public struct DocumentChange: Sendable {
  /// What became of it.
  public enum Kind: String, Sendable, CaseIterable {
    /// Only the second document has it.
    case added
    /// Only the first document has it.
    case removed
    /// Both have it, and it says something else.
    case changed
    /// Both have it, and it says the same at another place in the order.
    case moved

    /// The sign before a line about it: `+`, `-`, `~` or `↕`.
    public var sign: String {
      switch self {
      case .added: "+"
      case .removed: "-"
      case .changed: "~"
      case .moved: "↕"
      }
    }
  }

  /// What kind of thing it is.
  public enum What: String, Sendable, CaseIterable {
    /// An app that `applinks` names. If it is added or removed, its routes are not listed one by one.
    case app
    /// A route, be it an element of `components` or of `paths`.
    case route
    /// The comment of a route.
    case comment
    /// A key of `defaults`, where routes say something else for it.
    case `default`
    /// A variable of `substitutionVariables`.
    case variable
    /// An app of another service than `applinks`.
    case serviceApp = "service-app"
    /// The `paths` of an entry that has `components`, too: only systems before iOS 13 read them.
    case legacyPaths = "legacy-paths"
    /// A member that does not count: an unknown key, or a value of the wrong type.
    case extra
  }

  /// A URL that the documents resolve differently.
  public struct Example: Sendable, Equatable {
    /// The URL.
    public let url: String
    /// The app that is asked about.
    public let app: String
    /// What the first document says.
    public let before: Resolution
    /// What the second document says.
    public let after: Resolution
  }

  /// What the change does to links.
  public enum Effect: Sendable, Equatable {
    /// This URL, for one, resolves differently.
    case example(Example)
    /// No URL resolves differently for it.
    case none
    /// It was not found out.
    case unknown
  }

  /// What became of it.
  public let kind: Kind
  /// What kind of thing it is.
  public let what: What
  /// Where it stands in the first document; `nil` if it is added.
  public let from: JSONPointer?
  /// Where it stands in the second document; `nil` if it is removed.
  public let to: JSONPointer?
  /// The value before, of a route with all that it inherits from `defaults`.
  public let before: JSON?
  /// The value after.
  public let after: JSON?
  /// The change in plain words, one line without an end.
  public let summary: String
  /// The apps that it concerns, by their identifiers in the second document if it has them.
  public internal(set) var apps: [String] = []
  /// What it does to links.
  public internal(set) var effect: Effect

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

  /// A URL that resolves differently, if one was found.
  public var example: Example? {
    if case .example(let example) = effect { example } else { nil }
  }

  /// Whether some URL resolves differently; `nil` if that was not found out.
  public var affectsLinks: Bool? { effect.affectsLinks }
}

extension DocumentChange.Effect {
  var affectsLinks: Bool? {
    switch self {
    case .example: true
    case .none: false
    case .unknown: nil
    }
  }

  /// The effect of two things together.
  func joined(with other: Self) -> Self {
    switch (self, other) {
    case (.example, _), (.unknown, .none): self
    case (.none, _), (.unknown, _): other
    }
  }
}
