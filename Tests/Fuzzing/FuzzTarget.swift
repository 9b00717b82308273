/// What the fuzzer feeds with inputs of its own, and the tests with those of `Corpus`. The inputs of
/// a target are in the folder of its name.
///
/// Bytes may be refused, never crash the program, and never break a property that these check.
enum FuzzTarget: String, CaseIterable {
  /// A JSON text.
  case json
  /// A URL in the first line, an association file in the others.
  case document
  /// A URL, resolved by a document with every kind of route.
  case url
  /// The target of a request.
  case target
  /// A `Host` field.
  case host
  /// A `Forwarded` field in the first line, `X-Forwarded-Host` in the second.
  case forwarded
  /// A date of HTTP.
  case date
  /// A configuration file.
  case configuration
  /// A certificate and its key: PEM for both, or their lengths and their DER.
  case certificate
  /// Changes of bytes in a backup: three bytes for the place and one for the value.
  case backup

  /// Checks an input.
  ///
  /// - Throws: `BrokenProperty`, and errors that the program should not throw.
  func check(_ bytes: [UInt8]) throws {
    switch self {
    case .json: try checkJSON(bytes)
    case .document: try checkDocument(bytes)
    case .url: try checkURL(bytes)
    case .target: try checkTarget(bytes)
    case .host: try checkHost(bytes)
    case .forwarded: try checkForwarded(bytes)
    case .date: try checkDate(bytes)
    case .configuration: try checkConfiguration(bytes)
    case .certificate: try checkCertificate(bytes)
    case .backup: try checkBackup(bytes)
    }
  }
}

/// An input showed that the program does not do what it promises.
struct BrokenProperty: Error {
  let description: String
}

/// Throws `BrokenProperty` unless the condition holds.
func require(_ condition: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
  if !condition { throw BrokenProperty(description: property()) }
}
