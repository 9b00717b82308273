extension Finding {
  /// The kinds of findings. The words are part of the API and never change their meaning.
  public enum Code: String, Sendable, CaseIterable {
    /// The bytes are not JSON.
    case notJSON = "not-json"
    /// The JSON is not an object.
    case notObject = "not-an-object"
    /// A byte order mark precedes the JSON.
    case byteOrderMark = "byte-order-mark"
    /// An object has a key twice.
    case duplicateKey = "duplicate-key"
    /// A value has a type that the format does not allow there.
    case wrongType = "wrong-type"
    /// The document is larger than Apple accepts.
    case tooLarge = "too-large"
    /// The document is close to the size limit.
    case nearSizeLimit = "near-size-limit"
    /// An app identifier is not `<prefix>.<bundle identifier>`.
    case malformedAppIdentifier = "malformed-app-identifier"

    /// How bad a finding of this kind usually is.
    public var severity: Severity {
      switch self {
      case .nearSizeLimit: .warning
      case .notJSON, .notObject, .byteOrderMark, .duplicateKey, .wrongType, .tooLarge,
        .malformedAppIdentifier:
        .error
      }
    }
  }
}
