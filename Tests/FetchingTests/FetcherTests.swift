import Glibc
import HTTP
import Association
import TestSupport
import Testing

@testable import Checking

/// Requests to other machines, over real sockets.
@Suite(SystemProgram.need("python3", "openssl")) struct FetcherTests {
  private let outside: StandIns
  private let fetcher: Fetcher

  init() throws {
    outside = try StandIns()
    fetcher = Fetcher(try Self.policy(outside))
  }

  private static func policy(_ outside: StandIns) throws -> Fetcher.Policy {
    var policy = Fetcher.Policy()
    policy.allowedAddresses = [try #require(AddressRange("127.0.0.0/8"))]
    policy.places = [try #require(Fetcher.Place("*:127.0.0.1:\(outside.sitePort)"))]
    policy.authorities = outside.authorities
    return policy
  }

  private func request(_ url: String, milliseconds: Int = 5_000) -> FetchRequest {
    var request = FetchRequest(url)
    request.milliseconds = milliseconds
    request.readsCertificate = true
    return request
  }

  private func fetch(_ url: String, milliseconds: Int = 5_000, by other: Fetcher? = nil) -> Fetch {
    let (fetcher, request) = (other ?? fetcher, request(url, milliseconds: milliseconds))
    return WorkThread.wait { await fetcher.fetch(request) }
  }

  private func failure(_ fetch: Fetch) -> Fetch.Failure? {
    if case .failure(let failure) = fetch.result { failure } else { nil }
  }

  @Test func anAnswerHasItsHeaderItsCertificateAndItsAddress() throws {
    try outside.site(
      "a.example",
      ["paths": ["/f": ["fields": ["X-One": "1", "Content-Type": "text/x"], "body": "hello"]]])
    let fetch = fetch("https://a.example/f")
    let answer = try fetch.result.get()
    #expect(answer.status == 200 && answer.body == Array("hello".utf8) && !answer.isCut)
    #expect(answer["x-one"] == "1" && answer["Content-Type"] == "text/x")
    #expect(fetch.address == "127.0.0.1")
    #expect(
      fetch.certificate?.names == ["a.example", "*.a.example"]
        && fetch.certificate?.chainLength == 2)
    #expect(fetch.certificate?.issuer == "intermediate")
  }

  @Test(
    arguments: [
      ("expired", .expired), ("not-yet-valid", .notYetValid), ("wrong-name", .wrongName),
      ("incomplete-chain", .incompleteChain), ("private-root", .privateRoot),
      ("self-signed", .privateRoot),
    ] as [(String, Fetch.TLSFault)])
  func whatIsWrongWithACertificateIsToldApart(kind: String, fault: Fetch.TLSFault) throws {
    try outside.site("a.example", ["certificate": .string(kind)])
    let fetch = fetch("https://a.example/")
    guard case .tls(let found, _)? = failure(fetch) else {
      Issue.record("\(fetch.result)")
      return
    }
    #expect(found == fault)
    #expect(fetch.certificate != nil)
  }

  @Test(arguments: [
    "http://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://2130706433/", "http://[::1]/",
    "http://①②⑦.0.0.1/", "http://\u{1D7CF}27.0.0.1/", "http://１27.0.0.1/",
    "http://[::ffff:127.0.0.1]/", "http://8.8.8.8/", "http://８.８.８.８/", "https://me@a.example/",
    "ftp://a.example/", "file:///etc/passwd", "a.example", "",
  ]) func addressesAndOtherSchemesAreRefused(url: String) throws {
    let strict = Fetcher()
    guard case .url? = failure(fetch(url, by: strict)) else {
      Issue.record("\(url)")
      return
    }
  }

  /// `localhost` is a name with an address that is not public.
  @Test func anAddressThatIsNotPublicIsRefusedWhenTheSocketIsOpened() throws {
    let refused = failure(fetch("http://localhost:\(outside.sitePort)/", by: Fetcher()))
    #expect([.privateAddress("127.0.0.1"), .privateAddress("::1")].contains(refused))
    var policy = Fetcher.Policy()
    policy.places = try Self.policy(outside).places
    let placed = failure(fetch("https://a.example/", by: Fetcher(policy)))
    #expect(placed == .privateAddress("127.0.0.1"))
  }

  @Test(arguments: [
    ("8.8.8.8", true), ("10.1.2.3", false), ("100.64.0.1", false), ("169.254.169.254", false),
    ("172.31.0.1", false), ("192.0.2.1", false), ("198.18.0.1", false), ("224.0.0.1", false),
    ("255.255.255.255", false), ("0.0.0.0", false), ("::", false), ("::1", false),
    ("2606:4700::1111", true), ("fe80::1", false), ("fd00::1", false), ("ff02::1", false),
    ("2002:7f00:1::", false), ("64:ff9b::7f00:1", false), ("2001:0:1::", false),
    ("2001:db8::1", false), ("::ffff:10.0.0.1", false), ("168.63.129.16", false),
    ("168.63.129.17", true),
    ("100.100.100.200", false), ("192.0.0.192", false), ("fd00:ec2::254", false),
    ("fd20:ce::254", false),
    ("161.26.0.10", false), ("166.9.250.1", false), ("fe80::a9fe:a9fe", false),
  ]) func onlyAddressesOfTheInternetArePublic(text: String, isPublic: Bool) throws {
    #expect(try #require(IPAddress(text)).isPublic == isPublic)
  }

  @Test func aNameWithoutAnAddressIsToldApartFromAServerThatDoesNotListen() throws {
    guard case .name? = failure(fetch("https://nobody.invalid/", by: Fetcher())) else {
      Issue.record("a name that does not exist")
      return
    }
    var policy = try Self.policy(outside)
    policy.places = [try #require(Fetcher.Place("*:127.0.0.1:1"))]
    guard case .connection(let words)? = failure(fetch("https://a.example/", by: Fetcher(policy)))
    else {
      Issue.record("a port that nobody listens on")
      return
    }
    #expect(words.contains("refused"))
  }

  @Test func aSiteThatHangsIsGivenUpInTimeAndItIsToldWhere() throws {
    try outside.site("a.example", ["hang": true])
    try outside.site("b.example", ["paths": ["/": ["hang": true]]])
    try outside.site("c.example", ["paths": ["/": ["stall": true, "body": "half"]]])
    for (host, phase) in [
      ("a.example", .handshake), ("b.example", .answer), ("c.example", .rest),
    ] as [(String, Fetch.Phase)] {
      let fetch = fetch("https://\(host)/", milliseconds: 6_000)
      #expect(failure(fetch) == .timeout(phase))
      // The site would say something after 30 seconds.
      #expect((200..<25_000).contains(fetch.milliseconds))
    }
  }

  /// A socket that listens and accepts nothing. Connections are made until its queue is full.
  @Test func aConnectionThatIsNotAcceptedAndAProxyThatHangsAreToldApart() throws {
    let full = try DeafServer(queue: 0)
    var policy = try Self.policy(outside)
    policy.places = [try #require(Fetcher.Place("*:127.0.0.1:\(full.port)"))]
    full.fill()
    #expect(
      failure(fetch("https://a.example/", milliseconds: 500, by: Fetcher(policy)))
        == .timeout(.connection))
    let deaf = try DeafServer(queue: 10)
    policy = try Self.policy(outside)
    policy.proxy = "http://127.0.0.1:\(deaf.port)"
    #expect(
      failure(fetch("https://a.example/", milliseconds: 3_000, by: Fetcher(policy)))
        == .timeout(.proxy))
  }

  @Test func aHostIsAtEachOfItsPlaces() throws {
    var policy = Fetcher.Policy()
    policy.places = try ["a.example:192.0.2.1", "a.example:[2001:db8::1]:8443", "*:192.0.2.3"].map {
      try #require(Fetcher.Place($0))
    }
    let places = { (host: String, policy: Fetcher.Policy) in
      let fetcher = Fetcher(policy)
      return WorkThread.wait { await fetcher.places(of: host) }.map(\.addressAndPort)
    }
    #expect(places("a.example", policy) == ["192.0.2.1", "[2001:db8::1]:8443"])
    #expect(places("b.example", policy) == ["192.0.2.3"])
    // Of a name, those that are allowed. Nothing connects to them.
    policy = Fetcher.Policy()
    policy.allowedAddresses = [try #require(AddressRange("127.0.0.0/8"))]
    #expect(places("localhost", policy) == ["127.0.0.1"])
    #expect(places("localhost", Fetcher.Policy()) == [] && places("nobody.invalid", policy) == [])
  }

  @Test func aRequestGoesToThePlaceThatItNamesAndItsRedirectsDoNot() throws {
    let other = try StandIns()
    try other.site(
      "a.example", ["paths": ["/": ["status": 302, "fields": ["Location": "https://b.example/"]]]])
    try outside.site("b.example", ["paths": ["/": ["body": "there"]]])
    var (policy, request) = (try Self.policy(outside), FetchRequest("https://a.example/"))
    let both = try TemporaryDirectory()
    let roots = try Program.run("cat", [outside.authorities, other.authorities]).output
    policy.authorities = try both.write(roots, to: "both.pem")
    request.place = Fetcher.Place("a.example:127.0.0.1:\(other.sitePort)")
    let fetcher = Fetcher(policy)
    let followed = WorkThread.wait { [request] in await fetcher.follow(request) }
    #expect(try followed.last.fetch.result.get().body == Array("there".utf8))
    #expect(followed.hops.map(\.fetch.port) == [other.sitePort, outside.sitePort].map(Int.init))
  }

  @Test func aProxyIsUsedForNamesAndNeverForAddresses() throws {
    try outside.site("a.example", ["paths": ["/": ["body": "there"]]])
    let proxy = "http://127.0.0.1:\(outside.proxyPort)"
    var policy = try Self.policy(outside)
    policy.allowedAddresses = [try #require(AddressRange("127.0.0.1"))]
    policy.proxy = proxy
    let fetcher = Fetcher(policy)
    let answer = try fetch("https://a.example/", by: fetcher).result.get()
    #expect(answer.body == Array("there".utf8) && answer["X-Proxy"] == nil)
    #expect(try outside.agents(of: "proxy") == ["127.0.0.1:\(outside.sitePort)"])
    _ = fetch("http://127.0.0.1:1/", by: fetcher)
    #expect(try outside.agents(of: "proxy").count == 1)
  }

  @Test func aLongBodyIsCutAlsoIfItIsCompressed() throws {
    let body = JSON.string(String(repeating: "x", count: 3_000_000))
    try outside.site(
      "a.example", ["paths": ["/plain": ["body": body], "/gzip": ["body": body, "gzip": true]]])
    for path in ["/plain", "/gzip"] {
      let answer = try fetch("https://a.example\(path)").result.get()
      #expect(answer.isCut && answer.body.count == 131_072 && answer.status == 200)
    }
  }

  @Test(
    arguments: [
      ("{\"padding\": 80000}", .header), ("{\"raw\": \"hello\\r\\n\\r\\n\"}", nil),
      ("{\"close\": true}", nil),
    ] as [(String, Fetch.Failure?)])
  func anAnswerThatIsNoneIsAFailure(behavior: String, expected: Fetch.Failure?) throws {
    let answer = try JSON.parse(Array(behavior.utf8)).value
    try outside.site("a.example", ["paths": ["/": answer]])
    let failure = failure(fetch("https://a.example/"))
    #expect(failure != nil)
    if let expected { #expect(failure == expected) }
  }

  @Test func aRedirectIsShownAndFollowedOnlyOnRequest() throws {
    let redirect = { (url: String) -> JSON in ["status": 302, "fields": ["Location": .string(url)]]
    }
    try outside.site(
      "a.example", ["paths": ["/1": redirect("/2"), "/2": redirect("https://b.example/3")]])
    try outside.site("b.example", ["paths": ["/3": ["body": "there"]]])
    try outside.site("c.example", ["paths": ["/": redirect("/")]])
    #expect(
      try fetch("https://a.example/1").result.get().redirect == "https://a.example/2")
    let (fetcher, first, endless) = (
      fetcher, request("https://a.example/1"), request("https://c.example/")
    )
    let followed = WorkThread.wait { await fetcher.follow(first) }
    #expect(
      followed.hops.map(\.url) == [
        "https://a.example/1", "https://a.example/2", "https://b.example/3",
      ])
    #expect(
      !followed.isEndless && followed.last.fetch.certificate?.names == ["b.example", "*.b.example"])
    let circle = WorkThread.wait { await fetcher.follow(endless) }
    #expect(circle.hops.count == FollowedFetch.limit + 1 && circle.isEndless)
  }

  /// Otherwise a site could let the server knock at any port of any machine.
  @Test func aRedirectToAnotherPortThanThoseOfTheWebIsNotFollowed() throws {
    for (place, isFollowed) in [
      ("https://b.example:22/", false), ("http://b.example:6379/", false),
      ("https://b.example:8443/", true), ("https://b.example:443/", true),
      ("https://b.example/", true),
    ] {
      try outside.site(
        "a.example", ["paths": ["/": ["status": 302, "fields": ["Location": .string(place)]]]])
      try outside.site("b.example", ["paths": ["/": ["body": "there"]]])
      // The port that was asked for is allowed, too.
      let (fetcher, first) = (fetcher, request("https://a.example:8443/"))
      let followed = WorkThread.wait { await fetcher.follow(first) }
      #expect(followed.hops.map(\.url) == ["https://a.example:8443/", place])
      if isFollowed {
        #expect(try followed.last.fetch.result.get().body == Array("there".utf8))
      } else {
        guard case .url(let words)? = failure(followed.last.fetch) else {
          Issue.record("\(place): \(followed.last.fetch.result)")
          return
        }
        #expect(words.contains("443"))
      }
    }
  }

  @Test(arguments: [("127.0.0.1", true), ("::1", true), ("8.8.8.8", false)])
  func theAddressesOfThisMachineAreKnown(text: String, isOwn: Bool) throws {
    #expect(try #require(IPAddress(text)).isOwnAddress == isOwn)
  }

  @Test func manyRunAtOnceBesideOneThatHangs() throws {
    try outside.site("a.example", ["hang": true])
    try outside.site("b.example", ["paths": ["/": ["body": "there"]]])
    let (fetcher, slow, fast) = (
      fetcher, request("https://a.example/", milliseconds: 20_000),
      request("https://b.example/", milliseconds: 20_000)
    )
    let hanging = Threads([{ _ = WorkThread.wait { await fetcher.fetch(slow) } }])
    let answers = WorkThread.wait {
      await withTaskGroup(of: Bool.self) { group in
        for _ in 1...100 {
          group.addTask {
            if case .success(let answer) = await fetcher.fetch(fast).result {
              answer.status == 200
            } else {
              false
            }
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
    }
    #expect(answers == 100)
    #expect(hanging.end())
  }

  @Test func proxiesOfTheEnvironmentAreIgnored() throws {
    let check = try Program.aasa(
      "check", "--json", "a.example", "--database", "/nonexistent/none.db",
      environment: outside.settings.merging(
        ["https_proxy": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1"]) { $1 })
    let requests = try JSON.parse(check.bytes).value["requests"]?.arrayValue ?? []
    #expect(requests.first?["status"] == 404, "\(check.output) \(check.errors)")
  }

  @Test(arguments: [
    ("example.com:192.0.2.1", "example.com:192.0.2.1"),
    ("Example.com:192.0.2.1:8443", "example.com:192.0.2.1:8443"), ("*:::1", "*:[::1]"),
    ("*:[::1]:443", "*:[::1]:443"), ("example.com", nil), (":192.0.2.1", nil),
    ("example.com:host", nil), ("example.com:192.0.2.1:0", nil),
  ]) func aPlaceIsAHostWithAnAddress(text: String, expected: String?) {
    #expect(Fetcher.Place(text)?.description == expected)
  }
}

/// A socket on loopback that listens and never accepts.
private final class DeafServer {
  let port: UInt16
  private let socket: CInt
  private var clients: [CInt] = []

  init(queue: CInt) throws {
    let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, size) == 0 && listen(socket, queue) == 0
          && getsockname(socket, address, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    try #require(code)
  }

  /// Connects until the system answers no further connection.
  func fill() {
    for _ in 0..<4 {
      let client = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      address.sin_port = port.bigEndian
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      clients.append(client)
    }
  }

  deinit { for descriptor in clients + [socket] { close(descriptor) } }
}
