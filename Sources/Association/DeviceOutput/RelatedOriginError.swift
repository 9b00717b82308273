/// Why a browser, or a library for passkeys, refuses an RP ID, such as that of another origin (Web Authentication Level 3,
/// section 5.11). The words are those of Chromium, Firefox and Safari, of SimpleWebAuthn and of Bitwarden.
enum RelatedOriginError: CaseIterable {
  case notFetched, contentType, notJSON, noOrigin, otherSite
  /// The words of libraries, and of password managers.
  case invalidForDomain, otherOrigin, rpDiffers
  /// The page has no name: an address, or a file.
  case isInvalidDomain, thisIsInvalidDomain, notValidDomain
  /// Firefox says no more.
  case insecure

  static let markers: [Marker] = [
    .relatedOrigins, .notRegistrable, .invalidForDomain, .otherOrigin, .isInvalidDomain,
    .thisIsInvalidDomain, .notValidDomain, .insecure, .rpDiffers,
  ]

  private var words: String {
    switch self {
    case .notFetched: "\(Marker.relatedOrigins.rawValue) failed"
    case .contentType: "\(Marker.relatedOrigins.rawValue) had the wrong content-type"
    case .notJSON: "\(Marker.relatedOrigins.rawValue) resulted in a JSON parse error"
    case .noOrigin: "no listed origin matched the caller"
    case .otherSite: Marker.notRegistrable.rawValue
    case .invalidForDomain: Marker.invalidForDomain.rawValue
    case .otherOrigin: Marker.otherOrigin.rawValue
    case .rpDiffers: Marker.rpDiffers.rawValue
    case .isInvalidDomain: Marker.isInvalidDomain.rawValue
    case .thisIsInvalidDomain: Marker.thisIsInvalidDomain.rawValue
    case .notValidDomain: Marker.notValidDomain.rawValue
    case .insecure: Marker.insecure.rawValue
    }
  }

  /// The cause that the `error` of a row is.
  init?(_ error: String) {
    guard let cause = Self.allCases.first(where: { $0.words == error }) else { return nil }
    self = cause
  }

  /// Whether a text with such words is hardly about something else: some are everyday words.
  static func isAboutPasskeys(_ text: ArraySlice<UInt8>) -> Bool {
    ["SecurityError", "WebAuthn", "webauthn", "asskey", "RP ID", "rp.id", "elying party"].contains(
      where: text.has)
  }

  /// One row: the text names no host.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    row.error = allCases.map(\.words).first { text.flat.has($0) }
    var found = DeviceRows()
    found.add(row)
    return found
  }
}

extension DeviceCase {
  /// Why a browser refuses a passkey of another origin.
  var relatedOriginVerdict: DeviceVerdict {
    let file = "https://RP-ID/.well-known/webauthn"
    func verdict(
      _ code: DeviceVerdict.Code, _ message: String, _ next: String
    ) -> DeviceVerdict { DeviceVerdict(code, .sure, .operations, message, next: next) }
    let isCertain = [Marker.notRegistrable, .otherOrigin].contains { $0.rawValue == row.error }
    return switch row.error.flatMap({ RelatedOriginError($0) }) {
    case .notFetched:
      verdict(
        .verificationFailed, "The browser could not fetch \(file).",
        "Serve it there, over HTTPS, without a redirect: `aasa check RP-ID` asks for it.")
    case .contentType:
      verdict(
        .unusableFile, "The browser got \(file) with another content type than JSON.",
        "Serve it as `application/json`.")
    case .notJSON:
      verdict(
        .unusableFile, "The browser got \(file), and it is not JSON.",
        "Run `aasa validate FILE`, and check whether an HTML page came.")
    case .noOrigin:
      verdict(
        .notInFile, "\(file) does not list the origin of the page.",
        "Add the origin, such as `https://example.com`, to `origins`. Browsers read no more than five different labels."
      )
    case .isInvalidDomain, .thisIsInvalidDomain, .notValidDomain:
      DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        "The page is not at a name that passkeys can have: its host is an address such as 127.0.0.1, or it is a file.",
        next:
          "Open the page by its domain, or in development as http://localhost, with the RP ID `localhost`."
      )
    case .otherSite, .invalidForDomain, .otherOrigin, .rpDiffers, .insecure, nil:
      DeviceVerdict(
        .requestFailed, isCertain ? .sure : .likely, .appTeam,
        (row.error == Marker.insecure.rawValue ? "If this came from a request for a passkey: " : "")
          + "The RP ID is neither the host of the page nor a domain above it.",
        next:
          "Use a domain of the page as the RP ID, or list the page's origin in \(file) of the RP ID; not every browser "
          + "reads that.")
    }
  }
}
