import Association
import FoundationEssentials
public import Store

extension Store {
  /// Opens the store of a database file with the system's clock.
  ///
  /// - Throws: `StoreError`.
  public convenience init(path: String, fillingEmpty: Bool = false) throws {
    try self.init(path: path, fillingEmpty: fillingEmpty) {
      Int64(Date.now.timeIntervalSince1970)
    }
  }
}

extension StoreError {
  /// The error for the user of a command: what failed and what to do.
  public func advice(for path: String) -> String {
    switch self {
    case .foreign:
      "\(path.quotedPath) belongs to another program and was not changed. Choose another path."
    case .empty:
      "\(path.quotedPath) is empty: the database may have been lost. Restore a backup with 'aasa "
        + "restore --force', or run 'aasa serve --create' to start with a new database."
    case .leftover(let file):
      "\(file.quotedPath) is left over from a deleted database. Restore a backup, or move that file "
        + "away to start with a new database."
    case .newerSchema(let found, let known):
      "\(path.quotedPath) has schema \(found), but this version of aasa only knows schemas up to \(known). Run "
        + "a newer version of aasa, or restore a backup from before the upgrade."
    case .busy:
      "\(path.quotedPath) is locked by another program. Stop that program, or try again later."
    case .database(.damaged, _): "\(path.quotedPath) \(StoreError.Refusal.damaged.advice)"
    case .database(let refusal, let detail):
      "\(path.quotedPath) \(refusal.advice) SQLite reports: \(detail)"
    case .nameTaken(let name, let owner):
      "\(name.quoted) is already a name or an alias of the domain \"\(owner)\". Remove it there first."
    default: "\(path.quotedPath) cannot be used: \(self)"
    }
  }
}

extension StoreError.Refusal {
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
    case .replaced: "was deleted or replaced meanwhile. The change is not in the new file."
    case .inputOutput: "cannot be read or written. Check the disk for errors."
    case .unexpected: "failed unexpectedly."
    }
  }
}
