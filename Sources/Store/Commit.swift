/// What one commit, of one edit or of several that shared it, changed of what is served.
public struct Commit: Sendable {
  /// A domain that changed.
  public struct Change: Sendable {
    /// The row of the domain.
    public let domain: Int64
    /// What is to be served for it now; `nil` if it is disabled or not there any more.
    public let served: ServedDomain?
  }

  /// The places in the order of all changes, without a gap; `nil` where nothing of it changed.
  public let sequence: ClosedRange<Int64>?
  /// The changes in their order; `nil` where they are too many to be handed over, and are to be read.
  public let changes: [Change]?
}

/// Notes what the open transaction has changed so far. It is for one thread at a time: the one whose
/// turn it is to write.
final class ChangeNotes {
  /// How many changes are handed over. More are read from the database in one go.
  private static let limit = 1000

  /// The places in the order of all changes, which only one transaction at a time adds to.
  private var first: Int64 = 0
  private var count = 0
  private var changes: [Commit.Change] = []

  func add(_ change: Commit.Change, at sequence: Int64) {
    if count == 0 { first = sequence }
    count += 1
    if changes.count == count - 1 && count <= Self.limit {
      changes.append(change)
    } else {
      changes = []
    }
  }

  /// Forgets all but the first changes, which are what is left when an edit is undone.
  func keepFirst(_ number: Int) {
    // Where there were too many, what is left is read as well.
    changes.removeSubrange(min(number, changes.count)...)
    count = number
  }

  var number: Int { count }

  var commit: Commit {
    Commit(
      sequence: count == 0 ? nil : first...first + Int64(count - 1),
      changes: changes.count == count ? changes : nil)
  }
}
