/// Why Apple's CDN has no copy, as it says itself.
///
/// Apple publishes no list of the codes. These are from public records; docs/checks.md says how sure each is.
package struct AppleFailure {
  /// What `Apple-Failure-Reason` says, such as `SWCERR00101 Bad HTTP Response: 403 Forbidden`.
  package let reason: String
  /// `Apple-Failure-Details`, which is JSON.
  package let details: String?
  /// `Apple-Try-Direct`; `nil` for anything but `true` and `false`.
  private let tryDirect: Bool?

  package init(reason: String, details: String?, tryDirect: Bool?) {
    self.reason = reason
    self.details = details
    self.tryDirect = tryDirect
  }

  /// The code at the beginning of the reason.
  private enum Code: String {
    case badResponse = "SWCERR00101"
    case privateAddress = "SWCERR00202"
    case timeout = "SWCERR00301"
    case badJSON = "SWCERR00401"
  }

  private var code: Code? { Code(rawValue: String(reason.prefix { !" :".contains($0) })) }

  /// The status that the site answered to Apple.
  private var status: Int? {
    let texts = [reason, details.flatMap { Self.status(in: $0) } ?? ""]
    let numbers = texts.flatMap { $0.split { !$0.isASCII || !$0.isNumber } }
    return numbers.filter { $0.utf8.count == 3 }.lazy.compactMap { Int($0) }
      .first { (100...599).contains($0) }
  }

  private static func status(in details: String) -> String? {
    do throws(JSON.SyntaxError) {
      return try JSON.parse(Array(details.utf8)).value["status"]?.stringValue
    } catch {
      return nil
    }
  }

  /// Whether the code has a meaning here.
  package var isKnown: Bool { code != nil }

  /// Whether many public records agree on the meaning.
  package var isWellKnown: Bool { code == .badResponse || code == .timeout }

  /// What it means, as a sentence.
  package var meaning: String {
    switch code {
    case .badResponse:
      status.map { "The site answered Apple with status \($0)." }
        ?? "The site answered Apple with another status than 200."
    case .privateAddress:
      "For Apple, the name has a private or reserved address, to which it does not connect."
    case .timeout: "The site did not answer Apple in time."
    case .badJSON: "What the site served to Apple was not JSON."
    case nil: "This code is unknown to aasa: Apple publishes no list of them."
    }
  }

  /// Whether devices ask the site meanwhile, as a sentence; `nil` if Apple does not say.
  package var directly: String? {
    switch tryDirect {
    case true: "Apple-Try-Direct is true: devices may ask the site directly, it seems."
    case false: "Apple-Try-Direct is false: devices do not ask the site directly, it seems."
    case nil: nil
    }
  }

  /// What to do if the site serves the file to this machine.
  package var help: String {
    switch (code, status) {
    case (.badResponse, 401?), (.badResponse, 403?), (.badResponse, 406?), (.badResponse, 429?),
      (.badResponse, 503?):
      "Look for a rule that refuses Apple's bot (AASA-Bot), its networks or other countries: a firewall, a bot "
        + "check, a rate limit, a login."
    case (.badResponse, 404?), (.badResponse, 410?):
      "Look for a server, a region or an older DNS record at which the path does not reach aasa."
    case (.badResponse, let status?) where (300...399).contains(status):
      "Serve the file at that address itself: Apple follows no redirect. Look for a rule that sends Apple's bot, its "
        + "networks or other countries elsewhere."
    case (.badResponse, _):
      "Look at the logs of what is in front of aasa for the requests of AASA-Bot."
    case (.privateAddress, _):
      "Look at the public DNS records of the name: all of them must have public addresses, also those for IPv6 and "
        + "those that other countries get."
    case (.timeout, _):
      "Look for a firewall that drops Apple's connections: by country, by network or by rate. Look also for an "
        + "address of the name, such as one for IPv6, that does not answer."
    case (.badJSON, _):
      "Look for a page, such as a challenge for bots, that is served in place of the file."
    case (nil, _):
      "Start from Apple's words, and look at the logs of what is in front of aasa for requests of AASA-Bot."
    }
  }

  /// The code of App Store Connect for it, as far as they are known to be the same.
  package var appleCode: String? {
    switch code {
    case .badResponse: "BAD_HTTP_RESPONSE"
    case .timeout: "TIMEOUT"
    case .badJSON: "BAD_JSON_CONTENT"
    case .privateAddress, nil: nil
    }
  }
}
