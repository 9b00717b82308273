/// A name that a file is published for, with all that the file is made of.
public struct Domain: Sendable, Equatable {
  /// How entries are written that do not say it themselves.
  public enum Format: String, Sendable, CaseIterable {
    /// `appIDs` and `components`.
    case modern
    /// `apps: []`, `appID` and `paths`, for iOS 12 and earlier.
    case legacy

    /// The keys of an entry in this format.
    public var keys: Entry.Keys { self == .modern ? .modern : .legacy }

    /// `applinks.apps` in this format: systems that read `paths` want it to be empty.
    public var apps: [String]? { self == .modern ? nil : [] }

    /// The format that a document is in: legacy if all of it is, otherwise modern, with entries that
    /// say themselves how they are written.
    public init(of document: Document) {
      let isLegacy =
        document.apps == [] && !document.entries.isEmpty
        && document.entries.allSatisfy { $0.keys == .legacy }
      self = isLegacy ? .legacy : .modern
    }
  }

  /// The name.
  public var name: DomainName
  /// Further names that the same file is served for.
  public var aliases: [Alias]
  /// Whether the file is served; a domain that is not enabled is 404.
  public var isEnabled: Bool
  /// How entries are written that do not say it themselves.
  public var format: Format
  /// The `max-age` of the answers, in seconds.
  public var cacheSeconds: Int
  /// What the domain is for.
  public var environment: App.Environment
  /// Whether an app of another environment on it is an error.
  public var isStrict: Bool
  /// What the file says.
  public var document: Document
  /// URLs with the resolutions that they must have.
  public var expectations: [Expectation]

  /// How many seconds a copy may be kept unless the domain says otherwise. Apple's CDN gives its own
  /// copies one to six hours.
  public static let defaultCacheSeconds = 3600
  /// The values that `cacheSeconds` may have: up to a year.
  public static let cacheSecondsRange = 0...31_536_000

  /// A domain.
  public init(
    name: DomainName, aliases: [Alias] = [], isEnabled: Bool = true, format: Format = .modern,
    cacheSeconds: Int = Domain.defaultCacheSeconds, environment: App.Environment = .production,
    isStrict: Bool = false, document: Document = Document(), expectations: [Expectation] = []
  ) {
    self.name = name
    self.aliases = aliases
    self.isEnabled = isEnabled
    self.format = format
    self.cacheSeconds = cacheSeconds
    self.environment = environment
    self.isStrict = isStrict
    self.document = document
    self.expectations = expectations
  }
}
