/// Why `swcd` of iOS 14, macOS 11 and later does not take a file, as its log says it.
enum SwcdRefusal: CaseIterable {
  /// Apple's CDN gave no code, which it does in a header.
  case noReason, unexpectedStatus
  /// The site itself, which `swcd` asks if the CDN says so, and for an entry with a mode.
  case status, noHTTP, redirect
  case trust, size, notJSON, malformedDomain

  private var marker: Marker {
    switch self {
    case .noReason: .denied
    case .unexpectedStatus: .unexpectedStatus
    case .status: .deniedStatus
    case .noHTTP: .deniedNoHTTP
    case .redirect: .badScheme
    case .trust: .serverTrust
    case .size: .tooLong
    case .notJSON: .notSecured
    case .malformedDomain: .noAttempt
    }
  }

  /// Whether the log has words of one, without regard to what else is in the line.
  static func isMarked(_ has: (Marker) -> Bool) -> Bool { allCases.contains { has($0.marker) } }

  /// The `error` of a row begins with it.
  private var words: String { marker.rawValue }

  /// Whether a line, perhaps of several folds, says it. Other programs have the same words, so the request of `swcd` stands
  /// right before or behind them.
  private func isIn(_ line: ArraySlice<UInt8>) -> Bool {
    guard let place = line.firstRange(of: words) else { return false }
    let (before, after) = (line[..<place.lowerBound], line[place.upperBound...])
    switch self {
    case .noReason:
      return Self.isBehindTask(before)
        && after.starts(with: " told us to stop with HTTP status ".utf8)
    case .noHTTP, .redirect, .size: return Self.isBehindTask(before)
    case .status, .unexpectedStatus: return after.prefix(80).has(Self.task)
    case .trust:
      return after.prefix(80).firstRange(of: Self.task).map {
        after[..<$0.lowerBound].trimmed.last == UInt8(ascii: ">")
      } ?? false
    case .notJSON: return after.has(Marker.downloadError.rawValue)
    case .malformedDomain:
      guard let domain = before.firstRange(of: Self.domain) else { return false }
      let start = before[..<domain.lowerBound]
      return (start.isEmpty || start.has(Marker.swcd.rawValue))
        && before[domain.upperBound...].words.count == 1
    }
  }

  private static let (task, domain) = (" for task AASA-", "Domain ")

  /// Whether a text ends with a request: `… for task AASA-… { domain: a.example, route: cdn } `.
  private static func isBehindTask(_ text: ArraySlice<UInt8>) -> Bool {
    text.trimmed.last == UInt8(ascii: "}") && text.suffix(2000).has(task)
  }

  init?(error: String) {
    guard let refusal = Self.allCases.first(where: { error.hasPrefix($0.words) }) else {
      return nil
    }
    self = refusal
  }

  /// The row of a line; `nil` if it says none of them.
  static func row(of line: ArraySlice<UInt8>) -> DeviceRow? {
    guard let refusal = allCases.first(where: { $0.isIn(line) }) else { return nil }
    var row = SwcdLog.named(line, state: "failed")
    switch refusal {
    case .notJSON:
      row.host = row.host ?? line.between(refusal.words, and: ":")?.host
    case .malformedDomain:
      row.host = line.between(domain, and: " ")?.host
    case .noReason:
      row.details = reason(behind: refusal.words, in: line)
    default: break
    }
    row.error = words(of: refusal, in: line)
    return row
  }

  /// What Apple's CDN says behind the status, in JSON.
  private static func reason(behind words: String, in line: ArraySlice<UInt8>) -> String? {
    guard let place = line.firstRange(of: words),
      let open = line[place.upperBound...].firstIndex(of: UInt8(ascii: "{")),
      let end = line.lastIndex(of: UInt8(ascii: "}")), open < end
    else { return nil }
    return line[open...end].value
  }

  /// The words of a refusal up to the status, if one follows.
  private static func words(of refusal: SwcdRefusal, in line: ArraySlice<UInt8>) -> String {
    guard let place = line.firstRange(of: refusal.words),
      let status = line[place.lowerBound...].prefix(80).firstRange(of: "HTTP status ")
    else { return refusal.words }
    let digits = line[status.upperBound...].prefix(while: \.isASCIIDigit)
    return line[place.lowerBound..<digits.endIndex].value
  }
}

extension DeviceCase {
  /// What a line of the log of `swcd` says.
  var refusalVerdict: DeviceVerdict? {
    guard let error = row.error, let refusal = SwcdRefusal(error: error) else { return nil }
    let status = error.split(separator: " ").last.flatMap { Int($0) }.map { "status \($0)" }
    switch refusal {
    // A network that asks for a sign-in may answer in its place.
    case .noHTTP where row.route == "cdn", .redirect where row.route == "cdn":
      return cdnNotReached
    case .noReason, .unexpectedStatus:
      return DeviceVerdict(
        .cdnFailed, .likely, .operations,
        "Apple's CDN, or a proxy before it, answered with \(status ?? "an error") when the device asked for the file of \(host), "
          + "\(row.details.map { "and added \($0.quoted)" } ?? "and gave no reason").\(checked)",
        next: "Run \(check), and look for `cdn-failed`. If it finds nothing, try another network.")
    case .status: return siteStatus(status ?? "an error")
    case .noHTTP:
      return DeviceVerdict(
        .unusableFile, .likely, .operations,
        "What answered the device for \(host) is no web server.",
        next: "Run \(check), and look for `connection-failed`.")
    case .redirect:
      return DeviceVerdict(
        .redirectRefused, .likely, .operations,
        "The device was redirected from \(host) to an address without https, which it does not follow.",
        next: "Serve the file without a redirect; \(check) shows where it leads.")
    case .trust: return untrusted
    case .size: return tooLarge
    case .notJSON: return notJSON
    case .malformedDomain: return malformedDomain
    }
  }
}
