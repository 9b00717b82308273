import Glibc
import SQLite

/// Edits that are committed together. Whoever made one of them waits here until the commit is on the
/// disk, or has failed for all.
final class CommitGroup: @unchecked Sendable {
  // Unchecked is sound: the outcome is guarded by the mutex; the mutex and the condition stay where
  // they were allocated until nobody has the group any more.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let settled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var outcome: Outcome?

  /// How a commit ended.
  enum Outcome: Sendable {
    /// Nothing is on the disk, of none of the edits.
    case failed(any Error)
    /// It is on the disk. Whoever was to take it over then may have failed, which changes nothing of that.
    case committed(handOverFailure: (any Error)?)
  }

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(settled, nil)
  }

  deinit {
    pthread_cond_destroy(settled)
    pthread_mutex_destroy(mutex)
    settled.deallocate()
    mutex.deallocate()
  }

  /// Tells all who wait, and all who will.
  func settle(_ outcome: Outcome) {
    pthread_mutex_lock(mutex)
    self.outcome = outcome
    pthread_cond_broadcast(settled)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for the commit, and for it to be handed over.
  ///
  /// - Returns: Why it was not handed over; `nil` where it was, or nobody wanted it.
  /// - Throws: why the commit failed.
  func wait() throws -> (any Error)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      switch outcome {
      case .failed(let error): throw error
      case .committed(let handOverFailure): return handOverFailure
      case nil: pthread_cond_wait(settled, mutex)
      }
    }
  }
}
