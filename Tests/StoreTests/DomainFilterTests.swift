import Association
@testable import Store
import TestSupport
import Testing

/// A filter finds the same domains whether few or many of them meet it, which are found in different ways.
@Suite struct DomainFilterTests {
  private static let count = 250
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }
  /// Seen of most domains.
  private let many: Look
  /// Seen of the others: every 25th.
  private let few: Look

  /// What a filter finds a domain by.
  private struct Look {
    let app: AppIdentifier
    let package: PackageName
    let label: Label
    let isMost: Bool
  }

  init() throws {
    temporary = try TemporaryStore()
    let store = temporary.store
    many = Look(
      app: try AppIdentifier("ABCDE12345.com.example.many"),
      package: try #require(PackageName("com.example.many")), label: try Label("many"),
      isMost: true)
    few = Look(
      app: try AppIdentifier("ABCDE12345.com.example.few"),
      package: try #require(PackageName("com.example.few")), label: try Label("few"), isMost: false)
    for package in [many.package, few.package] { try store.putApp(.example(package.text)) }
    var (edits, fetches, checks) = ([DomainEdit](), [NewFetches](), [CheckRecord]())
    for number in 0..<Self.count {
      let look = number.isMultiple(of: 25) ? few : many
      var domain = try Domain.example(
        "d\(1000 + number).example", aliases: ["\(look.label)\(number).example"])
      domain.associationFile.entries[0].apps = [look.app]
      domain.androidCredentials = [look.package]
      domain.isEnabled = look.isMost
      domain.environment = look.isMost ? .production : .staging
      domain.labels = [look.label]
      let finding = Finding(
        look.isMost ? .unusedVariable : .nearSizeLimit, at: .root, "It is so.", help: "Mend it.")
      edits.append(try store.edit(to: domain, findings: [finding]))
      var seen = finding
      seen.source = .check
      checks.append(
        CheckRecord(domain.name, at: store.now(), findings: look.isMost ? [] : [seen], result: [:]))
    }
    try store.write(WriteContext(author: "test")) { transaction in
      for edit in edits { _ = try transaction.save(edit, action: "test") }
    }
    _ = try store.record(checks)
    for (number, name) in try store.domainNames(DomainFilter()).enumerated()
    where !number.isMultiple(of: 10) {
      fetches.append(
        NewFetches(
          domain: try store.domain(name).id, revision: 1, fetcher: .appleCDN, count: 1, firstAt: 1,
          lastAt: 1))
    }
    try store.add(fetches)
  }

  private func numbers(_ filter: DomainFilter) throws -> [Int] {
    var (found, last) = ([Int](), DomainOrder.Place?.none)
    while true {
      let list = try store.domains(filter, after: last, limit: 100)
      #expect(!list.isEstimate)
      if list.page.isEmpty {
        #expect(list.total == found.count)
        return found
      }
      found += list.page.compactMap { Int($0.name.text.dropFirst().prefix(4)).map { $0 - 1000 } }
      last = list.page.last.map { DomainOrder.Place(updatedAt: $0.updatedAt, name: $0.name.text) }
    }
  }

  @Test func everyFilterFindsManyDomainsAndFew() throws {
    let rare = (0..<Self.count).filter { $0.isMultiple(of: 25) }
    let usual = (0..<Self.count).filter { !$0.isMultiple(of: 25) }
    for (look, expected) in [(many, usual), (few, rare)] {
      #expect(try numbers(DomainFilter(text: look.label.text)) == expected)
      #expect(try numbers(DomainFilter(app: look.app)) == expected)
      #expect(try numbers(DomainFilter(androidApp: look.package)) == expected)
      #expect(
        try numbers(DomainFilter(environment: look.isMost ? .production : .staging)) == expected)
      #expect(try numbers(DomainFilter(isEnabled: look.isMost)) == expected)
      #expect(
        try numbers(DomainFilter(finding: look.isMost ? "unused-variable" : "near-size-limit"))
          == expected)
      #expect(try numbers(DomainFilter(check: look.isMost ? .ok : .warning)) == expected)
      #expect(try numbers(DomainFilter(label: look.label)) == expected)
      #expect(
        try numbers(DomainFilter(text: "d1", app: look.app, label: look.label)) == expected)
    }
    #expect(try numbers(DomainFilter()) == Array(0..<Self.count))
    #expect(try numbers(DomainFilter(kind: .apple)) == Array(0..<Self.count))
    #expect(try numbers(DomainFilter(kind: .assetLinks)) == [])
    #expect(try numbers(DomainFilter(check: .failing)) == [])
    #expect(try numbers(DomainFilter(check: .unchecked)) == [])
    #expect(
      try numbers(DomainFilter(isCollected: true)) == usual.filter { !$0.isMultiple(of: 10) })
    #expect(
      try numbers(DomainFilter(isCollected: false)) == usual.filter { $0.isMultiple(of: 10) })
    #expect(try numbers(DomainFilter(host: DomainName("few25.example"))) == [25])
    #expect(try numbers(DomainFilter(isDeleted: true)) == [])
    #expect(try store.domainNames(DomainFilter(app: few.app)).count == rare.count)
  }

  @Test func theFewDomainsWithAnotherKindOfFileOrWithoutACheckAreFound() throws {
    let (apple, android) = (Array("{}".utf8), Array("[]".utf8))
    let published: [Documents] = [
      [.apple: apple, .assetLinks: android], [.assetLinks: android], [.apple: apple],
    ]
    for (number, documents) in published.enumerated() {
      try store.put(.example("d\(1000 + Self.count + number).example"), documents: documents)
    }
    // It had the file once.
    try store.put(.example("d1007.example"), documents: [.apple: apple, .assetLinks: android])
    try store.put(.example("d1007.example"), documents: [.apple: apple])
    let new = Array(Self.count..<Self.count + 3)
    #expect(try numbers(DomainFilter(kind: .assetLinks)) == Array(new.prefix(2)))
    #expect(try numbers(DomainFilter(check: .unchecked)) == new)
    let connection = try temporary.connect()
    if connection.dialect == .sqlite {
      let isOfKind = DomainFilter(kind: .assetLinks).conditions(.all(.sqlite), named: nil)
      let plan = try connection.all(
        "EXPLAIN QUERY PLAN SELECT id FROM domain WHERE 1 \(isOfKind.sql)", isOfKind.values
      ) { $0.text(3) }
      #expect(plan.contains { $0.contains("document_of_kind") }, "\(plan)")
    }
    #expect(try numbers(DomainFilter(kind: .apple)) == Array(0...Self.count) + [Self.count + 2])
  }
}
