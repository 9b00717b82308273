/// `ASAuthorizationError` of an Apple device.
enum AuthorizationError {
  /// The codes that get a verdict of their own (Apple, `ASAuthorizationError.Code`).
  enum Code: Int {
    case unknown = 1000
    case canceled = 1001
    case invalidResponse = 1002
    case notHandled = 1003
    case failed = 1004
    case notInteractive = 1005
    case matchedExcludedCredential = 1006
    case deviceNotConfigured = 1010

    /// Whether Apple's words for it name no cause.
    var isUnexplained: Bool { [.unknown, .invalidResponse, .notHandled].contains(self) }
  }

  static let markers: [Marker] = [
    .notAssociated, .notAssociatedWithThe, .unableToVerify, .inProgress, .noIdentifier,
    .notConfigured, .domainNotAssociated, .instanceNotAssociated, .platformNotAssociated,
    .autoFill, .autoFillOff, .callbacks, .noCredentialsReturned,
  ]

  /// The longest sentence, in bytes.
  private static let longest = 1000
  /// How far from its name the code of an error is, in bytes.
  private static let farthestCode = 64

  /// How Apple begins the name of the error. A code that is a round number is hardly one of others that are named so.
  private static let appleNames = ["AS", "AuthenticationServices."]

  /// The first code of an error that is known, in any language's words, and says most.
  static func code(in text: ArraySlice<UInt8>) -> Code? {
    var unexplained: Code?
    for name in text.ranges(of: Marker.authorizationError.rawValue) {
      let before = text[max(text.startIndex, name.lowerBound - farthestCode)..<name.lowerBound]
      let after = text[name.upperBound...].prefix(farthestCode)
      // JSON may have the code first.
      let member = before.firstRange(of: "\"code\"").map { before[$0.upperBound...] }
      for part in [after, member].compactMap(\.self) {
        let digits = part.drop { !$0.isASCIIDigit }.prefix(while: \.isASCIIDigit)
        guard let code = Int(digits.value).flatMap(Code.init) else { continue }
        if !code.isUnexplained { return code }
        if appleNames.contains(where: { before.suffix($0.utf8.count).elementsEqual($0.utf8) }) {
          unexplained = unexplained ?? code
        }
      }
    }
    return unexplained
  }

  /// Whether a text says that there is no shared password. Keychains say so of other items, too.
  static func hasNoItems(_ text: ArraySlice<UInt8>) -> Bool {
    text.has(Marker.noMatchingItems.rawValue) && text.has("haredWebCredential")
  }

  /// The code of `ASWebAuthenticationSessionError`: 1 is a cancellation, 2 and 3 lack a window.
  static func webSessionCode(in text: ArraySlice<UInt8>) -> Int? {
    text.ranges(of: Marker.webSession.rawValue).prefix(100).lazy.compactMap { place in
      let rest = text[place.upperBound...]
      guard let word = [" error ", " Code="].first(where: { rest.starts(with: $0.utf8) }) else {
        return nil
      }
      let digits = rest.dropFirst(word.utf8.count).prefix(20).prefix(while: \.isASCIIDigit)
      return Int(digits.value).flatMap { (1...3).contains($0) ? $0 : nil }
    }.first
  }

  static func rows(in text: PastedText) -> DeviceRows {
    var found = DeviceRows()
    var rest = text.flat
    var hosts: Set<[String?]> = []
    while let (place, row) = next(in: rest) {
      // The same sentence may stand there in two forms.
      if row.host == nil || hosts.insert([row.host, row.app, row.state]).inserted {
        found.add(row)
      }
      rest = rest[place...]
    }
    let exceptions = [Marker.domainNotAssociated, .instanceNotAssociated, .platformNotAssociated]
      .map(\.rawValue)
    if found.rows.isEmpty, exceptions.contains(where: text.flat.has) {
      found.add(DeviceRow(service: "webcredentials", state: "not-associated"))
    }
    if found.rows.isEmpty, hasNoItems(text.flat) {
      found.add(failure(Marker.noMatchingItems.rawValue))
    }
    if found.rows.isEmpty, let number = webSessionCode(in: text.flat) {
      found.add(failure("\(Marker.webSession.rawValue) \(number)"))
    }
    if found.rows.isEmpty {
      let code = code(in: text.flat) ?? .failed
      found.add(code == .failed ? unexplained(text.flat) : failure("\(code.rawValue)"))
    }
    return found
  }

  /// The words at which a sentence is looked at, and how it is read from there.
  private static let beginnings:
    [(word: [UInt8], read: @Sendable (ArraySlice<UInt8>, Int) -> DeviceRow?)] = [
      (Array("Application with identifier ".utf8), { notAssociated($0[$1...].prefix(longest)) }),
      (Array(Marker.unableToVerify.rawValue.utf8), { notVerified($0[$1...].prefix(longest)) }),
      (Array(Marker.inProgress.rawValue.utf8), { inProgress($0[$1...]) }),
      (Array(Marker.noIdentifier.rawValue.utf8), { withoutIdentifier($0, at: $1) }),
      (
        Array(Marker.notConfigured.rawValue.utf8),
        { _, _ in failure(Marker.notConfigured.rawValue) }
      ),
      (
        Array(Marker.autoFillOff.rawValue.utf8), { _, _ in failure(Marker.autoFillOff.rawValue) }
      ),
      (Array(Marker.autoFill.rawValue.utf8), { autoFill($0[$1...].prefix(longest)) }),
      (Array(Marker.failedToApprove.rawValue.utf8), { notApproved($0, at: $1) }),
      (Array(Marker.callbacks.rawValue.utf8), { callback($0[$1...].prefix(longest)) }),
      (
        Array(Marker.noCredentialsReturned.rawValue.utf8),
        { _, _ in failure(Marker.noCredentialsReturned.rawValue) }
      ),
    ]

  /// The first sentence that is known, and where the text goes on behind its beginning.
  private static func next(in text: ArraySlice<UInt8>) -> (Int, DeviceRow)? {
    for index in text.indices {
      for (word, read) in beginnings
      where text[index] == word[0] && text[index...].starts(with: word) {
        if let row = read(text, index) { return (index + word.count, row) }
      }
    }
    return nil
  }

  private static func notAssociated(_ text: ArraySlice<UInt8>) -> DeviceRow? {
    let words = [Marker.notAssociated, .notAssociatedWithThe].map(\.rawValue)
    guard let middle = words.lazy.compactMap({ text.firstRange(of: $0) }).first else { return nil }
    let app = text[..<middle.lowerBound].dropFirst(28).trimmed.unquoted
    if app.contains(UInt8(ascii: " ")) || app.isEmpty { return nil }
    let host = hostWord(text[middle.upperBound...])
    var row = DeviceRow(
      host: host.host, service: "webcredentials", app: app.valueOrNone, state: "not-associated")
    row.error = text[..<host.endIndex].value
    return row
  }

  /// Xcode's console: `… for app bundleID: com.example.app due to error: …`.
  private static func autoFill(_ text: ArraySlice<UInt8>) -> DeviceRow {
    let reason = text.firstRange(of: "due to error: ").map { text[$0.upperBound...] }
    return failure(
      "\(Marker.autoFill.rawValue): \(reason?.prefix(160).prefix { $0 != UInt8(ascii: ".") }.value ?? "")"
    )
  }

  /// Shared web credentials: `example.com failed to approve ABCDE12345.com.example.app`.
  private static func notApproved(_ text: ArraySlice<UInt8>, at index: Int) -> DeviceRow? {
    let before = text[max(text.startIndex, index - 260)..<index]
    let host = (before.lastIndex { !isNameByte($0) }.map { before[($0 + 1)...] } ?? before).host
    let app = text[index...].dropFirst(Marker.failedToApprove.rawValue.utf8.count)
      .prefix(while: isNameByte)
    let prefix = app.prefix { $0 != UInt8(ascii: ".") }
    guard let host, prefix.count == 10, prefix.count < app.count else { return nil }
    var row = DeviceRow(
      host: host, service: "webcredentials", app: app.value, state: "not-associated")
    row.error = "\(host)\(Marker.failedToApprove.rawValue)\(app.value)"
    return row
  }

  /// Whether the text says that a site did not approve an app. The words alone are everyday English.
  static func refusesApproval(in text: ArraySlice<UInt8>) -> Bool {
    text.ranges(of: Marker.failedToApprove.rawValue).prefix(100)
      .contains { notApproved(text, at: $0.lowerBound) != nil }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-._*".utf8.contains(byte)
  }

  /// A callback over HTTPS: `… using the webcredentials service type for example.com`.
  private static func callback(_ text: ArraySlice<UInt8>) -> DeviceRow {
    let host = text.firstRange(of: "service type for ").flatMap { place in
      text[place.upperBound...].prefix(while: isNameByte).host
    }
    var row = DeviceRow(host: host, service: "webcredentials", state: "not-associated")
    row.error = Marker.callbacks.rawValue
    return row
  }

  private static func notVerified(_ text: ArraySlice<UInt8>) -> DeviceRow? {
    let rest = text.dropFirst(Marker.unableToVerify.rawValue.utf8.count)
    guard let middle = rest.firstRange(of: " with domain") else { return nil }
    let app = rest[..<middle.lowerBound].trimmed.unquoted
    if app.contains(UInt8(ascii: " ")) || app.isEmpty { return nil }
    let host = hostWord(rest[middle.upperBound...])
    var row = DeviceRow(
      host: host.host, service: "webcredentials", app: app.valueOrNone, state: "not-verified")
    let advice = ". Please try again in a few seconds."
    let hasAdvice = text[host.endIndex...].starts(with: advice.utf8)
    row.error = text[..<(host.endIndex + (hasAdvice ? advice.utf8.count : 0))].value
    return row
  }

  /// The word behind `domain`, without the punctuation after it.
  private static func hostWord(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var word = text.drop { $0 == UInt8(ascii: " ") }.withoutOpeningQuotes
      .prefix { !" \"'\\}{,;)(<>".utf8.contains($0) }
    if let quote = word.indices.first(where: { word[$0...].quotationMark != nil }) {
      word = word[..<quote]
    }
    while word.last == UInt8(ascii: ".") { word.removeLast() }
    return word
  }

  private static func inProgress(_ text: ArraySlice<UInt8>) -> DeviceRow {
    let sentence = Marker.inProgress.rawValue.utf8.count
    let hasEnd = text.dropFirst(sentence).first == UInt8(ascii: ".")
    return failure(text.prefix(sentence + (hasEnd ? 1 : 0)).value)
  }

  /// The sentence begins behind a quotation mark or an equals sign.
  private static func withoutIdentifier(_ text: ArraySlice<UInt8>, at index: Int) -> DeviceRow {
    let before = text[max(text.startIndex, index - 200)..<index]
    let start = before.lastIndex { "\"=".utf8.contains($0) }.map { $0 + 1 } ?? index
    var sentence = text[start..<(index + Marker.noIdentifier.rawValue.utf8.count)]
    if let prefix = sentence.firstRange(of: "completed. ") {
      sentence = sentence[prefix.upperBound...]
    }
    return failure(sentence.trimmed.value)
  }

  private static func failure(_ error: String?) -> DeviceRow {
    var row = DeviceRow(service: "webcredentials", state: "failed")
    row.error = error
    return row
  }

  /// An error whose text is in another language, or missing.
  private static func unexplained(_ text: ArraySlice<UInt8>) -> DeviceRow {
    guard let code = text.firstRange(of: "Code=1004 ") else { return failure(nil) }
    let quoted = text[code.upperBound...].prefix(longest)
    guard quoted.first == UInt8(ascii: "\""),
      let end = quoted.dropFirst().firstIndex(of: UInt8(ascii: "\""))
    else { return failure(nil) }
    return failure(quoted[..<end].dropFirst().value)
  }
}

extension ArraySlice<UInt8> {
  /// The length of the quotation mark with which a text begins: `"`, `'`, U+2018 to U+201F, or an angle one.
  fileprivate var quotationMark: Int? {
    let next = dropFirst()
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return 1
    case 0xC2: return next.first == 0xAB || next.first == 0xBB ? 2 : nil
    case 0xE2:
      return next.first == 0x80 && next.dropFirst().first.map { 0x98...0x9F ~= $0 } == true
        ? 3 : nil
    default: return nil
    }
  }

  /// The text from its first byte on that belongs to no quotation mark. In JSON, a backslash stands before one.
  fileprivate var withoutOpeningQuotes: ArraySlice<UInt8> {
    var rest = self
    while true {
      if rest.first == UInt8(ascii: "\\") {
        rest = rest.dropFirst()
      } else if let length = rest.quotationMark {
        rest = rest.dropFirst(length)
      } else {
        return rest
      }
    }
  }

  /// The text without quotation marks around it.
  fileprivate var unquoted: ArraySlice<UInt8> {
    let rest = withoutOpeningQuotes
    return rest.indices.first { rest[$0] == UInt8(ascii: "\\") || rest[$0...].quotationMark != nil }
      .map { rest[..<$0] } ?? rest
  }
}
