/// Who fetches a file, by what the User-Agent of the request says. A User-Agent proves nothing.
public enum FetcherClass: String, Sendable, CaseIterable {
  /// Apple's CDN, from which devices get the file, `AASA-Bot`.
  case appleCDN = "apple-cdn"
  /// A device that asks by itself, `swcd`.
  case device
  /// Anybody else.
  case other
}
