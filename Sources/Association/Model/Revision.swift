/// An immutable, published document of a domain.
public struct Revision: Sendable, Equatable {
  /// The number in the domain, from 1.
  public package(set) var number: Int
  /// How many bytes the document has.
  public package(set) var size: Int
  /// The SHA-256 of the document, 64 lower-case hexadecimal digits.
  public package(set) var sha256: String
  /// When it was published, in seconds since 1970.
  public package(set) var publishedAt: Int64
  /// Who published it: the name of a token, or of a command.
  public package(set) var author: String
  /// Why: what was done.
  public package(set) var reason: String
  /// The codes of the errors that were accepted when it was published.
  public package(set) var acceptedCodes: [String]

  /// A revision.
  public init(
    number: Int, size: Int, sha256: String, publishedAt: Int64, author: String, reason: String,
    acceptedCodes: [String]
  ) {
    self.number = number
    self.size = size
    self.sha256 = sha256
    self.publishedAt = publishedAt
    self.author = author
    self.reason = reason
    self.acceptedCodes = acceptedCodes
  }
}
