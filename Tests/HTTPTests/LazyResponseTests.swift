import Dispatch
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct LazyResponseTests {
  @Test func aResponseBuiltByTwoThreadsIsKeptOnceAndNotLeaked() {
    for _ in 0..<50 {
      weak var content: Content?
      do {
        let owner = Owner(limit: 10)
        content = owner.content
        let making = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
          let isThere = owner.ask {
            // Both are here before one goes on, unless there is one processor only.
            making.add(1, ordering: .relaxed)
            _ = becomesTrue(within: 0.2) { making.load(ordering: .relaxed) == 2 }
          }
          #expect(isThere)
        }
        #expect(owner.isKept)
        #expect(owner.limit.count == 1)
        #expect(owner.ask { Issue.record("made again") })
        #expect(content != nil)
      }
      // Each response holds its content until it is given up.
      #expect(content == nil)
    }
  }

  @Test func responsesBeyondTheLimitAreBuiltForEachRequest() {
    let limit = ResponseCacheLimit(limit: 3)
    var owners = (0..<5).map { _ in Owner(limit) }
    for owner in owners { #expect(owner.ask {}) }
    #expect(owners.map(\.isKept) == [true, true, true, false, false])
    let made = Atomic(0)
    for owner in owners {
      #expect(owner.ask { made.add(1, ordering: .relaxed) })
    }
    #expect(made.load(ordering: .relaxed) == 2)
    #expect(limit.count == 3)
    // Where one goes, there is room for another one.
    owners.removeFirst()
    #expect(limit.count == 2)
    for owner in owners { _ = owner.ask {} }
    #expect(owners.map(\.isKept) == [true, true, true, false])
    owners = []
    #expect(limit.count == 0)
  }
}

/// Something that has a response, which it makes when it is asked.
private final class Owner: Sendable {
  let response = LazyResponse()
  var isKept: Bool { response.isKept }
  let content = Content(Array("body".utf8))
  let limit: ResponseCacheLimit

  init(_ limit: ResponseCacheLimit) { self.limit = limit }

  convenience init(limit: Int) { self.init(ResponseCacheLimit(limit: limit)) }

  deinit {
    if response.isKept { limit.giveBack() }
  }

  /// Whether there is a response.
  func ask(_ whenMade: () -> Void) -> Bool {
    let isThere = response.withResponse(within: limit) { () throws(PreparedResponse.Failure) in
      whenMade()
      return try PreparedResponse(.ok, fields: [HeaderField("ETag", "\"a\"")], content: content)
    } _: { _ in
      true
    }
    return isThere ?? false
  }
}
