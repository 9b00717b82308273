// Verdicts on what a site, or Apple's CDN, answers to those who ask for the file.
extension DeviceCase {
  /// What a site answered to a request for its file, or Apple's CDN.
  func siteVerdict(on answer: SiteAnswer.State) -> DeviceVerdict {
    let error = row.error ?? ""
    let validate = "Give the file alone to `aasa validate -`."
    return switch answer {
    case .copy:
      DeviceVerdict(
        .cdnHasFile, .sure, .operations, "Apple's CDN has a file of \(host).",
        next: "\(validate) Run \(check) to see which revision it is.")
    case .noCopy:
      DeviceVerdict(
        .cdnFailed, .sure, .operations, "Apple's CDN has no valid file of \(host).\(checked)",
        next: "Run \(check), and look for `cdn-failed`.")
    case .served:
      DeviceVerdict(
        .cdnHasFile, .likely, .operations, "The site answers with a file.",
        next: "\(validate) Run \(check) to see whether devices and Apple's CDN get it, too.")
    case .redirected:
      DeviceVerdict(
        .redirectRefused, .likely, .operations,
        "The site redirects the request for the file\(error.isEmpty ? "" : " to \(error.quoted)"). Devices do not follow.",
        next: "Serve the file at the address itself; \(check) shows where it leads.")
    case .fetched:
      DeviceVerdict(
        .cdnHasFile, .likely, .operations,
        "The server's log has a request of Apple for the file, and the site answered it. The log does not say with what.",
        next: "Run \(check) to see what it answers, and which revision Apple's CDN has.")
    case .unreachable: unreachableVerdict(error)
    case .untrusted:
      DeviceVerdict(
        .certificateRefused, .likely, .operations,
        "A program does not trust the certificate of \(host): \(error.quoted). Devices, Apple and Google may not either; but the "
          + "cause may also be a proxy, or the list of authorities on that machine.",
        next: "Run \(check) from another network, and look for `tls-error`.")
    case .empty:
      DeviceVerdict(
        .unusableFile, .likely, .operations, "The site answers with nothing: the file is empty.",
        next: "Look at what the server has at the path; \(check) asks as devices do.")
    case .misplaced:
      DeviceVerdict(
        .incomplete, .sure, .operations,
        "Devices, Apple and Google request `/.well-known/\(SiteAnswer.misplacedFile(Array(error.utf8)[...]) ?? "")` from the "
          + "host, and not \(error.quoted), so this answer does not show what they get.",
        next: "Serve the file at exactly that path; \(check) asks as devices do.")
    case .leadsToTLS:
      DeviceVerdict(
        .incomplete, .sure, .operations,
        "Devices, Apple and Google ask over HTTPS only. What the site answers over HTTP says nothing.",
        next: "Ask again with `https://`, or run \(check).")
    case .cdnUnreachable:
      DeviceVerdict(
        .neverDownloaded, .likely, .user,
        "curl did not reach Apple's CDN: \(words(ofCurl: error)). That is your network, and not the site.",
        next: "Ask from another network, or run \(check), which asks Apple's CDN, too.")
    case .otherUnreachable:
      DeviceVerdict(
        .neverDownloaded, .likely, .user,
        "curl got no answer from another host than the site, such as a proxy: \(words(ofCurl: error)).",
        next:
          "Ask from a network without that proxy. If a redirect leads to that host, \(check) shows it."
      )
    case .page:
      DeviceVerdict(
        .unusableFile, .likely, .operations, "The site answers with a page in place of the file.",
        next: "Run \(check), and look for `html-answer`.")
    case .type:
      DeviceVerdict(
        .unusableFile, .likely, .operations,
        "The site serves the file as \(error.quoted), and not as `application/json`.",
        next: "Change the type that the server sends; \(check) asks as devices do.")
    case .status: row.failure.map(failureVerdict) ?? unknownState
    }
  }

  private func failureVerdict(_ failure: SiteAnswer.Failure) -> DeviceVerdict {
    DeviceVerdict(
      .unusableFile, .likely, .operations,
      "The site answers with status \(failure.status)\(failure.file.map { " for `\($0)`" } ?? "")"
        + (failure.reason == .challenge
          ? ", which is Cloudflare's challenge for bots: Apple and Google do not solve it." : "."),
      next: "\(remedy(for: failure)); \(check) asks as devices do.")
  }

  private func remedy(for failure: SiteAnswer.Failure) -> String {
    switch failure.reason {
    case .storage:
      return
        "S3 refuses a file that is not there in the same way. Look whether the bucket has it in `.well-known/`, and whether "
        + "its policy lets the CDN, or everybody, read it"
    case .rule:
      return
        "A rule of the server keeps everybody from the file, often one for names that begin with a dot. Make an exception "
        + "for `/.well-known/`"
    case .permission:
      return "Let the server read the file, and enter the directories above it"
    case .upstream:
      return "Look at the server behind the proxy, or let the proxy serve the file itself"
    case .challenge, nil: break
    }
    if [404, 410].contains(failure.status) {
      return
        "Serve the file at `/.well-known/apple-app-site-association`, for Android at `/.well-known/assetlinks.json`. "
        + "Some servers and deployments leave out directories that begin with a dot, and IIS files without an extension"
    }
    if failure.status >= 500 && failure.reason == nil {
      return "Look at the log of the server, or of the proxy in front of it"
    }
    return "Let requests for the file through without a challenge, a login or a block"
  }

  /// What `curl` says instead of an answer, as `(60) SSL certificate problem: …` (its manual page lists the numbers).
  private func unreachableVerdict(_ error: String) -> DeviceVerdict {
    let number = Int(error.dropFirst().prefix { $0.isNumber })
    let message = "curl got no answer from the site: \(words(ofCurl: error))."
    switch number {
    case 35:
      return DeviceVerdict(
        .neverDownloaded, .likely, .operations, message,
        next:
          "The TLS handshake failed, often because of a proxy or firewall in between. \(check) says whether the site "
          + "answers others.")
    case 51, 60, 91:
      return DeviceVerdict(
        .certificateRefused, .likely, .operations, message,
        next:
          "Serve a certificate of a public authority for this name, with its intermediate ones; \(check) says what is wrong with it."
      )
    case 6:
      return DeviceVerdict(
        .neverDownloaded, .likely, .operations, message,
        next: "Give the name public DNS records; \(check) looks them up.")
    default:
      return DeviceVerdict(
        .neverDownloaded, .likely, .operations, message,
        next:
          "Look at the server, and at firewalls in front of port 443; \(check) says whether the site answers others."
      )
    }
  }

  /// What `curl` says behind its number.
  private func words(ofCurl error: String) -> String {
    String(error.drop { $0 != ")" }.dropFirst().drop { $0 == " " }).quoted
  }
}
