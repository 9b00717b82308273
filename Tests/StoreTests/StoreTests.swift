import Association
import Foundation
import JSONValue
import Store
import Testing

/// A store in a directory of its own, which goes with the test.
final class TemporaryStore {
  let directory: URL
  let store: Store

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "aasa-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    store = try Store(path: directory.appending(path: "aasa.db").path, now: { 1_700_000_000 })
  }

  deinit { try? FileManager.default.removeItem(at: directory) }
}

struct Shape: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let file: JSON

  /// The shapes of `Tests/Fixtures/shapes.json`.
  static let all: [Shape] = {
    let path = URL(filePath: #filePath).appending(path: "../../Fixtures/shapes.json")
    guard let bytes = try? Data(contentsOf: path.standardized),
      let shapes = try? JSON.parse(bytes).value.arrayValue
    else { return [] }
    return shapes.map {
      Shape(testDescription: $0["name"]?.stringValue ?? "", file: $0["file"] ?? .null)
    }
  }()
}

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
    let edited = try store.edit(name, author: "test", reason: "test") { _ in
      DomainEdit(domain: Domain(name: name, document: document), document: document.rendered())
    }
    #expect(edited.stored.domain.document.json == shape.file)
    let served = try store.served(edited.stored.id)
    #expect(try JSON.parse(served?.document ?? []).value == shape.file)
    #expect(edited.revision.number == 1)
  }
}
