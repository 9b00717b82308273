/// Why the server of a site refuses what a passkey answered: its library compares the origin and the RP ID (Web
/// Authentication Level 3, sections 7.1 and 7.2). The words are those of SimpleWebAuthn, java-webauthn-server and webauthn4j.
enum RelyingPartyError {
  private static let sentences: [Marker] = [.registrationOrigin, .authenticationOrigin]
  private static let hashes: [Marker] = [.rpIDHash, .unexpectedRPIDHash]
  /// What refuses an origin in other words. Without one, an origin may be one that is accepted.
  private static let refusals = [
    "Incorrect origin", "Unexpected attestation origin", "Unexpected client data origin",
    "nvalid origin", "BadOrigin", "rigin mismatch", "rigin does not match", "rigin doesn't match",
  ]

  /// The longest origin, in bytes.
  private static let longest = 300

  static func isMarked(_ has: (Marker) -> Bool, _ text: ArraySlice<UInt8>) -> Bool {
    (sentences + hashes).contains(where: has)
      || has(.androidOrigin) && refusals.contains(where: text.has)
  }

  /// One row: the text names no host of the site for certain.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    let flat = text.flat
    if let marker = hashes.first(where: { flat.has($0.rawValue) }) {
      row.error = marker.rawValue
    } else if let origins = origins(in: flat) {
      row.error = origins
    } else {
      // The origin that is refused stands behind the words.
      let refusal = refusals.lazy.compactMap { flat.firstRange(of: $0) }.first
      let rest = refusal.map { flat[$0.upperBound...] } ?? flat
      let place = rest.firstRange(of: Marker.androidOrigin.rawValue)
      row.error =
        (place.map { rest[$0.lowerBound...] } ?? rest).prefix(longest)
        .prefix { !" \"',;)]}".utf8.contains($0) }.valueOrNone
    }
    if let error = row.error, error.hasPrefix(Marker.androidOrigin.rawValue) {
      let hash = error.dropFirst(Marker.androidOrigin.rawValue.count)
        .prefix { $0.isLetter || $0.isNumber || "-_".contains($0) }
      row.signatures = [Fingerprint(base64URL: String(hash))].compactMap(\.self)
    }
    var found = DeviceRows()
    found.add(row)
    return found
  }

  /// `https://a, not https://b`, of `Unexpected registration response origin "https://a", expected "https://b"`.
  private static func origins(in text: ArraySlice<UInt8>) -> String? {
    let sentence = sentences.lazy.compactMap {
      text.firstRange(of: $0.rawValue)
    }.first.map { text[$0.upperBound...].prefix(2 * longest) }
    guard let given = sentence?.between("\"", and: "\"") else { return nil }
    let expected = sentence?[given.endIndex...].between("expected \"", and: "\"")
    return given.value + (expected.map { "\(separator)\($0.value)" } ?? "")
  }

  static let separator = ", not "
}

extension DeviceCase {
  /// Why a site's server refuses a passkey.
  var relyingPartyVerdict: DeviceVerdict {
    let error = row.error ?? ""
    func verdict(_ message: String, _ next: String) -> DeviceVerdict {
      DeviceVerdict(.originRefused, .likely, .operations, message, next: next)
    }
    let isAboutRPID = [Marker.rpIDHash, .unexpectedRPIDHash].contains { $0.rawValue == error }
    if isAboutRPID {
      return verdict(
        "The RP ID that the site's server expects is not that of the request.",
        "Use one RP ID in both: a domain without scheme and port.")
    }
    if error.hasPrefix(Marker.androidOrigin.rawValue) {
      let origin = error.prefix { $0 != "," }
      return verdict(
        "The site's server does not accept the origin of the Android app, \(String(origin).shown)"
          + (row.signatures.first.map { ", which is its certificate \($0)" } ?? "")
          + ". The device had let the request through, so this is not about assetlinks.json.",
        "Add this origin to those that the server expects, beside https://HOST; one for each certificate, such as that of "
          + "Play signing.")
    }
    let isProxied =
      error.hasPrefix("https://") && error.contains("\(RelyingPartyError.separator)http://")
    return verdict(
      "The site's server expects another origin than that of the page\(error.isEmpty ? "" : " (\(error.shown))").",
      isProxied
        ? "Behind a proxy that ends TLS, the server takes its own address for http. Set the expected origin, or let it "
          + "trust X-Forwarded-Proto."
        : "Set the expected origin to that of the page, with its port.")
  }
}

extension Fingerprint {
  /// The SHA-256 of a certificate as WebAuthn's origin of an Android app has it: Base64 for URLs, without padding.
  init?(base64URL text: String) {
    var (bytes, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for byte in text.utf8 {
      let value: UInt8
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
      case UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "_"): value = 63
      default: return nil
      }
      (bits, count) = (bits << 6 | UInt32(value), count + 6)
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    guard bytes.count == 32 else { return nil }
    self.init(written: bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}
