import Association
import JSONValue
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

  @Test(arguments: Shape.all)
  func aFileOfAnyShapeComesBackFromItsRowsAsItWas(shape: Shape) throws {
    let document = try Document(adopting: shape.file)
    let edited = try store.write(WriteContext(author: "test")) {
      try $0.edit(name, action: "test") { _ in
        DomainEdit(domain: Domain(name: name, document: document), document: document.rendered())
      }
    }
    #expect(edited.stored.domain.document.json == shape.file)
    let served = try store.served(edited.stored.id)
    #expect(try JSON.parse(served?.document ?? []).value == shape.file)
    #expect(edited.revision.number == 1)
  }
}
