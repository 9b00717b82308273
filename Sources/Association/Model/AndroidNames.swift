extension Fingerprint {
  /// Parses a fingerprint as `keytool` and the Play Console print it.
  ///
  /// - Throws: `ValidationError` with the code `malformed-fingerprint`.
  package init(validating text: String) throws(ValidationError) {
    if let fingerprint = Fingerprint(written: text) {
      self = fingerprint
      return
    }
    let count = Self.octets(text)?.count
    let fault =
      count == 20
      ? "is a SHA-1 fingerprint"
      : "is not a SHA-256 fingerprint"
        + (count.map { ": it has \($0.counted("octet")), not 32" } ?? "")
    throw ValidationError(
      .malformedFingerprint,
      "\(text.quoted) \(fault). Write the 32 pairs of hexadecimal digits that keytool prints after "
        + "\"SHA256:\", with colons or without.")
  }
}

extension WebOrigin {
  /// Parses an origin.
  ///
  /// - Throws: `ValidationError` with the code `malformed-origin`.
  package init(validating text: String) throws(ValidationError) {
    if let origin = WebOrigin(text) {
      self = origin
      return
    }
    throw ValidationError(
      .malformedOrigin,
      "\(text.quoted) is not an origin. Write https, a host in lower-case A-labels, and the port unless it is "
        + "443, without a slash at the end, such as https://example.co.uk.")
  }
}
