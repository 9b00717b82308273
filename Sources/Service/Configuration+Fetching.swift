import Fetching

extension Configuration {
  /// Where the service may connect to, and what it trusts.
  var fetchPolicy: Fetcher.Policy {
    var policy = Fetcher.Policy()
    policy.allowedAddresses = allowPrivateAddresses
    policy.authorities = checkAuthorities
    return policy
  }
}
