/// The likely origin of a request for a file, by its User-Agent. A User-Agent proves nothing: any
/// client can send any value.
///
/// This type is not about documents. It is in this module because the public listener, which
/// classifies requests, and the store, which counts them, have no other module in common.
package enum FetcherClass: String, Sendable, CaseIterable {
  /// Apple's content delivery network, which fetches files for devices: `AASA-Bot` is in its
  /// User-Agent.
  case appleCDN = "apple-cdn"
  /// The daemon of a device, which fetches files itself only in developer mode: its User-Agent begins
  /// with `swcd` or `com.apple.swcd`.
  case device
  /// Google's service that verifies apps and fetches files for devices: its User-Agent begins with
  /// `GoogleAssociationService`.
  case google
  case other
}
