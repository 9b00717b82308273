import FoundationEssentials
public import Store

extension Store {
  /// Opens the store of a database file by the machine's clock.
  ///
  /// - Throws: `StoreError`.
  public convenience init(path: String) throws {
    try self.init(path: path) { Int64(Date.now.timeIntervalSince1970) }
  }
}

extension StoreError {
  /// What to tell the person who started a program that could not use a database.
  public func advice(for path: String) -> String {
    switch self {
    case .foreign:
      "“\(path)” is a database of another program. It was left as it is. Choose another path."
    case .newerSchema(let found, let known):
      "“\(path)” has schema \(found); this program knows schemas up to \(known). Run a newer version "
        + "of aasa, or restore a backup from before the upgrade."
    case .database(let refusal, let detail):
      "“\(path)” \(Self.words(refusal)) SQLite says: \(detail)"
    case .nameTaken(let name, let owner):
      "“\(name)” is a name or an alias of the domain “\(owner)” already. Remove it there first."
    default: "“\(path)” cannot be used: \(self)"
    }
  }

  private static func words(_ refusal: Refusal) -> String {
    switch refusal {
    case .busy: "is locked by another program for too long. Stop that program."
    case .diskFull: "is on a full disk. Make room there."
    case .readOnly:
      "or its directory cannot be written. Change the permissions, or choose another path."
    case .cannotOpen:
      "cannot be opened or created. Its directory must exist, and this user must be allowed to write there."
    case .damaged: "is no database, or a damaged one. Restore a backup, or choose another path."
    case .inputOutput: "cannot be read or written. Look for errors of the disk."
    case .unexpected: "did something unexpected."
    }
  }
}
