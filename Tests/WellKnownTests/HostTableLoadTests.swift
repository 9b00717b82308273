import Association
import Synchronization
import TestSupport
import Testing
import HTTP

/// That an edit's work depends on what it changes, whatever names are published, and that the table grows
/// while it is read. Work is counted in slots, which does not depend on the machine.
@Suite struct HostTableLoadTests {
  /// How many slots an edit may look at for each of its names.
  static let stepsPerName = 8

  private static func steps(of hosts: HostTable, _ edit: () throws -> Void) rethrows -> Int {
    let before = hosts.editSteps
    try edit()
    return hosts.editSteps - before
  }

  @Test(arguments: [5000, 12_000])
  func aDocumentWithThousandsOfAliasesMakesNoOtherEditMoreWork(count: Int) throws {
    let hosts = HostTable()
    let names = (0..<count).map { $0.isMultiple(of: 2) ? "n\($0).example" : "*.n\($0).example" }
    let large = try Serving.document(names, "many")
    // Growing looks at each old slot once.
    #expect(Self.steps(of: hosts) { hosts.update(adding: [large]) } < 2 * Self.stepsPerName * count)
    for round in 0..<100 {
      let small = try Serving.document(["one.example"], "\(round)")
      #expect(Self.steps(of: hosts) { hosts.update(adding: [small]) } < 64)
    }
    let again = try Serving.document(names, "again")
    let steps = Self.steps(of: hosts) { hosts.update(adding: [again], removing: [large]) }
    #expect(steps < 2 * Self.stepsPerName * count)
    #expect(hosts.count == count + 1)
    #expect(hosts.slotCount <= 8 * count)
  }

  @Test func anEditTakesNoMoreStepsWithAHundredThousandNamesThanWithTen() throws {
    for count in [10, 100_000] {
      let hosts = HostTable()
      hosts.replaceAll(try (0..<count).map { try Serving.document(["n\($0).example"], "") })
      for round in 0..<100 {
        let edited = try Serving.document(["n\(round % count).example"], "edited")
        #expect(Self.steps(of: hosts) { hosts.update(adding: [edited]) } < 64)
      }
    }
  }

  @Test func manyNewNamesShareTheWorkOfGrowing() throws {
    let hosts = HostTable()
    let count = 20_000
    let steps = try Self.steps(of: hosts) {
      for index in 0..<count {
        hosts.update(adding: [try Serving.document(["n\(index).example"], "")])
      }
    }
    #expect(steps < 4 * Self.stepsPerName * count)
  }

  /// Adding and removing must not fill the table with names that nobody serves.
  @Test func namesThatComeAndGoLeaveRoomForOthers() throws {
    let hosts = HostTable()
    let count = 20_000
    let steps = try Self.steps(of: hosts) {
      for index in 0..<count {
        let document = try Serving.document(["n\(index).example"], "")
        hosts.update(adding: [document])
        hosts.update(adding: [], removing: [document])
      }
    }
    #expect(hosts.count == 0)
    #expect(hosts.slotCount == HostTable().slotCount)
    #expect(steps < 4 * Self.stepsPerName * count)
  }

  @Test func namesThatCollideUnderAHashWithoutAKeyAreServedAsFast() throws {
    let names = Self.collidingNames
    #expect(Set(names).count == 8192)
    #expect(Set(names.map { Self.slotWithoutKey($0) }).count == 1)
    let hosts = HostTable()
    let document = try Serving.document(names, "collide")
    let added = Self.steps(of: hosts) { hosts.update(adding: [document]) }
    #expect(added < 2 * Self.stepsPerName * names.count)
    let removed = Self.steps(of: hosts) { hosts.update(adding: [], removing: [document]) }
    #expect(removed < Self.stepsPerName * names.count)
  }

  @Test func theTableGrowsWhileItIsRead() throws {
    let serving = try Serving(["a.example": "a", "*.b.example": "b"], daemons: 2)
    let isDone = Atomic(false)
    let failures = Counter()
    let readers = Threads(
      ["a.example", "x.b.example"].map { host in
        {
          do {
            let connection = try serving.connect()
            while !isDone.load(ordering: .relaxed) {
              let response = try connection.exchange(
                "GET \(Serving.path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
              if response.text != (host == "a.example" ? "a" : "b") { failures.add() }
            }
          } catch {
            failures.add()
          }
        }
      })
    // From a thousand slots to more than 32,000.
    for start in stride(from: 0, to: 16_000, by: 50) {
      serving.hosts.update(
        adding: try (start..<(start + 50)).map { try Serving.document(["n\($0).example"], "\($0)") }
      )
    }
    isDone.store(true, ordering: .relaxed)
    #expect(readers.end())
    #expect(failures.count == 0)
    #expect(serving.hosts.count == 16_002)
    let connection = try serving.connect()
    for index in stride(from: 0, to: 16_000, by: 37) {
      let response = try connection.exchange(
        "GET \(Serving.path) HTTP/1.1\r\nHost: n\(index).example\r\n\r\n")
      #expect(response.text == "\(index)")
    }
  }
}

extension HostTableLoadTests {
  /// The slot of a name, of 131,072, under FNV-1a from its last byte to its first.
  private static func slotWithoutKey(_ name: String) -> UInt64 {
    let hash = name.utf8.reversed().reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return (hash ^ hash >> 32) & 0x1FFFF
  }

  /// Two choices at each of 13 places, which lead to the same slot: found by trying 10^8 texts.
  private static let choices: [(String, String)] = [
    ("8pr08sk25z", "h7yob5b0yj"), ("z5heqwawvm", "9atn8gpjgy"), ("6ao3x4st7p", "m44swqxvj9"),
    ("a49cj9fmka", "dfhd0nilas"), ("o4zik6lgsu", "z467p9mzo8"), ("z1x6aafl9z", "z5xrap580y"),
    ("o8jdfvqsq8", "e51n2vrh5z"), ("h6xrjcdgq6", "i545j2hu1r"), ("8zsg0zmbur", "nijis5vwsb"),
    ("is99isfdba", "ggxvaytw33"), ("0t7j8d45jd", "7wve91t08k"), ("99n6nskw6r", "w8uepxlzph"),
    ("2olsu4ieuq", "7q1ygwhbu4"),
  ]

  private static var collidingNames: [String] {
    (0..<8192).map { number in
      var reversed = "elpmaxe."
      for (place, choice) in choices.enumerated() {
        if place == 6 || place == 12 { reversed += "." }
        reversed += number >> place & 1 == 0 ? choice.0 : choice.1
      }
      return String(reversed.reversed())
    }
  }
}
