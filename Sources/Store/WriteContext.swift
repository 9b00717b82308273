/// Who writes, from where, why, and whether it is only tried.
public struct WriteContext: Sendable {
  /// Who: the name of a token, or of a command.
  public let author: String
  /// The address that the request came from; empty for a command.
  public let address: String
  /// Why, in the words of the one who does it; may be empty.
  public let reason: String
  /// Whether all is done but the commit: the answers are the same, and nothing is changed.
  public let isDryRun: Bool

  /// A context.
  public init(author: String, address: String = "", reason: String = "", isDryRun: Bool = false) {
    self.author = author
    self.address = address
    self.reason = reason
    self.isDryRun = isDryRun
  }
}
