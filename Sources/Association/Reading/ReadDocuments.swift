/// The documents that a domain publishes and that are rendered, read.
package final class ReadDocuments: Sendable {
  /// No documents.
  package static let none = ReadDocuments([:])

  /// Apple's file; without one, an empty one.
  package let apple: ReadDocument
  package let assetLinks: AssetLinks?
  package let json: [DocumentKind: JSON]

  package init(_ documents: [DocumentKind: JSON]) {
    apple = ReadDocument(documents[.apple] ?? [:])
    assetLinks = documents[.assetLinks].map { AssetLinks($0) }
    json = documents
  }

  /// Reads stored documents.
  ///
  /// - Throws: `JSON.SyntaxError` if one is damaged.
  package convenience init(stored documents: Documents) throws(JSON.SyntaxError) {
    var json: [DocumentKind: JSON] = [:]
    for (kind, bytes) in documents where kind.isRendered {
      json[kind] = try JSON.parse(bytes, limits: .trusted).value
    }
    self.init(json)
  }

  /// Reads stored documents; `nil` if one is damaged.
  package convenience init?(intact documents: Documents) {
    do {
      try self.init(stored: documents)
    } catch {
      return nil
    }
  }
}
