import Association
import FoundationEssentials
import HTTP
import Service
import Store

/// The program. Results go to stdout and everything else to stderr; it ends with 0 when all is fine,
/// 1 when the answer is no, 2 when `diff` finds differences, and 64 for wrong usage.
@main
enum Main {
  static func main() {
    Terminal.openMissing()
    do {
      exit(try run(Array(CommandLine.arguments.dropFirst())))
    } catch let error as Arguments.Wrong {
      Terminal.complain("\(usage)\n\n\(error.message)")
      exit(.wrongUsage)
    } catch let error as Configuration.Invalid {
      Terminal.complain(error.description)
      exit(.wrongUsage)
    } catch let error as ValidationError {
      Terminal.complain(error.description)
      exit(.wrongUsage)
    } catch {
      Terminal.complain(String(describing: error))
      exit(.no)
    }
  }

  private static func run(_ words: [String]) throws -> ExitStatus {
    guard let command = words.first else { throw Arguments.Wrong(message: "A command is missing.") }
    let rest = words.dropFirst()
    if rest.first == "--help" {
      try Terminal.print(usage)
      return .fine
    }
    switch command {
    case "serve": return try ServeCommand.run(rest)
    case "config": return try ConfigCommand.run(rest)
    case "import": return try ImportCommand.run(rest)
    case "apply": return try ApplyCommand.run(rest)
    case "diff": return try DiffCommand.run(rest)
    case "export": return try ExportCommand.run(rest)
    case "backup": return try BackupCommand.run(rest)
    case "restore": return try RestoreCommand.run(rest)
    case "validate": return try ValidateCommand.run(rest)
    case "match": return try MatchCommand.run(rest)
    case "token": return try TokenCommand.run(rest)
    case "--version":
      try Terminal.print("aasa \(Release.version)")
      return .fine
    case "help", "--help", "-h":
      try Terminal.print(usage)
      return .fine
    default: throw Arguments.Wrong(message: "There is no command “\(command)”.")
    }
  }

  /// The options of serve, some to a line.
  private static let options = EffectiveConfiguration.options.reduce(into: [""]) { lines, option in
    if lines[lines.count - 1].count + option.count > 96 { lines.append("") }
    lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + option
  }.joined(separator: "\n")

  private static let usage = """
    usage:
      aasa serve [--config FILE] [OPTION VALUE]…
      aasa config [--json] [--config FILE] [OPTION VALUE]…
      aasa import --domain DOMAIN [--accept CODE,…] [--reason TEXT] [--database PATH] FILE
      aasa apply [--dry-run] [--prune] [--accept CODE,…] [--reason TEXT] [--json] [SITE] FILE|DIR
      aasa diff [--prune] [--accept CODE,…] [--json] [SITE] FILE|DIR
      aasa export [--json] [SITE] [DIR]
      aasa backup [--force] [--json] [--database PATH] FILE
      aasa restore [--force] [--json] [--database PATH] FILE
      aasa validate [--domain DOMAIN] [--json] FILE…
      aasa match --file FILE [--app ID] [--domain DOMAIN] [--explain] [--json] URL…
      aasa token create --name NAME --role viewer|editor|admin [--domain GLOB]…
                        [--expires TIME] [--database PATH]
      aasa token list [--database PATH]
      aasa token revoke --name NAME [--database PATH]
      aasa --version

    A SITE is --database PATH, or --server URL of an admin listener with a token in AASA_TOKEN.
    export writes all apps and domains to stdout, or to a DIR with a JSON file for each domain, which
    is made to be kept in git. apply makes them what a FILE or DIR says; with --prune it also deletes
    domains, and apps without use, that are not there. diff says what apply would do and ends with 2
    if that is anything.

    A FILE that is “-” is stdin, and so is a URL that is “-”, with a URL on each line.

    Every OPTION of serve can also be set in the environment, such as AASA_DATABASE, or in the JSON5
    file that --config names. config prints the values that serve would have, and where each is from:
    \(options)
    """
}
