/// An origin that may use the passkeys of a domain: `https`, a host and maybe a port.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
  /// The origin as browsers write it: in lower case, without the default port and without a slash at the
  /// end.
  public let text: String

  /// The origin; `nil` for any other text.
  public init?(_ text: String) {
    guard let site = WebSite(text), text.utf8.starts(with: "https://".utf8),
      !text.utf8.contains(where: { $0 >= 0x80 }), text == text.lowercased(),
      !site.description.hasSuffix(":443")
    else { return nil }
    self.text = text
  }

  /// An origin from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  /// The text.
  public var description: String { text }
}
