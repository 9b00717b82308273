/// What Chrome writes to its console, and to the log of Android, when a Trusted Web Activity or another claim of an app
/// does not fit the `assetlinks.json` of a site (Chromium, `digital_asset_links_handler.cc`).
enum ChromeLog {
  /// What Chrome found, the last step first: without a fitting statement, it says of each how far that fits.
  enum Step: CaseIterable {
    case package, fingerprint, relation, noObject, noList, noJSON, status, connection
    /// Chrome, or the library in the app, says so, and not why.
    case packageRefused, refused

    fileprivate var words: String {
      switch self {
      case .package: Marker.statementFailure.rawValue + "package"
      case .fingerprint: Marker.statementFailure.rawValue + "fingerprint"
      case .relation: Marker.statementFailure.rawValue + "relationship"
      case .noObject: Marker.noStatement.rawValue
      case .noList: Marker.noStatementList.rawValue
      case .noJSON: Marker.chromeParsing.rawValue
      case .status: Marker.chromeStatus.rawValue
      case .connection: Marker.chromeConnection.rawValue
      case .packageRefused: Marker.packageRefused.rawValue
      case .refused: Marker.appRefused.rawValue
      }
    }

    /// What the `error` of a row is about.
    init?(in error: String) {
      let text = Array(error.utf8)[...]
      guard let step = Self.allCases.first(where: { text.has($0.words) }) else { return nil }
      self = step
    }
  }

  static let markers: [Marker] = [
    .statementFailure, .noStatementList, .noStatement, .chromeParsing, .chromeStatus,
    .chromeConnection,
    .packageRefused, .appRefused,
  ]

  /// One row: the log seldom names the site or the app.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    let flat = text.flat
    if let (step, place) = Step.allCases.lazy.compactMap({ step in
      flat.firstRange(of: step.words).map { (step, $0) }
    }).first {
      // The library writes the first letter of its words large or small.
      let start = step == .refused ? max(flat.startIndex, place.lowerBound - 1) : place.lowerBound
      let isWhole = step == .refused || step == .packageRefused
      let end = isWhole ? place.upperBound : flat.endIndex
      let sentence = flat[start..<end].prefix(300).prefix { !".[\"".utf8.contains($0) }
      row.error = sentence.trimmed.value
    }
    if let place = flat.firstRange(of: Marker.appRefused.rawValue) {
      row.host = flat[place.upperBound...].prefix(300).words.first { $0.has("://") }?.host
    }
    if let place = flat.firstRange(of: Marker.packageRefused.rawValue) {
      let rest = flat[place.upperBound...].prefix(1000).dropFirst()
      let package = rest.prefix { $0 != UInt8(ascii: " ") }
      row.app = PackageName(package.value)?.text
      // With several certificates, it is a list.
      let list = rest.firstRange(of: " with fingerprint ").map { rest[$0.upperBound...] } ?? []
      row.signatures = list.prefix { !".]".utf8.contains($0) }.split { "[, ".utf8.contains($0) }
        .prefix(10).compactMap { Fingerprint(written: $0.value) }
    }
    var found = DeviceRows()
    found.add(row)
    return found
  }
}

extension DeviceCase {
  /// Why Chrome shows its address bar above the site of an app.
  var chromeVerdict: DeviceVerdict {
    let file = "https://\(row.host.map(\.shown) ?? "HOST")/.well-known/assetlinks.json"
    func verdict(
      _ code: DeviceVerdict.Code, _ actor: DeviceVerdict.Actor, _ message: String, _ next: String
    ) -> DeviceVerdict {
      DeviceVerdict(code, .sure, actor, message + checked, next: next)
    }
    let check = "`aasa check --app \(row.app.map(\.shown) ?? "PACKAGE") \(domain)`"
    guard let step = row.error.flatMap({ ChromeLog.Step(in: $0) }) else { return unknownState }
    if let published { return published }
    return switch step {
    case .package:
      verdict(
        .notInFile, .operations,
        "A statement of the site names the certificate of the installed app, but another package.",
        "Add the package of the app to the file.")
    case .fingerprint:
      verdict(
        .wrongSigningKey, .operations,
        "No statement of the site names the certificate that the installed app is signed with.",
        "Read it from the device: `adb shell pm get-app-links PACKAGE`, or `apksigner verify --print-certs` for the APK. "
          + "What Google Play delivers is signed with Google's key, not with the upload key. Chrome compares the texts: "
          + "upper case, with colons.")
    case .relation:
      verdict(
        .notInFile, .operations,
        "No statement of the site has `delegate_permission/common.handle_all_urls`.",
        "Add the app with that relation.")
    case .noObject, .noList:
      verdict(
        .unusableFile, .operations,
        step == .noList
          ? "The file of the site is JSON, but no list of statements."
          : "A member of the site's list of statements is no object.",
        "The file is an array of objects: `aasa validate FILE`.")
    case .noJSON:
      verdict(
        .unusableFile, .operations, "Chrome got something other than JSON, often an HTML page.",
        "Look at \(file), and run \(check).")
    case .status:
      verdict(
        .verificationFailed, .operations,
        "Chrome got no file: \(row.error.map(\.shown) ?? "the site answered with another status").",
        "Look at \(file), and run \(check).")
    case .connection:
      DeviceVerdict(
        .verificationFailed, .sure, .user, "Chrome could not reach the site.",
        next: "Look at the network and the name, then start the app again.")
    case .packageRefused:
      DeviceVerdict(
        .verificationFailed, .likely, .operations,
        "Chrome did not find the site linked to \(app)"
          + (row.signatures.first.map { " with the certificate \($0)" } ?? "")
          + "; the text does not say why.\(checked)",
        next:
          "Look for the package and that fingerprint in assetlinks.json of the site: \(check). Lines of "
          + "digital_asset_links in `adb logcat` say more."
      )
    case .refused:
      DeviceVerdict(
        .verificationFailed, .likely, .operations,
        "Chrome did not find \(host) linked to the app; the text does not say why.\(checked)",
        next:
          "Paste what `adb logcat | grep -e OriginVerifier -e digital_asset_links` prints, and run \(check)."
      )
    }
  }
}
