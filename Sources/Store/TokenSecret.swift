import CSodium

/// The secret that a bearer token is. It is shown once and stored only as a hash.
public struct TokenSecret: Sendable {
  /// The token as clients send it: `aasa_` and 43 characters of base64url.
  public let text: String

  /// How every token begins.
  public static let prefix = "aasa_"

  /// A new secret of 256 random bits.
  public init() throws {
    try Sodium.start()
    var random = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&random, random.count)
    let variant = Int32(sodium_base64_VARIANT_URLSAFE_NO_PADDING)
    // The encoded text ends in a zero byte.
    var encoded = [CChar](repeating: 0, count: sodium_base64_encoded_len(32, variant))
    sodium_bin2base64(&encoded, encoded.count, random, random.count, variant)
    let characters = encoded.dropLast().map { UInt8(bitPattern: $0) }
    text = Self.prefix + String(decoding: characters, as: UTF8.self)
  }

  /// What a client sent.
  public init(_ text: String) { self.text = text }

  /// The BLAKE2b hash of the token, 32 bytes. The token has 256 random bits, so that a fast hash
  /// without salt is enough.
  var hash: [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    let bytes = Array(text.utf8)
    crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
    return hash
  }

  /// Whether two hashes are the same, in a time that does not depend on where they differ.
  static func isSame(_ hash: [UInt8], _ other: [UInt8]) -> Bool {
    hash.count == other.count && sodium_memcmp(hash, other, hash.count) == 0
  }
}

/// The library behind hashes and random bytes.
enum Sodium {
  /// The library could not be started.
  struct Unavailable: Error {}

  /// Starts the library; it may be called any number of times and from any thread.
  static func start() throws(Unavailable) {
    if sodium_init() < 0 { throw Unavailable() }
  }
}
