import Association
import Fetching
import Glibc
import JSONValue

// What Apple's CDN and Google's service have.
extension CheckInspection {
  /// What is seen of Apple's copy.
  mutating func inspectCDN() throws {
    let url = seen.cdn.url
    switch seen.cdn.result {
    case .failure(let failure):
      add(
        .cdnUnreachable, url, "Apple's CDN cannot be asked: \(failure.words.fromOutside)",
        "Allow this machine to reach it over HTTPS, or set appleCDN.")
    case .success(let answer):
      switch answer.status {
      case 200: try inspect(copy: answer)
      case 404: inspect(failure: answer)
      default:
        add(
          .cdnUnreachable, url, "Apple's CDN answers \(answer.status).",
          "Try again later.")
      }
    }
  }

  private mutating func inspect(copy answer: Fetch.Answer) throws {
    let url = seen.cdn.url
    let freshness = Freshness(answer, now: check.at)
    if subject.isServed, seen.bot.file == nil {
      add(
        .cdnOnly, url,
        "Apple's CDN still has a copy\(freshness.inWords), and the site serves no file.",
        "Mend the site before the copy ends: then links stop opening the app on new devices.")
    }
    guard let reference = subject.reference else {
      let isSame = originFile.flatMap(JSON.readable) == JSON.readable(answer.body)
      if originFile != nil, !isSame {
        add(
          .cdnStale, url,
          "Apple's CDN has another file than the site\(freshness.inWords).",
          "Wait until it fetches the file again, or use an alternate mode for tests.")
      }
      try inspectExpectations(answer.body)
      return
    }
    var held = try reference.held(answer.body, .apple)
    (held.age, held.expiresAt) = (freshness.age, freshness.expiresAt)
    check.cdn = held
    if !subject.isServed {
      add(
        .cdnStale, url,
        "Apple's CDN still has a copy of the disabled domain\(freshness.inWords).",
        "Wait until it fetches again. Nothing makes it faster.")
      return
    }
    if !held.isCurrent {
      let current = held.current.map { "revision \($0) is current" } ?? "the file differs"
      let copy = held.revision.map { "revision \($0)" } ?? "a file that is none of its revisions"
      add(
        .cdnStale, url,
        "Apple's CDN has \(copy) of \(subject.domain); \(current).\(freshness.sentence)"
          + (held.revision == nil ? held.changesInWords : ""),
        "Wait until it fetches again. Nothing makes it faster; devices in developer mode ask the site."
      )
    }
    try inspectExpectations(answer.body)
  }

  /// Resolves the domain's expectations with Apple's copy.
  private mutating func inspectExpectations(_ body: [UInt8]) throws {
    let expectations = subject.expectations.filter { $0.app.platform == .ios }
    guard !expectations.isEmpty, let json = JSON.readable(body) else { return }
    do throws(TooComplex) {
      let matcher = try DomainMatcher(ReadDocuments([.apple: json]))
      var budget = MatchingBudget(steps: 20_000_000)
      for expectation in expectations.prefix(1000) {
        let found = try matcher.explain(
          expectation.url, for: expectation.app, budget: &budget
        ).resolution
        if found == expectation.resolution { continue }
        add(
          .expectationFailedOnCDN, seen.cdn.url,
          "With Apple's copy, \(expectation.url.shown) is \(found.rawValue) for \(expectation.app), not "
            + "\(expectation.resolution.rawValue).",
          has(.cdnStale)
            ? "The current file may mend it when Apple fetches it."
            : "Change the routes, or the expectation.")
      }
    } catch {
      add(.expectationFailedOnCDN, seen.cdn.url, error.finding.message, error.finding.help)
    }
  }

  private mutating func inspect(failure answer: Fetch.Answer) {
    guard subject.isServed else { return }
    guard let reason = answer["Apple-Failure-Reason"] else {
      add(
        .cdnNeverFetched, seen.cdn.url, "Apple's CDN has nothing for \(subject.domain).",
        "It fetches the file when the first device asks for it.")
      return
    }
    let details = answer["Apple-Failure-Details"].map { " (\($0.fromOutside))" } ?? ""
    let next = Freshness(answer, now: check.at).rest.map {
      " It tries again in \(Freshness.duration($0)) at the earliest."
    }
    add(
      .cdnFailed, seen.cdn.url,
      "Apple's CDN could not fetch the file: \(reason.fromOutside)\(details).\(next ?? "")",
      seen.bot.file == nil
        ? "Mend what is wrong with the site first; see the other findings."
        : "The site answers this machine. Look for rules that refuse other countries, networks or bots.",
      apple: Self.appleCode(of: reason))
  }

  /// The code of App Store Connect for a reason of the CDN, as far as they are known to be the same.
  private static func appleCode(of reason: String) -> String? {
    ["SWCERR00101": "BAD_HTTP_RESPONSE", "SWCERR00301": "TIMEOUT"]
      .first { reason.hasPrefix($0.key) }?.value
  }

  mutating func inspectGoogle() {
    for (target, observation) in seen.google {
      let name = "\(target.package) at \(subject.domain)"
      guard let answer = observation.answer, answer.status == 200,
        let json = JSON.readable(answer.body),
        let isLinked = json["linked"]?.boolValue ?? Self.none(json)
      else {
        let words = observation.answer.map { "status \($0.status)." }
        add(
          .googleUnreachable, observation.url,
          "Google's service cannot be asked about \(target.package): "
            + (words ?? Self.words(of: observation)),
          "Try again later, or give a key for the Digital Asset Links API.", kind: .assetLinks)
        return
      }
      let codes = json["errorCode"]?.arrayValue?.compactMap(\.stringValue) ?? []
      let isServed = seen.assetLinks?.file.flatMap(JSON.readable).map {
        Self.links(target, in: $0)
      }
      let details = ([codes.joined(separator: ", ")] + [json["debugString"]?.stringValue ?? ""])
        .filter { !$0.isEmpty }.joined(separator: ": ").fromOutside
      if isLinked {
        if isServed == false { addDifference(name, observation, "links", "does not") }
      } else if isServed == true && codes.isEmpty {
        addDifference(name, observation, "does not link", "does")
      } else {
        add(
          .assetLinksNotLinked, observation.url,
          "For Google, \(name) is not linked" + (details.isEmpty ? "." : ": \(details)"),
          "Links of the domain do not open the app on Android. Check the package, the fingerprint and the file "
            + "that the site serves.", kind: .assetLinks)
      }
    }
  }

  private mutating func addDifference(
    _ name: String, _ observation: Observation, _ google: String, _ site: String
  ) {
    add(
      .googleDiffers, observation.url,
      "Google \(google) \(name), and the file that the site serves \(site).",
      "Google keeps a copy for some hours. Check again after that.", kind: .assetLinks)
  }

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

/// How fresh a cached answer is (RFC 9111 section 4.2).
struct Freshness {
  /// Its age in seconds; `nil` if the answer does not say.
  let age: Int?
  /// For how many seconds it stays fresh; `nil` if the answer does not say, 0 if it is stale.
  let rest: Int?
  /// Until when it is fresh, in seconds since 1970.
  let expiresAt: Int64?

  init(_ answer: Fetch.Answer, now: Int64) {
    age = answer["Age"].flatMap { Int($0) }.map { max(0, min($0, 1 << 31)) }
    let directives = (answer["Cache-Control"] ?? "").lowercased().split(separator: ",")
      .map { $0.filter { $0 != " " } }
    let lifetime = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int($0.dropFirst(8)) }
    let age = age ?? 0
    rest = lifetime.map { max(0, min($0, 1 << 31) - age) }
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
