package import Association
import CSodium

/// A name in the table of hosts: its 128-bit SipHash-2-4, with a random key that is created when
/// the process starts.
///
/// The table compares these bits and stores no names. Two names with equal bits would share a
/// document. Among a million names, the probability of such a pair is below 10^-26, and without the
/// key an attacker cannot search for one.
package struct HostKey: Sendable, Equatable {
  /// Never 0, which marks a slot without a name.
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The key of a published name.
  package init(_ alias: Alias) {
    var text = alias.name.text
    self = text.withUTF8 { HostKey(UnsafeRawBufferPointer($0), isWildcard: alias.isWildcard) }
  }

  /// The key of a name in lower case, without a trailing dot.
  ///
  /// - Parameter isWildcard: Whether the key is for all names below this one.
  init(_ name: UnsafeRawBufferPointer, isWildcard: Bool) {
    var hash: UInt128 = 0
    // Sound: the function writes 16 bytes and reads 16 bytes of the secret, and both have this
    // size.
    withUnsafeMutablePointer(to: &hash) { hash in
      withUnsafePointer(to: isWildcard ? Self.wildcardSecret : Self.exactSecret) { secret in
        _ = crypto_shorthash_siphashx24(
          UnsafeMutableRawPointer(hash).assumingMemoryBound(to: UInt8.self),
          name.assumingMemoryBound(to: UInt8.self).baseAddress, UInt64(name.count),
          UnsafeRawPointer(secret).assumingMemoryBound(to: UInt8.self))
      }
    }
    high = UInt64(truncatingIfNeeded: hash >> 64) | 1
    low = UInt64(truncatingIfNeeded: hash)
  }

  private static let exactSecret = UInt128.random(in: .min ... .max)
  private static let wildcardSecret = UInt128.random(in: .min ... .max)
}

/// The names of a document. Nearly all have one, which needs no memory of its own.
package struct HostKeys: Sendable, RandomAccessCollection {
  /// No name if its upper half is 0.
  private let first: HostKey
  private let others: [HostKey]

  init(_ names: [Alias]) {
    first = names.first.map { HostKey($0) } ?? HostKey(high: 0, low: 0)
    others = names.dropFirst().map { HostKey($0) }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { first.high == 0 ? 0 : 1 + others.count }
  package subscript(index: Int) -> HostKey { index == 0 ? first : others[index - 1] }
}
