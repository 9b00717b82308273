/// An answer of Google's Digital Asset Links API: of `statements:list` or `assetlinks:check`, with or without the URL
/// that was asked.
enum GoogleAnswer {
  /// What the API could not do (developers.google.com, "Digital Asset Links API": `ErrorCode`), without `ERROR_CODE_`.
  enum Fault: String {
    case invalidQuery = "INVALID_QUERY"
    case fetch = "FETCH_ERROR"
    case certificate = "FAILED_SSL_VALIDATION"
    case redirect = "REDIRECT"
    case tooLarge = "TOO_LARGE"
    case malformedAnswer = "MALFORMED_HTTP_RESPONSE"
    case contentType = "WRONG_CONTENT_TYPE"
    case malformedContent = "MALFORMED_CONTENT"
    case insecureInclude = "SECURE_ASSET_INCLUDES_INSECURE"
    case includes = "FETCH_BUDGET_EXHAUSTED"

    /// The first fault that the `error` of a row names.
    init?(in error: String) { self.init(rawValue: String(error.dropFirst(prefix.count))) }
  }

  private static let prefix = "ERROR_CODE_"

  /// Whether the text is such an answer, by the words that were found in it.
  static func isMarked(_ has: (Marker) -> Bool) -> Bool {
    has(.googleError) || has(.googleFingerprint) || has(.debugString)
      || has(.isLinked) && has(.maxAge)
  }

  static func rows(in text: PastedText) -> DeviceRows {
    let flat = text.flat
    var found = DeviceRows()
    let sites = flat.ranges(of: "\"site\"")
    for (index, place) in sites.enumerated() {
      let end = index + 1 < sites.count ? sites[index + 1].lowerBound : flat.endIndex
      let statement = flat[place.upperBound..<end]
      guard let host = string(statement)?.host else { continue }
      let app = statement.firstRange(of: "\"packageName\"")
        .flatMap { string(statement[$0.upperBound...]) }
      found.add(DeviceRow(host: host, app: app?.value, state: "linked"))
    }
    if !found.rows.isEmpty { return found }
    var row = DeviceRow(host: host(in: flat), app: app(in: flat), state: "not-linked")
    if let place = flat.firstRange(of: prefix) {
      row.error = flat[place.lowerBound...].prefix(while: isCodeByte).value
      row.state = "failed"
    } else if let place = flat.firstRange(of: Marker.isLinked.rawValue),
      flat[place.upperBound...].drop(while: { ": ".utf8.contains($0) }).starts(with: "true".utf8)
    {
      row.state = "linked"
    }
    found.add(row)
    return found
  }

  private static func isCodeByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
  }

  /// The value of a member whose name ends where the text begins, if it is a string.
  private static func string(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let value = text.drop { ": ".utf8.contains($0) }
    guard value.first == UInt8(ascii: "\"") else { return nil }
    return value.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
  }

  /// The site that was asked about: in the URL, or in the sentences of `debugString`.
  private static func host(in text: ArraySlice<UInt8>) -> String? {
    value(behind: ["source.web.site=", "Web asset with site ", "statements from "], in: text)?
      .host
  }

  private static func app(in text: ArraySlice<UInt8>) -> String? {
    value(
      behind: ["target.android_app.package_name=", "Android app asset with package name "], in: text
    )
    .flatMap { $0.contains(UInt8(ascii: ".")) ? $0.value : nil }
  }

  private static func value(
    behind words: [String], in text: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    words.lazy.compactMap { text.firstRange(of: $0) }.first
      .map { text[$0.upperBound...].prefix { !" &\"'\\".utf8.contains($0) } }
  }
}

extension DeviceCase {
  /// What Google's service knows about a site, and so what Android's verifier, Chrome and Google's password manager get.
  var googleVerdict: DeviceVerdict {
    switch row.state {
    case "linked":
      published
        ?? DeviceVerdict(
          .fineHere, .sure, .appTeam,
          "Google's service has a statement of \(host) for \(app).",
          next:
            "If a link still opens the browser, ask the device: `adb shell pm get-app-links \(row.app.map(\.shown) ?? "PACKAGE")`."
        )
    case "not-linked":
      published
        ?? DeviceVerdict(
          .notInFile, .likely, .operations,
          "Google's service has no statement of \(host) that fits the question.\(checked)",
          next:
            "Compare the relation, the package and the fingerprint of the question with the file. Google keeps a copy for "
            + "some hours: after a change, ask again later. \(checkApp)")
    case "failed": published ?? failure(row.error.flatMap { GoogleAnswer.Fault(in: $0) })
    default: unknownState
    }
  }

  private var checkApp: String {
    "Run `aasa check --app \(row.app.map(\.shown) ?? "PACKAGE") \(domain)`."
  }

  private func failure(_ fault: GoogleAnswer.Fault?) -> DeviceVerdict {
    func verdict(_ code: DeviceVerdict.Code, _ message: String, _ next: String = "")
      -> DeviceVerdict
    {
      DeviceVerdict(
        code, fault == nil ? .likely : .sure, .operations,
        "Google's service \(message).\(checked)",
        next: next.isEmpty ? checkApp : "\(next) \(checkApp)")
    }
    return switch fault {
    case .invalidQuery:
      DeviceVerdict(
        .requestFailed, .sure, .user, "Google's service did not understand the question.",
        next:
          "Ask with `source.web.site=https://HOST` and `relation=delegate_permission/common.handle_all_urls`."
      )
    case .fetch:
      verdict(
        .verificationFailed, "could not fetch the file of \(host)",
        "The file must be public, and neither a firewall nor robots.txt may keep Google from it.")
    case .certificate: verdict(.certificateRefused, "refused the certificate of \(host)")
    case .redirect:
      verdict(
        .redirectRefused, "was redirected by \(host)", "Serve the file itself, at its own address.")
    case .tooLarge: verdict(.unusableFile, "found the file of \(host) too large")
    case .malformedAnswer: verdict(.unusableFile, "could not read the answer of \(host)")
    case .contentType:
      verdict(
        .unusableFile, "got another type than JSON from \(host)", "Serve it as `application/json`.")
    case .malformedContent:
      verdict(
        .unusableFile, "got a file from \(host) that is not well-formed",
        "`aasa validate FILE` names the fault.")
    case .insecureInclude:
      verdict(.unusableFile, "refused an `include` of \(host) that is not HTTPS")
    case .includes:
      verdict(.unusableFile, "found too many `include` statements at \(host), maybe in a circle")
    case nil: verdict(.verificationFailed, "has no answer about \(host)")
    }
  }
}
