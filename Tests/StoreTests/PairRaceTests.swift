import Association
import Publishing
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Two edits on two servers at the same moment have the effect of one after the other.
@Suite struct PairRaceTests {
  /// Something that an editor does. It knows its own domains by a number.
  private struct Mutation: Sendable {
    let name: String
    let make: @Sendable (Publisher, Int) throws -> Void
  }

  private static let context = WriteContext(author: "test")

  private static func name(_ number: Int, _ prefix: String = "d") throws -> DomainName {
    try DomainName("\(prefix)\(number).example")
  }

  private static func app(_ number: Int, _ word: String = "app") throws -> AppIdentifier {
    try AppIdentifier("ABCDE12345.com.example.\(word)\(number)")
  }

  private static func domain(
    _ number: Int, _ prefix: String = "d", aliases: [String] = []
  ) throws -> Domain {
    var domain = try Domain.example("\(prefix)\(number).example", aliases: aliases)
    domain.associationFile.entries[0].apps = [try app(number)]
    return domain
  }

  private static func change(
    _ publisher: Publisher, _ name: DomainName, _ body: (inout Domain) throws -> Void
  ) throws {
    _ = try publisher.publish(name, if: .exists, action: "change", by: context) { old in
      var domain = try #require(old).domain
      try body(&domain)
      return domain
    }
  }

  private static let mutations: [Mutation] = [
    Mutation(name: "add a route") { publisher, number in
      try change(publisher, try name(number)) {
        $0.associationFile.entries[0].routes.append(Route(path: "/x"))
      }
    },
    Mutation(name: "add another route") { publisher, number in
      try change(publisher, try name(number)) {
        $0.associationFile.entries[0].routes.insert(Route(path: "/y"), at: 0)
      }
    },
    Mutation(name: "add a route if revision 2 is current") { publisher, number in
      _ = try publisher.publish(
        name(number), if: .revision([2]), action: "change", by: context
      ) { old in
        var domain = try #require(old).domain
        domain.associationFile.entries[0].routes.append(Route(path: "/z"))
        return domain
      }
    },
    Mutation(name: "take an alias") { publisher, number in
      try change(publisher, try name(number)) { $0.aliases = [try Alias("both\(number).example")] }
    },
    Mutation(name: "give another domain the alias") { publisher, number in
      try change(publisher, try name(number, "e")) {
        $0.aliases = [try Alias("both\(number).example")]
      }
    },
    Mutation(name: "create a domain with the name") { publisher, number in
      _ = try publisher.publish(
        name(number, "both"), if: .absent, action: "create", by: context
      ) { _ in try domain(number, "both") }
    },
    Mutation(name: "disable") { publisher, number in
      _ = try publisher.publish(
        name(number), if: .exists, action: "disable", accepting: [.opensNothing], by: context
      ) { old in
        var domain = try #require(old).domain
        domain.isEnabled = false
        return domain
      }
    },
    Mutation(name: "delete") { publisher, number in
      _ = try publisher.delete(name(number), accepting: [.opensNothing], by: context)
    },
    Mutation(name: "restore revision 1") { publisher, number in
      _ = try publisher.restore(1, of: name(number), accepting: [.opensNothing], by: context)
    },
    Mutation(name: "rename the app") { publisher, number in
      _ = try publisher.rename(app(number), to: app(number, "new"), by: context)
    },
    Mutation(name: "let it use the template") { publisher, number in
      try change(publisher, try name(number)) {
        $0.template = TemplateUse(
          try TemplateName("t\(number)"), ownEntries: $0.associationFile.entries.count)
      }
    },
    Mutation(name: "change the template") { publisher, number in
      _ = try publisher.publish(template(number, "/changed"), by: context)
    },
    Mutation(name: "name the Android app") { publisher, number in
      try change(publisher, try name(number)) {
        $0.associationFile.entries[0].androidApps = [try package(number)]
      }
    },
    Mutation(name: "change the certificates of the Android app") { publisher, number in
      _ = try publisher.put(
        .example(package(number).text, octets: ["CD"]), by: context)
    },
    Mutation(name: "edit routes of both") { publisher, number in
      _ = try publisher.edit(
        [.add(Route(path: "/both"), .first)], ofEntriesWith: nil,
        in: DomainSelection(names: try ["d", "e"].map { Alias(try name(number, $0)) }), by: context)
    },
  ]

  private static func package(_ number: Int) throws -> PackageName {
    try #require(PackageName("com.example.app\(number)"))
  }

  private static func template(_ number: Int, _ path: String) throws -> Template {
    Template(
      try TemplateName("t\(number)"),
      members: [
        "entries": [["apps": [.string(try app(number).text)], "routes": [["path": .string(path)]]]]
      ])
  }

  /// What is stored of the domains of a number, without the number.
  private static func state(_ store: Store, _ number: Int) throws -> [String] {
    var lines: [String] = []
    for prefix in ["d", "e", "both"] {
      do {
        let stored = try store.domain(name(number, prefix))
        let domain = stored.domain
        let served = try store.served(stored.id)
        lines.append(
          "\(prefix) \(stored.revision) \(domain.isEnabled) \(domain.aliases) \(domain.paths) "
            + "\(domain.associationFile.appIdentifiers.map(\.text)) "
            + (served.map { String(decoding: $0.document, as: UTF8.self) } ?? "nothing")
            + String(
              decoding: try store.formerDomain(of: domain.name).published?.documents[.assetLinks]
                ?? [],
              as: UTF8.self))
      } catch StoreError.notFound {
        lines.append("\(prefix) is not there")
      }
    }
    // Digits of the number would differ.
    return lines.map { $0.replacing("\(number)", with: "N") }
  }

  private static func attempt(_ mutation: Mutation, _ publisher: Publisher, _ number: Int) -> String
  {
    do {
      try mutation.make(publisher, number)
      return "done"
    } catch {
      return "\(error)".replacing("\(number)", with: "N").prefix { $0 != "(" }.description
    }
  }

  private static func prepare(_ store: Store, _ number: Int) throws {
    let publisher = Publisher(store: store)
    _ = try publisher.publish(template(number, "/template"), by: context)
    _ = try publisher.put(.example(package(number).text), by: context)
    for prefix in ["d", "e"] {
      try store.put(domain(number, prefix))
      var second = try domain(number, prefix)
      second.associationFile.entries[0].routes = [Route(path: "/second")]
      try store.put(second)
    }
  }

  @Test func everyPairOfEditsAtOneMomentIsLikeOneAfterTheOther() throws {
    let temporary = try TemporaryStore()
    let publishers = try [temporary.open(), temporary.open()].map { Publisher(store: $0) }
    var number = 70_000
    for (index, first) in Self.mutations.enumerated() {
      for second in Self.mutations[index...] {
        var serial: Set<[String]> = []
        for isSwapped in [false, true] {
          number += 1
          try Self.prepare(temporary.store, number)
          let order = isSwapped ? [second, first] : [first, second]
          let results = order.map { Self.attempt($0, publishers[0], number) }
          serial.insert(
            try Self.state(temporary.store, number) + (isSwapped ? results.reversed() : results))
        }
        for _ in 0..<2 {
          number += 1
          try Self.prepare(temporary.store, number)
          let results = Mutex(["", ""])
          let ready = Counter()
          let now = number
          let threads = Threads(
            [first, second].enumerated().map { index, mutation in
              {
                ready.add()
                while ready.count < 2 {}
                let result = Self.attempt(mutation, publishers[index], now)
                results.withLock { $0[index] = result }
              }
            })
          #expect(threads.end())
          let outcome = try Self.state(temporary.store, number) + results.withLock { $0 }
          #expect(
            serial.contains(outcome),
            "\(first.name) and \(second.name): \(outcome) not in \(serial)")
        }
      }
    }
  }
}
