import Association
package import Store

extension Store {
  /// Opens the store of a database file with the system's clock.
  ///
  /// - Throws: `StoreError`.
  package convenience init(path: String) throws {
    try self.init(.file(path))
  }

  /// Opens a store with the system's clock.
  ///
  /// - Throws: `StoreError`.
  package convenience init(
    _ location: DatabaseLocation, fillingEmpty: Bool = false, isReadOnly: Bool = false,
    upgrades: Bool = true, isPatient: Bool = false
  ) throws {
    try self.init(
      location, fillingEmpty: fillingEmpty, isReadOnly: isReadOnly, upgrades: upgrades,
      isPatient: isPatient
    ) { .now }
  }
}

extension StoreError {
  /// The error for the user of a command: what failed and what to do.
  package func advice(for location: DatabaseLocation) -> String {
    let path = location.description
    return switch self {
    case .foreign:
      "\(path.quotedPath) belongs to another program and was not changed. Choose another "
        + (location.path == nil ? "database, or a schema of its own." : "path.")
    case .empty:
      "\(path.quotedPath) is empty: the database may have been lost. Restore a backup with 'aasa "
        + "restore --force', or run 'aasa serve --create' to start with a new database."
    case .leftover(let file):
      "\(file.quotedPath) is left over from a deleted database. Restore a backup, or move that file "
        + "away to start with a new database."
    case .newerSchema(let found, let known):
      "\(path.quotedPath) has schema \(found), but this version of aasa only knows schemas up to \(known). Run "
        + "a newer version of aasa, or restore a backup from before the upgrade."
    case .olderSchema(let found, let known):
      "\(path.quotedPath) has schema \(found), but this version of aasa needs \(known), and whatever only reads must "
        + "not change it. Back it up, then start a server of this version without --read-only, or run a command that changes "
        + "something: that upgrades it. After that, earlier versions cannot open it."
    case .unsuitable(let reason): "\(path.quotedPath) \(reason)"
    case .readOnlyStore(let writers): "Nothing was changed: \(Self.advice(writers))"
    case .busy:
      "\(path.quotedPath) is locked by another program. Stop that program, or try again later."
    case .database(.damaged, _): "\(path.quotedPath) \(StoreError.Refusal.damaged.advice)"
    case .database(let refusal, let detail):
      location.path == nil
        ? "\(path.quotedPath) \(refusal.adviceForServer) PostgreSQL reports: \(detail)"
        : "\(path.quotedPath) \(refusal.advice) SQLite reports: \(detail)"
    case .nameTaken(let name, let owner):
      "\(name.quoted) is already a name or an alias of the domain \"\(owner)\". Remove it there first."
    default: "\(path.quotedPath) cannot be used: \(self)"
    }
  }
}

extension StoreError {
  /// Where to send edits instead.
  static func advice(_ writers: [String]) -> String {
    let servers = writers.isEmpty ? "one that accepts them" : writers.joined(separator: " or ")
    return "this server only reads (--read-only). Send edits to \(servers)."
  }
}

extension StoreError.Refusal {
  /// The same for a database of a server.
  fileprivate var adviceForServer: String {
    switch self {
    case .diskFull: "is on a full disk. Free some space."
    case .readOnly:
      "may not be changed by this role, or is a standby. If it is new, or from an earlier version, start a server "
        + "once as its owner. Otherwise, grant the rights that docs/scaling.md lists, name the primary too with "
        + "target_session_attrs=read-write, or use --read-only."
    case .cannotOpen:
      "refuses the connection. Check the name of the database, the user and the password."
    case .unreachable: "cannot be reached. Check the address, the network and the server."
    case .unknownOutcome:
      "lost the connection while it committed. Check whether the change was made before you repeat it."
    case .damaged: "is damaged. Restore a backup."
    case .replaced: "was replaced."
    case .inputOutput: "cannot be read or written. Check the disk of the server."
    case .unexpected: "failed unexpectedly."
    }
  }

  /// Completes a sentence that begins with the path of the database.
  fileprivate var advice: String {
    switch self {
    case .diskFull: "is on a full disk. Free some space."
    case .readOnly:
      "or its directory is not writable. Change the permissions, or choose another path."
    case .cannotOpen:
      "cannot be opened or created. It must be a file that this user may read and write, in a directory "
        + "that exists and that this user may write."
    case .damaged:
      "is not a database, or is damaged. Restore a backup with 'aasa restore --force', or choose another "
        + "path."
    case .unreachable, .unknownOutcome: "cannot be reached."
    case .replaced: "was deleted or replaced meanwhile. The change is not in the new file."
    case .inputOutput: "cannot be read or written. Check the disk for errors."
    case .unexpected: "failed unexpectedly."
    }
  }
}
