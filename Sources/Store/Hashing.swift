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

/// The initialization of libsodium.
enum Sodium {
  /// libsodium could not be initialized.
  struct Unavailable: Error {}

  /// Initializes the library. Any thread may call it any number of times.
  static func start() throws(Unavailable) {
    if sodium_init() < 0 { throw Unavailable() }
  }

  /// Bytes in one of libsodium's variants of base64.
  static func base64(_ bytes: [UInt8], _ variant: some BinaryInteger) -> String {
    let variant = Int32(variant)
    // The encoded text ends in a zero byte.
    var encoded = [CChar](
      repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    sodium_bin2base64(&encoded, encoded.count, bytes, bytes.count, variant)
    return String(decoding: encoded.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
