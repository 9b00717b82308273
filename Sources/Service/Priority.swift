import Glibc

/// Lets other threads go before this one where there are not enough processors for all (`nice`), so that
/// whoever fetches a file does not wait for those who edit.
func giveWay() {
  // On Linux a priority is that of a thread, and 0 is the one that calls. It cannot be refused to lower
  // it, and where it were, nothing would be wrong but the order.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
}
