/// A further name that a domain's file is served for: a name, or with `*.` before it all names
/// below that one (at any depth, itself not among them).
public struct Alias: Sendable, Hashable, CustomStringConvertible {
  /// The name, without `*.`.
  public let name: DomainName
  /// Whether the names below `name` are meant.
  public let isWildcard: Bool

  /// Parses `www.example.com` or `*.go.example.com`.
  ///
  /// - Throws: `ValidationError` as `DomainName` does, and for a `*` anywhere but in `*.` at the
  ///   beginning.
  public init(_ text: String) throws(ValidationError) {
    isWildcard = text.hasPrefix("*.")
    let name = isWildcard ? String(text.dropFirst(2)) : text
    if name.contains("*") {
      throw ValidationError(
        .domainHasWildcard,
        "The alias “\(text)” has a “*” that is not a whole first label. Write *.example.com for "
          + "all names below example.com.")
    }
    self.name = try DomainName(name)
    if isWildcard && self.name.text.utf8.count > 251 {
      throw ValidationError(
        .domainTooLong, "The alias “\(text)” is too long for any name below it to exist.")
    }
  }

  /// An alias from its text as `description` gave it, which is not checked again.
  package init(stored text: String) {
    isWildcard = text.hasPrefix("*.")
    name = DomainName(stored: isWildcard ? String(text.dropFirst(2)) : text)
  }

  /// The name of a domain itself.
  public init(_ name: DomainName) {
    self.name = name
    isWildcard = false
  }

  /// Whether every name that `other` stands for is one that this stands for.
  public func covers(_ other: Alias) -> Bool {
    if self == other { return true }
    return isWildcard && other.name.text.hasSuffix(".\(name.text)")
  }

  /// Whether a host in lower case is one of the names that this stands for.
  public func covers(host: String) -> Bool {
    isWildcard ? host.hasSuffix(".\(name.text)") : host == name.text
  }

  /// The alias as it is written.
  public var description: String { isWildcard ? "*.\(name)" : name.text }
}
