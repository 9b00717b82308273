import Association
import Service

/// The program. Results go to stdout and everything else to stderr.
@main
enum Main {
  /// Every command, in the order of help.
  static let commands: [Command] =
    [
      ServeCommand.command, ConfigCommand.command, ImportCommand.command, ApplyCommand.command,
      DiffCommand.command, ExportCommand.command, ValidateCommand.command, MatchCommand.command,
    ] + TokenCommand.commands + [BackupCommand.command, RestoreCommand.command]
    + InfoCommands.commands

  static func main() {
    Terminal.openMissing()
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  private static func run(_ words: [String]) -> ExitStatus {
    var help = "aasa --help"
    do {
      let (command, rest) = try find(words)
      help = "aasa \(command.name) --help"
      let arguments = try Arguments(rest, for: command)
      guard arguments.wantsHelp else { return try command.run(arguments) }
      try Terminal.print(Help.text(of: command))
      return .success
    } catch let error as UsageError {
      Terminal.complain(
        "\(error.message)\nRun '\(error.hint ?? help)'.")
      return .usage
    } catch let error as Configuration.Invalid {
      Terminal.complain(error.description)
      return .usage
    } catch let error as ValidationError {
      Terminal.complain(error.description)
      return .usage
    } catch {
      Terminal.complain(String(describing: error))
      return .failure
    }
  }

  /// Prints help for the command that words name, for those that begin with a word, or for all.
  static func help(_ words: [String]) throws {
    if let command = command(words[...]), command.name.split(separator: " ").count == words.count {
      return try Terminal.print(Help.text(of: command))
    }
    let family = commands.filter { $0.name.hasPrefix("\(words.first ?? "") ") }
    switch words.count {
    case 0: try Terminal.print(Help.overview(of: commands))
    case 1 where !family.isEmpty: try Terminal.print(Help.family(family))
    default: throw unknown(words.joined(separator: " "))
    }
  }

  /// The command at the start of the words, and the words after its name.
  private static func find(_ words: [String]) throws -> (Command, ArraySlice<String>) {
    var words = words[...]
    switch words.first {
    case nil: throw UsageError("No command given.")
    case "-h", "--help": words[0] = "help"
    case "--version": words[0] = "version"
    case let first?:
      // Such as `aasa token --help`, which has no command of its own.
      let family = commands.contains { $0.name.hasPrefix("\(first) ") }
      if family && ["-h", "--help"].contains(words.dropFirst().first) {
        words = ["help", first]
      }
    }
    if let command = command(words) {
      return (command, words.dropFirst(command.name.split(separator: " ").count))
    }
    let first = words[words.startIndex]
    if first.hasPrefix("-") { throw UsageError(unknown: "option", first, among: []) }
    let second = commands.map { $0.name.split(separator: " ").map(String.init) }
      .filter { $0[0] == first }.map { $0[1] }
    if second.isEmpty { throw unknown(first) }
    if words.count > 1 { throw unknown(words.prefix(2).joined(separator: " ")) }
    throw UsageError(
      "aasa \(first) needs one of \(second.joined(separator: ", ")).",
      hint: "aasa \(first) --help")
  }

  static func command(_ words: ArraySlice<String>) -> Command? {
    commands.first { words.starts(with: $0.name.split(separator: " ").map(String.init)) }
  }

  private static func unknown(_ name: String) -> UsageError {
    UsageError(unknown: "command", name, among: commands.map(\.name), hint: "aasa --help")
  }
}
