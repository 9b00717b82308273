/// A value that is not what it has to be: what is wrong, in a stable word and in a sentence.
public struct ValidationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A stable word such as `domain-has-port`.
  public let code: String
  /// What is wrong and what is allowed, for people.
  public let message: String

  /// An error with a code and a sentence.
  public init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The sentence.
  public var description: String { message }
}
