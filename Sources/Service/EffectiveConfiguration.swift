import Association
public import JSONValue

/// A configuration with the origin of each value. Precedence, highest first: flags, environment
/// variables, the `--config` file, defaults.
public struct EffectiveConfiguration: Sendable {
  /// The values.
  public private(set) var configuration = Configuration()

  /// Where values that are not defaults came from, by the names of their settings.
  private var origins: [String: Origin] = [:]

  /// Where a value came from.
  public enum Origin: Sendable, Equatable, CustomStringConvertible {
    case standard
    case file(String, line: Int)
    case variable(String)
    case flag(String)

    /// For people: `default`, `aasa.toml:3`, `AASA_THREADS`, `--threads`.
    public var description: String {
      switch self {
      case .standard: "default"
      case .file(let path, let line): "\(path):\(line)"
      case .variable(let name), .flag(let name): name
      }
    }
  }

  /// One effective setting.
  public struct Item: Sendable {
    /// The name in a file.
    public let name: String
    /// The value as it would be written in JSON.
    public let value: JSON
    /// The value as it would be written in the environment.
    public let text: String
    /// Where the value came from.
    public let origin: Origin
  }

  /// All settings, in a stable order.
  public var items: [Item] {
    Configuration.settings.map { setting in
      Item(
        name: setting.name, value: setting.json(configuration), text: setting.text(configuration),
        origin: origins[setting.name] ?? .standard)
    }
  }

  /// Variables that are not settings.
  private static let otherVariables = ["AASA_CONFIG", "AASA_TOKEN"]

  /// Reads settings from everywhere.
  ///
  /// - Parameters:
  ///   - flags: Values by flag, such as `--database`, in their order. The last one decides; a list takes
  ///     all of them. An empty value of a boolean means true.
  ///   - environment: Only variables that begin with `AASA_` are read.
  /// - Throws: `Configuration.Invalid`, also for an unknown variable that begins with `AASA_`.
  public init(
    flags: [String: [String]], environment: [String: String]
  ) throws(Configuration.Invalid) {
    try Self.checkNames(of: environment)
    if let path = flags["--config"]?.last ?? environment["AASA_CONFIG"] { try read(path) }
    for setting in Configuration.settings {
      if let value = environment[setting.variable] {
        try set(setting, value, .variable(setting.variable))
      }
    }
    for setting in Configuration.settings {
      guard let values = flags[setting.flag], let last = values.last else { continue }
      let value = setting.kind == .list ? values.joined(separator: ",") : last
      try set(
        setting, setting.kind == .flag && value.isEmpty ? "true" : value, .flag(setting.flag))
    }
  }

  private mutating func read(_ path: String) throws(Configuration.Invalid) {
    for member in try ConfigurationFile(path: path).members {
      guard let setting = Configuration.settings.first(where: { $0.name == member.name }) else {
        throw Self.unknown(
          "\(path):\(member.line): unknown setting", member.name,
          among: Configuration.settings.map(\.name))
      }
      // A string may have the value of any setting, as in the environment.
      let isRightKind = member.kind == .text || member.kind == setting.kind
      try set(
        setting, member.text, .file(path, line: member.line), isRightKind: isRightKind)
    }
  }

  private mutating func set(
    _ setting: Setting, _ text: String, _ origin: Origin, isRightKind: Bool = true
  ) throws(Configuration.Invalid) {
    guard isRightKind, setting.read(&configuration, text) else {
      let subject = if case .file = origin { "\(origin): \(setting.name)" } else { "\(origin)" }
      let value = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      throw Configuration.Invalid(
        description: "\(subject) must be \(setting.allowed), not \(value.quoted).")
    }
    origins[setting.name] = origin
  }

  private static func checkNames(
    of environment: [String: String]
  ) throws(Configuration.Invalid) {
    let known = Configuration.settings.map(\.variable) + otherVariables
    for (name, value) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix("AASA_") && !known.contains(name) && !isFromKubernetes(name, value) {
      throw unknown("Unknown environment variable", name, among: known)
    }
  }

  private static func unknown(
    _ problem: String, _ name: String, among known: [String]
  ) -> Configuration.Invalid {
    let advice =
      name.nearest(in: known).map { "Did you mean \($0.quoted)?" }
      ?? "Use one of \(known.joined(separator: ", "))."
    return Configuration.Invalid(description: "\(problem) \(name.quoted). \(advice)")
  }

  /// Kubernetes sets variables with the addresses of services in every container. They are named
  /// after the service, which may well be "aasa"
  /// (kubernetes.io/docs/concepts/services-networking/service, "Environment variables").
  private static func isFromKubernetes(_ name: String, _ value: String) -> Bool {
    let words = "_" + name.dropFirst("AASA_".count)
    return words.hasSuffix("_SERVICE_HOST") || words.contains("_SERVICE_PORT")
      || (words.hasSuffix("_PORT") && value.contains("://"))
      || ["_TCP", "_UDP", "_SCTP"].contains { transport in
        words.contains("_PORT_") && words.contains(transport)
      }
  }
}
