import Association
import Checking
import Glibc
import Service

enum RenderCommand {
  private static let follow = Option(
    "--follow", nil,
    "Keep DIR up to date until SIGTERM or SIGINT: within a second of an edit. Tries again if the server, the database "
      + "or the disk fails.")

  static let command = Command(
    name: "render", group: .domains, summary: "write what is served as files, for another host",
    details:
      "Writes HOST/.well-known/… for each served name, byte for byte as the server answers, with a _headers file, and "
      + "the wildcard aliases to _wildcards.conf. Writes only files that differ, and deletes what is not served. DIR "
      + "must be new, empty, or from an earlier run. Only reads the database.",
    options: [follow, .json] + Option.installation, operands: .one("DIR"),
    examples: [
      ("Write the files for a static host", "aasa render site/"),
      (
        "Keep the files of nginx up to date",
        "aasa render /srv/aasa --follow --server https://aasa.internal:8081"
      ),
    ],
    failure: "failure; stderr says why, and DIR may have only some of the changes", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let installation = try Installation(arguments, isReadOnly: true)
    // Before the database is read, so that a refused directory costs nothing.
    let directory = try RenderedDirectory(path: arguments.operands[0])
    if arguments.has(follow) { return try keepUpToDate(directory, installation, arguments) }
    var copy = ServedCopy(in: directory)
    try Progress.during("Reading from \(installation.name)") { _ in
      var place: (next: String?, isCurrent: Bool) = (nil, false)
      while !place.isCurrent { place = try copy.take(page(after: place.next, of: installation)) }
    }
    try report(directory, arguments)
    return copy.unreadable.isEmpty ? .success : .failure
  }

  private static func page(
    after cursor: String?, of installation: Installation
  ) throws -> JSON {
    let answer = try installation.send(
      APIClient.Request("GET", "/v1/served", query: cursor.map { ["cursor": $0] } ?? [:]))
    if answer.database == "replaced", !installation.isServer {
      throw Failure("The database file was deleted or replaced.")
    }
    return try installation.content(of: answer, having: "next")
  }

  private static func report(_ directory: RenderedDirectory, _ arguments: Arguments) throws {
    let counts = directory.takeCounts()
    try Terminal.print(arguments.has(.json) ? counts.json.text : counts.text)
  }

  // MARK: Following

  private static let usualPause = 250
  private static let pauseAfterFailure = 1000

  private static func keepUpToDate(
    _ directory: RenderedDirectory, _ installation: Installation, _ arguments: Arguments
  ) throws -> ExitStatus {
    let signals = SignalWait([SIGTERM, SIGINT])
    var copy = ServedCopy(in: directory)
    var installation: Installation? = installation
    var cursor: String?
    var (hasBegun, hasReported) = (false, false)
    var trouble: String?
    var pause = 0
    while signals.next(milliseconds: pause) == nil {
      let page: JSON
      do {
        let source = try installation ?? Installation(arguments, isReadOnly: true)
        page = try Self.page(after: cursor, of: source)
        installation = source
      } catch {
        if !hasBegun { throw error }
        // Another database may be there then, with a history of its own.
        (installation, cursor) = (nil, nil)
        pause = pauseAfterFailure
        let text = (error as? Installation.Refused).map { ProblemText($0).text }
        say(text ?? String(describing: error), &trouble)
        continue
      }
      hasBegun = true
      do {
        let place = try copy.take(page)
        cursor = place.next
        pause = place.isCurrent ? usualPause : 0
        guard place.isCurrent else { continue }
      } catch let failure as Failure {
        pause = pauseAfterFailure
        say(failure.description, &trouble)
        continue
      }
      if trouble != nil {
        Terminal.complain("\(arguments.operands[0].quotedPath) is up to date again.")
      }
      trouble = nil
      if directory.hasChanged || !hasReported { try report(directory, arguments) }
      hasReported = true
    }
    return .success
  }

  /// Says what is wrong, once.
  private static func say(_ text: String, _ trouble: inout String?) {
    if text != trouble { Terminal.complain("\(text) Trying again every second.") }
    trouble = text
  }
}
