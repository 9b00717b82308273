import CCurl
import Store
import Synchronization

/// The thread on which all transfers run.
final class Transfers: Sendable {
  private struct State {
    var waiting: [FetchTransfer.Job] = []
    var mustStop = false
    var isRunning = false
  }

  let policy: Fetcher.Policy
  private let state = Mutex(State())
  /// Sound: only `curl_multi_wakeup`, which any thread may call, is called outside of `run`
  /// (curl_multi_wakeup(3)); `run` frees it after `stop` was called, which is the last call.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer?

  init(_ policy: Fetcher.Policy) {
    self.policy = policy
    multi = Transfer.isReady ? curl_multi_init() : nil
  }

  func fetch(_ request: FetchRequest) async -> Fetch {
    guard let multi else { return Fetch() }
    return await withCheckedContinuation { continuation in
      let isRunning = state.withLock { state in
        state.waiting.append(FetchTransfer.Job(request, continuation))
        defer { state.isRunning = true }
        return state.isRunning
      }
      if !isRunning { onThread { self.run() } }
      curl_multi_wakeup(multi)
    }
  }

  func stop() {
    guard let multi else { return }
    // With the lock, because the thread frees the handle as soon as it sees this.
    state.withLock { state in
      state.mustStop = true
      if state.isRunning { curl_multi_wakeup(multi) } else { curl_multi_cleanup(multi) }
    }
  }

  /// Runs transfers until `stop` is called.
  private func run() {
    guard let multi else { return }
    var running: [UnsafeMutableRawPointer: FetchTransfer] = [:]
    while true {
      let (jobs, mustStop) = state.withLock { state in
        defer { state.waiting = [] }
        return (state.waiting, state.mustStop)
      }
      if mustStop { break }
      for job in jobs { start(FetchTransfer(job, policy), &running) }
      var count: Int32 = 0
      curl_multi_perform(multi, &count)
      while let message = curl_multi_info_read(multi, &count) {
        // Sound: the message is valid until the next call of a multi function.
        let (handle, code) = (message.pointee.easy_handle, aasa_curl_result(message))
        guard message.pointee.msg == CURLMSG_DONE, let handle else { continue }
        let transfer = running.removeValue(forKey: handle)
        curl_multi_remove_handle(multi, handle)
        // To say what is wrong with a certificate, the chain is read without checking it.
        if let next = transfer?.end(code) { start(next, &running) }
      }
      curl_multi_poll(multi, nil, 0, 1000, nil)
    }
    curl_multi_cleanup(multi)
  }

  private func start(
    _ transfer: FetchTransfer, _ running: inout [UnsafeMutableRawPointer: FetchTransfer]
  ) {
    guard let handle = transfer.prepare() else { return }
    running[handle] = transfer
    if curl_multi_add_handle(multi, handle) != CURLM_OK {
      running[handle] = nil
      _ = transfer.end(CURLE_FAILED_INIT)
    }
  }
}
