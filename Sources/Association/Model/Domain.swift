/// An app that domains use.
package struct App: Sendable, Equatable {
  /// What an app or a domain is for.
  package enum Environment: String, Sendable, CaseIterable {
    /// For customers.
    case production
    /// For tests before a release.
    case staging
    /// For developers.
    case development
  }

  package var id: AppIdentifier
  /// A name for people; may be empty.
  @ExactText package var name: String
  package var environment: Environment

  package init(id: AppIdentifier, name: String = "", environment: Environment = .production) {
    self.id = id
    self.name = name
    self.environment = environment
  }
}

/// A domain name that a file is published for, with the content of the file.
package struct Domain: Sendable, Equatable {
  /// The form of entries that do not set their own.
  package enum Format: String, Sendable, CaseIterable {
    /// `appIDs` and `components`.
    case modern
    /// `apps: []`, `appID` and `paths`, for iOS 12 and earlier.
    case legacy

    /// The keys of an entry in this format.
    package var keys: Entry.Keys { self == .modern ? .modern : .legacy }

    /// `applinks.apps` in this format: systems that read `paths` require it to be empty.
    package var apps: [String]? { self == .modern ? nil : [] }

    /// The format of a document: legacy if all of it is, otherwise modern, with entries that set their
    /// own keys.
    package init(of document: AssociationFile) {
      let entries = document.entries.filter(\.isForApple)
      let isLegacy =
        document.apps == [] && !entries.isEmpty && entries.allSatisfy { $0.keys == .legacy }
      self = isLegacy ? .legacy : .modern
    }
  }

  package var name: DomainName
  /// Other names that the same file is served for.
  package var aliases: [Alias]
  /// Whether the file is served; a disabled domain answers 404.
  package var isEnabled: Bool
  /// The form of entries that do not set their own.
  package var format: Format
  /// The `max-age` of responses, in seconds.
  package var cacheSeconds: Int
  package var environment: App.Environment
  /// Whether an app of another environment is an error instead of a warning.
  package var isStrict: Bool
  /// By what people choose the domain: in order, each once.
  package var labels: [Label] = []
  /// Where the domain is managed, for people who edit it elsewhere; `nil` for nowhere else.
  @ExactText package var managedBy: String?
  /// The content of the files that the entries render.
  package var associationFile: AssociationFile
  /// The Android apps that share passwords and passkeys with the domain.
  package var androidCredentials: [PackageName]
  /// Whether the routes are rendered for Android, too. Otherwise the manifests of the apps alone decide.
  package var hasDynamicAppLinks: Bool
  /// Statements of `assetlinks.json` that are published unchanged, behind those of the apps.
  package var assetLinksExtra: [JSON]
  /// The other origins that may use the domain's passkeys.
  package var webAuthnOrigins: [WebOrigin]
  /// Members of `webauthn` that no other property holds, and origins that are none, by their index.
  package var webAuthnExtra: JSON.Object
  /// The members of `passkey-endpoints`; `nil` for no such file.
  package var passkeyEndpoints: JSON.Object?
  /// What people without an app get for every other path; `nil` for 404.
  package var fallback: Fallback?
  /// The documents that are published as bytes, in the order of their names.
  package var namedDocuments: [NamedDocument] = []
  /// Where people change their password; browsers are redirected there.
  package var changePassword: SecureURL?
  /// URLs with their required resolutions.
  package var expectations: [Expectation]
  /// Whether a second person must approve its changes.
  package var isProtected = false
  /// The template that part of the domain comes from. What it gives is in the other properties, too.
  package var template: TemplateUse?

  /// The default of `cacheSeconds`. Apple's CDN gives its own copies one to six hours.
  package static let defaultCacheSeconds = 3600
  /// The range of `cacheSeconds`: up to a year.
  package static let cacheSecondsRange = 0...31_536_000

  package init(
    name: DomainName, aliases: [Alias] = [], isEnabled: Bool = true, format: Format = .modern,
    cacheSeconds: Int = Domain.defaultCacheSeconds, environment: App.Environment = .production,
    isStrict: Bool = false, associationFile: AssociationFile = AssociationFile(),
    expectations: [Expectation] = [],
    androidCredentials: [PackageName] = [], hasDynamicAppLinks: Bool = true,
    assetLinksExtra: [JSON] = [], webAuthnOrigins: [WebOrigin] = [],
    webAuthnExtra: JSON.Object = [:], template: TemplateUse? = nil
  ) {
    self.name = name
    self.aliases = aliases
    self.isEnabled = isEnabled
    self.format = format
    self.cacheSeconds = cacheSeconds
    self.environment = environment
    self.isStrict = isStrict
    self.associationFile = associationFile
    self.expectations = expectations
    self.androidCredentials = androidCredentials
    self.hasDynamicAppLinks = hasDynamicAppLinks
    self.assetLinksExtra = assetLinksExtra
    self.webAuthnOrigins = webAuthnOrigins
    self.webAuthnExtra = webAuthnExtra
    self.template = template
  }
}

/// A URL of a domain with the resolution that it must have for an app. A change that breaks an
/// expectation is refused.
package struct Expectation: Sendable, Hashable {
  /// The URL, as it is written.
  package var url: String
  package var app: LinkedApp
  package var resolution: Resolution

  /// Compares URLs scalar by scalar.
  package static func == (left: Expectation, right: Expectation) -> Bool {
    sameScalars(left.url, right.url) && left.app == right.app
      && left.resolution == right.resolution
  }

  package init(url: String, app: LinkedApp, resolution: Resolution) {
    self.url = url
    self.app = app
    self.resolution = resolution
  }

  /// An expectation of an Apple app.
  package init(url: String, app: AppIdentifier, resolution: Resolution) {
    self.init(url: url, app: .ios(app), resolution: resolution)
  }
}

/// What a domain published at one time. It never changes.
package struct Revision: Sendable, Equatable {
  package struct Document: Sendable, Equatable {
    /// The kind, of which a revision has at most one document.
    package var kind: DocumentKind
    /// The size in bytes.
    package var size: Int
    /// The SHA-256, 64 lower-case hexadecimal digits.
    package var sha256: String
    /// The media type of a document that is not rendered; `nil` for JSON.
    package var mediaType: MediaType?

    package init(_ kind: DocumentKind, size: Int, sha256: String, mediaType: MediaType? = nil) {
      self.kind = kind
      self.size = size
      self.sha256 = sha256
      self.mediaType = mediaType
    }
  }

  /// The number in the domain, from 1.
  package var number: Int
  /// The documents in the order of kinds, at least one.
  package var documents: [Document]
  package var publishedAt: UnixTime
  /// Who published it: the name of a token, or of a command.
  package var author: String
  package var reason: String
  /// The codes of the errors that were accepted when it was published.
  package var acceptedCodes: [String]
  /// Whether `apply` published it.
  package var isApplied: Bool
  /// The change that it is a part of; `nil` for a revision of an earlier version.
  package var change: Int64?

  package init(
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
