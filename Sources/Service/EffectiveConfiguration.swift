public import JSONValue

/// A configuration with where each of its values came from: flags, then the environment, then the
/// file that `--config` or `AASA_CONFIG` names, then the defaults; the first that has a setting
/// decides.
public struct EffectiveConfiguration: Sendable {
  /// The values.
  public private(set) var configuration = Configuration()

  /// The file that was read.
  public let file: String?

  /// Where the values came from that are not defaults, by the names of their settings.
  private var origins: [String: Origin] = [:]

  /// Where a value came from.
  public enum Origin: Sendable, Equatable, CustomStringConvertible {
    /// Nobody has set it.
    case standard
    /// A line of a file.
    case file(String, line: Int)
    /// A variable of the environment.
    case variable(String)
    /// A flag.
    case flag(String)

    /// For people: `default`, `aasa.json5:3`, `AASA_THREADS`, `--threads`.
    public var description: String {
      switch self {
      case .standard: "default"
      case .file(let path, let line): "\(path):\(line)"
      case .variable(let name), .flag(let name): name
      }
    }
  }

  /// One setting as it is.
  public struct Item: Sendable {
    /// The name in a file.
    public let name: String
    /// The value; masked if it is a secret.
    public let value: JSON
    /// Where it came from.
    public let origin: Origin

    /// The value as it would be written in the environment.
    public var text: String { value.settingText }
  }

  /// All settings, in a stable order.
  public var items: [Item] {
    Configuration.settings.map { setting in
      Item(
        name: setting.name, value: setting.shown(configuration),
        origin: origins[setting.name] ?? .standard)
    }
  }

  /// The flags that have a value: `--database`, `--public-address` and so on, and `--config`.
  public static var options: [String] { ["--config"] + Configuration.settings.map(\.flag) }

  /// The flags among them that may stand alone, which is the same as `=true`.
  public static var flags: [String] {
    Configuration.settings.filter { $0.kind == .flag }.map(\.flag)
  }

  /// Reads all of it.
  ///
  /// - Parameters:
  ///   - flags: Values by flag, such as `--database`. Of several, the last one counts; those of a list
  ///     are put together.
  ///   - environment: Values by name; only those that begin with `AASA_` count.
  /// - Throws: `Configuration.Invalid`, also for a variable that begins so and that nothing reads.
  public init(
    flags: [String: [String]], environment: [String: String]
  ) throws(Configuration.Invalid) {
    try Environment.check(environment)
    file = flags["--config"]?.last ?? environment["AASA_CONFIG"]
    if let file {
      for item in try ConfigurationFile(path: file).items {
        try set(
          item.setting, item.text, written: item.written, from: .file(file, line: item.line))
      }
    }
    for setting in Configuration.settings {
      if let value = environment[setting.variable] {
        try set(setting, value, written: value, from: .variable(setting.variable))
      }
    }
    for setting in Configuration.settings {
      guard let values = flags[setting.flag], let last = values.last else { continue }
      var value = setting.kind == .list ? values.joined(separator: ",") : last
      if setting.kind == .flag && value.isEmpty { value = "true" }
      try set(setting, value, written: value, from: .flag(setting.flag))
    }
  }

  private mutating func set(
    _ setting: Setting, _ text: String?, written: String, from origin: Origin
  ) throws(Configuration.Invalid) {
    guard let text, setting.set(&configuration, text) else {
      let place = if case .file = origin { "\(origin): \(setting.name)" } else { "\(origin)" }
      let value = setting.visibility == .secret ? "The value" : "“\(text ?? written)”"
      throw Configuration.Invalid(description: "\(place): \(value) is not \(setting.allowed).")
    }
    origins[setting.name] = origin
  }
}

/// The variables that aasa reads.
private enum Environment {
  /// Those that are no settings.
  private static let others = ["AASA_CONFIG", "AASA_TOKEN"]

  static func check(_ environment: [String: String]) throws(Configuration.Invalid) {
    let names = others + Configuration.settings.map(\.variable)
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("AASA_") {
      if names.contains(name) || isOfKubernetes(name, value) { continue }
      throw Configuration.Invalid(description: UnknownName(name, among: names).sentence)
    }
  }

  /// Kubernetes tells every container where the services are, in variables that begin with a
  /// service's name, which may well be “aasa”
  /// (kubernetes.io/docs/concepts/services-networking/service, “Environment variables”).
  private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
    let words = "_" + name.dropFirst("AASA_".count)
    return words.hasSuffix("_SERVICE_HOST") || words.contains("_SERVICE_PORT")
      || (words.hasSuffix("_PORT") && value.contains("://"))
      || ["_TCP", "_UDP", "_SCTP"].contains { transport in
        words.contains("_PORT_") && words.contains(transport)
      }
  }
}
