/// An app that domains use.
public struct App: Sendable, Equatable {
  /// What an app or a domain is for.
  public enum Environment: String, Sendable, CaseIterable {
    /// For customers.
    case production
    /// For tests before a release.
    case staging
    /// For developers.
    case development
  }

  /// The app identifier.
  public var id: AppIdentifier
  /// A name for people; may be empty.
  public var name: String
  /// What the app is for.
  public var environment: Environment

  /// An app.
  public init(id: AppIdentifier, name: String = "", environment: Environment = .production) {
    self.id = id
    self.name = name
    self.environment = environment
  }
}

/// A domain name that a file is published for, with the content of the file.
public struct Domain: Sendable, Equatable {
  /// The form of entries that do not set their own.
  public enum Format: String, Sendable, CaseIterable {
    /// `appIDs` and `components`.
    case modern
    /// `apps: []`, `appID` and `paths`, for iOS 12 and earlier.
    case legacy

    /// The keys of an entry in this format.
    public var keys: Entry.Keys { self == .modern ? .modern : .legacy }

    /// `applinks.apps` in this format: systems that read `paths` require it to be empty.
    public var apps: [String]? { self == .modern ? nil : [] }

    /// The format of a document: legacy if all of it is, otherwise modern, with entries that set their
    /// own keys.
    public init(of document: Document) {
      let entries = document.entries.filter(\.isForApple)
      let isLegacy =
        document.apps == [] && !entries.isEmpty && entries.allSatisfy { $0.keys == .legacy }
      self = isLegacy ? .legacy : .modern
    }
  }

  /// The name.
  public var name: DomainName
  /// Other names that the same file is served for.
  public var aliases: [Alias]
  /// Whether the file is served; a disabled domain answers 404.
  public var isEnabled: Bool
  /// The form of entries that do not set their own.
  public var format: Format
  /// The `max-age` of responses, in seconds.
  public var cacheSeconds: Int
  /// What the domain is for.
  public var environment: App.Environment
  /// Whether an app of another environment is an error instead of a warning.
  public var isStrict: Bool
  /// The content of the files that the entries render.
  public var document: Document
  /// The Android apps that share passwords and passkeys with the domain.
  public var androidCredentials: [PackageName]
  /// Whether the routes are rendered for Android, too. Otherwise the manifests of the apps alone decide.
  public var hasDynamicAppLinks: Bool
  /// Statements of `assetlinks.json` that are published unchanged, behind those of the apps.
  public var assetLinksExtra: [JSON]
  /// The other origins that may use the domain's passkeys.
  public var webAuthnOrigins: [WebOrigin]
  /// Members of `webauthn` that no other property holds, and origins that are none, by their index.
  public var webAuthnExtra: JSON.Object
  /// URLs with their required resolutions.
  public var expectations: [Expectation]

  /// The default of `cacheSeconds`. Apple's CDN gives its own copies one to six hours.
  public static let defaultCacheSeconds = 3600
  /// The range of `cacheSeconds`: up to a year.
  public static let cacheSecondsRange = 0...31_536_000

  /// A domain.
  public init(
    name: DomainName, aliases: [Alias] = [], isEnabled: Bool = true, format: Format = .modern,
    cacheSeconds: Int = Domain.defaultCacheSeconds, environment: App.Environment = .production,
    isStrict: Bool = false, document: Document = Document(), expectations: [Expectation] = [],
    androidCredentials: [PackageName] = [], hasDynamicAppLinks: Bool = true,
    assetLinksExtra: [JSON] = [], webAuthnOrigins: [WebOrigin] = [],
    webAuthnExtra: JSON.Object = [:]
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
    self.androidCredentials = androidCredentials
    self.hasDynamicAppLinks = hasDynamicAppLinks
    self.assetLinksExtra = assetLinksExtra
    self.webAuthnOrigins = webAuthnOrigins
    self.webAuthnExtra = webAuthnExtra
  }
}

/// A URL of a domain with the resolution that it must have for an app. A change that breaks an
/// expectation is refused.
public struct Expectation: Sendable, Hashable {
  /// The URL, as it is written.
  public var url: String
  /// The app.
  public var app: LinkedApp
  /// The required resolution.
  public var resolution: Resolution

  /// Compares URLs scalar by scalar.
  public static func == (left: Expectation, right: Expectation) -> Bool {
    sameScalars(left.url, right.url) && left.app == right.app
      && left.resolution == right.resolution
  }

  /// An expectation.
  public init(url: String, app: LinkedApp, resolution: Resolution) {
    self.url = url
    self.app = app
    self.resolution = resolution
  }

  /// An expectation of an Apple app.
  public init(url: String, app: AppIdentifier, resolution: Resolution) {
    self.init(url: url, app: .ios(app), resolution: resolution)
  }
}

/// What a domain published at one time. It never changes.
public struct Revision: Sendable, Equatable {
  /// A document of a revision.
  public struct Document: Sendable, Equatable {
    /// The kind, of which a revision has at most one document.
    public package(set) var kind: DocumentKind
    /// The size in bytes.
    public package(set) var size: Int
    /// The SHA-256, 64 lower-case hexadecimal digits.
    public package(set) var sha256: String

    /// A document of a revision.
    public init(_ kind: DocumentKind, size: Int, sha256: String) {
      self.kind = kind
      self.size = size
      self.sha256 = sha256
    }
  }

  /// The number in the domain, from 1.
  public package(set) var number: Int
  /// The documents in the order of kinds, at least one.
  public package(set) var documents: [Document]
  /// When it was published.
  public package(set) var publishedAt: UnixTime
  /// Who published it: the name of a token, or of a command.
  public package(set) var author: String
  /// Why it was published.
  public package(set) var reason: String
  /// The codes of the errors that were accepted when it was published.
  public package(set) var acceptedCodes: [String]
  /// Whether `apply` published it.
  public package(set) var isApplied: Bool

  /// A revision.
  public init(
    number: Int, documents: [Document] = [], publishedAt: UnixTime, author: String, reason: String,
    acceptedCodes: [String], isApplied: Bool = false
  ) {
    self.number = number
    self.documents = documents
    self.publishedAt = publishedAt
    self.author = author
    self.reason = reason
    self.acceptedCodes = acceptedCodes
    self.isApplied = isApplied
  }
}
