import FoundationEssentials

extension Configuration {
  /// The flags of all settings: `--database`, `--public-address` and so on.
  public static var flags: [String] { settings.map(\.flag) }

  /// Reads flags, then the environment, then the file that `--config` or `AASA_CONFIG` names, then
  /// the defaults; the first that has a setting decides.
  ///
  /// - Parameters:
  ///   - flags: Values by flag, such as `--database`.
  ///   - environment: Values by name; only those that begin with `AASA_` count.
  /// - Throws: `Invalid`.
  public init(flags: [String: String], environment: [String: String]) throws(Invalid) {
    self.init()
    if let file = flags["--config"] ?? environment["AASA_CONFIG"] {
      for (name, value) in try Self.values(inFile: file) {
        guard let setting = Self.settings.first(where: { $0.name == name }) else {
          let names = Self.settings.map(\.name).joined(separator: ", ")
          throw Invalid(description: "\(file): there is no setting “\(name)”. There are \(names).")
        }
        try set(setting, value, from: "\(file): \(name)")
      }
    }
    for setting in Self.settings {
      if let value = environment[setting.variable] {
        try set(setting, value, from: setting.variable)
      }
    }
    for setting in Self.settings {
      if let value = flags[setting.flag] { try set(setting, value, from: setting.flag) }
    }
  }

  private mutating func set(
    _ setting: Setting, _ value: String, from place: String
  ) throws(Invalid) {
    guard setting.set(&self, value) else {
      throw Invalid(description: "\(place): “\(value)” is not \(setting.allowed).")
    }
  }

  /// The settings of a JSON5 file, as texts.
  private static func values(inFile path: String) throws(Invalid) -> [String: String] {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      return try decoder.decode([String: Scalar].self, from: data).mapValues(\.text)
    } catch {
      throw Invalid(
        description: "\(path) cannot be read as a JSON5 object of strings and numbers: \(error)")
    }
  }

  /// A string or a number of a configuration file.
  private struct Scalar: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        text = try container.decode(String.self)
      } catch DecodingError.typeMismatch {
        text = String(try container.decode(Int.self))
      }
    }
  }
}

extension Configuration.Setting {
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
}
