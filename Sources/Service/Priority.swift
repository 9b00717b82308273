import Glibc

/// Says of a thread that it has given way: once is enough for all requests of a connection. It holds a
/// number and no address.
private let hasGivenWay: pthread_key_t? = {
  var key = pthread_key_t()
  return pthread_key_create(&key, nil) == 0 ? key : nil
}()

/// Lets other threads go before this one where there are not enough processors for all (`nice`), so that
/// whoever fetches a file does not wait for those who edit.
func giveWay() {
  if let hasGivenWay {
    if pthread_getspecific(hasGivenWay) != nil { return }
    pthread_setspecific(hasGivenWay, UnsafeRawPointer(bitPattern: 1))
  }
  // On Linux a priority is that of a thread, and 0 is the one that calls. It cannot be refused to lower
  // it, and where it were, nothing would be wrong but the order.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
}
