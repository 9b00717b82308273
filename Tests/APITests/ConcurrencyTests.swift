import Association
import Dispatch
import Publishing
import Store
import Synchronization
import TestSupport
import Testing

/// However many edit at once, what was acknowledged is there.
@Suite struct ConcurrencyTests {
  private static let writers = 50
  private static let seconds = 5.0
  private static let domains = 20

  private let running: RunningService

  init() throws {
    running = try RunningService()
    for index in 0..<Self.domains {
      let entry: JSON = ["apps": ["ABCDE12345.com.example.app"], "routes": []]
      try running.put("d\(index).example", ["entries": [entry]])
    }
  }

  /// What one writer was answered.
  private struct Acknowledged: Sendable {
    var domain: Int
    var path: String
    var revision: Int
  }

  @Test func whatFiftyWritersAreAnsweredIsServedAndUsesEveryRevisionNumberOnce() throws {
    let acknowledged = Mutex<[Acknowledged]>([])
    let failures = Mutex<[String]>([])
    let end = ContinuousClock.now + .seconds(Self.seconds)
    DispatchQueue.concurrentPerform(iterations: Self.writers) { writer in
      var number = 0
      // On a slow machine for longer, until each of them has made an edit beside the others.
      while ContinuousClock.now < end || number < 2 {
        number += 1
        do {
          let edit = try add("/w\(writer)/\(number)", to: (writer + number) % Self.domains)
          acknowledged.withLock { $0.append(edit) }
        } catch {
          failures.withLock { $0.append(String(describing: error)) }
          return
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    try check(acknowledged.withLock { $0 })
  }

  /// Adds a route. The domains are so many that no document reaches the limit.
  private func add(_ path: String, to domain: Int) throws -> Acknowledged {
    let response = try running.admin.send(
      "POST", "/v1/domains/d\(domain).example/entries/1/routes",
      json: ["path": .string(path), "position": 0])
    let served = try running.serve("d\(domain).example").text
    guard response.status == 201, served.contains("\"\(path)\"") else {
      throw Unexpected(response: response)
    }
    let revision = try response.json["revision"]?.integerValue ?? 0
    return Acknowledged(domain: domain, path: path, revision: revision)
  }

  private func check(_ edits: [Acknowledged]) throws {
    #expect(edits.count > Self.writers)
    for domain in 0..<Self.domains {
      let own = edits.filter { $0.domain == domain }
      let served = try running.served("d\(domain).example")
      let components = served["applinks"]?["details"]?[0]?["components"]?.arrayValue ?? []
      let paths = Set(components.compactMap { $0["/"]?.stringValue })
      #expect(paths == Set(own.map(\.path)))
      // Revision 1 is the one that the test began with.
      #expect(own.map(\.revision).sorted() == Array(2..<own.count + 2))
    }
  }

  @Test func ofTwoEditorsWithTheSameRevisionOneIsRefused() throws {
    let wins = Mutex(0)
    let stale = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      let response = try? running.admin.send(
        "PATCH", "/v1/domains/d0.example", json: ["cacheSeconds": .integer(index)],
        "If-Match: \"1\"")
      if response?.status == 200 { wins.withLock { $0 += 1 } }
      if response?.status == 412 { stale.withLock { $0 += 1 } }
    }
    #expect(wins.withLock { $0 } == 1)
    #expect(stale.withLock { $0 } == 7)
  }

  @Test(TemporaryDatabase.isFile) func anEditWhoseTurnDoesNotComeIsToldToTryAgain() throws {
    running.store.setLockTimeout(milliseconds: 20)
    let change: JSON = ["cacheSeconds": 60]
    try running.store.write(WriteContext(author: "test")) { _ in
      let response = try running.admin.send("PATCH", "/v1/domains/d0.example", json: change)
      #expect(try response.status == 503 && response.code == "busy")
      #expect(response["Retry-After"] == "1")
    }
    let response = try running.admin.send("PATCH", "/v1/domains/d0.example", json: change)
    #expect(try response.status == 200 && response.json["revision"] == 2)
  }

  @Test func anEditIsNotMadeIfItsClientWentAwayWhileItWaited() throws {
    let change: JSON = ["cacheSeconds": 60]
    try running.store.write(WriteContext(author: "test")) { _ in
      let connection = try RawConnection(port: running.admin.port)
      let body = change.serialized()
      let head =
        ["PATCH /v1/domains/d0.example HTTP/1.1", "Content-Length: \(body.count)"]
        + running.admin.lines
      try connection.send(head.map { $0 + "\r\n" }.joined() + "\r\n")
      try connection.send(body)
      connection.reset()
    }
    // Turns come in order, so the first edit, if it were made, would be revision 2.
    let response = try running.admin.send("PATCH", "/v1/domains/d1.example", json: change)
    #expect(response.status == 200)
    #expect(try running.admin.send("GET", "/v1/domains/d0.example").json["revision"] == 1)
  }

  @Test func aSlowEditDelaysNoEditOfAnotherDomain() throws {
    let publisher = Publisher(store: running.store)
    let name = try DomainName("d0.example")
    let (begins, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let slow = Threads([
      {
        #expect(throws: Never.self) {
          try publisher.publish(name, action: "slow", by: WriteContext(author: "test")) { old in
            begins.signal()
            end.wait()
            return old?.domain ?? Domain(name: name)
          }
        }
      }
    ])
    begins.wait()
    for domain in ["d1.example", "new.example"] {
      try running.put(domain, ["appclips": [.string(app)]])
      #expect(try running.served(domain)["appclips"] != nil)
    }
    let dry = try running.admin.send(
      "PUT", "/v1/domains/d2.example?dryRun=true", json: [:], "If-Match: *")
    #expect(dry.status == 200)
    end.signal()
    #expect(slow.end())
  }

  /// A way to change a domain.
  private enum Mutation: CaseIterable {
    case put, patch, adopt, restore, delete, apply, rename

    /// Changes a domain that uses the app `ABCDE12345.<domain>`.
    func send(_ domain: String, _ running: RunningService, first: Bool) throws -> RawResponse {
      let (admin, path) = (running.admin, "/v1/domains/\(domain)")
      let own = "ABCDE12345.\(domain)"
      let entry: JSON = [
        "apps": [.string(own)], "routes": [["path": .string("/\(self)\(first)")]],
      ]
      switch self {
      case .put:
        return try admin.send(
          "PUT", path + "?accept=opens-nothing", json: ["entries": [entry]], "If-Match: *")
      case .patch:
        return try admin.send("PATCH", path, json: ["cacheSeconds": first ? 60 : 120])
      case .adopt:
        return try admin.send(
          "PUT", path + "/file?accept=opens-nothing",
          json: ["appclips": ["apps": [.string(own + ".\(first)")]]])
      case .restore:
        return try admin.send("POST", path + "/revisions/1/restore?accept=opens-nothing")
      case .delete: return try admin.send("DELETE", path + "?accept=opens-nothing")
      case .apply:
        return try admin.send(
          "POST", "/v1/apply?accept=opens-nothing",
          json: ["domains": [["domain": .string(domain), "entries": [entry]]]])
      case .rename:
        return try admin.send(
          "POST", "/v1/apps/\(own)/rename", json: ["to": .string(own + ".renamed")])
      }
    }
  }

  @Test func whicheverTwoChangesRaceWhatIsServedIsWhatIsStoredAndWhatWasAcknowledged() throws {
    for first in Mutation.allCases {
      for second in Mutation.allCases {
        let domain = "\(first)-\(second).example"
        let own = JSON.string("ABCDE12345.\(domain)")
        try running.put(domain, ["entries": [["apps": [own], "routes": []]]])
        try running.put(domain, ["entries": [["apps": [own], "routes": [["path": "/"]]]]])
        let answers = Mutex<[RawResponse]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { index in
          let mutation = index == 0 ? first : second
          #expect(throws: Never.self) {
            let answer = try mutation.send(domain, running, first: index == 0)
            answers.withLock { $0.append(answer) }
          }
        }
        try check(answers.withLock { $0 }, of: domain)
      }
    }
  }

  private func check(_ answers: [RawResponse], of domain: String) throws {
    #expect(
      answers.allSatisfy { [200, 201, 204, 404, 409, 412].contains($0.status) }, "\(answers)")
    let path = "/v1/domains/\(domain)"
    let stored = try running.admin.send("GET", path + "/file")
    let served = try running.serve(domain)
    #expect(served.status == stored.status, "\(domain)")
    if stored.status == 200 { #expect(served.body == stored.body, "\(domain)") }
    let revisions = try running.admin.send("GET", path + "/revisions").json["items"]?.arrayValue
    let numbers = (revisions ?? []).compactMap { $0["revision"]?.integerValue }
    let acknowledged = try answers.filter { $0.status < 300 }.compactMap { answer in
      let json = try answer.json
      // A deletion publishes no revision.
      if json["diff"]?["changes"]?[0]?["what"] == "domain" { return nil as Int? }
      let publication = json["domains"]?[0] ?? json
      return publication["changed"] == true ? publication["revision"]?.integerValue : nil
    }
    #expect(numbers == (1..<acknowledged.count + 3).reversed(), "\(domain)")
    #expect(Set(acknowledged) == Set(3..<acknowledged.count + 3), "\(domain)")
  }
}
