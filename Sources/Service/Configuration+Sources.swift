import FoundationEssentials
import Glibc

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
    } catch DecodingError.typeMismatch(_, let context) {
      let name = context.codingPath.first.map { "“\($0.stringValue)”" } ?? "the whole file"
      throw Invalid(
        description: "\(path): \(name) is of the wrong type. The file must be an object of strings "
          + "and numbers.")
    } catch is DecodingError {
      throw Invalid(description: "\(path) is not JSON5. Check it for a missing comma or brace.")
    } catch {
      throw Invalid(description: "\(path) cannot be read\(Self.reason(error)).")
    }
  }

  /// The operating system's words for an error of Foundation.
  private static func reason(_ error: any Error) -> String {
    guard let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code else { return "" }
    return ": \(String(cString: strerror(code.rawValue)))"
  }

  /// A string or a number of a configuration file.
  private struct Scalar: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        text = try container.decode(String.self)
      } catch DecodingError.typeMismatch {
        let number = try container.decode(Double.self)
        text = Int(exactly: number).map(String.init) ?? String(number)
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
