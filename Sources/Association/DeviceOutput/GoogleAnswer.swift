/// An answer of Google's Digital Asset Links API: of `statements:list` or `assetlinks:check`, with or without the URL
/// that was asked.
enum GoogleAnswer {
  /// What the API could not do (developers.google.com, "Digital Asset Links API": `ErrorCode`), without `ERROR_CODE_`.
  enum Fault: String, CaseIterable {
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

    /// The fault that the `error` of a row is.
    init?(_ error: String) { self.init(rawValue: String(error.dropFirst(codePrefix.count))) }
  }

  /// Why the API does not answer at all (google.rpc.Code).
  enum Refusal: String, CaseIterable {
    case invalidArgument = "INVALID_ARGUMENT"
    case exhausted = "RESOURCE_EXHAUSTED"
    case denied = "PERMISSION_DENIED"
    case unauthenticated = "UNAUTHENTICATED"
    case unavailable = "UNAVAILABLE"
    case failed = "INTERNAL"
    /// The reason of a status that is also that of a question that is not understood.
    case wrongKey = "API_KEY_INVALID"

    /// The first one that a text has as the status of an error.
    init?(in text: ArraySlice<UInt8>) {
      let values = text.ranges(of: "\"status\"").prefix(100).filter { place in
        Self.isInError(text[..<place.lowerBound].suffix(2000))
      }.map { place in
        text[place.upperBound...].prefix(60).drop { ": \"".utf8.contains($0) }
          .prefix(while: isCodeByte)
      }
      guard let refusal = values.lazy.compactMap({ Self(rawValue: $0.value) }).first else {
        return nil
      }
      self =
        refusal == .invalidArgument && text.has("\"\(Self.wrongKey.rawValue)\"")
        ? .wrongKey : refusal
    }

    /// Whether a text ends within the object of an error.
    private static func isInError(_ text: ArraySlice<UInt8>) -> Bool {
      guard let error = text.ranges(of: "\"error\"").last else { return false }
      let rest = text[error.upperBound...].drop(while: isGap)
      if rest.first != UInt8(ascii: "{") { return false }
      return rest.count { $0 == UInt8(ascii: "{") } > rest.count { $0 == UInt8(ascii: "}") }
    }
  }

  /// The state of a row about a question that Google's service does not answer.
  static let refused = "refused"

  private static let codePrefix = Marker.googleError.rawValue

  /// The relation that links need.
  static let linkRelation = "delegate_permission/common.handle_all_urls"

  /// What the `others` of a row begin with that has a relation of a statement.
  static let relation = "relation: "

  /// Whether the text is such an answer, by the words that were found in it.
  static func isMarked(_ has: (Marker) -> Bool) -> Bool {
    has(.errorCode) && has(.googleError) || has(.googleFingerprint) && has(.source)
      || (has(.debugString) || has(.isLinked)) && has(.maxAge)
      || has(.noDeepLinking) || has(.grantsDeepLinking) || has(.statementsError)
      || has(.contentOfStatements)
  }

  static func rows(in text: PastedText) -> DeviceRows {
    let flat = text.flat
    let error = error(in: flat)
    var found = DeviceRows()
    if let row = tested(flat) {
      found.add(row)
      return found
    }
    if let refusal = Refusal(in: flat), !isAnswer(flat) {
      var row = asked(flat, nil)
      (row.state, row.error) = (refused, refusal.rawValue)
      found.add(row)
      return found
    }
    let answer = json(in: flat)
    if let statements = answer?["statements"]?.arrayValue {
      for row in rows(of: statements, error) { found.add(row) }
    }
    if found.rows.isEmpty {
      var row = asked(flat, error)
      // The beginning of a list is no list of nothing.
      if answer == nil && flat.has(Marker.googleFingerprint.rawValue) {
        row.state = DeviceRow.unknownState
      }
      found.add(row)
    }
    return found
  }

  private static func isAnswer(_ text: ArraySlice<UInt8>) -> Bool {
    text.has(Marker.maxAge.rawValue) || text.has(Marker.googleFingerprint.rawValue)
  }

  /// A sentence of Google's Statement List Generator and Tester.
  private static func tested(_ text: ArraySlice<UInt8>) -> DeviceRow? {
    func word(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var word = text.prefix(300).prefix { !" \t\"'<>,;".utf8.contains($0) }
      while word.last == UInt8(ascii: ".") { word.removeLast() }
      return word
    }
    if let place = text.firstRange(of: Marker.noDeepLinking.rawValue) {
      let rest = text[place.upperBound...]
      let app = word(rest)
      let site = rest[app.endIndex...].prefix(300).firstRange(of: "at ").map {
        word(rest[$0.upperBound...])
      }
      return DeviceRow(host: site?.host, app: app.valueOrNone, state: "not-linked")
    }
    guard let place = text.firstRange(of: Marker.grantsDeepLinking.rawValue) else { return nil }
    let site = text[..<place.lowerBound].suffix(300).words.last
    return DeviceRow(
      host: site?.host, app: word(text[place.upperBound...]).valueOrNone, state: "linked")
  }

  /// One row for each host and app.
  private static func rows(of statements: [JSON], _ error: String?) -> [DeviceRow] {
    var rows: [DeviceRow] = []
    var places: [[String]: Int] = [:]
    for statement in statements {
      let app = statement["target"]?["androidApp"]
      guard let site = statement["source"]?["web"]?["site"].flatMap(cut),
        let host = Array(site.utf8)[...].host, let package = app?["packageName"].flatMap(cut)
      else { continue }
      let place = places[[host, package]] ?? rows.count
      if place == rows.count {
        places[[host, package]] = place
        rows.append(DeviceRow(host: host, app: package, state: "linked"))
        rows[place].error = error
      }
      if let relation = statement["relation"].flatMap(cut),
        rows[place].others.count < mostOfOne, !rows[place].others.contains(Self.relation + relation)
      {
        rows[place].others.append(Self.relation + relation)
      }
      let fingerprint = app?["certificate"]?["sha256Fingerprint"]?.stringValue
      if let fingerprint = fingerprint.flatMap({ Fingerprint($0) }),
        rows[place].signatures.count < mostOfOne, !rows[place].signatures.contains(fingerprint)
      {
        rows[place].signatures.append(fingerprint)
      }
    }
    return rows
  }

  /// A string within the limit of values.
  private static func cut(_ json: JSON) -> String? {
    json.stringValue.map { Array($0.utf8)[...].value }
  }

  /// So many relations and certificates of an app are kept.
  private static let mostOfOne = 20

  /// The JSON in a text, behind the command that asked for it.
  private static func json(in text: ArraySlice<UInt8>) -> JSON? {
    guard let start = text.firstIndex(of: UInt8(ascii: "{")),
      let end = text.lastIndex(of: UInt8(ascii: "}")), start < end
    else { return nil }
    do throws(JSON.SyntaxError) {
      return try JSON.parse(Array(text[start...end])).value
    } catch {
      // What was cut off is read as text.
      return nil
    }
  }

  /// The row of an answer that names no statement: a check, or a list of none.
  private static func asked(_ text: ArraySlice<UInt8>, _ error: String?) -> DeviceRow {
    let app = value(behind: ["target.android_app.package_name="], in: text)
    let site = value(
      behind: ["source.web.site=", "Web asset with site ", "statements from "], in: text)
    var row = DeviceRow(
      host: site?[...].host,
      app: app.flatMap { $0.contains(UInt8(ascii: ".")) ? $0[...].value : nil },
      state: "not-linked")
    let isLinked =
      text.firstRange(of: Marker.isLinked.rawValue).map {
        text[$0.upperBound...].drop(while: isGap).starts(with: "true".utf8)
      } ?? false
    // An answer that says yes may have words about other statements.
    if isLinked && !text.has(Marker.errorCode.rawValue) {
      row.state = "linked"
    } else if error != nil {
      (row.state, row.error) = ("failed", error)
    }
    return row
  }

  /// The first fault that the API documents; without one, the first error in the words of `debugString`, as earlier answers
  /// have it.
  private static func error(in text: ArraySlice<UInt8>) -> String? {
    if text.has(Marker.errorCode.rawValue), let code = text.firstRange(of: codePrefix) {
      return text[code.lowerBound...].prefix(60).prefix(while: isCodeByte).value
    }
    let debug = text.firstRange(of: Marker.debugString.rawValue).map { text[$0.upperBound...] }
    // People also paste its words alone.
    let alone = [Marker.statementsError, .contentOfStatements].lazy
      .compactMap { text.firstRange(of: $0.rawValue) }.first.map { text[$0.lowerBound...] }
    guard let part = debug ?? alone, let error = part.firstRange(of: "Error: ") else { return nil }
    let words = text[error.upperBound...].prefix(300).prefix { !"\\\"*".utf8.contains($0) }
    return words.has("rong content type")
      ? codePrefix + Fault.contentType.rawValue : words.trimmed.value
  }

  private static func isGap(_ byte: UInt8) -> Bool { ": ".utf8.contains(byte) }

  private static func isCodeByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
  }

  /// What follows the first of the words that the text has, without percent-encoding.
  private static func value(
    behind words: [String], in text: ArraySlice<UInt8>
  ) -> [UInt8]? {
    words.lazy.compactMap { text.firstRange(of: $0) }.first.map {
      let encoded = Array(
        text[$0.upperBound...].prefix(1000).prefix { !" &\"'\\".utf8.contains($0) })
      return ComparedText.decoded(encoded.span, encoded.indices)
    }
  }
}

extension DeviceCase {
  /// What Google's service knows about a site, and so what Android's verifier and Google's password manager get.
  var googleVerdict: DeviceVerdict {
    switch row.state {
    case "linked": published ?? linkedVerdict
    case "not-linked":
      published
        ?? DeviceVerdict(
          .notInFile, .likely, .operations,
          "Google's service has no statement of \(host) that fits the question.\(checked)",
          next:
            "Compare the relation, the package and the fingerprint of the question with the file. Google keeps a copy for "
            + "some hours: after a change, ask again later. \(checkApp)")
    case GoogleAnswer.refused: refusal(row.error.flatMap { GoogleAnswer.Refusal(rawValue: $0) })
    case "failed": published ?? failure(row.error.flatMap { GoogleAnswer.Fault($0) })
    default: unknownState
    }
  }

  private func refusal(_ refusal: GoogleAnswer.Refusal?) -> DeviceVerdict {
    if refusal == .invalidArgument { return failure(.invalidQuery) }
    let (message, next) =
      switch refusal {
      case .exhausted:
        (
          "takes no more questions from this network, or with this key, for now",
          "Ask again later, or with a key of your own (`key=KEY`)"
        )
      case .denied, .unauthenticated, .wrongKey:
        (
          "refuses questions without a key, or with this one",
          "Ask with a key whose project has the Digital Asset Links API (`key=KEY`)"
        )
      case .invalidArgument, .unavailable, .failed, nil: ("failed", "Ask again later")
      }
    return DeviceVerdict(
      .incomplete, .sure, .user, "Google's service \(message). That says nothing about \(host).",
      next: "\(next). \(checkApp)")
  }

  private var linkedVerdict: DeviceVerdict {
    if let facts, !facts.certificates.isEmpty, !facts.certificates.contains(where: \.isPublished) {
      return DeviceVerdict(
        .cdnBehind, .likely, .operations,
        "Google's service has a statement of \(host) for \(app) with none of the certificates that revision "
          + "\(facts.now.revision) names.",
        next: "Google keeps a copy for some hours. \(checkApp)")
    }
    let relations = row.others.compactMap { other in
      other.hasPrefix(GoogleAnswer.relation)
        ? String(other.dropFirst(GoogleAnswer.relation.count)) : nil
    }
    if !relations.isEmpty && !relations.contains(GoogleAnswer.linkRelation) {
      return DeviceVerdict(
        .fineHere, .likely, .appTeam,
        "Google's service has a statement of \(host) for \(app), but none for links: only "
          + "\(relations.prefix(3).map(\.shown).joined(separator: ", ")).",
        next: "About links, ask with `relation=\(GoogleAnswer.linkRelation)`.")
    }
    let problem = row.error.map { " It also reports \($0.shown)." } ?? ""
    return DeviceVerdict(
      .fineHere, row.error == nil ? .sure : .likely, .appTeam,
      "Google's service has a statement of \(host) for \(app).\(problem)",
      next:
        "If a link still opens the browser, ask the device: `adb shell pm get-app-links \(package)`."
    )
  }

  private var package: String { row.app.map(\.shown) ?? "PACKAGE" }
  private var checkApp: String { "Run `aasa check --app \(package) \(domain)`." }

  private func failure(_ fault: GoogleAnswer.Fault?) -> DeviceVerdict {
    func verdict(
      _ code: DeviceVerdict.Code, _ message: String, _ next: String = ""
    ) -> DeviceVerdict {
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
          "Ask with `source.web.site=https://HOST` and `relation=\(GoogleAnswer.linkRelation)`.")
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
    case nil:
      verdict(
        .verificationFailed,
        "has no answer about \(host)" + (row.error.map { ": \($0.quoted)" } ?? ""))
    }
  }
}
