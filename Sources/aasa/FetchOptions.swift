import Association
import Checking
import FoundationEssentials
import HTTP
import Service

/// Options of commands that fetch from other machines.
extension Option {
  static let resolve = Option(
    "--resolve", "HOST:ADDRESS[:PORT]",
    "Connect to this address instead of the one in DNS; * stands for every host. May be repeated."
  ).repeatable
  static let authorities = Option(
    "--ca", "FILE", "Also trust the certificate authorities in this PEM file.")
  static let allowPrivate = Option(
    "--allow-private", "RANGES",
    "Also connect to these private addresses: addresses and ranges, separated by commas."
  ).repeatable

  /// The options that choose where to connect.
  static let fetching = [resolve, authorities, allowPrivate, Option(Setting.checkProxy)]
}

extension Fetcher.Policy {
  /// The policy with what the options of a command add.
  ///
  /// - Throws: `UsageError` for a malformed value.
  func adding(_ arguments: Arguments) throws(UsageError) -> Fetcher.Policy {
    var policy = self
    var places: [Fetcher.Place] = []
    for text in arguments.all(.resolve) {
      guard let place = Fetcher.Place(text) else {
        throw UsageError(
          "--resolve must be HOST:ADDRESS or HOST:ADDRESS:PORT, such as example.com:192.0.2.1, not "
            + "\(text.quoted).")
      }
      places.append(place)
    }
    policy.places = places + policy.places
    for word in arguments.all(.allowPrivate).flatMap({ $0.split(separator: ",") }) {
      guard let range = AddressRange(String(word)) else {
        throw UsageError(
          "--allow-private must be addresses or ranges, such as 10.0.0.0/8, not "
            + "\(String(word).quoted).")
      }
      policy.allowedAddresses.append(range)
    }
    if let path = arguments.value(.authorities) {
      guard let file = FileManager.default.contents(atPath: path),
        file.firstRange(of: Data("-----BEGIN ".utf8)) != nil
      else { throw UsageError("--ca must be a PEM file, but \(path.quotedPath) is not one.") }
      policy.authorities = path
    }
    return policy
  }
}
