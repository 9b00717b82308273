import Association
import SQLite
import TestSupport
import Testing

@testable import Store

/// What is kept of a domain after an edit, and that the next edit never takes it for what it is not.
@Suite struct RecentEditsTests {
  let temporary: TemporaryStore
  let name: DomainName
  var store: Store { temporary.store }

  init() throws {
    temporary = try TemporaryStore()
    name = try DomainName("example.com")
    try temporary.store.put(.example())
  }

  /// Something other than an edit of the domain by this store that changes what an edit is given.
  enum Change: String, CaseIterable {
    case editByAnotherStore, statementOfAnotherConnection, renamedApp, newDomainOfThisName
    case editThatIsOnlyTried, editThatFailsLater, aliasThatIsReleased, editOfAnotherNameToThis

    func make(_ test: RecentEditsTests) throws {
      struct Stop: Error {}
      let (store, name) = (test.store, test.name)
      let context = WriteContext(author: "test")
      switch self {
      case .editByAnotherStore: try test.temporary.open().put(.example(paths: ["/b"]))
      case .statementOfAnotherConnection:
        try test.temporary.connect().run("UPDATE route SET path = '/b'")
      case .renamedApp:
        let (old, new) = (
          try AppIdentifier("ABCDE12345.com.example.app"), try AppIdentifier("ABCDE12345.other")
        )
        _ = try store.write(context) { try $0.rename(old, to: new) }
      case .newDomainOfThisName:
        try store.delete(name)
        try test.temporary.open().put(.example(paths: ["/b"]))
      case .editThatIsOnlyTried:
        _ = try store.write(WriteContext(author: "test", isDryRun: true)) {
          try test.edit($0, paths: ["/b"])
        }
      case .editThatFailsLater:
        #expect(throws: Stop.self) {
          try store.write(context) {
            try test.edit($0, paths: ["/b"])
            throw Stop()
          }
        }
      case .aliasThatIsReleased:
        try store.put(.example(aliases: ["www.example.com"]))
        try store.write(context) { try $0.releaseAliases(for: [.example()]) }
      case .editOfAnotherNameToThis:
        _ = try store.edit(name) { _ in
          let domain = try Domain.example("other.example")
          return DomainEdit(domain: domain, document: domain.document.rendered())
        }
        try store.put(.example(paths: ["/b"]))
        #expect(try store.domainCount() == 2)
      }
    }
  }

  private func edit(_ transaction: borrowing Transaction, paths: [String]) throws {
    let domain = try Domain.example(paths: paths)
    _ = try transaction.edit(name, action: "test") { _ in
      DomainEdit(domain: domain, document: domain.document.rendered())
    }
  }

  @Test(arguments: Change.allCases)
  func anEditIsGivenTheDomainAsItIsWhateverChangedIt(_ change: Change) throws {
    try change.make(self)
    let expected = try store.domain(name)
    _ = try store.edit(name) { old in
      #expect(old == expected)
      let domain = try Domain.example(paths: ["/c"])
      return DomainEdit(domain: domain, document: domain.document.rendered())
    }
    #expect(try store.domain(name).domain.paths == ["/c"])
    let (document, revision) = try store.currentDocument(of: name)
    #expect(document == (try Domain.example(paths: ["/c"]).document.rendered()))
    #expect(revision.number == expected.revision + 1)
  }

  @Test func textThatOnlyLooksTheSameIsAnotherOne() throws {
    let texts = ["\u{E9}", "e\u{301}"]
    for text in texts + [""] {
      _ = try store.edit(name) { old in
        var domain = try #require(old).domain
        let apps = domain.document.apps?.map { Array($0.utf8) }
        // The one before, byte for byte.
        #expect(text.isEmpty ? apps == [Array(texts[1].utf8)] : true)
        domain.document.apps = [text]
        return DomainEdit(domain: domain, document: domain.document.rendered())
      }
    }
  }

  @Test func editsOfOneTransactionAreGivenWhatThoseBeforeThemMade() throws {
    let other = try Domain.example("other.example")
    try store.write(WriteContext(author: "test")) { transaction in
      try edit(transaction, paths: ["/b"])
      _ = try transaction.edit(other.name, action: "test") { _ in
        DomainEdit(domain: other, document: other.document.rendered())
      }
      _ = try transaction.edit(name, action: "test") { old in
        #expect(old?.domain.paths == ["/b"] && old?.revision == 2)
        // An edit that changes more than its domain.
        let app = try AppIdentifier("ABCDE12345.com.example.app")
        _ = try transaction.rename(app, to: AppIdentifier("ABCDE12345.other"))
        let domain = try Domain.example(paths: ["/c"])
        return DomainEdit(domain: domain, document: domain.document.rendered())
      }
      _ = try transaction.edit(other.name, action: "test") { old in
        let stored = try transaction.domain(other.name)
        #expect(old == stored)
        #expect(old?.domain.document.appIdentifiers.map(\.text) == ["ABCDE12345.other"])
        return DomainEdit(domain: other, document: other.document.rendered())
      }
    }
    #expect(try store.domain(name).domain.paths == ["/c"])
  }

  /// What an edit leaves, kept without a store.
  private func kept(_ name: String, bytes: Int = 10) throws -> RecentEdits.Domain {
    RecentEdits.Domain(
      stored: StoredDomain(
        id: 1, domain: try .example(name), revision: 1, updatedAt: 0, acceptedCodes: []),
      revision: Revision(
        number: 1, size: bytes, sha256: "", publishedAt: 0, author: "", reason: "",
        acceptedCodes: []),
      document: Array(repeating: 0x20, count: bytes), read: nil)
  }

  @Test func whatIsKeptIsThereUntilSomethingElseIsWritten() throws {
    let (connection, recent) = (try temporary.connect(), RecentEdits())
    let keep = { (domain: RecentEdits.Domain) in
      recent.keep(domain, insteadOf: domain.stored.domain.name, connection)
    }
    let other = try DomainName("other.example")
    #expect(try recent.domain(name, connection) == nil)
    try connection.run("UPDATE route SET path = '/b'")
    keep(try kept("example.com"))
    #expect(try recent.domain(name, connection)?.revision.number == 1)
    #expect(try recent.domain(other, connection) == nil)
    keep(try kept("other.example"))
    #expect(try recent.domain(name, connection) != nil)
    #expect(try recent.domain(other, connection) != nil)
    try connection.run("UPDATE route SET path = '/c'")
    #expect(try recent.domain(name, connection) == nil)
    keep(try kept("example.com"))
    try store.put(.example("third.example"))
    #expect(try recent.domain(name, connection) == nil)
  }

  @Test func whatIsKeptHasALimit() throws {
    let (connection, recent) = (try temporary.connect(), RecentEdits())
    let keep = { (domain: RecentEdits.Domain) in
      recent.keep(domain, insteadOf: domain.stored.domain.name, connection)
    }
    #expect(try recent.domain(name, connection) == nil)
    for _ in 0..<10 { keep(try kept("a.example", bytes: 100_000)) }
    keep(try kept("b.example", bytes: 100_000))
    #expect(try recent.domain(try DomainName("a.example"), connection) != nil)
    keep(try kept("c.example", bytes: 100_000))
    #expect(try recent.domain(try DomainName("a.example"), connection) == nil)
    #expect(try recent.domain(try DomainName("c.example"), connection) != nil)
    keep(try kept("d.example", bytes: 300_000))
    #expect(try recent.domain(try DomainName("d.example"), connection) == nil)
    for number in 0...128 { keep(try kept("n\(number).example")) }
    #expect(try recent.domain(try DomainName("n127.example"), connection) == nil)
    #expect(try recent.domain(try DomainName("n128.example"), connection) != nil)
  }
}
