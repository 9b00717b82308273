public import Association
public import JSONValue
import Store

/// A look from outside at one domain.
public struct Check: Sendable {
  /// How a check ended: by its worst finding that no suppression covers.
  public enum Status: String, Sendable, CaseIterable {
    /// Nothing worse than notes.
    case ok
    /// Warnings.
    case warning
    /// Errors: something keeps links from opening.
    case failing
  }

  /// The domain.
  public var domain: DomainName
  /// When it began, in seconds since 1970.
  public var at: Int64
  /// How long it took.
  public var milliseconds = 0
  /// What was found.
  public var findings: [Finding] = []
  /// What the origin serves; `nil` if it serves nothing or the domain is not ours.
  public var origin: HeldDocument?
  /// What Apple's CDN serves; `nil` if it serves nothing or the domain is not ours.
  public var cdn: HeldDocument?
  /// When the certificate of the origin ends, in seconds since 1970.
  public var certificateEndsAt: Int64?
  /// All of it, as the API answers.
  public var json: JSON { ["domain": .string(domain.text)] }

  /// By the worst finding.
  public var status: Status {
    switch findings.map(\.severity).max() {
    case .error: .failing
    case .warning: .warning
    case .note, nil: .ok
    }
  }

  /// A check without findings.
  public init(of domain: DomainName, at: Int64) {
    self.domain = domain
    self.at = at
  }

  /// A document that was found outside.
  public struct HeldDocument: Sendable {
    /// The revision of ours that it is; `nil` if it is none.
    public var revision: Int?
    /// Our current revision.
    public var current: Int
    /// Of a cache: its age in seconds.
    public var age: Int?
    /// Of a cache: until when it is fresh, in seconds since 1970.
    public var expiresAt: Int64?

    /// A document.
    public init(current: Int) { self.current = current }
  }
}
