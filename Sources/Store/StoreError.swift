public import Association
import SQLite

/// Why the store did not do what it was asked to.
public enum StoreError: Error, Sendable, Equatable {
  /// There is no such thing.
  case notFound(Item)
  /// The thing was changed since the caller read it: the revision that it has now.
  case staleRevision(current: Int)
  /// A thing that was to be new is there already: the revision that it has.
  case alreadyExists(current: Int)
  /// Another domain already has this name, as its own or as an alias.
  case nameTaken(String, by: DomainName)
  /// The app cannot be deleted while these domains name it (the first few, and how many there are).
  case appInUse(AppIdentifier, domains: [DomainName], count: Int)
  /// An app with this identifier is there already.
  case appExists(AppIdentifier)
  /// A token has this name already.
  case tokenNameTaken(String)
  /// The database is one of another program.
  case foreign
  /// A newer version of this program made the schema of the database.
  case newerSchema(found: Int, known: Int)
  /// A step of the schema would leave rows of these tables without the rows that they name.
  case brokenReferences(migration: String, tables: [String])
  /// It is done and on the disk, but whoever was to serve it could not take it over yet, for this reason.
  case notServedYet(detail: String)
  /// The database did not do it; nothing was changed.
  case database(Refusal, detail: String)

  /// What was looked for.
  public enum Item: Sendable, Equatable {
    /// A domain of this name.
    case domain(DomainName)
    /// An app.
    case app(AppIdentifier)
    /// An entry of a domain.
    case entry(Int64)
    /// A route of an entry.
    case route(Int64)
    /// A revision of a domain.
    case revision(Int)
    /// A revision of a domain that there was, and that is not kept any more.
    case prunedRevision(Int)
    /// A token of this name.
    case token(String)
  }

  /// Why a database did not do something.
  public enum Refusal: String, Sendable, CaseIterable {
    /// Another process holds the lock for too long.
    case busy
    /// The disk is full.
    case diskFull = "disk-full"
    /// The file or its directory cannot be written.
    case readOnly = "read-only"
    /// The file cannot be opened or created.
    case cannotOpen = "cannot-open"
    /// The file is no database, or a damaged one.
    case damaged
    /// Reading or writing the disk failed.
    case inputOutput = "input-output"
    /// A rule of the schema, or anything else that should not happen.
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
