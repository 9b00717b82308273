// Verdicts on the errors of Apple's systems.
extension DeviceCase {
  /// What an error says that stands in the table of associations, or that `swcutil dl` prints; `nil` if nothing is known.
  ///
  /// The numbers of `SWCErrorDomain` are from reports, and from what its errors say of themselves in logs.
  func verdict(onError error: String) -> DeviceVerdict? {
    let bytes = Array(error.utf8)[...]
    func number(of domain: String) -> Int? {
      bytes.firstRange(of: domain).flatMap {
        SwcutilOutput.errorNumber(bytes[$0.upperBound...]).flatMap { Int($0) }
      }
    }
    let isOfCDN = error.contains("app-site-association.cdn-apple.com")
    switch number(of: "NSURLErrorDomain") {
    case -1103: return tooLarge
    case let code?: return unreachable(code, isOfCDN: isOfCDN)
    case nil: break
    }
    // What SecTrust says of the certificate.
    if error.contains("trust result type") { return untrusted }
    switch number(of: Marker.downloadError.rawValue) {
    // In developer mode, Apple's CDN is not asked.
    case 7: return asksSite ? nil : noCopy
    case 8: return malformedDomain
    case 100?, 101?, 102?, 103?: return untrusted
    case 104: return notJSON
    default: break
    }
    if error.contains("NSCocoaErrorDomain") && error.contains("3840") { return notJSON }
    let status = number(of: "Domain=HTTP") ?? (error.hasPrefix("HTTP ") ? number(of: "HTTP") : nil)
    return status.map { siteStatus("status \($0)") }
  }

  /// Why the device has no file, by the error in its table.
  func failed(_ error: String) -> DeviceVerdict {
    if case .nothing? = facts?.then, let behind { return behind }
    return verdict(onError: error)
      ?? DeviceVerdict(
        .unusableFile, .likely, .operations,
        "\(developerMode)What the device got for \(host) is not usable.\(checked)",
        next: "Run \(check), and compare with the error of the device: \(error.quoted).")
  }

  /// Whether the device asked the site itself for certain.
  private var asksSite: Bool { isInDeveloperMode || row.route == ".wk" }

  /// `NSURLErrorServerCertificateUntrusted`.
  var untrusted: DeviceVerdict { unreachable(-1202, isOfCDN: row.route == "cdn") }

  /// What an error of `NSURLErrorDomain` says, which Foundation names in NSURLError.h.
  ///
  /// - Parameter isOfCDN: Whether the error names Apple's CDN.
  private func unreachable(_ code: Int, isOfCDN: Bool) -> DeviceVerdict {
    let isAboutTLS = (-1206 ... -1200).contains(code)
    let isAboutName = [-1006, -1003].contains(code)
    // Without the name, it may have been the site, which devices ask if the CDN has nothing.
    let isAboutConnection = isOfCDN && [-1005, -1004, -1001].contains(code)
    if [-1020, -1018, -1009].contains(code) {
      return DeviceVerdict(
        .neverDownloaded, .likely, .user, "The device had no connection when it asked for \(host).",
        next: "Connect it, and wait \(next), or reinstall the app.")
    }
    if !asksSite && (isAboutTLS || isAboutName || isAboutConnection) {
      return cdnNotReached
    }
    if !isAboutTLS && !isAboutName { return neverDownloaded }
    return isAboutTLS
      ? DeviceVerdict(
        .certificateRefused, .likely, .operations,
        "\(developerMode)The device did not trust the certificate of \(host), or got no secure connection.\(checked)",
        next: "Run \(check), and look for `tls-error`.")
      : DeviceVerdict(
        .neverDownloaded, .likely, .operations,
        "\(developerMode)The device found no address for \(host).\(checked)",
        next: "Run \(check), and look for `dns-error`.")
  }

  var cdnNotReached: DeviceVerdict {
    DeviceVerdict(
      .neverDownloaded, .likely, .user,
      "The device could not reach Apple's CDN, which it asks for the file of \(host).\(checked)",
      next:
        "Look for a proxy, a filter or a VPN on the network of the device, and try another network."
    )
  }

  /// Error 7 of `SWCErrorDomain`.
  private var noCopy: DeviceVerdict {
    DeviceVerdict(
      .cdnFailed, .sure, .operations, "Apple's CDN has no valid file of \(host).\(checked)",
      next: "Run \(check), and look for `cdn-failed`.")
  }

  /// The answer of the site itself.
  func siteStatus(_ status: String) -> DeviceVerdict {
    DeviceVerdict(
      .unusableFile, .likely, .operations,
      "The device asked \(host) itself, which answered with \(status).\(checked)",
      next:
        "Run \(check), and look for `http-status` and `bot-blocked`. The device asks from its own network."
    )
  }

  var notJSON: DeviceVerdict {
    DeviceVerdict(
      .unusableFile, .likely, .operations,
      "\(developerMode)What the device got for \(host) is not usable: it is not JSON, often a page in place of the file.\(checked)",
      next: "Run \(check), and look for `html-answer` and `not-json`.")
  }

  var tooLarge: DeviceVerdict {
    DeviceVerdict(
      .unusableFile, .likely, .operations,
      "\(developerMode)What the device got for \(host) is larger than 128 KB.\(checked)",
      next: "Run \(check), and look for `too-large` and `html-answer`.")
  }

  /// An associated domain that no device asks for a file.
  var malformedDomain: DeviceVerdict {
    DeviceVerdict(
      .notADomain, .likely, .appTeam,
      "The name of an associated domain is malformed, so the device asks nobody for a file.",
      next: "Run `aasa entitlements App.entitlements`, which names the entry.")
  }
}
