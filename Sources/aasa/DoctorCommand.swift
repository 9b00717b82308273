import Association
import FoundationEssentials
import Glibc
import HTTP
import Service
import Store

enum DoctorCommand {
  static let command = Command(
    name: "doctor", group: .server,
    summary: "look for problems, and say what to do",
    details:
      "Looks at the database (structure, constraints, references, and the SHA-256 of each file), "
      + "permissions, certificates, proxies, disk space, the clock and the limit of open files. Changes "
      + "nothing, and works while a server runs. Run it as the server's user, with the server's settings.",
    options: [.json] + Option.settings,
    examples: [
      ("Look at the database in the current directory", "aasa doctor"),
      (
        "Look at an installed server",
        "sudo -u aasa aasa doctor --config /etc/aasa/aasa.toml --database /var/lib/aasa/aasa.db"
      ),
    ],
    success: "no problem was found", failure: "a problem was found; stdout says what to do",
    run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let configuration = try EffectiveConfiguration(arguments).configuration
    let checkup = Checkup(configuration)
    for finding in checkup.findings {
      let word = finding.isProblem ? "problem" : "ok"
      if arguments.has(.json) {
        let object: JSON = [
          "topic": .string(finding.topic), "problem": .bool(finding.isProblem),
          "text": .string(finding.text),
        ]
        try Terminal.print(object.text)
        continue
      }
      try Terminal.print(
        "\(word.padded(to: 8)) \(finding.topic.padded(to: 13)) \(finding.text)")
    }
    return checkup.findings.contains(where: \.isProblem) ? .failure : .success
  }
}

/// What `aasa doctor` finds, in the order of looking.
private struct Checkup {
  struct Finding {
    let topic: String
    let isProblem: Bool
    /// For a problem: what is wrong, and what to do.
    let text: String
  }

  private(set) var findings: [Finding] = []
  private let configuration: Configuration
  /// The database file; empty for a database of a server.
  private let database: String

  init(_ configuration: Configuration) {
    self.configuration = configuration
    database = configuration.database.path ?? ""
    if configuration.database.path == nil {
      checkServer()
      checkSettings()
    } else {
      checkDatabase()
      checkPermissions()
      checkSettings()
      checkDisk()
    }
    checkClock()
    checkOpenFiles()
  }

  /// Adds problems or, if there are none, what is fine.
  private mutating func add(_ topic: String, _ problems: [String], fine: String) {
    if problems.isEmpty {
      findings.append(Finding(topic: topic, isProblem: false, text: fine))
    }
    findings += problems.map { Finding(topic: topic, isProblem: true, text: $0) }
  }

  // MARK: The database

  private mutating func checkDatabase() {
    let restore =
      "Restore a backup: aasa restore --force BACKUP --database \(database.quotedPath)."
    var (problems, fine) = ([String](), "")
    if file(database) == nil {
      problems.append(
        "There is no \(database.quotedPath). Choose the database with --database; 'aasa serve' creates a "
          + "new one.")
    } else if file(database)?.size == 0 {
      problems.append(
        "\(database.quotedPath) is empty: the database may have been lost. \(restore) To start with a new "
          + "one, run 'aasa serve --create'.")
    } else {
      do {
        let contents = try DatabaseContents(checking: database, as: database)
        fine =
          "\(database.quotedPath): \(contents.domains.counted("domain")), "
          + "\(contents.revisions.counted("revision")), schema \(contents.schema), no damage"
      } catch BackupError.damaged(_, let faults) {
        problems = faults.map { "\(database.quotedPath) is damaged: \($0). \(restore)" }
      } catch BackupError.database(_, let error) {
        problems.append(error.advice(for: .file(database)))
      } catch {
        problems.append("\(error) \(restore)")
      }
    }
    add("database", problems, fine: fine)
  }

  private mutating func checkServer() {
    let location = configuration.database
    let name = location.description.quotedPath
    var (problems, fine) = ([String](), "")
    do {
      if try Store.isEmpty(location) {
        problems.append("\(name) is not a database of aasa yet. 'aasa serve' creates its tables.")
      } else {
        let store = try Store(location, isReadOnly: true)
        problems = try store.faults {}.map { "\(name) is damaged: \($0). Restore a backup." }
        let contents = try store.contents()
        fine =
          "\(name): \(contents.domains.counted("domain")), "
          + "\(contents.revisions.counted("revision")), schema \(contents.schema), no damage"
      }
    } catch let error as StoreError {
      problems.append(error.advice(for: location))
    } catch {
      problems.append("\(name) cannot be used: \(error).")
    }
    add("database", problems, fine: fine)
  }

  private mutating func checkPermissions() {
    var problems: [String] = []
    for path in configuration.database.files {
      guard let mode = file(path)?.mode else { continue }
      if mode & 0o077 != 0 {
        problems.append(
          "Other users can open \(path.quotedPath), which has hashes of tokens. Run: chmod 600 "
            + path.quotedPath)
      }
      if access(path, R_OK | W_OK) != 0 {
        problems.append(
          "This user cannot write \(path.quotedPath). Run the server, and this command, as its owner."
        )
      }
    }
    if let mode = file(directory)?.mode, mode & 0o002 != 0 {
      // A sticky directory, such as /tmp, keeps others from deleting a file, not from adding one.
      problems.append(
        mode & 0o1000 == 0
          ? "Every user can delete files in \(directory.quotedPath). Run: chmod o-w \(directory.quotedPath)"
          : "Every user can add files in \(directory.quotedPath), and SQLite reads those beside a database. Move "
            + "the database to a directory that only the server's user can write.")
    }
    add("permissions", problems, fine: "only this user can open the database")
  }

  // MARK: The settings

  private mutating func checkSettings() {
    let check = configuration.check()
    add("settings", check.faults, fine: "addresses and directories are valid")
    add(
      "certificates", check.warnings,
      fine: check.notes.isEmpty ? "none, so plain HTTP" : check.notes.joined(separator: " "))
    let proxies = configuration.trustedProxies
    let trusted = proxies.filter { $0.description.hasSuffix("/0") }
    add(
      "proxies",
      trusted.map {
        "trustedProxies has \($0), so every client can choose its file with X-Forwarded-Host"
          + (configuration.adminUserHeader.map { " and be any user with \($0)" } ?? "")
          + ". List only your proxies' addresses."
      },
      fine: proxies.isEmpty
        ? "no proxy is trusted" : "\(proxies.count.counted("range")) of proxies are trusted")
  }

  // MARK: The machine

  private var directory: String { URL(filePath: database).deletingLastPathComponent().path }

  private mutating func checkDisk() {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return }
    let free = Int(clamping: status.f_bavail) * Int(clamping: status.f_frsize)
    let size = file(database)?.size ?? 0
    let needed = max(64 << 20, 2 * size)
    var problems: [String] = []
    if free < needed {
      problems.append(
        "The disk of \(directory.quotedPath) has \(free >> 20) MB left. Keep \(needed >> 20) MB free: a "
          + "restore needs twice the size of the database.")
    }
    if status.f_files > 0 && status.f_favail < 100 {
      problems.append(
        "The disk of \(directory.quotedPath) has room for \(status.f_favail) more files. Delete some."
      )
    }
    add("disk", problems, fine: "\(free >> 20) MB free")
  }

  private mutating func checkClock() {
    let now = time(nil)
    var problems: [String] = []
    // When this was written. An earlier clock is wrong.
    if now < 1_780_000_000 {
      problems.append("The clock is years behind. Set it, for example with systemd-timesyncd.")
    }
    let changed = configuration.database.files.compactMap { file($0)?.changedAt }.max() ?? 0
    if changed > now + 60 {
      problems.append(
        "The database was changed \(changed - now) s in the future, so the clock was set back. Set it: "
          + "tokens and certificates expire according to it.")
    }
    add("clock", problems, fine: UnixTime(Int64(now)).text)
  }

  private mutating func checkOpenFiles() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let most = Int(clamping: limit.rlim_max)
    let needed = 4096
    add(
      "open files",
      most >= needed
        ? []
        : [
          "A process may open only \(most) files, which limits connections. Allow at least \(needed): set "
            + "LimitNOFILE= in the systemd unit, or run 'ulimit -Hn \(needed)'."
        ], fine: "a process may open \(limit.rlim_max == rlim_t.max ? "any number" : "\(most)")")
  }

  private func file(_ path: String) -> (size: Int, mode: UInt32, changedAt: Int)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return (Int(status.st_size), status.st_mode, status.st_mtim.tv_sec)
  }
}
