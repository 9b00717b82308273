import Association
import Glibc

// What Apple's CDN and Google's service have.
extension CheckInspection {
  /// What is seen of Apple's copy.
  mutating func inspectCDN() throws {
    let url = seen.cdn.url
    switch seen.cdn.result {
    case .failure(let failure):
      add(
        .cdnUnreachable, url, "Apple's CDN cannot be reached: \(failure.words.fromOutside)",
        "Allow this machine to reach it over HTTPS, or correct appleCDN if it is set.")
    case .success(let answer):
      let hasReason = answer["Apple-Failure-Reason"]?.isEmpty == false
      if answer.status == 404 || hasReason {
        inspect(failure: answer)
      } else if answer.status != 200 || seen.cdn.file == nil {
        add(
          .cdnUnreachable, url,
          "Apple's CDN answers \(answer.status)\(answer.status == 200 ? " and no file" : "").",
          "Try again later. If a proxy on the way answers instead, let requests to the CDN through."
        )
      } else {
        try inspect(copy: answer)
      }
    }
  }

  private mutating func inspect(copy answer: Fetch.Answer) throws {
    let url = seen.cdn.url
    let freshness = Freshness(answer, now: check.at)
    guard subject.expects(.apple) else {
      if subject.reference?.isPublished == true {
        let what =
          subject.isServed ? "a file that \(subject.domain) no longer has" : "the disabled domain"
        add(
          .cdnStale, url, "Apple's CDN still has a copy of \(what)\(freshness.inWords).",
          "Wait until it fetches again. Nothing makes it faster.")
      }
      return
    }
    if seen.bot.file == nil {
      add(
        .cdnOnly, url,
        "Apple's CDN still has a copy\(freshness.inWords), and the site serves no file.",
        "Fix the site before the copy expires, or links stop opening the app on new devices.")
    }
    guard let reference = subject.reference else {
      let isSame = originFile.flatMap(JSON.readable) == JSON.readable(answer.body)
      if originFile != nil, !isSame {
        add(
          .cdnStale, url,
          "Apple's CDN has another file than the site\(freshness.inWords).",
          "Wait until it fetches the file again, or use an alternate mode for tests.")
      }
      try inspectExpectations(answer.body, freshness)
      return
    }
    var held = try described(answer.body, .apple, by: reference)
    (held.age, held.expiresAt) = (freshness.age, freshness.expiresAt)
    check.cdn = held
    if !held.isCurrent {
      let copy =
        switch (held.current, held.revision) {
        case (nil, _): "another file than the given one"
        case (let current?, let revision?):
          "revision \(revision) of \(subject.domain); revision \(current) is current"
        case (_?, nil): "a file that is none of the revisions of \(subject.domain)"
        }
      add(
        .cdnStale, url,
        "Apple's CDN has \(copy).\(freshness.sentence)"
          + (held.revision == nil ? held.changes.inWords : ""),
        has(.answersDiffer)
          ? "The site gives different answers by turns, and the CDN keeps one of them: see answers-differ."
          : "Wait until it fetches again. Nothing makes it faster; devices in developer mode ask the site."
      )
    }
    try inspectExpectations(answer.body, freshness)
  }

  /// Resolves the domain's expectations with Apple's copy. If that is only old, and the current file meets them,
  /// time mends it.
  private mutating func inspectExpectations(_ body: [UInt8], _ freshness: Freshness) throws {
    let newer =
      has(.cdnStale)
      ? subject.reference?.documents[.apple] ?? originFile.flatMap(JSON.readable) : nil
    let expectations = subject.expectations.filter { $0.app.platform == .ios }
    guard !expectations.isEmpty, let json = JSON.readable(body), goesOn(body.count)
    else { return }
    do throws(TooComplex) {
      let matcher = try DomainMatcher(ReadDocuments([.apple: json]))
      let newerMatcher = try newer.map { json throws(TooComplex) in
        try DomainMatcher(ReadDocuments([.apple: json]))
      }
      var budget = MatchingBudget(steps: 20_000_000)
      for expectation in expectations.prefix(1000) {
        let found = try matcher.resolution(
          of: expectation.url, for: expectation.app, budget: &budget)
        if found == expectation.resolution { continue }
        let isMended =
          try newerMatcher?.resolution(
            of: expectation.url, for: expectation.app, budget: &budget) == expectation.resolution
        add(
          .expectationFailedOnCDN,
          severity: isMended && freshness.rest != 0 ? .warning : .error, seen.cdn.url,
          "With Apple's copy, \(expectation.url.shown) is \(found.rawValue) for \(expectation.app), not "
            + "\(expectation.resolution.rawValue).",
          isMended
            ? "The current file fixes this once Apple fetches it."
            : "Change the routes, or the expectation.")
      }
    } catch {
      add(.tooComplex, severity: .warning, seen.cdn.url, error.finding.message, error.finding.help)
    }
  }

  private mutating func inspect(failure answer: Fetch.Answer) {
    guard subject.expects(.apple) else { return }
    guard let failure = AppleFailure(answer) else {
      add(
        .cdnNeverFetched, seen.cdn.url, "Apple's CDN has nothing for \(subject.domain).",
        "It fetches the file when the first device asks for it.")
      return
    }
    let details = failure.details.map { " (\($0.fromOutside(atMost: 1000)))" } ?? ""
    let next = Freshness(answer, now: check.at).rest.map {
      "It tries again in \(Freshness.duration($0)) at the earliest."
    }
    let reason = "\(failure.reason.fromOutside(atMost: 500))\(details)."
    add(
      .cdnFailed, seen.cdn.url,
      (["Apple's CDN could not fetch the file: \(reason)", failure.meaning]
        + [failure.directly, next].compactMap(\.self)).joined(separator: " "),
      isSiteFine
        ? "The site serves the file to this machine. If you fixed it since, wait until Apple tries again. Otherwise, "
          + failure.help.prefix(1).lowercased() + failure.help.dropFirst()
        : "Fix the site first; see the other findings.",
      apple: failure.appleCode)
  }

  /// Whether nothing was found that keeps Apple from the file.
  private var isSiteFine: Bool {
    originFile != nil
      && !check.findings.contains { $0.severity == .error && $0.url == seen.bot.url.fromOutside }
  }

  mutating func inspectGoogle() {
    for (target, observation) in seen.google {
      let name = "\(target.package) at \(subject.domain)"
      guard let answer = observation.answer, answer.status == 200,
        let json = JSON.readable(answer.body),
        let isLinked = json["linked"]?.boolValue ?? Self.none(json)
      else {
        if has(.googleUnreachable) { continue }
        let words = observation.answer.map { "status \($0.status)." }
        add(
          .googleUnreachable, observation.url,
          "Google's service gave no answer about \(target.package): "
            + (words ?? Self.words(of: observation)),
          "Try again later, or give a key for the Digital Asset Links API.", kind: .assetLinks)
        continue
      }
      let codes = json["errorCode"]?.arrayValue?.compactMap(\.stringValue) ?? []
      let isServed = seen[.assetLinks].chosen.file.flatMap(JSON.readable).map {
        Self.links(target, in: $0)
      }
      let explanation = GoogleExplanation(json["debugString"]?.stringValue ?? "").text
      let isFetchFault = Self.isFetchFault(codes, explanation)
      let details = [codes.joined(separator: ", ").fromOutside, explanation]
        .filter { !$0.isEmpty }.joined(separator: ": ")
      if isLinked {
        if isServed == false { addDifference(name, observation, "links", "does not", "") }
      } else if isServed == true && isFetchFault && !isKeptOutByRobots {
        add(
          .assetLinksNotLinked, observation.url,
          "Google cannot fetch the file for \(name)" + (details.isEmpty ? "." : ": \(details)"),
          has(.answersDiffer)
            ? "The site gives different answers by turns: see answers-differ."
            : seen[.assetLinks].chosen.followed.redirectCode != nil
              ? "This machine gets the file only through a redirect. Serve it at its own address first."
              : "This machine gets the file. Look for a rule that refuses Google's fetcher: by User-Agent, by network or "
                + "by country.", kind: .assetLinks)
      } else if isServed == true && codes.isEmpty {
        addDifference(name, observation, "does not link", "does", explanation)
      } else {
        add(
          .assetLinksNotLinked, observation.url,
          "For Google, \(name) is not linked" + (details.isEmpty ? "." : ": \(details)"),
          "Links of the domain do not open the app on Android. "
            + (isKeptOutByRobots
              ? "robots.txt keeps Google from the file: see robots-disallow."
              : Self.help(for: codes)),
          kind: .assetLinks)
      }
    }
  }

  private mutating func addDifference(
    _ name: String, _ observation: Observation, _ google: String, _ site: String,
    _ explanation: String
  ) {
    add(
      .googleDiffers, observation.url,
      "Google \(google) \(name), but the file that the site serves \(site)."
        + (explanation.isEmpty ? "" : " Google says: \(explanation)"),
      google == "does not link" && isKeptOutByRobots
        ? "robots.txt keeps Google from the file: see robots-disallow. Google asks again some hours after it is fixed."
        : has(.answersDiffer)
          ? "The site gives different answers by turns: see answers-differ. Google keeps one of them for some hours."
          : "Google keeps a copy for some hours. Check again after that.", kind: .assetLinks)
  }

  private static func help(for codes: [String]) -> String {
    for (code, help) in [
      ("REDIRECT", "Serve the file at its own address, without a redirect."),
      ("FAILED_SSL_VALIDATION", "Look at the certificate, and at those between it and its root."),
      ("WRONG_CONTENT_TYPE", "Serve the file as application/json."),
      ("MALFORMED_CONTENT", "Correct the file: aasa validate names the fault."),
    ] where codes.contains("ERROR_CODE_" + code) {
      return help
    }
    return "Check the package, the fingerprint and the file that the site serves."
  }

  /// Whether Google says that it could not fetch the file.
  private static func isFetchFault(_ codes: [String], _ explanation: String) -> Bool {
    let words = explanation.lowercased()
    return codes.contains("ERROR_CODE_FETCH_ERROR")
      || words.contains("fetch") && (words.contains("fail") || words.contains("error"))
  }

  private var isKeptOutByRobots: Bool { robotsRule != nil || areRobotsUnreachable }

  /// `linked` is left out where it is false (the JSON form of protocol buffers).
  private static func none(_ json: JSON) -> Bool? {
    json["maxAge"] != nil || json["debugString"] != nil || json["errorCode"] != nil ? false : nil
  }

  private static func words(of observation: Observation) -> String {
    if case .failure(let failure) = observation.result { failure.words.fromOutside } else { "" }
  }

  private static func links(_ target: GoogleTarget, in file: JSON) -> Bool {
    guard let relation = Relation(target.relation), let package = PackageName(target.package),
      let fingerprint = Fingerprint(target.fingerprint)
    else { return false }
    return AssetLinks(file).statements.link(relation, to: package, signedWith: fingerprint)
  }
}

// What robots.txt says to Google.
extension CheckInspection {
  /// The agents whose rules Google's service heeds: its own name, and without rules for that, the crawler's.
  private static let crawlers = ["GoogleAssociationService", "Googlebot"]

  /// The rule that keeps Google from Android's file.
  private var robotsRule: RobotsFile.Rule? {
    guard let answer = seen.robots?.answer, (200...299).contains(answer.status) else { return nil }
    return RobotsFile(answer.body, for: Self.crawlers)
      .rule(against: Place.wellKnown(.assetLinks).path)
  }

  /// Whether the file cannot be had for a reason that crawlers take for a prohibition (RFC 9309 section 2.3.1.4,
  /// and 429 as Google reads it).
  private var areRobotsUnreachable: Bool {
    guard let robots = seen.robots else { return false }
    return robots.answer.map { $0.status >= 500 || $0.status == 429 } ?? true
  }

  /// Reports that robots.txt keeps Google from Android's file.
  mutating func inspectRobots() {
    guard let robots = seen.robots else { return }
    let file = seen[.assetLinks].chosen.url
    // If Google links an app anyway, it has asked before, or does not heed the file.
    let isNotLinked = has(.googleDiffers, .assetLinksNotLinked)
    if let rule = robotsRule {
      add(
        .robotsDisallow, severity: isNotLinked ? .error : .warning, robots.url,
        "Line \(rule.line) of \(robots.followed.last.url.fromOutside), \(rule.text.quoted), keeps "
          + "\(Self.crawlers.contains(rule.group) ? rule.group : "Googlebot") from \(file). It is in the group of "
          + (rule.group == "*" ? "\"*\", which is for every agent." : "\(rule.group.quoted)."),
        (rule.outweighing(Place.wellKnown(.assetLinks).path).map {
          "Remove that line, or add \"\($0)\" to its group."
        } ?? "Remove that line.")
          + " Google's service, which Android asks about links and passkeys, heeds robots.txt.",
        kind: .assetLinks)
    } else if areRobotsUnreachable {
      let what =
        switch robots.result {
        case .failure(let failure): failure.words.fromOutside
        case .success(let answer): "status \(answer.status)."
        }
      add(
        .robotsDisallow, severity: isNotLinked ? .error : .warning, robots.url,
        "\(robots.url) cannot be read: \(what) Until it can, crawlers treat everything as disallowed, and Google may "
          + "not fetch \(file).",
        "Serve robots.txt, or answer 404 if there is none.", kind: .assetLinks)
    }
  }
}

extension AppleFailure {
  /// The failure in an answer of the CDN; `nil` if the answer gives no reason.
  init?(_ answer: Fetch.Answer) {
    guard let reason = answer["Apple-Failure-Reason"]?.onOneLine, !reason.isEmpty else {
      return nil
    }
    let details = answer["Apple-Failure-Details"].flatMap { $0.isEmpty ? nil : $0 }
    let tryDirect = answer["Apple-Try-Direct"].flatMap { Bool($0.lowercased()) }
    self.init(reason: reason, details: details, tryDirect: tryDirect)
  }
}

/// How fresh a cached answer is (RFC 9111 section 4.2).
struct Freshness {
  /// Its age in seconds; `nil` if the answer does not say.
  let age: Int?
  /// For how many seconds it stays fresh; `nil` if the answer does not say, 0 if it is stale.
  let rest: Int?
  /// Until when it is fresh.
  let expiresAt: UnixTime?

  init(_ answer: Fetch.Answer, now: UnixTime) {
    age = answer["Age"].flatMap { Int($0) }.map { max(0, min($0, 1 << 31)) }
    let directives = (answer["Cache-Control"] ?? "").lowercased().split(separator: ",")
      .map { $0.filter { $0 != " " } }
    let lifetime = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int($0.dropFirst(8)) }
    let age = age ?? 0
    rest = lifetime.map { max(0, max(0, min($0, 1 << 31)) - age) }
    expiresAt = rest.map { now + Int64($0) }
  }

  /// `, fetched 2 hours ago`, or nothing.
  var inWords: String { age.map { ", fetched \(Self.duration($0)) ago" } ?? "" }

  /// When it was fetched and when it is due, as a sentence, or nothing.
  var sentence: String {
    let due = rest.map { $0 == 0 ? "is due now" : "is due in \(Self.duration($0))" }
    let parts = [age.map { "was fetched \(Self.duration($0)) ago" }, due].compactMap(\.self)
    return parts.isEmpty ? "" : " The copy \(parts.joined(separator: " and "))."
  }

  static func duration(_ seconds: Int) -> String {
    switch seconds {
    case ..<120: seconds.counted("second")
    case ..<7200: (seconds / 60).counted("minute")
    case ..<172_800: (seconds / 3600).counted("hour")
    default: (seconds / 86_400).counted("day")
    }
  }
}
