import HTTP
import JSONValue

/// One setting of a configuration: its name, how its text is read, and how it is shown.
struct Setting: Sendable {
  /// What its value is in JSON.
  enum Kind: Sendable { case text, number, flag, list }

  /// Who may see its value.
  enum Visibility: Sendable { case plain, secret }

  /// When a change of it counts.
  enum Change: Sendable {
    case whileRunning, atRestart
    /// While the service runs, but not to or from an empty one.
    case betweenValues
  }

  let name: String
  let kind: Kind
  /// What its text may be.
  let allowed: String
  let change: Change
  let visibility: Visibility
  /// Reads the text of a value; false for one that is not allowed.
  let set: @Sendable (inout Configuration, String) -> Bool
  /// The value in JSON.
  let get: @Sendable (Configuration) -> JSON

  init(
    _ name: String, _ kind: Kind, _ allowed: String, changes change: Change,
    visibility: Visibility = .plain, get: @escaping @Sendable (Configuration) -> JSON,
    set: @escaping @Sendable (inout Configuration, String) -> Bool
  ) {
    self.name = name
    self.kind = kind
    self.allowed = allowed
    self.change = change
    self.visibility = visibility
    self.set = set
    self.get = get
  }

  /// `public-address` for `publicAddress`.
  private var words: [String] {
    name.reduce(into: [""]) { words, character in
      if character.isUppercase { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
  }

  /// `--public-address` for `publicAddress`.
  var flag: String { "--" + words.joined(separator: "-") }

  /// `AASA_PUBLIC_ADDRESS` for `publicAddress`.
  var variable: String { "AASA_" + words.joined(separator: "_").uppercased() }

  /// The value as people may see it.
  func shown(_ configuration: Configuration) -> JSON {
    let value = get(configuration)
    return visibility == .secret && value.stringValue != "" ? "********" : value
  }

  /// The value as the text that it is read from.
  func text(_ configuration: Configuration) -> String { get(configuration).settingText }

  /// Whether it can go from one text to another while the service runs.
  func isTaken(from old: String, to new: String) -> Bool {
    switch change {
    case .whileRunning: true
    case .atRestart: false
    case .betweenValues: !old.isEmpty && !new.isEmpty
    }
  }

  /// Makes the value that of another configuration.
  func copy(from other: Configuration, to configuration: inout Configuration) {
    // What was read once can be read again.
    _ = set(&configuration, text(other))
  }
}

extension JSON {
  /// The text of a setting's value: a list has commas between its elements.
  var settingText: String {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let value): String(value)
    case .array(let elements): elements.map(\.settingText).joined(separator: ",")
    case .null, .object: ""
    }
  }
}
