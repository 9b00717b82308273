import Association
import Dispatch
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct HostTableTests {
  @Test func anUpdateIsServedByTheNextRequest() throws {
    let serving = try Serving()
    #expect(try serving.answer(host: "new.example").status == 404)
    serving.hosts.update(adding: [try Serving.document(["new.example"], "one")])
    #expect(try serving.answer(host: "new.example").text == "one")
    let two = try Serving.document(["new.example"], "two")
    serving.hosts.update(adding: [two])
    #expect(try serving.answer(host: "new.example").text == "two")
    #expect(serving.hosts.count == 2)
    serving.hosts.update(adding: [], removing: [two])
    #expect(try serving.answer(host: "new.example").status == 404)
    #expect(serving.hosts.count == 1)
    serving.hosts.update(adding: [two])
    #expect(try serving.answer(host: "new.example").text == "two")
    #expect(serving.hosts.count == 2)
    #expect(try serving.answer().status == 200)
  }

  @Test func aDocumentThatIsRemovedLosesItsNamesButNotThoseThatAnotherHasTakenOver() throws {
    let serving = try Serving()
    let names = ["one.example", "*.two.example", "three.example"]
    let document = try Serving.document(names, "old")
    serving.hosts.update(adding: [document])
    #expect(serving.hosts.count == 4)
    let next = try Serving.document([names[2]], "new")
    serving.hosts.update(adding: [next], removing: [document])
    #expect(serving.hosts.count == 2)
    #expect(try serving.answer(host: "one.example").status == 404)
    #expect(try serving.answer(host: "a.two.example").status == 404)
    #expect(try serving.answer(host: "three.example").text == "new")
    // It has no name any more.
    serving.hosts.update(adding: [], removing: [document])
    #expect(serving.hosts.count == 2)
  }

  @Test func thousandsOfDocumentsThatAreRemovedLeaveTheOthers() throws {
    let serving = try Serving([:])
    let documents = try (0..<6000).map {
      try Serving.document(["n\($0).example", "*.n\($0).example"], "\($0)")
    }
    serving.hosts.replaceAll(documents)
    #expect(serving.hosts.count == 12_000)
    serving.hosts.update(
      adding: [], removing: documents.indices.filter { $0 % 3 > 0 }.map { documents[$0] })
    #expect(serving.hosts.count == 4000)
    let connection = try serving.connect()
    for index in stride(from: 0, to: 6000, by: 17) {
      for host in ["n\(index).example", "a.n\(index).example"] {
        let response = try connection.exchange(
          "GET \(Serving.path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(response.status == (index % 3 > 0 ? 404 : 200))
        if index % 3 == 0 { #expect(response.text == "\(index)") }
      }
    }
  }

  @Test func ofSeveralDocumentsWithANameOneIsServedAndTheOthersAreReleased() throws {
    let serving = try Serving()
    var documents: [WeakDocument] = []
    do {
      let all = try ["one", "two", "three"].map {
        try Serving.document(["\($0).example", "example.com", "example.com"], $0)
      }
      documents = all.map { WeakDocument($0) }
      serving.hosts.replaceAll(all)
    }
    #expect(serving.hosts.count == 4)
    #expect(documents.allSatisfy { $0.document != nil })
    #expect(["one", "two", "three"].contains(try serving.answer().text))
    serving.hosts.update(adding: [], removing: documents.compactMap(\.document))
    #expect(serving.hosts.count == 0)
    _ = serving.hosts.takeFetches()
    #expect(documents.allSatisfy { $0.document == nil })
  }

  @Test func anAnswerThatManyThreadsNeedAtOnceIsSentToAll() throws {
    let serving = try Serving(daemons: 4)
    let connections = try (0..<8).map { _ in try serving.connect() }
    for round in 0..<100 {
      let document = try Serving.document(["example.com"], "\(round)", revision: round)
      serving.hosts.update(adding: [document])
      for (number, connection) in connections.enumerated() {
        let line = number.isMultiple(of: 2) ? "X: y" : "If-None-Match: *"
        try connection.send(
          "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\(line)\r\n\r\n")
      }
      for (number, connection) in connections.enumerated() {
        let response = try connection.readResponse()
        #expect(response.status == (number.isMultiple(of: 2) ? 200 : 304))
        #expect(response.text == (number.isMultiple(of: 2) ? "\(round)" : ""))
      }
    }
  }

  @Test func aReplacedDocumentIsReleasedWhenNobodySendsItAndItsFetchesWereTaken() throws {
    let serving = try Serving()
    weak var first: ServedDocument?
    do {
      let document = try Serving.document(["example.com"], "first")
      first = document
      serving.hosts.update(adding: [document])
    }
    #expect(first != nil)
    #expect(try serving.answer().text == "first")
    serving.hosts.update(adding: [try Serving.document(["example.com"], "second")])
    #expect(serving.hosts.takeFetches().count == 1)
    #expect(first == nil)
  }

  @Test func swapsUnderLoadNeverTearAnAnswerAndLeaveNoDocumentBehind() throws {
    let serving = try Serving(["a.example": "0", "b.example": "0"], daemons: 2)
    let names = ["a.example", "b.example"]
    let isDone = Atomic(false)
    let failures = Atomic(0)
    let group = DispatchGroup()
    for reader in 0..<2 {
      DispatchQueue.global().async(group: group) {
        do {
          let connection = try serving.connect()
          let host = reader == 0 ? "a.example" : "b.example"
          while !isDone.load(ordering: .relaxed) {
            let response = try connection.exchange(
              "GET \(Serving.path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            let isWhole = Set(response.body).count == 1 && response.status == 200
            if !isWhole { failures.add(1, ordering: .relaxed) }
          }
        } catch {
          failures.add(1, ordering: .relaxed)
        }
      }
    }
    var documents: [WeakDocument] = []
    for round in 0..<2000 {
      let body = String(repeating: "\(round % 10)", count: 1 + round % 50_000)
      let document = try Serving.document([names[round % 2]], body)
      documents.append(WeakDocument(document))
      serving.hosts.update(adding: [document])
    }
    isDone.store(true, ordering: .relaxed)
    group.wait()
    #expect(failures.load(ordering: .relaxed) == 0)
    serving.hosts.replaceAll([])
    _ = serving.hosts.takeFetches()
    #expect(documents.allSatisfy { $0.document == nil })
  }
}

private struct WeakDocument {
  weak var document: ServedDocument?

  init(_ document: ServedDocument) { self.document = document }
}
