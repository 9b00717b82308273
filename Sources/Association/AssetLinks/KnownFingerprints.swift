extension Fingerprint {
  /// Certificates whose private keys are published.
  static let published: [Fingerprint: String] = {
    let known = [
      (
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C",
        "the debug keystore that React Native and Expo put into every project"
      ),
      (
        "A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC",
        "the test key of Android's source code"
      ),
    ]
    return Dictionary(
      known.compactMap { text, owner in Fingerprint(text).map { ($0, owner) } },
      uniquingKeysWith: { first, _ in first })
  }()

  private static let exampleInGuides = Fingerprint(
    "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"
  )

  /// Whether another finding says that the certificate is not the app's own.
  var isKnownNotToBeOwn: Bool { Self.published[self] != nil || isInvented }

  /// Whether this is the fingerprint in Google's guides, or no hash function made it: half of its octets
  /// occur twice, or they count up.
  var isInvented: Bool {
    let octets = Self.octets(description) ?? []
    let steps = Set(zip(octets, octets.dropFirst()).map { $1 &- $0 })
    return self == Self.exampleInGuides || Set(octets).count <= 16 || steps.count == 1
  }
}
