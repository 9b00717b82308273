import CSodium

/// A bearer token. It is shown once and stored only as a hash.
package struct TokenSecret: Sendable {
  /// The token as clients send it: the prefix and 43 characters of base64url.
  package let text: String

  /// The prefix of every token.
  package static let prefix = "aasa_"

  /// A new secret of 256 random bits.
  package init() throws {
    try Sodium.start()
    var random = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&random, random.count)
    text = Self.prefix + Sodium.base64(random, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
  }

  /// A token that a client sent.
  package init(_ text: String) { self.text = text }

  /// The BLAKE2b hash of the token, 32 bytes. A fast hash without salt is enough for 256 random bits.
  var hash: [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    let bytes = Array(text.utf8)
    crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
    return hash
  }

  /// Compares two hashes in constant time.
  static func isSame(_ hash: [UInt8], _ other: [UInt8]) -> Bool {
    hash.count == other.count && sodium_memcmp(hash, other, hash.count) == 0
  }
}
