import HTTP
import JSONValue

extension Configuration {
  /// All settings, in the order in which they are shown.
  static let settings: [Setting] = [
    Setting("database", .text, "a path", changes: .atRestart) {
      .string($0.database)
    } set: {
      $0.database = $1
      return !$1.isEmpty
    },
    .address("publicAddress", \.publicAddress, such: "127.0.0.1:8080"),
    .address("adminAddress", \.adminAddress, such: "127.0.0.1:8081"),
    Setting("insecureAdmin", .flag, "true or false", changes: .atRestart) {
      .bool($0.insecureAdmin)
    } set: {
      guard let value = Bool($1) else { return false }
      $0.insecureAdmin = value
      return true
    },
    Setting(
      "trustedProxies", .list, "a list of addresses and ranges, such as 10.0.0.0/8,::1",
      changes: .whileRunning
    ) {
      .strings($0.trustedProxies.map(\.description))
    } set: {
      $0.setRanges($1)
    },
    .directory("publicCertificates", \.publicCertificates),
    .directory("adminCertificates", \.adminCertificates),
    .number("threads", \.threads, 1...64, changes: .atRestart),
    .number("maxBodyBytes", \.maxBodyBytes, 131_072...1_073_741_824, changes: .atRestart),
    Setting("logFormat", .text, "text or json", changes: .whileRunning) {
      .string($0.logFormat.rawValue)
    } set: {
      guard let format = Log.Format(rawValue: $1) else { return false }
      $0.logFormat = format
      return true
    },
    .number("accessLog", \.accessLog, 0...1_000_000_000, changes: .whileRunning),
    .number("drainSeconds", \.drainSeconds, 0...3600, changes: .whileRunning),
    .number("readyDelaySeconds", \.readyDelaySeconds, 0...3600, changes: .whileRunning),
    .number("keepRevisions", \.keepRevisions, 1...1_000_000_000, changes: .whileRunning),
    .number("keepRevisionsDays", \.keepRevisionsDays, 0...100_000, changes: .whileRunning),
    .number("keepAuditDays", \.keepAuditDays, 0...100_000, changes: .whileRunning),
  ]

  private mutating func setRanges(_ text: String) -> Bool {
    let words = text.split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    let ranges = words.compactMap(AddressRange.init)
    trustedProxies = ranges
    return ranges.count == words.count
  }
}

extension Setting {
  fileprivate static func address(
    _ name: String, _ path: any WritableKeyPath<Configuration, SocketAddress> & Sendable,
    such example: String
  ) -> Setting {
    Setting(name, .text, "an address and a port, such as \(example)", changes: .atRestart) {
      .string($0[keyPath: path].description)
    } set: {
      guard let address = SocketAddress($1) else { return false }
      $0[keyPath: path] = address
      return true
    }
  }

  fileprivate static func number(
    _ name: String, _ path: any WritableKeyPath<Configuration, Int> & Sendable,
    _ range: ClosedRange<Int>, changes change: Change
  ) -> Setting {
    let allowed = "a number from \(range.lowerBound) to \(range.upperBound)"
    return Setting(name, .number, allowed, changes: change) {
      .number(String($0[keyPath: path]))
    } set: {
      guard let number = Int($1), range.contains(number) else { return false }
      $0[keyPath: path] = number
      return true
    }
  }

  /// A directory of certificates; an empty text is none. A listener that speaks plain HTTP does not
  /// begin to speak HTTPS.
  fileprivate static func directory(
    _ name: String, _ path: any WritableKeyPath<Configuration, String?> & Sendable
  ) -> Setting {
    Setting(name, .text, "a directory", changes: .betweenValues) {
      .string($0[keyPath: path] ?? "")
    } set: {
      $0[keyPath: path] = $1.isEmpty ? nil : $1
      return true
    }
  }
}
