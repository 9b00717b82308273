import Association
import CMalloc
import FoundationEssentials
import Glibc
import HTTP
import Service
import Store

enum ServeCommand {
  static let command = Command(
    name: "serve", group: .server, summary: "run the public listener and the JSON API",
    details: "Precedence of settings, highest first: options, environment variables, the --config "
      + "file, defaults. SIGHUP reloads the settings that do not need a restart. SIGTERM and SIGINT "
      + "shut down gracefully; a second one ends the process at once.",
    options: Option.settings + [create],
    examples: [
      ("Try it in the current directory", "aasa serve"),
      ("Run it with a configuration file", "aasa serve --config /etc/aasa/aasa.toml"),
    ],
    success: "shut down gracefully",
    failure: "could not start; stderr says why", run: run)

  private static let create = Option(
    "--create", nil,
    "Create the database even if its file exists and is empty. By default, only a missing file is "
      + "created, because an empty one usually means that the database was lost.")

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    limitFreeMemory()
    let configuration = try EffectiveConfiguration(arguments).configuration
    let systemd = Systemd()
    let sockets = try systemd.sockets()
    // Before the database is opened, so that a refused start creates none.
    try configuration.checkStartup(admin: sockets.adminSocket?.address)
    let log = Log(format: configuration.logFormat)
    let signals = SignalWait([SIGTERM, SIGINT, SIGHUP])
    let location = configuration.database
    let opened = try Store.advising(location) {
      try open(configuration, mayFill: arguments.has(create), systemd, signals, log)
    }
    guard let (store, isNew) = opened else { return .success }
    try Store.advising(location) {
      raiseFileLimit()
      let service = try Service(configuration, store: store, log: log, sockets: sockets)
      if isNew {
        // The path may be a mistake, or a disk may not be mounted.
        log.write(
          .info, "Created a new, empty database.", ["database": .string(location.description)])
      }
      do {
        try announce(service, store, configuration, log)
      } catch StoreError.database(let refusal, _) where [.damaged, .unreachable].contains(refusal) {
        // The log has said so. The files that could be read are served.
      }
      var lifecycle = ServerLifecycle(
        service: service, log: log, systemd: systemd, signals: signals,
        configuration: configuration
      ) { () throws(Configuration.Invalid) in
        let configuration = try EffectiveConfiguration(arguments).configuration
        try configuration.checkReload()
        return configuration
      }
      lifecycle.run()
    }
    return .success
  }

  /// Opens the database. Without a snapshot to start from, waits for one that cannot be reached.
  ///
  /// - Returns: The store, and whether the database is new; `nil` if a signal ended the waiting.
  private static func open(
    _ configuration: Configuration, mayFill: Bool, _ systemd: Systemd, _ signals: SignalWait,
    _ log: Log
  ) throws -> (Store, isNew: Bool)? {
    let (location, isReadOnly) = (configuration.database, configuration.readOnly)
    let hasSnapshot = configuration.snapshot.map { Snapshot(path: $0).exists } ?? false
    var hasSaid = false
    while true {
      do {
        let isNew = try !isReadOnly && Store.isMissing(location, orEmpty: mayFill)
        let store = try Store(location, fillingEmpty: mayFill, isReadOnly: isReadOnly)
        return (store, isNew)
      } catch StoreError.database(.unreachable, let detail) {
        if hasSnapshot {
          return (try Store(location, isReadOnly: isReadOnly, isPatient: true), isNew: false)
        }
        if !hasSaid {
          log.write(
            .warning, "Waiting for the database.",
            ["database": .string(location.description), "error": .string(detail)])
        }
        hasSaid = true
        systemd.notify("EXTEND_TIMEOUT_USEC=10000000")
        if let signal = signals.next(milliseconds: 1000), signal != SIGHUP { return nil }
      }
    }
  }

  /// Has glibc give back and share what was freed. By default, it has eight arenas for each processor, and once a large
  /// piece was freed, it keeps up to 64 MB in each. With fewer than four for each processor, threads wait for each other.
  private static func limitFreeMemory() {
    // If one fails, the server takes more memory.
    _ = mallopt(M_ARENA_MAX, CInt(max(8, 4 * sysconf(CInt(_SC_NPROCESSORS_ONLN)))))
    _ = mallopt(M_TRIM_THRESHOLD, 1_048_576)
  }

  /// Raises the limits of open files and connections as far as the system allows.
  private static func raiseFileLimit() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    // If this fails, the limit stays as it was.
    _ = setrlimit(resource, &limit)
  }

  // MARK: What people see at startup

  /// Says where the server listens, and what to do next.
  private static func announce(
    _ service: Service, _ store: Store, _ configuration: Configuration, _ log: Log
  ) throws {
    guard log.format == .text else {
      log.write(
        .info, "Serving.",
        [
          "publicAddress": .string(service.publicAddress.description),
          "adminAddress": .string(service.adminAddress.description),
        ])
      // Many people may be able to read a JSON log, so it must not contain a token.
      if isWritable(configuration, log), try store.tokens().isEmpty {
        log.write(
          .info,
          "No API token exists yet. Create one with 'aasa token create --name NAME --role admin'.")
      }
      return
    }
    log.show("Association files: \(service.publicURL)")
    log.show("Dashboard:         \(service.adminURL)/")
    log.show("Admin API:         \(service.adminURL)/v1")
    let domain = try store.domains(limit: 1).page.first?.name.text
    if let domain { log.show("Try:               \(fetch(domain, service))") }
    guard isWritable(configuration, log) else { return }
    try announceFirstToken(of: store, log)
    if domain == nil { announceFirstStep(configuration.database, service, log) }
  }

  /// The server can serve files even if it cannot write the database, for example after disk
  /// errors.
  private static func isWritable(_ configuration: Configuration, _ log: Log) -> Bool {
    if configuration.readOnly { return false }
    guard let database = configuration.database.path, access(database, W_OK) != 0 else {
      return true
    }
    log.write(
      .warning,
      "Cannot write \(database.quotedPath): \(String(cString: strerror(errno))). Files are served, but every "
        + "edit fails. Fix the cause, then restart.")
    return false
  }

  private static func announceFirstToken(of store: Store, _ log: Log) throws {
    let secret: TokenSecret?
    do {
      // Another server that starts at the same time may create and show it.
      secret = try store.write(WriteContext(author: "aasa serve")) { try $0.createFirstToken() }
    } catch StoreError.busy {
      if try !store.tokens().isEmpty { return }
      log.write(
        .warning,
        "The database is locked, so no first token could be created. Create one with 'aasa token create --name "
          + "NAME --role admin'.")
      return
    }
    guard let secret else { return }
    log.show("First admin token (shown only once): \(secret.text)")
    log.show("The token expires in 24 hours unless it is used.")
  }

  /// Commands for a second terminal that publish a first file and fetch it.
  private static func announceFirstStep(
    _ location: DatabaseLocation, _ service: Service, _ log: Log
  ) {
    let database = location.path.map(absolute) ?? location.description
    let file =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"#
      + #""components":[{"/":"/buy/*"}]}]}}"#
    let word = CommandLine.arguments.first ?? "aasa"
    let program = word.contains("/") ? quoted(absolute(word)) : word
    log.show(
      """
      Next, publish a first file from a second terminal:
        echo '\(file)' |
          \(asSystemUser)\(program) import --database \(quoted(database)) --domain example.com -
      and fetch it:
        \(fetch("example.com", service))
      """)
  }

  /// The prefix for commands that other users run. Only the user of the server can open its database, if that is a system
  /// user (a UID below 1000, see login.defs(5)).
  private static var asSystemUser: String {
    guard (1..<1000).contains(geteuid()), let user = getpwuid(geteuid()) else { return "" }
    // Sound: the entry stays valid until the next call, and no other thread makes one.
    return "sudo -u \(String(cString: user.pointee.pw_name)) "
  }

  private static func fetch(_ domain: String, _ service: Service) -> String {
    let target =
      service.speaksHTTPS
      ? "--connect-to ::\(service.publicAddress) https://\(domain)"
      : "-H 'Host: \(domain)' \(service.publicURL)"
    return "curl -i \(target)/.well-known/apple-app-site-association"
  }

  private static func absolute(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.path
  }

  /// The text quoted as one shell word.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/._-".utf8.contains(byte)
    }
    return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
