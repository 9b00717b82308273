import CSodium

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
