import Association
import FoundationEssentials
import Glibc
import HTTP
import JSONValue
import Service
import Store

/// `aasa serve`
enum ServeCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(
      words, options: EffectiveConfiguration.options, flags: EffectiveConfiguration.flags)
    guard arguments.operands.isEmpty else {
      throw Arguments.Wrong(message: "serve takes no operands.")
    }
    let configuration = try EffectiveConfiguration(arguments).configuration
    let manager = ServiceManager()
    let sockets = try manager.sockets()
    // What is refused for this has made no database.
    try configuration.checkAdminAddress(sockets.adminSocket?.address)
    let isNew = !FileManager.default.fileExists(atPath: configuration.database)
    try Store.use(configuration.database, missing: .made) {
      try serve($0, isNew: isNew, configuration, manager, sockets) {
        () throws(Configuration.Invalid) in
        try EffectiveConfiguration(arguments).configuration
      }
    }
    return .fine
  }

  /// The path may be a mistake, or a disk may be missing that should be there.
  private static func announceNew(_ database: String, _ log: Log) {
    log.write(
      .info, "There was no database: this is a new one without any domain.",
      ["database": .string(database)])
  }

  private static func serve(
    _ store: Store, isNew: Bool, _ configuration: Configuration, _ manager: ServiceManager,
    _ sockets: Service.InheritedSockets,
    readConfiguration: @escaping () throws(Configuration.Invalid) -> Configuration
  ) throws {
    let signals = SignalWait([SIGTERM, SIGINT, SIGHUP])
    raiseFileLimit()
    let log = Log(format: configuration.logFormat)
    let service = try Service(configuration, store: store, log: log, sockets: sockets)
    if isNew { announceNew(configuration.database, log) }
    try announce(service, store, log)
    if canWrite(configuration.database, log) { try announceFirstToken(of: store, log) }
    var life = ServerLife(
      service: service, log: log, manager: manager, signals: signals,
      configuration: configuration, readConfiguration: readConfiguration)
    life.run()
  }

  private static func announce(_ service: Service, _ store: Store, _ log: Log) throws {
    if log.format == .json {
      log.write(
        .info, "Serving.",
        [
          "publicAddress": .string(service.publicAddress.description),
          "adminAddress": .string(service.adminAddress.description),
        ])
      return
    }
    Terminal.complain("Association files: \(service.publicURL)")
    Terminal.complain("Admin API:         \(service.adminURL)/v1")
    guard let domain = try store.domains(after: nil, limit: 1).first else { return }
    let target =
      service.speaksHTTPS
      ? "--connect-to ::\(service.publicAddress) https://\(domain.name)"
      : "-H 'Host: \(domain.name)' \(service.publicURL)"
    Terminal.complain(
      "Try:               curl -i \(target)/.well-known/apple-app-site-association")
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

  /// Files are served also from what cannot be written, which a disk becomes after errors.
  private static func canWrite(_ database: String, _ log: Log) -> Bool {
    if access(database, W_OK) == 0 { return true }
    log.write(
      .warning,
      "“\(database)” cannot be written: \(String(cString: strerror(errno))). Files are served as they"
        + " are; every edit is refused until this is put right and the program is started again.")
    return false
  }

  /// A log of JSON goes where many can read it, and has no token in it.
  private static func announceFirstToken(of store: Store, _ log: Log) throws {
    guard try store.tokens().isEmpty else { return }
    if log.format == .json {
      log.write(.info, "There is no token for the API yet. “aasa token create” makes one.")
      return
    }
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
