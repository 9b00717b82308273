/// Why a text is not a domain name, an alias or an app identifier.
public struct ValidationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A stable word for programs.
  public enum Code: String, Sendable, CaseIterable {
    case malformedAppIdentifier = "malformed-app-identifier"
    case domainEmpty = "domain-empty"
    case domainMalformed = "domain-malformed"
    case domainHasScheme = "domain-has-scheme"
    case domainHasPath = "domain-has-path"
    case domainIsAddress = "domain-is-address"
    case domainHasPort = "domain-has-port"
    case domainHasWildcard = "domain-has-wildcard"
    case domainHasUnderscore = "domain-has-underscore"
    case domainTooLong = "domain-too-long"
  }

  /// A stable word for programs.
  public let code: Code
  /// What is wrong and what is allowed, for people.
  public let message: String

  /// An error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
