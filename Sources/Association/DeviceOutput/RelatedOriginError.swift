/// Why a browser refuses a passkey of another origin (Chromium's `SecurityError` about related origins, Web
/// Authentication Level 3, section 5.11).
enum RelatedOriginError: CaseIterable {
  case notFetched, contentType, notJSON, noOrigin, otherSite

  static let markers: [Marker] = [.relatedOrigins, .notRegistrable]

  private var words: String {
    switch self {
    case .notFetched: "\(Marker.relatedOrigins.rawValue) failed"
    case .contentType: "\(Marker.relatedOrigins.rawValue) had the wrong content-type"
    case .notJSON: "\(Marker.relatedOrigins.rawValue) resulted in a JSON parse error"
    case .noOrigin: "no listed origin matched the caller"
    case .otherSite: Marker.notRegistrable.rawValue
    }
  }

  /// The cause that the `error` of a row is.
  init?(_ error: String) {
    guard let cause = Self.allCases.first(where: { $0.words == error }) else { return nil }
    self = cause
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
        "Run `aasa validate FILE`, and look whether an HTML page came.")
    case .noOrigin:
      verdict(
        .notInFile, "\(file) does not list the origin of the page.",
        "Add the origin, such as `https://example.com`, to `origins`. Browsers read no more than five different labels."
      )
    case .otherSite, nil:
      DeviceVerdict(
        .requestFailed, .sure, .appTeam,
        "The RP ID is neither the host of the page nor a domain above it.",
        next:
          "Use a domain of the page as the RP ID, or list the page's origin in \(file) of the RP ID; not every browser "
          + "reads that.")
    }
  }
}
