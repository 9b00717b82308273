import Glibc

/// Marks threads that have called `giveWay`, so that each does it once. It holds a number, not an
/// address.
private let hasGivenWay: pthread_key_t? = {
  var key = pthread_key_t()
  return pthread_key_create(&key, nil) == 0 ? key : nil
}()

/// Lowers the priority of this thread (`nice`), so that on a busy machine fetching a file does not wait
/// for edits.
func giveWay() {
  if let hasGivenWay {
    if pthread_getspecific(hasGivenWay) != nil { return }
    pthread_setspecific(hasGivenWay, UnsafeRawPointer(bitPattern: 1))
  }
  // On Linux a priority belongs to a thread, and 0 means the calling one. Lowering it is always allowed.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
}
