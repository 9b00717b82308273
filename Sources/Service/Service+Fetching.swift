import Fetching

extension Configuration {
  /// Where the service may connect to, and what it trusts.
  var fetchPolicy: Fetcher.Policy { Fetcher.Policy() }
  /// After how many hours a fetch by Apple's CDN is overdue.
  var appleOverdueHours: Int { 24 }
}
