import JSONValue

/// `aasa export`
enum ExportCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(words, options: Installation.options, flags: ["--json"])
    guard arguments.operands.count <= 1 else {
      throw Arguments.Wrong(message: "export takes one DIR, or none to write to stdout.")
    }
    let (installation, asJSON) = (try Installation(arguments), arguments.has("--json"))
    do {
      let state = try installation.export()
      if let directory = arguments.operands.first {
        try write(state, to: directory, asJSON: asJSON)
      } else {
        try Terminal.write(Array((asJSON ? state.text + "\n" : state.prettyPrinted()).utf8))
      }
      return .fine
    } catch let refused as Installation.Refused {
      try ProblemText(refused.problem, from: installation.name).print(asJSON: asJSON)
      return .no
    }
  }

  private static func write(_ state: JSON, to directory: String, asJSON: Bool) throws {
    let result = try StateDirectory(path: directory).write(state)
    for name in result.kept {
      Terminal.complain(
        "Kept “\(directory)/\(name)”, which is not part of this state: no export wrote it, or it was "
          + "changed since. “aasa apply” would read it.")
    }
    try Terminal.print(asJSON ? result.json.text : result.text)
  }
}
