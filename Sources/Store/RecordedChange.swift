package import Association

/// What one author did at once to one domain or many: what can be undone at once. Not to be confused with the rows
/// of `change`, which tell servers what to read again.
package struct RecordedChange: Sendable, Equatable {
  /// Its number; later changes have higher ones.
  package var id: Int64 = 0
  package var at: UnixTime = 0
  /// Who: the name of a token, of a user, or of a command.
  package var author = ""
  package var action = ""
  /// The author's reason; may be empty.
  package var reason = ""
  /// How many domains it changed, of those that the reader may see.
  package var domainCount = 0
  /// The first of these by name; `nil` if there is none.
  package var firstDomain: DomainName?
  /// The change that it undid.
  package var reverts: Int64?
  /// The last change that undid it.
  package var revertedBy: Int64?
}

/// A domain of a change.
package struct ChangedDomain: Sendable, Equatable {
  package let name: DomainName
  /// The revision before the change; `nil` if the change created the domain.
  package let before: Int?
  /// The revision that the change published; `nil` if it deleted the domain.
  package let after: Int?
  /// The current revision, or the last one of a deleted domain; `nil` if nothing is kept of the domain.
  package let current: Int?
  package let exists: Bool
  /// The codes of the errors that were accepted for the revision before; `nil` if that is not kept.
  package let acceptedCodes: [String]?
  /// The last change of the domain after this one; `nil` if there is none.
  package let laterChange: Int64?
  /// Whether all later changes of the domain have been undone.
  var isBack = false

  /// Whether the domain is not as the change left it.
  package var hasChangedSince: Bool {
    if isBack { return false }
    if let after { return !exists || current != after }
    return exists || current != nil && current != before
  }
}

/// An app of either platform.
package enum AppState: Sendable, Equatable {
  case ios(App)
  case android(AndroidApp)

  package var id: LinkedApp {
    switch self {
    case .ios(let app): app.id.id
    case .android(let app): app.package.id
    }
  }
}

/// An app that changed together with domains.
package struct ChangedApp: Sendable, Equatable {
  /// `nil` if the change added it.
  package let before: AppState?
  /// `nil` if the change deleted it.
  package let after: AppState?

  /// An app that changed from one state to another.
  package init(before: AppState?, after: AppState?) {
    (self.before, self.after) = (before, after)
  }

  /// What takes it back.
  package var reversed: ChangedApp { ChangedApp(before: after, after: before) }

  /// Whether the change gave it another identifier.
  package var isRenamed: Bool {
    if let before, let after { before.id != after.id } else { false }
  }
}

/// What somebody did to an app.
package struct AppChange: Sendable {
  package let author: String
  package let app: ChangedApp
}

/// A template that changed together with domains.
package struct ChangedTemplate: Sendable, Equatable {
  package let name: TemplateName
  /// The revision before the change; `nil` if the change added the template.
  package let before: Int?
  /// The revision that the change published.
  package let after: Int
  /// The new names of parameters, by their old ones.
  package var renamed: [String: String] = [:]
}

package struct ChangeFilter: Sendable {
  package var author: String?
  /// Only changes of this domain.
  package var domain: DomainName?
  /// Only changes before this one; the newest come first.
  package var before: Int64?
  /// The domains that a token is limited to; empty for all.
  package var within: Scope

  /// All changes.
  package init(
    author: String? = nil, domain: DomainName? = nil, before: Int64? = nil, within: Scope = Scope()
  ) {
    self.author = author
    self.domain = domain
    self.before = before
    self.within = within
  }
}
