/// An origin that may use the passkeys of a domain: `https`, a host and maybe a port.
///
/// The host is a domain name with a dot, since browsers skip every other host in a `webauthn` file.
package struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
  /// The origin as browsers write it: in lower case and A-labels, without the default port and without a
  /// slash at the end.
  package let text: String

  /// The origin; `nil` for any other text, including those that browsers read as an origin.
  package init?(_ text: String) {
    let written = WrittenOrigin(text)
    guard written.fault == nil, let origin = written.origin else { return nil }
    self = origin
  }

  /// An origin from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  /// The origin of a host; `nil` if the host has no dot.
  init?(_ host: DomainName, port: UInt16) {
    guard host.text.utf8.contains(UInt8(ascii: ".")) else { return nil }
    text = "https://\(host)" + (port == Self.defaultPort ? "" : ":\(port)")
  }

  fileprivate static let defaultPort: UInt16 = 443

  package var description: String { text }
}

/// What browsers make of a text in a list of origins (WHATWG URL Standard, "URL parsing").
struct WrittenOrigin {
  /// Why a text is not an origin as it should be written.
  enum Fault {
    /// The text is no URL with `https`.
    case noURL
    /// The scheme is `http`.
    case insecure
    /// The host is the browser's own machine: `localhost`, a name below it, or a loopback address.
    case ownMachine
    /// The host has a `*`.
    case wildcard
    /// The host is an address or a single label, or has characters that domain names do not have; or the
    /// port is none.
    case host
    /// There is a path, a query, a fragment or a user. Browsers ignore them.
    case more
    /// The origin has another spelling: letters, default port, spaces.
    case spelling
  }

  /// The origin that browsers read; `nil` if they skip the text.
  private(set) var origin: WebOrigin?
  /// The domain name of the host, also of a text that is no origin; of a wildcard, the name behind it.
  private(set) var host: DomainName?
  /// What is wrong; `nil` for an origin as browsers write it.
  private(set) var fault: Fault?
  /// Whether the host is a public suffix, such as `github.io`: different people have the names below it.
  private(set) var isPublicSuffix = false

  init(_ text: String) {
    var rest = Array(text.utf8)[...]
    rest = rest.drop(while: Self.isSpace)
    while rest.last.map(Self.isSpace) == true { rest.removeLast() }
    let scheme = rest.prefix { $0 != UInt8(ascii: ":") }
    let isSecure = scheme.map(\.asciiLowercased).elementsEqual("https".utf8)
    let isInsecure = scheme.map(\.asciiLowercased).elementsEqual("http".utf8)
    guard isSecure || isInsecure, scheme.count < rest.count else {
      fault = Self.isOwnMachine(Self.host(ofAuthority: rest)) ? .ownMachine : .noURL
      return
    }
    rest = rest.dropFirst(scheme.count + 1).drop { "/\\".utf8.contains($0) }
    let authority = rest.prefix { !"/\\?#".utf8.contains($0) }
    let user = authority.lastIndex(of: UInt8(ascii: "@"))
    let address = user.map { authority.suffix(from: $0 + 1) } ?? authority
    let colon = address.lastIndex(of: UInt8(ascii: ":")) ?? address.endIndex
    let name = String(decoding: address[..<colon], as: UTF8.self)
    let isWildcard = name.utf8.contains(UInt8(ascii: "*"))
    // With a dot at the end, the host is another one for browsers.
    if !name.utf8.reversed().starts(with: ".".utf8) {
      host = DomainName(
        usable: name.utf8.starts(with: "*.".utf8) ? String(name.dropFirst(2)) : name)
    }
    if Self.isOwnMachine(name) {
      fault = .ownMachine
    } else if isInsecure || isWildcard {
      fault = isWildcard ? .wildcard : .insecure
    } else if let host, let port = Self.port(address[colon...].dropFirst()),
      let origin = WebOrigin(host, port: port)
    {
      self.origin = origin
      let hasMore = user != nil || authority.endIndex < rest.endIndex
      fault = hasMore ? .more : sameScalars(origin.text, text) ? nil : .spelling
      isPublicSuffix = RegistrableName.isSuffix(host.text)
    } else {
      fault = .host
    }
  }

  private static func isOwnMachine(_ host: String) -> Bool {
    let name = host.lowercased()
    return name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]"
      || name.hasPrefix("127.")
        && name.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
  }

  /// The host of a text without a scheme.
  private static func host(ofAuthority text: ArraySlice<UInt8>) -> String {
    let authority = text.drop { "/\\".utf8.contains($0) }.prefix { !"/\\?#".utf8.contains($0) }
    let port = authority.reversed().prefix(while: \.isASCIIDigit).count
    let host = authority.dropLast(port)
    return String(
      decoding: host.last == UInt8(ascii: ":") ? host.dropLast() : authority, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }

  private static func port(_ digits: ArraySlice<UInt8>) -> UInt16? {
    if digits.isEmpty { return WebOrigin.defaultPort }
    return digits.allSatisfy(\.isASCIIDigit) ? UInt16(String(decoding: digits, as: UTF8.self)) : nil
  }
}
