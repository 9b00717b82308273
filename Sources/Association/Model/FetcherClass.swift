/// Who a request for a file most likely comes from, by what it says of itself. A User-Agent proves
/// nothing: anybody may send any.
public enum FetcherClass: String, Sendable, CaseIterable {
  /// Apple's content delivery network, which fetches files for devices: `AASA-Bot` is in its
  /// User-Agent.
  case appleCDN = "apple-cdn"
  /// The daemon of a device, which asks by itself only in developer mode: its User-Agent begins with
  /// `swcd` or `com.apple.swcd`.
  case device
  /// Anybody else.
  case other
}
