/// Why the server of a site refuses what a passkey answered: its library compares the origin and the RP ID (Web
/// Authentication Level 3, sections 7.1 and 7.2). The words are those of SimpleWebAuthn, java-webauthn-server, webauthn4j,
/// go-webauthn, Fido2NetLib, fido2-lib, FusionAuth, py_webauthn, webauthn-ruby, passwordless-id,
/// lbuchs/WebAuthn and webauthn-framework.
enum RelyingPartyError {
  /// The words of one library each.
  private static let sentences: [Marker] = [
    .registrationOrigin, .authenticationOrigin, .badOrigin, .validatingOrigin, .qualifiedOrigin,
    .clientDataOrigin, .clientDataOriginJoined, .originVerification, .originNotVerified,
    .originException,
  ]
  /// What says that the RP IDs differ.
  static let hashes: [Marker] = [
    .rpIDHash, .unexpectedRPIDHash, .rpIDVerification, .rpIDMismatch, .rpIDHashException,
  ]
  /// What refuses an origin if it stands beside that word, in lower case.
  private static let refusals = [
    "incorrect", "unexpected", "invalid", "not valid", "bad", "malform", "mismatch", "not equal",
    "not match", "no match", "n't match", "n’t match", "not allowed",
  ]
  /// Behind these words, what was before is about something else.
  private static let connections = ["for", "from", "with", "and", "but"]
  /// What stands before the origin that came, where the expected one comes first.
  private static let receptions = ["received", "got", "actual"]
  /// What stands before the expected one.
  private static let expectations = ["expected", "allowed", "want"]

  /// How far behind the word an origin is, and how far from it what refuses that, in bytes.
  private static let (farthest, nearest) = (600, 25)

  static func isMarked(_ has: (Marker) -> Bool, _ text: ArraySlice<UInt8>) -> Bool {
    (sentences + hashes).contains(where: has) || has(.androidOrigin) && refused(in: text) != nil
  }

  /// One row: the text names no host of the site for certain.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    let flat = text.flat
    if let marker = hashes.first(where: { flat.has($0.rawValue) }) {
      row.error = marker.rawValue
    } else if let place = sentences.lazy.compactMap({ flat.firstRange(of: $0.rawValue) }).first {
      let origins = origins(in: flat[place.upperBound...].prefix(farthest))
      row.error = origins.given.map { given in
        given.value + (origins.expected.map { "\(separator)\($0.value)" } ?? "")
      }
    } else {
      row.error = refused(in: flat)?.value
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

  /// The origin of an Android app that a text refuses; `nil` if it may be one that is accepted.
  private static func refused(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for place in text.ranges(of: "rigin").prefix(1000) {
      let rest = text[place.upperBound...].prefix(farthest)
      let origins = origins(in: rest)
      guard let given = origins.given, isOfAndroid(given) else { continue }
      let before =
        text[max(text.startIndex, place.lowerBound - nearest)..<place.lowerBound]
        .dropLast().split(omittingEmptySubsequences: false, whereSeparator: isBreak).last ?? []
      let words = before.value.lowercased().split(separator: " ")
      let start = words.lastIndex { connections.contains(String($0)) }.map { $0 + 1 } ?? 0
      let subject = words[start...].joined(separator: " ")
      // The origin itself may come first.
      let next = rest.drop { !$0.isASCIILetterOrDigit }
      let after =
        (next.startIndex == given.startIndex
        ? rest[given.endIndex...] : rest.drop { ": \"'".utf8.contains($0) })
        .prefix(nearest).prefix { !isBreak($0) && $0 != UInt8(ascii: ":") }.value.lowercased()
      if refusals.contains(where: { subject.contains($0) || after.contains($0) })
        || origins.isReceived && (subject.contains("expected") || rest.has("xpected"))
      {
        return given
      }
    }
    return nil
  }

  /// The origin that came and the one that was expected, of a text behind the word, which may be a log with fields such as
  /// `origin=…`: the first one came, unless the text says so of another one.
  private static func origins(
    in text: ArraySlice<UInt8>
  ) -> (given: ArraySlice<UInt8>?, expected: ArraySlice<UInt8>?, isReceived: Bool) {
    let words = text.split { " \"'`,;()[]{}<>\\=".utf8.contains($0) }
    let places = words.indices.filter { isOfAndroid(words[$0]) || words[$0].has("://") }
    func name(_ place: Int) -> String {
      place > 0 ? words[place - 1].value.lowercased().filter(\.isLetter) : ""
    }
    let received = places.first { receptions.contains(name($0)) }
    let isNotExpected = { (place: Int) in !expectations.contains { name(place).hasPrefix($0) } }
    guard let given = received ?? places.first(where: isNotExpected) ?? places.first else {
      return (nil, nil, false)
    }
    let expected = places.first { words[$0] != words[given] }
    return (words[given].withoutEnd, expected.map { words[$0].withoutEnd }, received != nil)
  }

  private static func isOfAndroid(_ origin: ArraySlice<UInt8>) -> Bool {
    origin.starts(with: Marker.androidOrigin.rawValue.utf8)
  }

  /// Whether what stands before it says nothing about what stands behind it.
  private static func isBreak(_ byte: UInt8) -> Bool { "\",;.{}".utf8.contains(byte) }

  static let separator = ", not "
}

extension ArraySlice<UInt8> {
  /// A word without the punctuation of its sentence.
  fileprivate var withoutEnd: ArraySlice<UInt8> {
    var word = self
    while let last = word.last, ".:".utf8.contains(last) { word.removeLast() }
    return word
  }
}

extension DeviceCase {
  /// Why a site's server refuses a passkey.
  var relyingPartyVerdict: DeviceVerdict {
    let error = row.error ?? ""
    func verdict(_ message: String, _ next: String) -> DeviceVerdict {
      DeviceVerdict(.originRefused, .likely, .operations, message, next: next)
    }
    let isAboutRPID = RelyingPartyError.hashes.contains { $0.rawValue == error }
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
        : "Set the expected origin to exactly that of the page: with its port, unless that is 443, and without a slash at "
          + "its end."
    )
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
