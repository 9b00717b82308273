import Association
import Foundation
import Store
import TestSupport
import Testing

@Suite struct StoreTests {
  let temporary: TemporaryStore
  var store: Store { temporary.store }
  let name: DomainName

  init() throws {
    temporary = try TemporaryStore()
    name = try DomainName("example.com")
  }

  @Test func aFailedEditChangesNothing() throws {
    struct Stop: Error {}
    let before = try store.put(.example(aliases: ["www.example.com"])).stored
    let sequence = try store.changes(after: 0).sequence
    let edit = try store.edit(to: .example(paths: ["/b"]))
    #expect(throws: Stop.self) {
      try store.write(WriteContext(author: "test")) {
        _ = try $0.save(edit, action: "test")
        throw Stop()
      }
    }
    // A document that the schema refuses, after all rows of the domain have been written.
    let other = try Domain.example(aliases: ["new.example"], paths: ["/x", "/y"])
    for document in [[], Array(repeating: UInt8(ascii: "x"), count: 1_048_577)] {
      #expect(throws: StoreError.self) { try store.put(other, documents: [.apple: document]) }
    }
    #expect(try store.domain(name) == before)
    #expect(try store.changes(after: 0).sequence == sequence)
    #expect(
      try store.served(before.id)?.names == ["example.com", "www.example.com"])
    #expect(throws: StoreError.notFound(.domain(try DomainName("new.example")))) {
      try store.domain(DomainName("new.example"))
    }
  }

  @Test func aTakenNameChangesNeitherDomain() throws {
    try store.put(.example("a.example", aliases: ["shared.example"]))
    let before = try store.put(.example("b.example", aliases: ["b2.example"]))
    #expect(throws: StoreError.nameTaken("shared.example", by: try DomainName("a.example"))) {
      try store.put(
        .example("b.example", aliases: ["b3.example", "shared.example"], paths: ["/x"]))
    }
    #expect(try store.domain(before.stored.domain.name) == before.stored)
  }

  @Test func aRevisionRecordsDocumentTimeAndAuthor() throws {
    let edited = try store.put(.example())
    let current = try store.currentRevision(of: name)
    let (document, revision) = (current.documents[.apple], current.revision)
    let first = revision.documents.first
    #expect(revision == edited.revision)
    #expect(revision.publishedAt == TemporaryStore.time && revision.author == "test")
    #expect(first?.kind == .apple && first?.size == document?.count)
    #expect(first?.sha256.utf8.count == 64)
    let second = try store.put(.example(paths: ["/b"]))
    #expect(second.revision.number == 2 && second.revision.documents != revision.documents)
  }

  @Test func remainingRoutesAndEntriesKeepTheirRows() throws {
    let first = try store.put(.example(paths: ["/a", "/b", "/c"])).stored.domain
    var domain = first
    domain.associationFile.entries[0].routes.swapAt(0, 2)
    domain.associationFile.entries[0].routes.remove(at: 1)
    domain.associationFile.entries[0].routes.insert(Route(path: "/new"), at: 0)
    let second = try store.put(domain).stored.domain
    #expect(second.paths == ["/new", "/c", "/a"])
    let old = first.associationFile.entries[0].routes.map(\.id)
    let new = second.associationFile.entries[0].routes.map(\.id)
    #expect(new[1] == old[2] && new[2] == old[0] && !old.contains(new[0]))
    #expect(second.associationFile.entries[0].id == first.associationFile.entries[0].id)
  }

  @Test func deletingADomainDeletesItsRowsButNotItsAppsAndRevisions() throws {
    let domain = try store.put(.example(aliases: ["www.example.com"]))
    try store.delete(name)
    #expect(try store.served(domain.stored.id) == nil)
    #expect(try store.domains(limit: 1).total == 0)
    #expect(try store.apps(after: nil, limit: 10).map(\.domainCount) == [0])
    for table in ["domain_name", "entry", "route", "entry_app"] {
      #expect(try temporary.count(table) == 0, "\(table)")
    }
    #expect(try temporary.count("revision") == 1)
    let again = try store.put(.example())
    #expect(again.revision.number == 2 && again.stored.id == domain.stored.id)
    #expect(try store.domain(name) == again.stored)
  }

  @Test func aTokenIsFoundOnlyByItsSecret() throws {
    let secret = try store.createToken(
      name: "a", role: .editor, domains: ["*.b.example", "a.example"])
    let token = try #require(try store.token(secret))
    #expect(token.name == "a" && token.role == .editor)
    #expect(Set(token.scope.domains.map(\.description)) == ["*.b.example", "a.example"])
    #expect(try store.token(TokenSecret(secret.text + "x")) == nil)
    #expect(try store.token(TokenSecret("")) == nil)
    #expect(throws: StoreError.tokenNameTaken("a")) {
      try store.createToken(name: "a", role: .admin)
    }
    #expect(try store.token(secret)?.role == .editor)
    try store.revokeToken("a")
    #expect(try store.token(secret) == nil && store.tokens().isEmpty)
    #expect(throws: StoreError.notFound(.token("a"))) { try store.revokeToken("a") }
  }

  /// An empty file in its place would be taken for the database by whoever restores it.
  @Test(TemporaryDatabase.isFile) func aMovedDatabaseIsNotRecreatedAsAnEmptyFile() throws {
    for count in 0..<50 { try store.put(.example("d\(count).example")) }
    try FileManager.default.moveItem(
      atPath: temporary.path, toPath: temporary.directory.path("moved.db"))
    #expect(throws: StoreError.self) { try store.maintain() }
    #expect(!FileManager.default.fileExists(atPath: temporary.path))
  }
}
