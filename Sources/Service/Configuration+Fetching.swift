package import Checking

extension Configuration {
  /// Where the service may connect to, and what it trusts.
  package var fetchPolicy: Fetcher.Policy {
    var policy = Fetcher.Policy()
    policy.allowedAddresses = allowPrivateAddresses
    policy.authorities = checkAuthorities
    policy.places = checkPlaces
    policy.proxy = checkProxy
    return policy
  }

  /// The services that checks ask.
  package var checkServices: Checker.Services {
    var services = Checker.Services()
    services.appleCDN = appleCDN
    services.googleDigitalAssetLinks = googleDigitalAssetLinks
    services.googleKey = googleKey
    return services
  }
}
