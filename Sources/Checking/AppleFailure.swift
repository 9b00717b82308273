import Association

/// Why Apple's CDN has no copy, from the header of its answer.
///
/// Apple publishes no list of the codes. These are from public records; docs/checks.md says how sure each is.
struct AppleFailure {
  /// What `Apple-Failure-Reason` says, such as `SWCERR00101 Bad HTTP Response: 403 Forbidden`.
  let reason: String
  /// `Apple-Failure-Details`, which is JSON.
  let details: String?
  /// `Apple-Try-Direct`.
  let tryDirect: String?

  /// `nil` if the answer gives no reason.
  init?(_ answer: Fetch.Answer) {
    guard let reason = answer["Apple-Failure-Reason"]?.onOneLine, !reason.isEmpty else {
      return nil
    }
    self.reason = reason
    details = answer["Apple-Failure-Details"].flatMap { $0.isEmpty ? nil : $0 }
    tryDirect = answer["Apple-Try-Direct"]?.lowercased()
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
    let texts = [
      reason, details.flatMap { JSON.readable(Array($0.utf8))?["status"]?.stringValue } ?? "",
    ]
    let numbers = texts.flatMap { $0.split { !$0.isASCII || !$0.isNumber } }
    return numbers.filter { $0.utf8.count == 3 }.lazy.compactMap { Int($0) }
      .first { (100...599).contains($0) }
  }

  /// What it means, as a sentence.
  var meaning: String {
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
  var directly: String? {
    switch tryDirect {
    case "true": "Apple-Try-Direct is true: devices may ask the site directly, it seems."
    case "false": "Apple-Try-Direct is false: devices do not ask the site directly, it seems."
    default: nil
    }
  }

  /// What to do if the site serves the file to this machine.
  var help: String {
    switch (code, status) {
    case (.badResponse, 401?), (.badResponse, 403?), (.badResponse, 406?), (.badResponse, 429?),
      (.badResponse, 503?):
      "Look for a rule that refuses Apple's bot (AASA-Bot), its networks or other countries: a firewall, a bot "
        + "check, a rate limit, a login."
    case (.badResponse, 404?), (.badResponse, 410?):
      "Look for a server, a region or an older DNS record at which the path does not reach aasa."
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
  var appleCode: String? {
    switch code {
    case .badResponse: "BAD_HTTP_RESPONSE"
    case .timeout: "TIMEOUT"
    case .badJSON: "BAD_JSON_CONTENT"
    case .privateAddress, nil: nil
    }
  }
}
