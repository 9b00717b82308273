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
    try Store.use(configuration.database) { try serve($0, configuration) }
    return .fine
  }

  private static func serve(_ store: Store, _ configuration: Configuration) throws {
    let signals = SignalWait([SIGTERM, SIGINT])
    raiseFileLimit()
    let service = try Service(configuration, store: store, log: Log())
    announce(service)
    try announce(store, at: service.publicAddress)
    if canWrite(configuration.database) { try announceFirstToken(of: store) }
    while !signals.wait(milliseconds: pollMilliseconds) { service.follow() }
    service.stop()
  }

  private static func announce(_ service: Service) {
    Terminal.complain("Association files: http://\(service.publicAddress)")
    Terminal.complain("Admin API:         http://\(service.adminAddress)/v1")
  }

  /// Lets the process open as many files and connections as the system allows it.
  private static func raiseFileLimit() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    // If it is refused, the limit stays what it was.
    _ = setrlimit(resource, &limit)
  }

  private static func announce(_ store: Store, at address: SocketAddress) throws {
    guard let domain = try store.domains(after: nil, limit: 1).first else { return }
    Terminal.complain(
      "Try:               curl -i -H 'Host: \(domain.name)' "
        + "http://\(address)/.well-known/apple-app-site-association")
  }

  /// Files are served also from what cannot be written, which a disk becomes after errors.
  private static func canWrite(_ database: String) -> Bool {
    if access(database, W_OK) == 0 { return true }
    Terminal.complain(
      "“\(database)” cannot be written: \(String(cString: strerror(errno))). Files are served as they"
        + " are; every edit is refused until this is put right and the program is started again.")
    return false
  }

  private static func announceFirstToken(of store: Store) throws {
    guard try store.tokens().isEmpty else { return }
    do {
      let secret = try store.write(WriteContext(author: "aasa serve")) {
        try $0.createToken(name: "first-admin", role: .admin)
      }
      Terminal.complain("First admin token (shown only now): \(secret.text)")
    } catch StoreError.tokenNameTaken {
      return  // Another server that started at the same time has made and shown it.
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
