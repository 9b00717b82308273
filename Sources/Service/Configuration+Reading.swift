import Association
import CTOML
import FoundationEssentials
import Glibc

/// A configuration with the origin of each value. Precedence, highest first: flags, environment
/// variables, the `--config` file, defaults.
package struct EffectiveConfiguration: Sendable {
  package private(set) var configuration = Configuration()

  /// Where values that are not defaults came from, by the names of their settings.
  private var origins: [String: Origin] = [:]

  private var faults: [Configuration.Invalid.Fault] = []

  /// Where a value came from.
  package enum Origin: Sendable, Equatable, CustomStringConvertible {
    case standard
    case file(String, line: Int)
    case variable(String)
    case flag(String)

    /// For people: `default`, `aasa.toml:3`, `AASA_THREADS`, `--threads`.
    package var description: String {
      switch self {
      case .standard: "default"
      case .file(let path, let line): "\(path):\(line)"
      case .variable(let name), .flag(let name): name
      }
    }
  }

  /// Where the value of a setting came from.
  package func origin(of setting: Setting) -> Origin { origins[setting.name] ?? .standard }

  /// Variables that are not settings.
  private static let otherVariables = [
    "AASA_CONFIG", "AASA_SERVER", "AASA_TOKEN", "AASA_KEYSTORE_PASSWORD",
  ]

  /// Reads settings from everywhere.
  ///
  /// - Parameters:
  ///   - flags: Values by flag, such as `--database`, in their order. The last one decides; a list takes
  ///     all of them. An empty value of a boolean means true.
  ///   - environment: Only variables that begin with `AASA_` are read. An empty one counts as unset, except
  ///     that of a list, which is an empty list.
  /// - Throws: `Configuration.Invalid` with every fault, also for an unknown variable that begins with `AASA_`.
  package init(
    flags: [String: [String]], environment: [String: String]
  ) throws(Configuration.Invalid) {
    checkNames(of: environment)
    let environment = environment.filter { !$0.value.isEmpty || Self.isList($0.key) }
    let variable = environment["AASA_CONFIG"]
    if let path = flags["--config"]?.last ?? variable {
      if path.isEmpty {
        faults.append(Configuration.Invalid.Fault("--config must be a path, not \"\"."))
      } else {
        read(path)
      }
    }
    for setting in Configuration.settings {
      guard let value = environment[setting.variable] else { continue }
      set(setting, value, .variable(setting.variable))
    }
    for setting in Configuration.settings {
      guard let values = flags[setting.flag], let last = values.last else { continue }
      let value = setting.kind == .list ? values.joined(separator: ",") : last
      set(setting, setting.kind == .flag && value.isEmpty ? "true" : value, .flag(setting.flag))
    }
    try Configuration.Invalid.check(faults)
  }

  private static func isList(_ variable: String) -> Bool {
    Configuration.settings.contains { $0.variable == variable && $0.kind == .list }
  }

  private mutating func read(_ path: String) {
    let members: [Member]
    do throws(Configuration.Invalid) {
      members = try Member.all(of: path)
    } catch {
      faults += error.faults
      return
    }
    for member in members {
      guard let setting = Configuration.settings.first(where: { $0.name == member.name }) else {
        addUnknown(
          "\(path):\(member.line): unknown setting", member.name,
          among: Configuration.settings.map(\.name))
        continue
      }
      // A string may have the value of any setting, as in the environment.
      let isRightKind = member.kind == .text || member.kind == setting.kind
      set(setting, member.text, .file(path, line: member.line), isRightKind: isRightKind)
    }
  }

  private mutating func set(
    _ setting: Setting, _ text: String, _ origin: Origin, isRightKind: Bool = true
  ) {
    let subject = if case .file = origin { "\(origin): \(setting.name)" } else { "\(origin)" }
    let isAllowed: Bool
    do {
      isAllowed = try isRightKind && setting.read(&configuration, text)
    } catch {
      faults.append(
        Configuration.Invalid.Fault(
          "\(subject) must be \(setting.allowed): \(error).", isDatabaseAddress: true))
      return
    }
    guard isAllowed else {
      let value = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let found = setting.isSecret && !value.isEmpty ? "" : ", not \(value.quoted)"
      faults.append(
        Configuration.Invalid.Fault("\(subject) must be \(setting.allowed)\(found)."))
      return
    }
    origins[setting.name] = origin
  }

  private mutating func checkNames(of environment: [String: String]) {
    let known = Configuration.settings.map(\.variable) + Self.otherVariables
    for (name, value) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix("AASA_") && !known.contains(name) && !Self.isFromKubernetes(name, value) {
      addUnknown("Unknown environment variable", name, among: known)
    }
  }

  private mutating func addUnknown(_ problem: String, _ name: String, among known: [String]) {
    let advice =
      name.nearest(in: known).map { "Did you mean \($0.quoted)?" }
      ?? "Use one of \(known.joined(separator: ", "))."
    faults.append(Configuration.Invalid.Fault("\(problem) \(name.quoted). \(advice)"))
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

/// A setting in a TOML file.
private struct Member {
  let name: String
  /// `nil` for types that no setting has, such as a table.
  let kind: Setting.Kind?
  /// The value as it would be written in the environment.
  let text: String
  let line: Int

  private init(_ json: JSON) {
    name = json["name"]?.stringValue ?? ""
    kind = json["type"]?.stringValue.flatMap(Setting.Kind.init)
    text = json["text"]?.stringValue ?? ""
    line = json["line"]?.integerValue ?? 0
  }

  /// The settings in a file, in its order.
  static func all(of path: String) throws(Configuration.Invalid) -> [Member] {
    let bytes: Data
    let json: JSON
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
      // Sound: the bytes are only read during the call.
      let text = bytes.withUnsafeBytes {
        aasa_toml_describe($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
      }
      defer { free(text) }
      json = try JSON.parse(
        Array((text.map { String(cString: $0) } ?? "").utf8), limits: .trusted
      ).value
    } catch {
      let reason = (error as? CocoaError)?.reason ?? "\(error)"
      throw Configuration.Invalid("Cannot read \(path.quotedPath): \(reason).")
    }
    if let error = json["error"]?.stringValue {
      throw invalid(path, bytes, error, line: json["line"]?.integerValue ?? 0)
    }
    return (json["members"]?.arrayValue ?? []).map(Member.init).sorted { $0.line < $1.line }
  }

  /// The parser's message without its first words, after the line in question.
  private static func invalid(
    _ path: String, _ bytes: Data, _ error: String, line: Int
  ) -> Configuration.Invalid {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let source = lines.indices.contains(line - 1) ? lines[line - 1] : Data()
    let text = Self.onOneLine(String(decoding: source, as: UTF8.self))
    let reason = Self.onOneLine(error.split(separator: ": ", maxSplits: 1).last ?? "")
    let advice =
      reason.hasPrefix("cannot redefine")
      ? "repeats a setting. Keep one of the two."
      : "is not valid TOML: \(reason). Write name = value, with text in quotes."
    let place = line > 0 ? "\(path):\(line): \(text.quoted)" : path
    return Configuration.Invalid("\(place) \(advice)")
  }

  private static func onOneLine(_ text: some StringProtocol) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
