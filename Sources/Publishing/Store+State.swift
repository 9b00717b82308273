import Association
public import Store

extension Store {
  /// All apps and domains as they are, in one consistent state.
  public func state() throws -> DesiredState {
    let (apps, domains) = try everything()
    return DesiredState(apps: apps.map(\.app), domains: domains.map(\.domain))
  }
}
