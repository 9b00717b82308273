import Association
import Service

enum ConfigCommand {
  private static let example = Option(
    "--example", nil, "Print a configuration file with every setting and its default instead.")

  static let command = Command(
    name: "config", group: .server,
    summary: "show the effective settings and where each comes from",
    details:
      "Takes the same options as serve and prints one setting per line: name, value, origin. "
      + "Checks the addresses, the certificates and the file of the database; problems go to stderr.",
    options: [.json, example] + Option.settings,
    examples: [
      ("Check a configuration file", "aasa config --config /etc/aasa/aasa.toml"),
      ("Create a configuration file", "aasa config --example > aasa.toml"),
    ],
    success: "the settings are valid",
    failure: "the server would not start, or could not serve every host",
    run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(example) {
      try Terminal.write(Configuration.exampleFile)
      return .success
    }
    let effective = try EffectiveConfiguration(arguments)
    let configuration = effective.configuration
    if arguments.has(.json) {
      let settings = Configuration.settings.map { setting -> JSON in
        [
          "name": .string(setting.name), "value": setting.shown(configuration),
          "source": effective.origin(of: setting).json,
        ]
      }
      try Terminal.print(JSON.object(["settings": .array(settings)]).text)
    } else {
      for setting in Configuration.settings {
        try Terminal.print(
          "\(setting.name)\t\(setting.shownText(configuration))\t\(effective.origin(of: setting))")
      }
    }
    let check = configuration.check()
    let faults = check.faults + [configuration.databaseFault].compactMap(\.self)
    for sentence in check.warnings + check.notes + faults { Terminal.complain(sentence) }
    return faults.isEmpty ? .success : .failure
  }
}

extension EffectiveConfiguration.Origin {
  fileprivate var json: JSON {
    switch self {
    case .standard: ["kind": "default"]
    case .flag(let name): ["kind": "flag", "name": .string(name)]
    case .variable(let name): ["kind": "variable", "name": .string(name)]
    case .file(let path, let line):
      ["kind": "file", "path": .string(path), "line": .integer(line)]
    }
  }
}
