import Association
import Checking
import FoundationEssentials
import HTTP
import Store
import Service
import Synchronization
import TestSupport

/// Both listeners on free ports with a store of their own. They stop when this value is released.
final class RunningService: Sendable {
  let directory: TemporaryDirectory
  let store: Store
  let location: DatabaseLocation
  let configuration: Configuration
  let service: Service
  /// A client of the JSON API with the role `admin`.
  let admin: Client

  /// Starts a service on a store that `prepare` has filled.
  init(
    maxBodyBytes: Int = 8_388_608, clock: SettableClock? = nil,
    prepare: (Store) throws -> Void = { _ in },
    configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    directory = try TemporaryDirectory()
    location = try TemporaryDatabase.create(in: directory)
    store =
      if let clock { try Store(location) { clock.now } } else { try Store(location) }
    try prepare(store)
    var configuration = Configuration()
    configuration.database = location
    configuration.publicAddress = SocketAddress(host: "127.0.0.1", port: 0)
    configuration.adminAddress = SocketAddress(host: "127.0.0.1", port: 0)
    configuration.maxBodyBytes = maxBodyBytes
    // Nobody listens on port 1, so that no test depends on the world outside.
    configuration.allowPrivateAddresses = [AddressRange("127.0.0.1")].compactMap(\.self)
    configuration.checkPlaces = [Fetcher.Place("*:127.0.0.1:1")].compactMap(\.self)
    configuration.appleCDN = "http://127.0.0.1:1"
    configuration.googleDigitalAssetLinks = "http://127.0.0.1:1"
    configure(&configuration)
    self.configuration = configuration
    service = try Service(configuration, store: store, log: Log(descriptor: nil))
    let secret = try store.write(WriteContext(author: "test")) {
      try $0.createToken(name: "test", role: .admin)
    }
    admin = Self.client(of: service, secret.text)
  }

  deinit {
    service.stop(within: 0, requests: 0)
    TemporaryDatabase.remove(location)
  }

  /// Another store on the same database, as another process has it.
  func open(now: @escaping @Sendable () -> UnixTime) throws -> Store {
    try Store(location, now: now)
  }

  /// A connection to the database, past the store.
  func connect() throws -> any Connection { try location.connect() }

  /// A client of the JSON API with a token of its own, or with none.
  func client(
    _ role: Role? = nil, named name: String = "token \(UInt64.random(in: 0...UInt64.max))",
    domains: [String] = [], labels: [String] = [], publishesProtected: Bool = false
  ) throws -> Client {
    guard let role else { return Client(port: service.adminAddress.port, lines: ["Host: admin"]) }
    let secret = try createToken(
      name: name, role: role, domains: domains, labels: labels,
      publishesProtected: publishesProtected)
    return Self.client(of: service, secret.text)
  }

  func createToken(
    name: String, role: Role, domains: [String] = [], labels: [String] = [],
    publishesProtected: Bool = false
  ) throws -> TokenSecret {
    let (domains, labels) = (try domains.map { try Alias($0) }, try labels.map { try Label($0) })
    return try store.write(WriteContext(author: "test")) {
      try $0.createToken(
        name: name, role: role, domains: domains, labels: labels,
        publishesProtected: publishesProtected)
    }
  }

  private static func client(of service: Service, _ secret: String) -> Client {
    Client(
      port: service.adminAddress.port, lines: ["Host: admin", "Authorization: Bearer \(secret)"])
  }

  /// What the public listener answers for a host.
  func serve(_ host: String, _ file: String = "apple-app-site-association") throws -> RawResponse {
    let connection = try RawConnection(port: service.publicAddress.port)
    return try connection.exchange("GET /.well-known/\(file) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
  }

  /// What the public listener serves for a host, as JSON; `null` for 404.
  func served(_ host: String, _ file: String = "apple-app-site-association") throws -> JSON {
    let response = try serve(host, file)
    return response.status == 200 ? try response.json : .null
  }

  /// Puts a domain, which must succeed, and returns the stored domain.
  @discardableResult
  func put(_ domain: String, _ json: JSON) throws -> JSON {
    var response = try admin.send("PUT", "/v1/domains/\(domain)", json: json)
    if response.status == 428 {
      response = try admin.send("PUT", "/v1/domains/\(domain)", json: json, "If-Match: *")
    }
    guard (200...201).contains(response.status), let domain = try response.json["domain"] else {
      throw Unexpected(response: response)
    }
    return domain
  }
}

/// A clock that a test moves forward.
final class SettableClock: Sendable {
  private let seconds = Atomic<Int64>(1_800_000_000)
  var now: UnixTime { UnixTime(seconds.load(ordering: .relaxed)) }
  func wait(_ time: Int64) { seconds.add(time, ordering: .relaxed) }
}

/// An answer after which a test cannot go on.
struct Unexpected: Error, CustomStringConvertible {
  let response: RawResponse

  var description: String { "\(response.statusLine): \(response.text)" }
}

extension JSON {
  /// An element of an array; `nil` beyond its end and for any other value.
  subscript(index: Int) -> JSON? {
    arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
  }
}

let app = "ABCDE12345.com.example.app"
let otherApp = "FGHIJ67890.com.example.other"
