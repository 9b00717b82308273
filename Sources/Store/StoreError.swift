public import Association
import SQLite

/// An error of the store.
public enum StoreError: Error, Sendable, Equatable {
  /// Something does not exist.
  case notFound(Item)
  /// The domain was changed since the caller read it; has its current revision.
  case staleRevision(current: Int)
  /// The domain to create already exists; has its current revision.
  case alreadyExists(current: Int)
  /// Another domain already has this name, as its own or as an alias.
  case nameTaken(String, by: DomainName)
  /// The app cannot be deleted because domains use it. Has the first few of them, and their number.
  case appInUse(AppIdentifier, domains: [DomainName], count: Int)
  /// An app with this identifier already exists.
  case appExists(AppIdentifier)
  /// A token with this name already exists.
  case tokenNameTaken(String)
  /// The database belongs to another program.
  case foreign
  /// The schema of the database is newer than this program.
  case newerSchema(found: Int, known: Int)
  /// A migration would leave rows of these tables with broken references.
  case brokenReferences(migration: String, tables: [String])
  /// The edit is stored, but could not be served yet.
  case notServedYet(detail: String)
  /// The database failed; nothing was changed.
  case database(Refusal, detail: String)

  /// A kind of thing that can be missing.
  public enum Item: Sendable, Equatable {
    /// A domain.
    case domain(DomainName)
    /// An app.
    case app(AppIdentifier)
    /// An entry of a domain.
    case entry(Int64)
    /// A route of an entry.
    case route(Int64)
    /// A revision that the domain never had.
    case revision(Int)
    /// A revision of the domain that was pruned.
    case prunedRevision(Int)
    /// A token.
    case token(String)
  }

  /// Why the database failed.
  public enum Refusal: String, Sendable, CaseIterable {
    /// Another process holds the lock for too long.
    case busy
    /// The disk is full.
    case diskFull = "disk-full"
    /// The file or its directory is not writable.
    case readOnly = "read-only"
    /// The file cannot be opened or created.
    case cannotOpen = "cannot-open"
    /// The file is not a database, or is damaged.
    case damaged
    /// Reading or writing the disk failed.
    case inputOutput = "input-output"
    /// A constraint of the schema failed, or anything else that should not happen.
    case unexpected
  }

  init(_ error: SQLiteError) {
    let refusal: Refusal =
      switch error.kind {
      case .busy: .busy
      case .full: .diskFull
      case .readOnly: .readOnly
      case .cannotOpen: .cannotOpen
      case .corrupt: .damaged
      case .inputOutput: .inputOutput
      case .unique, .foreignKey, .constraint, .other: .unexpected
      }
    self = .database(refusal, detail: error.description)
  }
}
