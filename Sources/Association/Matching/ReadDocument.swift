public import JSONValue

/// A document with what a device reads of it, for those that need both.
public struct ReadDocument: Sendable {
  /// The document.
  public let json: JSON
  /// Its `applinks` as a device reads it.
  public let links: AppLinks

  /// Reads a document.
  public init(_ json: JSON) {
    self.json = json
    links = AppLinks(document: json)
  }
}
