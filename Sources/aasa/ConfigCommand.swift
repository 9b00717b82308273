import JSONValue
import Service

/// `aasa config`
enum ConfigCommand {
  /// Prints the values that `aasa serve` would have with the same words, and where they came from. Says
  /// on stderr what is wrong with what they name.
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(
      words, options: EffectiveConfiguration.options,
      flags: EffectiveConfiguration.flags + ["--json"])
    guard arguments.operands.isEmpty else {
      throw Arguments.Wrong(message: "config takes no operands.")
    }
    let effective = try EffectiveConfiguration(arguments)
    let items = effective.items
    if arguments.has("--json") {
      try Terminal.print(JSON.object(["settings": .array(items.map(\.json))]).text)
    } else {
      for item in items { try Terminal.print("\(item.name)\t\(item.text)\t\(item.origin)") }
    }
    let check = effective.configuration.check()
    for sentence in check.notes + check.faults { Terminal.complain(sentence) }
    return check.faults.isEmpty ? .fine : .no
  }
}

extension EffectiveConfiguration.Item {
  fileprivate var json: JSON {
    var source: JSON.Object = [:]
    switch origin {
    case .standard: source["kind"] = "default"
    case .flag(let name): source = ["kind": "flag", "name": .string(name)]
    case .variable(let name): source = ["kind": "variable", "name": .string(name)]
    case .file(let path, let line):
      source = ["kind": "file", "path": .string(path), "line": .number(String(line))]
    }
    return ["name": .string(name), "value": value, "source": .object(source)]
  }
}
