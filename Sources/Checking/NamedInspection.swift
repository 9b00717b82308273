import Association
import Store

// What the origin answers for documents that are published as bytes.
extension CheckInspection {
  mutating func inspect(_ document: NamedDocument, _ observation: Observation) {
    let kind = DocumentKind.named(document.name)
    let url = observation.url
    if let expiry = document.expiry(at: check.at), observation.url.hasSuffix(document.name.paths[0])
    {
      add(expiry.code, url, expiry.message, expiry.help, kind: kind)
    }
    switch observation.result {
    case .failure(let failure):
      // What is wrong with the host is said once.
      if has(failure.code) { return }
      add(failure, observation, kind)
    case .success(let answer): inspect(answer, document, observation)
    }
  }

  private mutating func inspect(
    _ answer: Fetch.Answer, _ document: NamedDocument, _ observation: Observation
  ) {
    let (kind, url) = (DocumentKind.named(document.name), observation.url)
    if observation.followed.hops.count > 1 {
      let isAllowed = document.name.known?.allowsRedirect == true && !observation.followed.isEndless
      add(
        observation.followed.redirectCode ?? .redirectSameSite,
        severity: isAllowed ? .note : .error,
        url, "\(url) redirects to \(observation.followed.hops[1].url.fromOutside).",
        isAllowed
          ? "\(document.name) may be redirected. Pass the path to aasa if that is not meant."
          : "Serve the document at this address directly: its readers may follow no redirect.",
        kind: kind)
      if !isAllowed { return }
    }
    if answer.status != 200 {
      return add(
        .httpStatus, url, "\(url) \(observation.redirectInWords)answers \(answer.status), not 200.",
        "Pass this path to aasa, also for this name. Compare with what aasa answers itself.",
        kind: kind)
    }
    if answer.body != document.bytes {
      if answer.isPage {
        return add(
          .htmlAnswer, url, "\(url) serves an HTML page instead of the document.",
          "Something in front of aasa answers every path with a page. Pass this path to aasa.",
          kind: kind)
      }
      add(
        .bodyNotOurs, url,
        "\(url) serves other bytes (\(answer.isCut ? "more than " : "")\(answer.size.counted("byte")), SHA-256 "
          + "\(SHA256.hexadecimal(of: answer.body).prefix(12))…) than aasa (\(document.bytes.count), "
          + "\(document.sha256.prefix(12))…).",
        "A cache keeps an old copy, another server answers for this path, or something in front changes the document.",
        kind: kind)
    }
    if answer.mediaType != document.mediaType.essence {
      add(
        .contentType, severity: .warning, url,
        "\(url) has the type \(answer.mediaType.isEmpty ? "none" : answer.mediaType.quoted), not "
          + "\(document.mediaType.essence).",
        "Something in front of aasa sets another Content-Type. Configure it to pass the field on.",
        kind: kind)
    }
  }

  /// Whether browsers offer the page for changing a password.
  mutating func inspectPassword() {
    guard let page = subject.changePassword, let observation = seen.password else { return }
    let first = observation.followed.hops[0]
    if case .success(let answer) = first.fetch.result {
      let isPermanent = [301, 308].contains(answer.status)
      // libcurl writes some URLs in another way, such as one without a path.
      let isThere = [answer.redirect, answer["Location"]].contains(page.text)
      if !isThere || isPermanent {
        add(
          .passwordPage, severity: isPermanent && isThere ? .warning : .error,
          observation.url,
          answer.redirect.map {
            "\(observation.url) redirects with \(answer.status) to \($0.fromOutside)"
              + (isThere ? "" : ", not to \(page)")
              + (isPermanent ? ", which browsers remember." : ".")
          } ?? "\(observation.url) answers \(answer.status) and does not redirect to \(page).",
          "Pass this path to aasa, which answers 302 with the page.")
      }
    }
    guard let probe = seen.probe, case .success(let answer) = probe.result,
      (200..<300).contains(answer.status)
    else { return }
    add(
      .passwordProbe, probe.url,
      "\(probe.url) answers \(answer.status), though nothing is there. Browsers then take it that the site answers "
        + "everything, and offer no page to change a password.",
      "Answer 404 to what does not exist. aasa does, if requests reach it.")
  }
}
