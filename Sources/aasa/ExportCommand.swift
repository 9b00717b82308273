import JSONValue

/// `aasa export`
enum ExportCommand {
  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let site = try StateSite(arguments)
    switch try site.export() {
    case .problem(let problem):
      if arguments.has(.json) { try Terminal.print(problem.text) }
      Terminal.complain(ProblemText(problem, of: site.name).text)
      return .failure
    case .done(let state):
      if let directory = arguments.operands.first {
        try write(state, to: directory, asJSON: arguments.has(.json))
      } else {
        let text = arguments.has(.json) ? state.text + "\n" : state.prettyPrinted()
        try Terminal.write(Array(text.utf8))
      }
      return .success
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
