import Association
import Glibc
import Service

/// The program. Results go to stdout and everything else to stderr.
@main
enum Main {
  /// Every command, in the order of help.
  static let commands: [Command] =
    [
      ServeCommand.command, ConfigCommand.command, DoctorCommand.command, ReplicasCommand.command,
      ListCommands.domains, AppCommands.list,
      DomainCommands.show, CheckCommand.command, ListCommands.checks, ExplainCommand.command,
      MatchCommand.command,
      ImportCommand.command, AdoptCommand.command,
      ListCommands.revisions,
      DomainCommands.put, DomainCommands.rollback, DomainCommands.convert, ListCommands.changes,
      ChangeCommands.undo, ChangeCommands.delete,
      ChangeCommands.routes,
    ] + AppCommands.changes + TemplateCommands.commands + [
      ListCommands.findings, ListCommands.audit,
      ApplyCommand.command, DiffCommand.command, ExportCommand.command, RenderCommand.command,
      EntitlementsCommand.command, ManifestCommand.command, FingerprintCommand.command,
      ValidateCommand.command,
    ] + DraftCommands.commands + SuppressionCommands.commands + TokenCommand.commands
    + GroupCommands.commands
    + [BackupCommand.command, RestoreCommand.command, CopyCommand.command]
    + InfoCommands.commands

  static func main() {
    Terminal.openMissing()
    // Otherwise, for every user but root, libdispatch logs that it may not raise the priority of a thread.
    setenv("LIBDISPATCH_LOG", "NO", 0)
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  private static func run(_ words: [String]) -> ExitStatus {
    var found: Command?
    do {
      let (command, rest) = try find(words)
      found = command
      let arguments = try Arguments(rest, for: command)
      guard arguments.wantsHelp else {
        return try answering(arguments) { try command.run(arguments) }
      }
      try Terminal.print(Help.text(of: command))
      return .success
    } catch {
      if let error = error as? UsageError {
        let help = found.map { "aasa \($0.name) --help" } ?? "aasa --help"
        Terminal.complain("\(error.message)\nRun '\(error.hint ?? help)'.")
      } else {
        Terminal.complain(String(describing: error))
      }
      return found?.status(for: error) ?? ExitStatus(error)
    }
  }

  /// Runs a command, or a part of it, and prints the draft that it made or what refused it.
  static func answering(
    _ arguments: Arguments, _ body: () throws -> ExitStatus
  ) throws -> ExitStatus {
    do {
      return try body()
    } catch let drafted as Installation.Drafted {
      try drafted.print(asJSON: arguments.has(.json))
      return .success
    } catch let refused as Installation.Refused {
      try ProblemText(refused).print(asJSON: arguments.has(.json))
      return arguments.command.status(for: refused)
    }
  }

  /// Prints help for the command that words name, for those that begin with a word, or for all.
  static func help(_ words: [String]) throws {
    if let command = command(words[...]), command.words.count == words.count {
      return try Terminal.print(Help.text(of: command))
    }
    let family = commands.filter { $0.words.count > 1 && $0.words.first == words.first }
    switch words.count {
    case 0: try Terminal.print(Help.overview(of: commands))
    case 1 where !family.isEmpty: try Terminal.print(Help.family(family))
    default: throw unknown(words.joined(separator: " "))
    }
  }

  /// The command at the start of the words, and the words after its name.
  private static func find(_ words: [String]) throws -> (Command, ArraySlice<String>) {
    guard let first = words.first else { throw UsageError("No command given.") }
    let shorts = ["-h": "help", "--help": "help", "--version": "version"]
    var words = [shorts[first] ?? first] + words.dropFirst()
    let family = commands.map(\.words).filter { $0.count > 1 && $0[0] == first }.map { $0[1] }
    // Such as `aasa token --help`, which has no command of its own.
    if !family.isEmpty && ["-h", "--help"].contains(words.dropFirst().first) {
      words = ["help", first]
    }
    if let command = command(words[...]) { return (command, words.dropFirst(command.words.count)) }
    if first.hasPrefix("-") { throw UsageError(unknown: "option", first, among: []) }
    if family.isEmpty { throw unknown(first) }
    if words.count > 1 { throw unknown(words.prefix(2).joined(separator: " ")) }
    throw UsageError(
      "aasa \(first) needs one of \(family.joined(separator: ", ")).",
      hint: "aasa \(first) --help")
  }

  static func command(_ words: ArraySlice<String>) -> Command? {
    commands.first { words.starts(with: $0.words) }
  }

  private static func unknown(_ name: String) -> UsageError {
    UsageError(unknown: "command", name, among: commands.map(\.name), hint: "aasa --help")
  }
}
