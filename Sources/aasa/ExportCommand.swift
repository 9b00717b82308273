import Association
import JSONValue

/// `aasa export`
enum ExportCommand {
  static let command = Command(
    name: "export", group: .domains, summary: "write all apps and domains to files or stdout",
    details:
      "DIR gets apps.json and a file per domain, in a stable order for git. A file whose domain "
      + "is gone is deleted if the last export wrote it and nobody has changed it. Without DIR one "
      + "JSON document goes to stdout.",
    options: [.json] + Option.installation, operands: .optional("DIR"),
    examples: [
      ("Write files for git", "aasa export domains/"),
      (
        "Copy everything to another server",
        "aasa export | aasa apply --server https://aasa.internal:8081 -"
      ),
    ], run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let (installation, asJSON) = (try Installation(arguments), arguments.has(.json))
    do {
      let state = try installation.export()
      if let directory = arguments.operands.first {
        try write(state, to: directory, asJSON: asJSON)
      } else {
        try Terminal.write(Array((asJSON ? state.text + "\n" : state.prettyPrinted()).utf8))
      }
      return .success
    } catch let refused as Installation.Refused {
      try ProblemText(refused.problem, from: installation.name).print(asJSON: asJSON)
      return .failure
    }
  }

  private static func write(_ state: JSON, to directory: String, asJSON: Bool) throws {
    let result = try StateDirectory(path: directory).write(state)
    for name in result.kept {
      Terminal.complain(
        "Kept \"\(directory)/\(name)\", which is not part of this state: no export wrote it, or it was "
          + "changed since. 'aasa apply' would read it.")
    }
    try Terminal.print(asJSON ? result.json.text : result.text)
  }
}
