import Association
import FoundationEssentials
import Glibc
import HTTP
import Service
import Store

/// `aasa serve`
enum ServeCommand {
  /// How often another process's changes are looked for.
  private static let pollMilliseconds = 250

  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(words, options: Configuration.flags + ["--config"])
    guard arguments.operands.isEmpty else {
      throw Arguments.Wrong(message: "serve takes no operands.")
    }
    let configuration = try Configuration(
      flags: arguments.values.compactMapValues(\.last),
      environment: ProcessInfo.processInfo.environment)
    let store = try Store.open(configuration.database)
    let signals = SignalWait([SIGTERM, SIGINT])
    let service = try Service(configuration, store: store, log: Log())
    try announce(service, store)
    while !signals.wait(milliseconds: pollMilliseconds) { service.follow() }
    service.stop()
    return .fine
  }

  private static func announce(_ service: Service, _ store: Store) throws {
    Terminal.complain("Association files: http://\(service.publicAddress)")
    Terminal.complain("Admin API:         http://\(service.adminAddress)/v1")
    if let domain = try store.domains(after: nil, limit: 1).first {
      Terminal.complain(
        "Try:               curl -i -H 'Host: \(domain.name)' "
          + "http://\(service.publicAddress)/.well-known/apple-app-site-association")
    }
    if try store.tokens().isEmpty {
      let secret = try store.write(WriteContext(author: "aasa serve")) {
        try $0.createToken(name: "first-admin", role: .admin)
      }
      Terminal.complain("First admin token (shown only now): \(secret.text)")
    }
  }
}

/// Waits for signals on the thread that made it; they interrupt nothing and no other thread.
private struct SignalWait {
  private var set = sigset_t()

  /// Blocks the signals. Threads that are started later inherit that. A client that goes away must
  /// not end the process, so SIGPIPE is ignored.
  init(_ signals: [Int32]) {
    signal(SIGPIPE, SIG_IGN)
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Whether one of them came within a time.
  func wait(milliseconds: Int) -> Bool {
    var set = set
    var limit = timespec(
      tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    return sigtimedwait(&set, nil, &limit) > 0
  }
}
