import Checking
import HTTP
package import Association
import Store

/// The declaration of a setting, from which flags, environment variables, configuration files,
/// `aasa config`, help and documentation are made.
package struct Setting: Sendable {
  /// The types of values in a file.
  package enum Kind: String, Sendable { case text, number, flag, list }

  /// When a change takes effect.
  enum Change: Sendable {
    case atOnce, afterRestart
    /// On reload if it changes from one directory to another; a listener cannot switch between HTTP
    /// and HTTPS.
    case betweenDirectories
  }

  /// The name in a file.
  package let name: String
  /// The type of the value in a file.
  package let kind: Kind
  /// When a change takes effect.
  let change: Change
  /// What it does, in sentences.
  package let help: String
  /// The placeholder for the value in help, such as `ADDRESS`.
  package let placeholder: String
  /// A description of allowed values, such as `a number from 1 to 64`.
  let allowed: String
  /// `Range: 1 to 64.`; nil for anything but numbers.
  package let range: String?
  /// The allowed values, if there are only a few.
  package let choices: [String]
  /// Whether the value, or a part of it, must not be shown.
  let isSecret: Bool
  /// Reads a value from its text; false if it is not allowed. May throw a clause that says why.
  let read: @Sendable (inout Configuration, String) throws -> Bool
  /// The value in JSON, which is valid TOML too.
  package let json: @Sendable (Configuration) -> JSON
  /// The value for people: as `json`, without what must not be shown.
  package let shown: @Sendable (Configuration) -> JSON
  /// Copies the value of the first configuration to the second.
  let copy: @Sendable (Configuration, inout Configuration) -> Void

  init<Value>(
    _ name: String, _ path: any WritableKeyPath<Configuration, Value> & Sendable,
    _ format: Format<Value>, _ change: Change, _ help: String
  ) {
    self.name = name
    self.change = change
    self.help = help
    kind = format.kind
    placeholder = format.placeholder
    allowed = format.allowed
    range = format.range.map { "Range: \($0.lowerBound) to \($0.upperBound)." }
    choices = format.choices
    isSecret = format.shown != nil
    read = { configuration, text in
      guard let value = try format.read(text) else { return false }
      configuration[keyPath: path] = value
      return true
    }
    json = { format.json($0[keyPath: path]) }
    shown = { (format.shown ?? format.json)($0[keyPath: path]) }
    copy = { $1[keyPath: path] = $0[keyPath: path] }
  }

  /// `public-address` for `publicAddress`, `apple-cdn` for `appleCDN`.
  private var words: [String] {
    var words = [""]
    var isCapital = false
    for character in name {
      if character.isUppercase && !isCapital { words.append("") }
      isCapital = character.isUppercase
      words[words.count - 1] += character.lowercased()
    }
    return words
  }

  /// `--public-address` for `publicAddress`.
  package var flag: String { "--" + words.joined(separator: "-") }

  /// `AASA_PUBLIC_ADDRESS` for `publicAddress`.
  package var variable: String { "AASA_" + words.joined(separator: "_").uppercased() }

  /// The default, as it is written in the environment.
  package var standard: String { text(Configuration()) }

  /// The value for people, as it is written in the environment.
  package func shownText(_ configuration: Configuration) -> String {
    Self.text(shown(configuration))
  }

  /// The value as it is written in the environment: a list has commas between its elements.
  package func text(_ configuration: Configuration) -> String { Self.text(json(configuration)) }

  private static func text(_ json: JSON) -> String {
    switch json {
    case .array(let elements): elements.compactMap(\.stringValue).joined(separator: ",")
    case .string(let text): text
    case let value: value.text
    }
  }

  /// Whether a running service can switch from one configuration to another.
  func canChange(from old: Configuration, to new: Configuration) -> Bool {
    switch change {
    case .atOnce: true
    case .afterRestart: false
    case .betweenDirectories: !text(old).isEmpty && !text(new).isEmpty
    }
  }
}

/// How the value of a setting is written.
struct Format<Value: Sendable>: Sendable {
  let kind: Setting.Kind
  var placeholder = ""
  let allowed: String
  var range: ClosedRange<Int>?
  var choices: [String] = []
  let read: @Sendable (String) throws -> Value?
  let json: @Sendable (Value) -> JSON
  /// The value for people, if a part of it must not be shown.
  var shown: (@Sendable (Value) -> JSON)?
}

/// What is shown of a secret; nothing if there is none.
private func covered(_ secret: String?) -> JSON { secret == nil ? "" : "(secret)" }

extension Format<DatabaseLocation> {
  static var database: Format {
    Format(
      kind: .text, placeholder: "DATABASE",
      allowed: "a path, or a URI such as postgresql://USER@HOST/NAME",
      read: { try DatabaseLocation($0) }, json: { .string($0.text) },
      shown: { .string($0.description) })
  }
}

extension Format<String?> {
  /// An empty text means no value.
  static var directory: Format {
    Format(
      kind: .text, placeholder: "DIR", allowed: "a directory",
      read: { .some($0.isEmpty ? nil : $0) }, json: { .string($0 ?? "") })
  }

  /// An empty text means no value.
  static var file: Format {
    Format(
      kind: .text, placeholder: "FILE", allowed: "a path",
      read: { .some($0.isEmpty ? nil : $0) }, json: { .string($0 ?? "") })
  }
}

extension Format<String?> {
  /// An empty text means no value.
  static var secret: Format {
    Format(
      kind: .text, placeholder: "KEY", allowed: "a text without spaces",
      read: { text in
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
          ? .some(text.isEmpty ? nil : text) : nil
      }, json: { .string($0 ?? "") }, shown: covered)
  }

  /// The URL of a proxy, which may contain a password. An empty text means none.
  static var proxy: Format {
    Format(
      kind: .text, placeholder: "URL", allowed: "the URL of an HTTP proxy",
      read: { $0.isEmpty ? .some(nil) : Format<String>.url($0).map { .some($0) } },
      json: { .string($0 ?? "") }, shown: covered)
  }

  /// The name of a header field (RFC 9110 section 5.1) without a meaning of its own. An empty text means none.
  static var headerName: Format {
    Format(
      kind: .text, placeholder: "NAME",
      allowed:
        "the name of a header such as X-Forwarded-User, but not Authorization, Cookie or Host",
      read: { text in
        let isName = text.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
        let isOther = !["authorization", "cookie", "host"].contains(text.lowercased())
        return isName && isOther ? .some(text.isEmpty ? nil : text) : nil
      }, json: { .string($0 ?? "") })
  }

  /// An empty text means none.
  static var optionalURL: Format {
    Format(
      kind: .text, placeholder: "URL", allowed: "an http or https URL without a query",
      read: { $0.isEmpty ? .some(nil) : Format<String>.url($0).map { .some($0) } },
      json: { .string($0 ?? "") })
  }
}

extension Format<String> {
  /// The URL of a service, to which paths are added.
  static var url: Format {
    Format(
      kind: .text, placeholder: "URL", allowed: "an http or https URL without a query",
      read: url, json: { .string($0) })
  }

  fileprivate static func url(_ text: String) -> String? {
    let text = text.hasSuffix("/") ? String(text.dropLast()) : text
    let isURL =
      (text.hasPrefix("https://") || text.hasPrefix("http://"))
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && !text.contains { "?#".contains($0) }
      && text.split(separator: "/").count > 1
    return isURL ? text : nil
  }
}

extension Format<Bool> {
  static var flag: Format {
    Format(
      kind: .flag, allowed: "true or false", choices: ["true", "false"],
      read: { Bool($0) }, json: { .bool($0) })
  }
}

extension Format<Int> {
  static func number(_ range: ClosedRange<Int>) -> Format {
    Format(
      kind: .number, placeholder: "N",
      allowed: "a number from \(range.lowerBound) to \(range.upperBound)", range: range,
      read: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, json: { .integer($0) })
  }
}

extension Format<Int> {
  /// Seconds, written as `90s`, `30m`, `6h` or `1d`.
  static var duration: Format {
    let units: [(Character, Int)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
    return Format(
      kind: .text, placeholder: "DURATION",
      allowed: "0, or from 1m to 365d, such as 30m or 6h",
      read: { text in
        if text == "0" || text.isEmpty { return 0 }
        guard let unit = units.first(where: { $0.0 == text.last }),
          let number = Int(text.dropLast()), (1...31_536_000).contains(number),
          (60...31_536_000).contains(number * unit.1)
        else { return nil }
        return number * unit.1
      },
      json: { seconds in
        if seconds == 0 { return "0" }
        let unit = units.first { seconds % $0.1 == 0 } ?? ("s", 1)
        return .string("\(seconds / unit.1)\(unit.0)")
      })
  }
}

extension Format {
  /// A list of texts, separated by commas.
  fileprivate static func list<Element: CustomStringConvertible>(
    _ placeholder: String, allowed: String, _ parse: @escaping @Sendable (String) -> Element?
  ) -> Format where Value == [Element] {
    Format(
      kind: .list, placeholder: placeholder, allowed: allowed,
      read: { text in
        let words = text.split(separator: ",").map { $0.filter { $0 != " " } }
          .filter { !$0.isEmpty }
        let elements = words.compactMap(parse)
        return elements.count == words.count ? elements : nil
      },
      json: { .strings($0.map(\.description)) })
  }
}

extension Format<[Fetcher.Place]> {
  static var places: Format {
    list(
      "PLACES", allowed: "a list of HOST:ADDRESS or HOST:ADDRESS:PORT, such as example.com:10.0.0.7"
    ) { Fetcher.Place($0) }
  }
}

extension Format<SocketAddress> {
  static var address: Format {
    Format(
      kind: .text, placeholder: "ADDRESS", allowed: "an address and a port, such as 127.0.0.1:8080",
      read: { SocketAddress($0) }, json: { .string($0.description) })
  }
}

extension Format<[AddressRange]> {
  static var ranges: Format {
    list("RANGES", allowed: "a list of addresses and ranges, such as 10.0.0.0/8,::1") {
      AddressRange($0)
    }
  }
}

extension Format<[String]> {
  /// Names or addresses as in the header field `Host`, without ports.
  static var hosts: Format {
    Format(
      kind: .list, placeholder: "HOSTS", allowed: "a list of host names, such as aasa.example.com",
      read: { text in
        let words = text.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
        let isHost = { (word: String) in
          !word.isEmpty && word.utf8.count <= 255
            && word.utf8.allSatisfy { byte in
              (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._".utf8.contains(byte)
            }
        }
        return words.allSatisfy(isHost) ? words : nil
      },
      json: { .strings($0) })
  }
}

extension Format<Log.Format> {
  static var logFormat: Format {
    Format(
      kind: .text, placeholder: "FORMAT", allowed: "text or json", choices: ["text", "json"],
      read: { Log.Format(rawValue: $0) }, json: { .string($0.rawValue) })
  }
}
