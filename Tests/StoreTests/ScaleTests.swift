import Association
import Store
import Testing

/// A hundred thousand domains are listed and edited as few are.
@Suite struct ScaleTests {
  private static let count = 100_000
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }

  init() throws { temporary = try TemporaryStore() }

  private func edit(of name: DomainName, cacheSeconds: Int) -> DomainEdit {
    let domain = Domain(name: name, cacheSeconds: cacheSeconds)
    return DomainEdit(domain: domain, document: domain.document.rendered())
  }

  @Test func aHundredThousandDomainsAreListedPageByPageAndOneEditIsOneChange() throws {
    let names = try (0..<Self.count).map { try DomainName("d\(1_000_000 + $0).example") }
    try store.write(WriteContext(author: "test")) { transaction in
      for name in names {
        _ = try transaction.save(edit(of: name, cacheSeconds: 1), over: nil, action: "test")
      }
    }
    #expect(try store.domainCount() == Self.count)
    var seen = 0
    var last: String?
    while true {
      let page = try store.domains(after: last, limit: 1000)
      if page.isEmpty { break }
      #expect(page.map(\.name) == Array(names[seen..<seen + page.count]))
      seen += page.count
      last = page.last?.name.text
    }
    #expect(seen == Self.count)

    let before = try store.readServed { _ in }
    let one = names[Self.count / 2]
    try store.edit(one) { _ in edit(of: one, cacheSeconds: 2) }
    #expect(try store.changes(after: before).domains?.count == 1)
  }
}
