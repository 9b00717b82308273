/// Finds URLs that two documents resolve differently.
final class DifferenceExamination {
  /// How thoroughly a question is looked into.
  enum Care {
    /// Enough for most that have a URL as their answer.
    case brief
    /// Enough for most that have none.
    case thorough

    /// What one question may cost.
    fileprivate var effortPerQuestion: Int { self == .brief ? 30_000 : 500_000 }

    /// What all questions together may cost.
    fileprivate var effortPerComparison: Int { self == .brief ? 5_000_000 : 3_000_000 }
  }

  /// A route in a list.
  struct Listed {
    let route: ExaminedRoute
    let isExclusion: Bool
    let start: PathStart
  }

  enum Verdict {
    /// The route decides about this URL, and the other list resolves it differently.
    case found(url: String)
    /// There is no such URL.
    case none
    /// It was not found out, and may be by looking into it more thoroughly.
    case unknown
    /// It cannot be found out.
    case undecidable
  }

  /// What is left of a question without the routes that have nothing to do with it.
  private struct Question {
    let focus: ExaminedRoute
    var blockers: [ExaminedRoute] = []
    var rivals: [(route: ExaminedRoute, agrees: Bool)] = []
    var agreesOtherwise = false
  }

  private let routes: [AppLinks.Route]
  private let domain: String
  private let effort = Effort()
  private var unspent: [Care: Int] = [:]
  private var alphabets: [Alphabet.Reading: Alphabet] = [:]

  /// - Parameter routes: All routes that will be asked about.
  init(routes: [AppLinks.Route], domain: String) {
    self.routes = routes
    self.domain = domain
  }

  /// Whether a URL about which a route of a list decides resolves differently by another list.
  ///
  /// - Parameter isAnswer: Whether a URL is one, which is asked of some likely ones before any search.
  func verdict(
    on focus: Int, of list: [Listed], beside other: [Listed], _ care: Care,
    isAnswer: (String) -> Bool
  ) -> Verdict {
    let unspent = unspent[care] ?? care.effortPerComparison
    let limit = min(unspent, care.effortPerQuestion)
    effort.remaining = limit
    defer { self.unspent[care] = unspent - limit + effort.remaining }
    effort.spend((focus + other.count) / 2)
    if limit <= 0 { return .unknown }
    guard let question = question(on: focus, of: list, beside: other) else { return .none }
    let isMixed = !(question.blockers + question.rivals.map(\.route)).allSatisfy {
      $0.isComparable(with: question.focus)
    }
    if care == .brief, let url = likelyAnswer(question.focus, isMixed, isAnswer) {
      return .found(url: url)
    }
    let verdict = search(question, isMixed ? .unescaped : question.focus.reading)
    if case .none = verdict, isMixed { return .undecidable }
    return verdict
  }

  // MARK: - Questions

  /// The question without what does not bear on it; `nil` if the answer is no.
  private func question(on focus: Int, of list: [Listed], beside other: [Listed]) -> Question? {
    let asked = list[focus]
    let mayMeet = { (other: Listed) in
      other.start.mayMeet(asked.start) && other.route.mayMeet(asked.route)
    }
    var question = Question(focus: asked.route)
    var blocked: Set<Int> = []
    for earlier in list[..<focus] where mayMeet(earlier) {
      if earlier.route.language == asked.route.language { return nil }
      guard blocked.insert(earlier.route.language).inserted else { continue }
      question.blockers.append(earlier.route)
    }
    for rival in other where mayMeet(rival) && !blocked.contains(rival.route.language) {
      let agrees = rival.isExclusion == asked.isExclusion
      if rival.route.language == asked.route.language {
        question.agreesOtherwise = agrees
        break
      }
      question.rivals.append((rival.route, agrees))
    }
    while let last = question.rivals.last, last.agrees == question.agreesOtherwise {
      question.rivals.removeLast()
    }
    return question.rivals.isEmpty && question.agreesOtherwise ? nil : question
  }

  private func search(_ question: Question, _ reading: Alphabet.Reading) -> Verdict {
    let alphabet = alphabet(reading)
    var machines: [RouteMachine] = []
    for route in [question.focus] + question.blockers + question.rivals.map(\.route) {
      if effort.isSpent { return .unknown }
      machines.append(route.machine(alphabet, effort))
    }
    let rivals = zip(machines.suffix(question.rivals.count), question.rivals).map {
      DifferenceSearch.Rival(machine: $0, agrees: $1.agrees)
    }
    let outcome = DifferenceSearch.run(
      DifferenceSearch.Question(
        focus: machines[0], blockers: Array(machines[1...].prefix(question.blockers.count)),
        rivals: rivals, agreesOtherwise: question.agreesOtherwise), alphabet, effort)
    return switch outcome {
    case .found(let word): .found(url: alphabet.url(word, domain: domain))
    case .none: .none
    case .undecided: .unknown
    }
  }

  private func alphabet(_ reading: Alphabet.Reading) -> Alphabet {
    if let known = alphabets[reading] { return known }
    let new = Alphabet(reading, routes: routes)
    alphabets[reading] = new
    return new
  }

  // MARK: - Likely answers

  private func likelyAnswer(
    _ focus: ExaminedRoute, _ isMixed: Bool, _ isAnswer: (String) -> Bool
  ) -> String? {
    if let sample = focus.sample.map({ "https://\(domain)\($0.text)" }), isAnswer(sample) {
      return sample
    }
    return likely(focus, isMixed).first(where: isAnswer)
  }

  /// URLs that the route matches, as they are and in the other case, and where routes read URLs
  /// differently, with one character escaped.
  private func likely(_ focus: ExaminedRoute, _ isMixed: Bool) -> [String] {
    guard case .found(let url) = search(Question(focus: focus), focus.reading) else { return [] }
    let origin = "https://\(domain)/"
    let rest = Array(url.utf8.dropFirst(origin.utf8.count))
    let plain = [url, origin + Self.otherCase(rest)]
    if !isMixed { return plain }
    let escaped = rest.indices.suffix(8).reversed().filter { Self.isEscapable(rest, $0) }.map {
      index in
      origin + String(decoding: rest[..<index], as: UTF8.self) + Self.escape(rest[index])
        + String(decoding: rest[(index + 1)...], as: UTF8.self)
    }
    return plain + escaped
  }

  /// The rest of a URL with the letters of its path in the other case, if nothing is escaped there.
  private static func otherCase(_ bytes: [UInt8]) -> String {
    let path = bytes.prefix { !"%?#".utf8.contains($0) }
    let swapped = path.map { byte in
      Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 ? byte ^ 0x20 : byte
    }
    return String(decoding: swapped + bytes[path.endIndex...], as: UTF8.self)
  }

  /// Whether a byte of a URL can be escaped without tearing an escape apart.
  private static func isEscapable(_ bytes: [UInt8], _ index: Int) -> Bool {
    let isInEscape = bytes[max(0, index - 2)..<index].contains(UInt8(ascii: "%"))
    return !isInEscape && !"%?#".utf8.contains(bytes[index])
  }

  private static func escape(_ byte: UInt8) -> String {
    "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}
