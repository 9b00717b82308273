/// A range of addresses in CIDR notation (RFC 4632 section 3.1, RFC 4291 section 2.3), such as those of
/// proxies that are trusted: `10.0.0.0/8`, `fd00::/8`.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
  /// The first address.
  private let first: IPAddress
  /// How many leading bits of the 128 an address has in common with the first one.
  private let prefixBits: Int

  /// Parses an address with the length of its prefix, or one without, which stands for itself alone.
  /// Bits behind the prefix do not count. Nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else { return nil }
    let isMapped = address.isIPv4 && !parts[0].contains(":")
    guard
      let bits = parts.count == 1
        ? 128
        : Self.prefixBits(parts[1], upTo: isMapped ? 32 : 128).map({ isMapped ? $0 + 96 : $0 })
    else { return nil }
    prefixBits = bits
    first = IPAddress(bits: address.bits & Self.mask(bits))
  }

  private static func prefixBits(_ text: Substring, upTo limit: Int) -> Int? {
    guard let bits = Int(text), String(bits) == text, (0...limit).contains(bits) else { return nil }
    return bits
  }

  private static func mask(_ prefixBits: Int) -> UInt128 { ~0 << (128 - prefixBits) }

  /// Whether an address is in the range. An IPv4 address is in no range of IPv6 addresses: `::/0` is
  /// not everybody.
  public func contains(_ address: IPAddress) -> Bool {
    address.bits & Self.mask(prefixBits) == first.bits && address.isIPv4 == isIPv4
  }

  private var isIPv4: Bool { first.isIPv4 && prefixBits >= 96 }

  /// As `10.0.0.0/8`, always with the length of the prefix.
  public var description: String { "\(first)/\(isIPv4 ? prefixBits - 96 : prefixBits)" }
}
