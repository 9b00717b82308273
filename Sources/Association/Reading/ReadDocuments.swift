/// The documents that a domain publishes, read.
public struct ReadDocuments: Sendable {
  /// Apple's file; without one, an empty one.
  public let apple: ReadDocument
  /// Android's file.
  public let assetLinks: AssetLinks?
  /// All documents.
  public let json: [DocumentKind: JSON]

  /// Reads documents.
  public init(_ documents: [DocumentKind: JSON] = [:]) {
    apple = ReadDocument(documents[.apple] ?? [:])
    assetLinks = documents[.assetLinks].map { AssetLinks($0) }
    json = documents
  }

  /// Reads stored documents.
  ///
  /// - Throws: `JSON.SyntaxError` if one is damaged.
  public init(stored documents: Documents) throws(JSON.SyntaxError) {
    var json: [DocumentKind: JSON] = [:]
    for (kind, bytes) in documents { json[kind] = try JSON.parse(bytes, limits: .trusted).value }
    self.init(json)
  }

  /// Reads stored documents; `nil` if one is damaged.
  public init?(intact documents: Documents) {
    do {
      try self.init(stored: documents)
    } catch {
      return nil
    }
  }
}
