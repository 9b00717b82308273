import Dispatch
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Service

/// Only a few requests do heavy work at a time.
@Suite struct HeavyWorkTests {
  /// Work that goes on until `end` is called.
  private final class Work: Sendable {
    private let mayEnd = DispatchSemaphore(value: 0)
    private let started = Atomic(0)

    func run(_ heavyWork: HeavyWork, for token: String) {
      do {
        let turn = try heavyWork.turn(for: token)
        started.add(1, ordering: .relaxed)
        mayEnd.wait()
        withExtendedLifetime(turn) {}
      } catch {
        Issue.record(error)
      }
    }

    func hasStarted(_ count: Int) -> Bool {
      becomesTrue { started.load(ordering: .relaxed) == count }
    }

    func end(_ count: Int) {
      for _ in 0..<count { mayEnd.signal() }
    }
  }

  @Test func oneTokenLeavesATurnToTheOthers() throws {
    let heavyWork = HeavyWork(atOnce: 3)
    let (greedy, other) = (Work(), Work())
    let threads = Threads((0..<5).map { _ in { greedy.run(heavyWork, for: "greedy") } })
    #expect(greedy.hasStarted(2))
    let others = Threads([{ other.run(heavyWork, for: "other") }])
    #expect(other.hasStarted(1) && greedy.hasStarted(2))
    greedy.end(5)
    other.end(1)
    #expect(threads.end() && others.end())
    #expect(greedy.hasStarted(5))
  }

  /// Two tokens have all turns, and many more requests that wait.
  @Test func whoHasFewerTurnsGoesFirst() throws {
    let heavyWork = HeavyWork(atOnce: 3)
    let (greedy, other) = (Work(), Work())
    let first = Threads((0..<5).map { _ in { greedy.run(heavyWork, for: "a") } })
    #expect(greedy.hasStarted(2))
    let second = Threads((0..<5).map { _ in { greedy.run(heavyWork, for: "b") } })
    #expect(greedy.hasStarted(3))
    let others = Threads([{ other.run(heavyWork, for: "other") }])
    #expect(becomesTrue { heavyWork.waitingCount == 8 })
    greedy.end(1)
    #expect(other.hasStarted(1) && greedy.hasStarted(3))
    greedy.end(9)
    other.end(1)
    #expect(first.end() && second.end() && others.end())
  }

  @Test func aShareIsTheMostThatATokenHas() throws {
    let heavyWork = HeavyWork(atOnce: 3, share: 1, longestWait: 0.05)
    let turn = try heavyWork.turn(for: "greedy")
    #expect(throws: Problem.self) { try heavyWork.turn(for: "greedy") }
    withExtendedLifetime(turn) {}
    _ = try heavyWork.turn(for: "other")
  }

  @Test func aTurnThatIsReleasedIsFreeForOthersOnce() throws {
    let heavyWork = HeavyWork(atOnce: 2, longestWait: 0.05)
    let first = try heavyWork.turn(for: "a")
    first.release()
    let second = try heavyWork.turn(for: "a")
    first.release()
    #expect(throws: Problem.self) { try heavyWork.turn(for: "a") }
    withExtendedLifetime((first, second)) {}
  }

  @Test func aRequestWithoutATurnIsToldToComeAgain() throws {
    let heavyWork = HeavyWork(atOnce: 2, longestWait: 0.05)
    let work = Work()
    let threads = Threads([{ work.run(heavyWork, for: "a") }])
    #expect(work.hasStarted(1))
    let problem = #expect(throws: Problem.self) { try heavyWork.turn(for: "a") }
    #expect(problem?.status == .serviceUnavailable && problem?.code == "busy")
    #expect(problem?.fields.map(\.name) == ["Retry-After"])
    work.end(1)
    #expect(threads.end())
    _ = try heavyWork.turn(for: "a")
  }

  @Test func nobodyWorksForAClientThatHasGone() throws {
    let heavyWork = HeavyWork(atOnce: 2, longestWait: 30)
    let work = Work()
    let threads = Threads([{ work.run(heavyWork, for: "a") }])
    #expect(work.hasStarted(1))
    var isAsked = false
    #expect(throws: Problem.self) {
      try heavyWork.turn(
        for: "a",
        unless: {
          isAsked = true
          return true
        })
    }
    // Otherwise its patience is over.
    #expect(isAsked)
    work.end(1)
    #expect(threads.end())
  }

  /// Its turn comes while it waits, but it has gone before.
  @Test func aTurnOfAClientThatHasGoneIsTheNextOnes() throws {
    let heavyWork = HeavyWork(atOnce: 2, longestWait: 30)
    let work = Work()
    let threads = Threads([{ work.run(heavyWork, for: "a") }])
    #expect(work.hasStarted(1))
    #expect(throws: Problem.self) {
      try heavyWork.turn(
        for: "a",
        unless: {
          // While it is asked, the turn comes.
          work.end(1)
          return becomesTrue { heavyWork.waitingCount == 0 }
        })
    }
    #expect(threads.end())
    let turn = try heavyWork.turn(for: "a")
    withExtendedLifetime(turn) {}
  }
}
