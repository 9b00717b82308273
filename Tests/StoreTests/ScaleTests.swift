import Association
import Store
import TestSupport
import Testing

/// A hundred thousand domains are listed and edited as few are.
@Suite(TemporaryDatabase.isFile) struct ScaleTests {
  private static let count = 100_000
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }

  init() throws { temporary = try TemporaryStore() }

  @Test func aHundredThousandDomainsAreListedPageByPageAndOneEditIsOneChange() throws {
    let names = try (0..<Self.count).map { try DomainName("d\(1_000_000 + $0).example") }
    let edits = try names.map { try store.edit(to: Domain(name: $0, cacheSeconds: 1)) }
    try store.write(WriteContext(author: "test")) { transaction in
      for edit in edits { _ = try transaction.save(edit, action: "test") }
    }
    var seen = 0
    var last: DomainOrder.Place?
    while true {
      let (page, total, _) = try store.domains(after: last, limit: 10_000)
      #expect(total == Self.count)
      if page.isEmpty { break }
      #expect(page.map(\.name) == Array(names[seen..<seen + page.count]))
      seen += page.count
      last = page.last.map { .init(updatedAt: $0.updatedAt, name: $0.name.text) }
    }
    #expect(seen == Self.count)
    // Of so many, those that meet a filter are estimated if they are many.
    let most = try store.domains(DomainFilter(isEnabled: true), limit: 2)
    #expect(most.isEstimate && abs(most.total - Self.count) < Self.count / 10)
    #expect(most.page.map(\.name) == Array(names[..<2]))
    let few = try store.domains(DomainFilter(text: "d100007"), limit: 2)
    #expect(!few.isEstimate && few.total == 10 && few.page.map(\.name) == Array(names[70..<72]))

    let before = try store.readServed { _ in }
    let one = names[Self.count / 2]
    try store.put(Domain(name: one, cacheSeconds: 2))
    #expect(try store.changes(after: before).domains?.count == 1)
  }
}
