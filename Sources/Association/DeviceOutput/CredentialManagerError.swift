/// An exception of Android's Credential Manager.
enum CredentialManagerError {
  static let markers: [Marker] =
    [
      .rpID, .incomingRequest, .rpIDValidation, .createException, .getException, .exceptionType,
      .domError,
    ] + passwordManagers + Exception.allCases.flatMap(\.markers)

  /// What password managers show instead.
  static let passwordManagers: [Marker] = [
    .notInAssetLinks, .passkeysNotSupported, .browserNotPrivileged,
  ]

  /// One that is not about the site (developer.android.com, "Troubleshoot Credential Manager errors").
  enum Exception: CaseIterable {
    case noCreateOption, noCredential, cancellation, noProvider

    fileprivate var markers: [Marker] {
      switch self {
      case .noCreateOption: [.noCreateOption, .noCreateOptions]
      case .noCredential:
        [
          .noCredential, .noMatchingCredential, .noCredentialsCode, .noViableCredential,
          .noAllowedCredential,
        ]
      case .cancellation: [.getCancellation, .createCancellation]
      case .noProvider: [.providerConfiguration, .noProvider]
      }
    }
  }

  /// The exception that the `error` of a row is about.
  static func exception(in error: String) -> Exception? {
    let text = Array(error.utf8)[...]
    return Exception.allCases.first { exception in
      exception.markers.contains { text.firstRange(of: $0.rawValue) != nil }
    }
  }

  /// One row: the text names neither host nor app.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    row.error =
      sentence(text.flat) ?? passwordManagers.first { text.flat.has($0.rawValue) }?.rawValue
      ?? message(in: text) ?? type(in: text.flat)?.word
      ?? exceptionMarker(in: text.flat) ?? unexplained(in: text.flat)
    var found = DeviceRows()
    found.add(row)
    return found
  }

  /// The sentence, with the number in brackets before it.
  private static func sentence(_ text: ArraySlice<UInt8>) -> String? {
    let places = [Marker.rpID, .incomingRequest, .rpIDValidation]
      .compactMap { text.firstRange(of: $0.rawValue) }
    guard let place = places.min(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
    var (start, end) = (place.lowerBound, place.upperBound)
    if end < text.endIndex && text[end] == UInt8(ascii: ".") { end += 1 }
    let before = text[max(text.startIndex, start - 20)..<start].trimmed
    if before.last == UInt8(ascii: "]"), let open = before.lastIndex(of: UInt8(ascii: "[")),
      before[(open + 1)...].dropLast().allSatisfy(\.isASCIIDigit)
    {
      start = open
    }
    return text[start..<end].value
  }

  /// The first words that tell which exception it is.
  private static func exceptionMarker(in text: ArraySlice<UInt8>) -> String? {
    let words = Exception.allCases.flatMap(\.markers).map(\.rawValue)
    return words.compactMap { word in text.firstRange(of: word).map { (word, $0.lowerBound) } }
      .min { $0.1 < $1.1 }?.0
  }

  /// The type of an exception, such as `TYPE_SECURITY_ERROR`. Without the sentence about the RP ID, only that one is
  /// about the site.
  struct ExceptionType {
    let word: String

    var isAboutSite: Bool { word == "TYPE_SECURITY_ERROR" }
    /// Whether something in the request of the app is malformed (`androidx.credentials`, `DataError`).
    var isAboutRequest: Bool { word == "TYPE_DATA_ERROR" }
  }

  static func type(in error: String) -> ExceptionType? { type(in: Array(error.utf8)[...]) }

  /// The first type of an error; `TYPE_CREATE_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION` before it is none.
  private static func type(in text: ArraySlice<UInt8>) -> ExceptionType? {
    for place in text.ranges(of: "TYPE_") {
      let word = text[place.lowerBound...].prefix(60).prefix {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "_")
      }
      if word.suffix(6).elementsEqual("_ERROR".utf8) { return ExceptionType(word: word.value) }
    }
    // The class of the same error, such as `SecurityError`.
    guard let place = text.firstRange(of: Marker.domError.rawValue) else { return nil }
    let name = text[place.upperBound...].prefix(60).prefix(while: \.isASCIILetterOrDigit)
    guard name.count > 5, name.suffix(5).elementsEqual("Error".utf8) else { return nil }
    var word = "TYPE"
    for letter in name.dropLast(5).value {
      word += (letter.isUppercase ? "_" : "") + letter.uppercased()
    }
    return ExceptionType(word: word + "_ERROR")
  }

  /// The words of an exception without its type.
  private static func unexplained(in text: ArraySlice<UInt8>) -> String? {
    [Marker.exceptionType, .domError].map(\.rawValue).first { text.firstRange(of: $0) != nil }
  }

  /// Whether the `error` of a row has no type of an exception.
  static func isUnexplained(_ error: String) -> Bool {
    [Marker.exceptionType, .domError].map(\.rawValue).contains(error)
  }

  /// What the exception says instead.
  private static func message(in text: PastedText) -> String? {
    var message: String?
    text.forEachLine { line in
      guard message == nil, let place = line.text.firstRange(of: "PublicKeyCredentialDomException")
      else {
        return
      }
      message = line.text[place.upperBound...].drop { ": ".utf8.contains($0) }.valueOrNone
    }
    return message
  }
}
