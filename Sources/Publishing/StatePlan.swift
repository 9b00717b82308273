import Association
import Store

/// What to write for a state. Of each domain that changes it has only what its review found: when it is
/// written, the domain is read and rendered again.
struct StatePlan {
  /// A domain that changes.
  struct Edit {
    /// The index in the state; `nil` for a domain that it does not list, but whose Android apps or
    /// template it changes.
    let index: Int?
    let name: DomainName
    /// The stored domain as the review found it; `nil` if there was none.
    let version: StoredDomain.Version?
    /// Whether only what others give the domain changes: its template or its Android apps.
    let keepsOwnPart: Bool
    /// A hash of the documents that the review has seen.
    let documentsHash: Int
    /// The kept statements of a domain that the state does not list.
    let keptStatements: [JSON]?
    /// The template that it uses.
    let template: TemplateName?
    let acceptedCodes: [String]
    /// `nil` if the linter makes them later.
    let findings: [Finding]?
    /// The aliases that the domain loses, with their positions.
    let released: [(position: Int, alias: Alias)]
    /// The aliases that it gets.
    let taken: [Alias]
  }

  /// A domain that is deleted.
  struct Deletion {
    let name: DomainName
    let version: StoredDomain.Version?
  }

  /// A domain of the state that stays as it is.
  struct Unchanged {
    let index: Int
    let version: StoredDomain.Version?
    /// Whether others have changed the domain, and the state has it as it was before.
    let isLeftOut: Bool
  }

  var edits: [Edit] = []
  /// The domains that are published as they should be, and those that the state leaves to others, by their
  /// index in the state.
  var unchanged: [Unchanged] = []
  var deletions: [Deletion] = []
  /// The domains that are left as they are because they would be refused, and why, of the first of them.
  var refused: [DomainName] = []
  var skipReasons: [PublicationError] = []
  /// The apps that the reviews depend on.
  var apps = UsedApps()
  /// The apps that domains of the state, and those that it changes, name, also in expectations.
  var named: Set<LinkedApp> = []
  /// The templates that domains of the state use.
  var templatesInUse: Set<TemplateName> = []
  /// The domains that name Android apps whose certificates change, or use templates that change.
  var dependents: Set<DomainName> = []
  /// The domains that served names which others take.
  var servers: [DomainName: StoredDomain.Version] = [:]
  /// The current revisions of the templates of the state; `nil` for new ones.
  var templates: [Int?] = []
  /// What would be refused, if a dry run lists it.
  var refusals: [any Error] = []
  /// The number of domains that are refused without an error there.
  var moreRefusals = 0

  /// The domains that the state leaves to others.
  func leftOut(of state: DesiredState) -> Set<DomainName> {
    Set(unchanged.filter(\.isLeftOut).map { state.domains[$0.index] })
  }
}
