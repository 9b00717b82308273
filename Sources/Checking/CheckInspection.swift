import Association
import Store

/// Makes the findings of a check.
struct CheckInspection {
  let subject: Subject
  var seen: Observations
  var check: Check
  /// What the origin serves at Apple's location, and where that is not Apple's file, nothing.
  private(set) var originFile: [UInt8]?
  private var compared: [DocumentKind: [[UInt8]: FoundDocument]] = [:]
  private let work: CheckBudget.Work

  init(_ subject: Subject, _ observations: Observations, at: UnixTime, _ work: CheckBudget.Work) {
    (self.subject, seen, self.work) = (subject, observations, work)
    check = Check(of: subject.domain, at: at)
    check.requests = observations.all.flatMap(\.json)
  }

  /// - Throws: `StoreError.database`.
  mutating func run() throws {
    inspectCertificate()
    if DomainName.isInternationalized(subject.domain.text) {
      add(
        .internationalizedName, seen.bot.url,
        "\(DomainName.internationalizedReport) This concerns \(subject.domain).",
        DomainName.internationalizedHelp)
    }
    if subject.isServed {
      originFile = try inspect(.apple)
      inspectLocations()
      inspectSibling()
      try inspectAliases()
      inspectPeople()
    } else if let file = seen.bot.file {
      originFile = file
      add(
        .bodyNotOurs, seen.bot.url,
        "\(subject.domain) is disabled here, and \(seen.bot.url) serves a file.",
        "Find out what answers for the name. If it is a cache, wait or purge it.")
    }
    try inspectCDN()
    for kind in DocumentKind.allCases where kind != .apple {
      _ = try inspect(kind)
      if kind == .assetLinks, let package = subject.app?.package { inspectAndroidApp(package) }
    }
    inspectGoogle()
    inspectRobots()
    for (document, observation) in seen.named { inspect(document, observation) }
    inspectPassword()
    try Task.checkCancellation()
    if work.share.isCut {
      add(
        .tooComplex, severity: .warning, seen.bot.url,
        "\(subject.domain) serves files that take too long to compare, so the check left something out.",
        "Check it alone. If that does not help, give the files fewer patterns with \"*\".")
    }
    check.findings.sort { $0.severity > $1.severity }
  }

  mutating func add(
    _ code: Finding.Code, severity: Finding.Severity? = nil, _ url: String, _ message: String,
    _ help: String, kind: DocumentKind = .apple, apple: String? = nil
  ) {
    var finding = Finding(code, severity: severity, at: .root, message, help: help)
    finding.kind = kind
    finding.source = .check
    finding.url = url.fromOutside
    finding.appleCode = apple
    check.findings.append(finding)
  }

  /// Finds the revision of ours that a document is, once for the same bytes.
  mutating func held(
    _ body: [UInt8], _ kind: DocumentKind, by reference: Reference
  ) throws -> FoundDocument {
    if let known = compared[kind]?[body] { return known }
    let held = try reference.held(body, kind, while: work.goesOn)
    compared[kind, default: [:]][body] = held
    return held
  }

  /// The same, and if it is none, with what changes from ours to it.
  mutating func described(
    _ body: [UInt8], _ kind: DocumentKind, by reference: Reference
  ) throws -> FoundDocument {
    var held = try held(body, kind, by: reference)
    if held.equality == nil, held.changes.isEmpty, goesOn(body.count) {
      held.changes = reference.changes(to: body, kind)
      compared[kind, default: [:]][body] = held
    }
    return held
  }

  /// Whether something that can take long may be done with a file of so many bytes. If not, the check says so.
  func goesOn(_ bytes: Int) -> Bool { work.goesOn(bytes) }

  /// Whether a finding is there.
  func has(_ codes: Finding.Code...) -> Bool {
    check.findings.contains { codes.contains($0.code) }
  }
}

// TLS, names and other hosts.
extension CheckInspection {
  private mutating func inspectCertificate() {
    let hops = seen[.apple].observations.map { $0.followed.hops[0] }
    guard let certificate = hops.compactMap(\.fetch.certificate).first else { return }
    let end = UnixTime(certificate.endsAt)
    check.certificate = CertificateFacts(
      names: certificate.names, issuer: certificate.issuer, endsAt: end)
    let left = end.seconds(since: check.at)
    guard left > 0, left < CheckRecord.Certificate.warning else { return }
    add(
      .certificateExpiring, seen.bot.url,
      "The certificate of \(subject.domain) expires on \(end.text), in "
        + (left < 86_400 ? "less than a day." : "\(Int(left / 86_400).counted("day"))."),
      "Renew it. From then on, Apple cannot fetch the file, and no link opens the app on a new device."
    )
  }

  /// What is at the other location of Apple's file.
  private mutating func inspectLocations() {
    guard subject.expects(.apple), let root = seen.root.file.flatMap(JSON.readable),
      seen.root.followed.hops.count == 1
    else {
      return
    }
    guard let file = originFile.flatMap(JSON.readable) else {
      if seen.bot.answer?.status == 404 || has(.htmlAnswer) {
        add(
          .wrongLocation, seen.root.url,
          "\(seen.root.url) has the file, and \(seen.bot.url) has none.",
          "Serve it at /.well-known/apple-app-site-association. The other location is Apple's older one, which "
            + "developer mode ignores.")
      }
      return
    }
    if file != root {
      add(
        .locationsDiffer, seen.root.url,
        "\(seen.root.url) serves another file than \(seen.bot.url), which is the one that counts.",
        "Pass both paths to aasa, or neither.")
    }
  }

  private mutating func inspectSibling() {
    guard let sibling = seen.sibling, let answer = sibling.answer, let own = originFile else {
      return
    }
    let isSame =
      sibling.followed.hops.count == 1 && sibling.file.flatMap(JSON.readable) == JSON.readable(own)
    if isSame { return }
    let what =
      sibling.followed.hops.count > 1
      ? "redirects to \(sibling.followed.hops[1].url.fromOutside)"
      : sibling.file == nil ? "has no file (status \(answer.status))" : "serves another file"
    add(
      .apexWWWDiffer, severity: sibling.file == nil ? .note : .warning, sibling.url,
      "\(subject.domain) serves a file, and \(sibling.host) \(what). Links to \(sibling.host) need a file of "
        + "their own.",
      "If \(sibling.host) serves links, add it as an alias and pass its requests to aasa.")
  }

  private mutating func inspectAliases() throws {
    for (alias, observation) in seen.aliases {
      let fault: String?
      switch observation.result {
      case .failure(let failure): fault = failure.words
      case .success(let answer) where observation.followed.hops.count > 1 || answer.status != 200:
        fault =
          observation.followed.hops.count > 1
          ? "it redirects to \(observation.followed.hops[1].url.fromOutside)."
          : "status \(answer.status)."
      case .success:
        // Nobody said what it should serve.
        guard let isCurrent = observation.isCurrent else { continue }
        fault = isCurrent ? nil : "it serves something else."
      }
      guard let fault else { continue }
      add(
        .aliasNotReached, observation.url,
        "The alias \(alias) does not reach aasa: \(observation.host): \(fault)",
        alias.isWildcard
          ? "A wildcard needs DNS for every name below it, a certificate that covers them, and a proxy that passes "
            + "them to aasa."
          : "Point \(alias) at the proxy in front of aasa, with a certificate for it, or remove the alias."
      )
    }
  }
}
