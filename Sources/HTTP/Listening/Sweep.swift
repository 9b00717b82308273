import Dispatch

/// Cuts overdue connections now and then, until it goes out of use.
final class Sweep: @unchecked Sendable {
  // Unchecked is sound: a source of Dispatch may be used by any thread, and nothing changes after init.
  private let timer: any DispatchSourceTimer

  init(_ connections: [OpenConnections], every seconds: Double) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "overdue-connections"))
    timer.schedule(
      deadline: .now() + seconds, repeating: seconds,
      leeway: .milliseconds(Int(seconds * 250)))
    timer.setEventHandler { for open in connections { open.cutOverdue() } }
    timer.resume()
  }

  deinit { timer.cancel() }
}
