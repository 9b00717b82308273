import JSONValue

/// `aasa export`
enum ExportCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(words, options: StateSite.options, flags: ["--json"])
    guard arguments.operands.count <= 1 else {
      throw Arguments.Wrong(message: "export takes one DIR, or none to write to stdout.")
    }
    let site = try StateSite(arguments)
    switch try site.export() {
    case .problem(let problem):
      if arguments.has("--json") { try Terminal.print(problem.text) }
      Terminal.complain(ProblemText(problem, of: site.name).text)
      return .no
    case .done(let state):
      if let directory = arguments.operands.first {
        try write(state, to: directory, asJSON: arguments.has("--json"))
      } else {
        let text = arguments.has("--json") ? state.text + "\n" : state.prettyPrinted()
        try Terminal.write(Array(text.utf8))
      }
      return .fine
    }
  }

  private static func write(_ state: JSON, to directory: String, asJSON: Bool) throws {
    let result = try StateDirectory(path: directory).write(state)
    for name in result.kept {
      Terminal.complain(
        "“\(directory)/\(name)” is not of this state and was not written by an export, or was changed"
          + " since. It was left, and an apply would read it.")
    }
    try Terminal.print(asJSON ? result.json.text : result.text)
  }
}
