/// Finds URLs that two documents resolve differently.
final class DifferenceExamination {
  /// What a question about one route, and what all questions together may cost.
  private static let effortPerQuestion = 1_000_000
  private static let effortPerComparison = 10_000_000

  /// A route in a list.
  struct Listed {
    let route: ExaminedRoute
    let isExclusion: Bool
  }

  enum Verdict {
    /// The route decides about this URL, and the other list resolves it differently.
    case found(url: String)
    /// There is no such URL.
    case none
    /// It was not found out. These URLs are worth trying.
    case unknown(candidates: [String])
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
  private var unspent = effortPerComparison
  private var alphabets: [Alphabet.Reading: Alphabet] = [:]

  /// - Parameter routes: All routes that will be asked about.
  init(routes: [AppLinks.Route], domain: String) {
    self.routes = routes
    self.domain = domain
  }

  /// Whether a URL about which a route of a list decides resolves differently by another list.
  func verdict(on focus: Int, of list: [Listed], beside other: [Listed]) -> Verdict {
    let limit = min(unspent, Self.effortPerQuestion)
    effort.remaining = limit
    defer { unspent -= limit - max(0, effort.remaining) }
    effort.spend(focus + other.count)
    if effort.isSpent { return .unknown(candidates: []) }
    guard let question = question(on: focus, of: list, beside: other) else { return .none }
    let isMixed = !(question.blockers + question.rivals.map(\.route)).allSatisfy {
      $0.isComparable(with: question.focus)
    }
    switch search(question, isMixed ? .unescaped : question.focus.reading) {
    case .found(let url): return .found(url: url)
    case .none where !isMixed: return .none
    case .none, .unknown: return .unknown(candidates: candidates(question.focus))
    }
  }

  // MARK: - Questions

  /// The question without what does not bear on it; `nil` if the answer is no.
  private func question(on focus: Int, of list: [Listed], beside other: [Listed]) -> Question? {
    let asked = list[focus]
    var question = Question(focus: asked.route)
    var blocked: Set<Int> = []
    for earlier in list[..<focus] where blocked.insert(earlier.route.language).inserted {
      if earlier.route.language == asked.route.language { return nil }
      if earlier.route.mayMeet(asked.route) { question.blockers.append(earlier.route) }
    }
    for rival in other where !blocked.contains(rival.route.language) {
      let agrees = rival.isExclusion == asked.isExclusion
      if rival.route.language == asked.route.language {
        question.agreesOtherwise = agrees
        break
      }
      if rival.route.mayMeet(asked.route) { question.rivals.append((rival.route, agrees)) }
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
      if effort.isSpent { return .unknown(candidates: []) }
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
    case .undecided: .unknown(candidates: [])
    }
  }

  private func alphabet(_ reading: Alphabet.Reading) -> Alphabet {
    if let known = alphabets[reading] { return known }
    let new = Alphabet(reading, routes: routes)
    alphabets[reading] = new
    return new
  }

  // MARK: - Candidates

  /// URLs that the route matches, as they are and with one character escaped, which routes that read
  /// URLs differently tell apart.
  private func candidates(_ focus: ExaminedRoute) -> [String] {
    guard case .found(let url) = search(Question(focus: focus), focus.reading) else { return [] }
    let origin = "https://\(domain)/"
    let rest = Array(url.utf8.dropFirst(origin.utf8.count))
    let escaped = rest.indices.suffix(8).reversed().filter { Self.isEscapable(rest, $0) }.map {
      index in
      origin + String(decoding: rest[..<index], as: UTF8.self) + Self.escape(rest[index])
        + String(decoding: rest[(index + 1)...], as: UTF8.self)
    }
    return [url] + escaped
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
