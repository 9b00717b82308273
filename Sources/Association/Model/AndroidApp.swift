package struct AndroidApp: Sendable, Equatable {
  /// A certificate that the app is signed with.
  package struct Certificate: Sendable, Hashable {
    /// What a certificate is for.
    package enum Label: String, Sendable, CaseIterable {
      /// The developer's own key, which Google Play replaces in what it delivers.
      case upload
      /// The key that Google Play signs with. Users' devices see this one.
      case playSigning = "play-signing"
      /// The key of a developer's machine.
      case debug
      /// Nobody has said whose key it is: the certificate comes from an adopted file.
      case unknown
    }

    package var fingerprint: Fingerprint
    package var label: Label

    package init(_ fingerprint: Fingerprint, label: Label) {
      self.fingerprint = fingerprint
      self.label = label
    }
  }

  /// Somebody who may change only some domains.
  package struct LimitedAuthor: Sendable, Equatable {
    /// The name of a token or a user.
    package let name: String
    /// The domains.
    package var scope: Scope

    package init(name: String, scope: Scope) {
      self.name = name
      self.scope = scope
    }

    /// Whether they may change a domain.
    package func covers(_ domain: Domain) -> Bool {
      scope.covers(Alias(domain.name), labels: domain.labels)
    }
  }

  package var package: PackageName
  /// A name for people; may be empty.
  @ExactText package var name: String
  package var environment: App.Environment
  /// The certificates in the order in which they are published. An app without any cannot be
  /// published.
  package var certificates: [Certificate]
  /// Who added the app, if that was somebody limited to domains, and nobody without limits has confirmed its
  /// certificates since.
  package var addedBy: LimitedAuthor?

  /// No app has more certificates.
  package static let mostCertificates = 100

  package init(
    package: PackageName, name: String = "", environment: App.Environment = .production,
    certificates: [Certificate] = []
  ) {
    self.package = package
    self.name = name
    self.environment = environment
    self.certificates = certificates
  }
}
