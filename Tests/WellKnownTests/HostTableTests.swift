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
    serving.hosts.update([(name: name, document: try Serving.document("one"))])
    #expect(try serving.answer(host: "new.example").text == "one")
    serving.hosts.update([(name: name, document: try Serving.document("two"))])
    #expect(try serving.answer(host: "new.example").text == "two")
    #expect(serving.hosts.count == 2)
    serving.hosts.update([(name: name, document: nil)])
    #expect(try serving.answer(host: "new.example").status == 404)
    #expect(serving.hosts.count == 1)
    #expect(try serving.answer().status == 200)
  }

  @Test func thousandsOfNamesAreAllFoundAlsoAfterTheTableHasGrown() throws {
    let serving = try Serving()
    for start in stride(from: 0, to: 6000, by: 500) {
      serving.hosts.update(
        try (start..<(start + 500)).map {
          (name: try Alias("n\($0).example"), document: try Serving.document("\($0)"))
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

  @Test func replacedDocumentsAreGivenUpOnceNobodySendsThemAndTheirFetchesWereTaken() throws {
    let serving = try Serving()
    let name = try Alias("example.com")
    weak var first: ServedDocument?
    do {
      let document = try Serving.document("first")
      first = document
      serving.hosts.update([(name: name, document: document)])
    }
    #expect(first != nil)
    #expect(try serving.answer().text == "first")
    serving.hosts.update([(name: name, document: try Serving.document("second"))])
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
      serving.hosts.update([(name: names[round % 2], document: document)])
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
