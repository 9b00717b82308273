public import HTTP

/// How a service is set up.
public struct Configuration: Sendable, Equatable {
  /// The database file.
  public var database = "aasa.db"
  /// Where association files are served.
  public var publicAddress = SocketAddress(host: "127.0.0.1", port: 8080)
  /// Where the JSON API is.
  public var adminAddress = SocketAddress(host: "127.0.0.1", port: 8081)
  /// How many threads serve association files.
  public var threads = 1
  /// The largest body that the JSON API takes, in bytes.
  public var maxBodyBytes = 8_388_608

  /// The defaults.
  public init() {}

  /// A value that is not what it has to be.
  public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, where, and what is allowed.
    public let description: String
  }

  /// One setting: its name and how its text is read.
  struct Setting: Sendable {
    let name: String
    let allowed: String
    let set: @Sendable (inout Configuration, String) -> Bool
  }

  static let settings: [Setting] = [
    Setting(name: "database", allowed: "a path") { configuration, text in
      configuration.database = text
      return !text.isEmpty
    },
    Setting(name: "publicAddress", allowed: "an address and a port, such as 127.0.0.1:8080") {
      $0.setAddress(\.publicAddress, $1)
    },
    Setting(name: "adminAddress", allowed: "an address and a port, such as 127.0.0.1:8081") {
      $0.setAddress(\.adminAddress, $1)
    },
    Setting(name: "threads", allowed: "a number from 1 to 64") {
      $0.setNumber(\.threads, $1, in: 1...64)
    },
    Setting(name: "maxBodyBytes", allowed: "a number from 131072 to 1073741824") {
      $0.setNumber(\.maxBodyBytes, $1, in: 131_072...1_073_741_824)
    },
  ]

  private mutating func setAddress(
    _ path: WritableKeyPath<Configuration, SocketAddress>, _ text: String
  ) -> Bool {
    guard let address = SocketAddress(text) else { return false }
    self[keyPath: path] = address
    return true
  }

  private mutating func setNumber(
    _ path: WritableKeyPath<Configuration, Int>, _ text: String, in range: ClosedRange<Int>
  ) -> Bool {
    guard let number = Int(text), range.contains(number) else { return false }
    self[keyPath: path] = number
    return true
  }
}
