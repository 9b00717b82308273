import Association
import JSONValue
import Publishing
import Store

extension Domain {
  /// A domain with one entry of routes with these paths.
  static func example(
    _ name: String = "example.com", aliases: [String] = [], paths: [String] = ["/a"]
  ) throws -> Domain {
    var document = Document()
    let app = try AppIdentifier("ABCDE12345.com.example.app")
    document.entries = [Entry(apps: [app], routes: paths.map { Route(path: $0) })]
    return Domain(
      name: try DomainName(name), aliases: try aliases.map { try Alias($0) }, document: document)
  }

  /// The paths of all routes.
  var paths: [String] { document.entries.flatMap(\.routes).compactMap(\.path) }
}

extension Store {
  /// Makes a domain what it shall be, and returns what became of it.
  @discardableResult
  func put(_ domain: Domain) throws -> EditedDomain {
    try edit(domain.name, author: "test", reason: "test") { _ in
      DomainEdit(domain: domain, document: domain.document.rendered())
    }
  }
}
