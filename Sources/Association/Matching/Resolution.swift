/// What a document says of a URL.
public enum Resolution: String, Sendable, CaseIterable {
  /// The first route that matches is no exclusion: the app opens the URL.
  case match
  /// The first route that matches is an exclusion: the app does not open the URL.
  case blocked
  /// No route matches.
  case noMatch = "no-match"
}
