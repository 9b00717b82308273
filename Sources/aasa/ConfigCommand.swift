import JSONValue
import Service

/// `aasa config`
enum ConfigCommand {
  private static let example = Option(
    "--example", nil, "Print a configuration file with every setting and its default instead.")

  static let command = Command(
    name: "config", group: .server,
    summary: "show the effective settings and where each comes from",
    details:
      "Takes the same options as serve and prints one setting per line: name, value, origin. "
      + "Checks the addresses and the certificates that the settings name; problems go to stderr.",
    options: [.json, example] + Option.settings,
    examples: [
      ("Check a configuration file", "aasa config --config /etc/aasa/aasa.toml"),
      ("Start a configuration file", "aasa config --example > aasa.toml"),
    ],
    success: "the settings are valid",
    failure: "the server would not start, or could not serve every host",
    run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(example) {
      try Terminal.write(Array(Configuration.exampleFile.utf8))
      return .success
    }
    let effective = try EffectiveConfiguration(arguments)
    if arguments.has(.json) {
      try Terminal.print(JSON.object(["settings": .array(effective.items.map(\.json))]).text)
    } else {
      for item in effective.items {
        try Terminal.print("\(item.name)\t\(item.text)\t\(item.origin)")
      }
    }
    let check = effective.configuration.check()
    for sentence in check.notes + check.faults { Terminal.complain(sentence) }
    return check.faults.isEmpty ? .success : .failure
  }
}

extension EffectiveConfiguration.Item {
  fileprivate var json: JSON {
    let source: JSON =
      switch origin {
      case .standard: ["kind": "default"]
      case .flag(let name): ["kind": "flag", "name": .string(name)]
      case .variable(let name): ["kind": "variable", "name": .string(name)]
      case .file(let path, let line):
        ["kind": "file", "path": .string(path), "line": .integer(line)]
      }
    return ["name": .string(name), "value": value, "source": source]
  }
}
