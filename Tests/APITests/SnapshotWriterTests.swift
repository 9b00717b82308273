import Association
import FoundationEssentials
import Store
import TestSupport
import Testing

@testable import Service

/// The snapshot that a server starts from.
@Suite struct SnapshotWriterTests {
  @Test func aSnapshotThatIsBeingWrittenWhenTheServerEndsIsWhole() throws {
    let running = try RunningService()
    for number in 0..<20 {
      try running.put("d\(number).example", ["entries": [["apps": [.string(app)], "routes": []]]])
    }
    for number in 0..<20 {
      let path = running.directory.path("snapshot-\(number)")
      let writer = SnapshotWriter(path: path, of: running.store)
      let health = Health(Log(descriptor: nil))
      writer.follow(health)
      // The background has taken what there is to write, which nobody else writes then.
      #expect(becomesTrue { writer.hasNothingToWrite })
      try writer.finish()
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func aWriteThatLastsTooLongWhenTheServerEndsGivesWayToOneOfEverything() throws {
    let running = try RunningService()
    let entry: JSON = ["apps": [.string(app)], "routes": []]
    try running.put("a.example", ["entries": [entry]])
    let path = running.directory.path("snapshot")
    let writer = SnapshotWriter(path: path, of: running.store)
    let isWriting = Counter()
    let slow = Threads([
      {
        #expect(throws: CancellationError.self) {
          try writer.write {
            isWriting.add()
            return becomesTrue { writer.isSuperseded } && false
          }
        }
      }
    ])
    #expect(becomesTrue { isWriting.count == 1 })
    try writer.finish()
    var domains = 0
    _ = try Snapshot(path: path).read { _ in domains += 1 }
    #expect(domains == 1)
    #expect(slow.end())
  }
}
