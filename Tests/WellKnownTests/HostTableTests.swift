import Association
import Dispatch
import HTTP
import Synchronization
import TestSupport
import Testing
import WellKnown

@Suite struct HostTableTests {
  @Test func anUpdateIsServedByTheNextRequest() throws {
    let serving = try Serving()
    let name = try Alias("new.example")
    #expect(try serving.answer(host: "new.example").status == 404)
    serving.hosts.update([(names: [name], document: try Serving.document("one"))])
    #expect(try serving.answer(host: "new.example").text == "one")
    let two = try Serving.document("two")
    serving.hosts.update([(names: [name], document: two)])
    #expect(try serving.answer(host: "new.example").text == "two")
    #expect(serving.hosts.count == 2)
    serving.hosts.update([], removing: [two])
    #expect(try serving.answer(host: "new.example").status == 404)
    #expect(serving.hosts.count == 1)
    #expect(try serving.answer().status == 200)
  }

  @Test func thousandsOfNamesAreAllFoundAlsoAfterTheTableHasGrown() throws {
    let serving = try Serving()
    for start in stride(from: 0, to: 6000, by: 500) {
      serving.hosts.update(
        try (start..<(start + 500)).map {
          (names: [try Alias("n\($0).example")], document: try Serving.document("\($0)"))
        })
    }
    #expect(serving.hosts.count == 6001)
    let connection = try serving.connect()
    for index in stride(from: 0, to: 6000, by: 37) {
      let response = try connection.exchange(
        "GET \(Serving.path) HTTP/1.1\r\nHost: n\(index).example\r\n\r\n")
      #expect(response.text == "\(index)")
    }
  }

  @Test func aDocumentThatGoesLeavesAllItsNamesButThoseThatHaveAnother() throws {
    let serving = try Serving()
    let names = try ["one.example", "*.two.example", "three.example"].map { try Alias($0) }
    let document = try Serving.document("old")
    serving.hosts.update([(names: names, document: document)])
    #expect(serving.hosts.count == 4)
    let next = try Serving.document("new")
    serving.hosts.update([(names: [names[2]], document: next)], removing: [document])
    #expect(serving.hosts.count == 2)
    #expect(try serving.answer(host: "one.example").status == 404)
    #expect(try serving.answer(host: "a.two.example").status == 404)
    #expect(try serving.answer(host: "three.example").text == "new")
    // It has no name any more.
    serving.hosts.update([], removing: [document])
    #expect(serving.hosts.count == 2)
  }

  @Test func thousandsOfDocumentsThatGoLeaveTheOthers() throws {
    let serving = try Serving([:])
    let documents = try (0..<6000).map { try Serving.document("\($0)") }
    let names = NameList()
    for (index, document) in documents.enumerated() {
      names.add([try Alias("n\(index).example"), try Alias("*.n\(index).example")], document)
    }
    serving.hosts.replaceAll([names])
    #expect(serving.hosts.count == 12_000)
    // Many of them are in one chain with others.
    serving.hosts.update(
      [], removing: documents.indices.filter { $0 % 3 > 0 }.map { documents[$0] })
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

  @Test func ofANameInSeveralListsOneDocumentIsServedAndTheOthersAreGivenUp() throws {
    let serving = try Serving()
    let name = try Alias("example.com")
    var documents: [WeakDocument] = []
    do {
      let lists = try ["one", "two", "three"].map { body in
        let document = try Serving.document(body)
        documents.append(WeakDocument(document))
        let list = NameList()
        list.add([try Alias("\(body).example"), name, name], document)
        return list
      }
      serving.hosts.replaceAll(lists)
    }
    #expect(serving.hosts.count == 4)
    #expect(documents.allSatisfy { $0.document != nil })
    #expect(["one", "two", "three"].contains(try serving.answer().text))
    serving.hosts.update([], removing: documents.compactMap(\.document))
    #expect(serving.hosts.count == 0)
    _ = serving.hosts.takeFetches()
    #expect(documents.allSatisfy { $0.document == nil })
  }

  @Test func answersThatManyAskForAtOnceAreMadeForAllOfThem() throws {
    let serving = try Serving(daemons: 4)
    let connections = try (0..<8).map { _ in try serving.connect() }
    for round in 0..<100 {
      let document = try Serving.document("\(round)", revision: round)
      serving.hosts.update([(names: [try Alias("example.com")], document: document)])
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

  @Test func replacedDocumentsAreGivenUpOnceNobodySendsThemAndTheirFetchesWereTaken() throws {
    let serving = try Serving()
    let name = try Alias("example.com")
    weak var first: ServedDocument?
    do {
      let document = try Serving.document("first")
      first = document
      serving.hosts.update([(names: [name], document: document)])
    }
    #expect(first != nil)
    #expect(try serving.answer().text == "first")
    serving.hosts.update([(names: [name], document: try Serving.document("second"))])
    #expect(serving.hosts.takeFetches().count == 1)
    #expect(first == nil)
  }

  @Test func swapsUnderLoadNeverTearAnAnswerAndLeaveNoDocumentBehind() throws {
    let serving = try Serving(["a.example": "0", "b.example": "0"], daemons: 2)
    let names = try [Alias("a.example"), Alias("b.example")]
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
      let document = try Serving.document(body)
      documents.append(WeakDocument(document))
      serving.hosts.update([(names: [names[round % 2]], document: document)])
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
