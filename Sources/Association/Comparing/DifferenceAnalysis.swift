/// Finds URLs that two documents resolve differently.
final class DifferenceAnalysis {
  /// The budgets of a question.
  enum Depth {
    /// Enough for most questions that some URL answers.
    case quick
    /// Enough for most questions that no URL answers.
    case thorough

    fileprivate var budgetPerQuestion: Int { self == .quick ? 30_000 : 500_000 }
    fileprivate var budgetPerComparison: Int { self == .quick ? 5_000_000 : 3_000_000 }
  }

  /// A route at its place in a list.
  struct RankedRoute {
    let route: AnalyzedRoute
    let isExclusion: Bool
    private let filter: PathPrefix.Filter

    init(_ route: AnalyzedRoute, isExclusion: Bool) {
      (self.route, self.isExclusion, filter) = (route, isExclusion, route.prefix.filter)
    }

    /// Whether some URL may match both routes.
    func mayMeet(_ other: RankedRoute) -> Bool {
      filter.mayMeet(other.filter) && route.prefix.mayMeet(other.route.prefix)
    }
  }

  /// A route that decides about some URLs in its list.
  struct Decider {
    let place: Int
    /// Whether its list is that of the first document.
    let isBefore: Bool
    let list: [RankedRoute]
    /// The list of the other document.
    let other: [RankedRoute]
    /// The places in the other list whose decisions count as the same; `nil` for URLs that no route
    /// there matches.
    var ignored: Set<Int?> = []
  }

  /// A URL that the matchers of both documents resolve differently.
  struct Confirmation {
    let example: DocumentChange.Example
    /// The place of the deciding route in the list of the first document, if it is there.
    let before: Int?
    /// Its place in the list of the second document.
    let after: Int?
  }

  private enum Verdict {
    /// The route decides about this URL, and the other list resolves it differently.
    case found(url: String)
    /// No such URL exists.
    case none
    /// The budget was too small.
    case undecided
    /// No budget would suffice, since routes read URLs differently.
    case undecidable
  }

  private let domain: String
  private let findsExamples: Bool
  private let questions: RouteQuestions
  private var unspent: [Depth: Int] = [:]

  /// - Parameters:
  ///   - conditions: The conditions of all routes or rules that questions may involve.
  ///   - domain: The host of URLs; `nil` to look for none. Then all effects are unknown.
  init(conditions: @escaping () -> [RouteConditions], domain: String?) {
    (self.domain, findsExamples) = (domain ?? "", domain != nil)
    questions = RouteQuestions(domain: self.domain, routes: conditions)
  }

  /// The effect of these routes, with an example for each pair of routes that decide about a URL, one
  /// before and one after.
  ///
  /// - Parameters:
  ///   - most: The number of examples, at most.
  ///   - isSearchable: Whether the search knows all URLs that the routes match.
  ///   - confirm: Resolves a URL by both documents; `nil` if they agree.
  func effect(
    of deciders: [Decider], most: Int = mostExamples, isSearchable: Bool = true,
    confirm: (String) -> Confirmation?
  ) -> DocumentChange.Effect {
    if !findsExamples { return .unknown }
    var open = deciders
    var examples: [DocumentChange.Example] = []
    var isKnown = isSearchable
    for depth in [Depth.quick, .thorough] {
      var undecided: [Decider] = []
      for index in open.indices {
        search: while examples.count < most {
          switch verdict(on: open[index], depth, confirm) {
          case .found(let url):
            guard let found = confirm(url) else {
              isKnown = false
              break search
            }
            let (own, other) = found.places(for: open[index])
            if !open[index].ignored.insert(other).inserted { break search }
            examples.append(found.example)
            for reverse in open.indices
            where open[reverse].isBefore != open[index].isBefore && open[reverse].place == other {
              open[reverse].ignored.insert(own)
            }
            continue search
          case .none: break
          case .undecidable: isKnown = false
          case .undecided: undecided.append(open[index])
          }
          break search
        }
      }
      // Each is first tried with a small budget, which suffices if there are examples.
      if let first = examples.first { return .example(first, more: Array(examples.dropFirst())) }
      open = undecided
    }
    return isKnown && open.isEmpty ? .none : .unknown
  }

  /// The number of examples of one change, at most.
  static let mostExamples = 10

  /// Looks for a URL that a route decides in its list and the other list resolves differently. Some
  /// likely URLs are tried before any search.
  private func verdict(
    on decider: Decider, _ depth: Depth, _ confirm: (String) -> Confirmation?
  ) -> Verdict {
    func isAnswer(_ url: String) -> Bool {
      guard let (own, other) = confirm(url)?.places(for: decider) else { return false }
      return own == decider.place && !decider.ignored.contains(other)
    }
    var unspent = unspent[depth] ?? depth.budgetPerComparison
    defer { self.unspent[depth] = unspent }
    if unspent <= 0 { return .undecided }
    return questions.budget.spending(atMost: depth.budgetPerQuestion, from: &unspent) {
      // Filtering the other routes takes time, too.
      questions.budget.spend((decider.place + decider.other.count) / 2)
      guard let question = question(on: decider) else { return .none }
      let isMixed = !question.routes.allSatisfy { $0.isComparable(with: question.focus) }
      if depth == .quick, let url = likelyAnswer(question.focus, isMixed, isAnswer) {
        return .found(url: url)
      }
      switch questions.answer(question, reading: isMixed ? .unescaped : nil) {
      case .found(let url): return .found(url: url)
      case .none: return isMixed ? .undecidable : .none
      case .undecided: return .undecided
      }
    }
  }

  /// The question without the routes that cannot matter; `nil` if no URL answers it.
  private func question(on decider: Decider) -> RouteQuestions.Question? {
    let asked = decider.list[decider.place]
    var question = RouteQuestions.Question(focus: asked.route)
    question.agreesOtherwise = decider.ignored.contains(nil)
    var blocked: Set<Int> = []
    for earlier in decider.list[..<decider.place] where earlier.mayMeet(asked) {
      if earlier.route.language == asked.route.language { return nil }
      guard blocked.insert(earlier.route.language).inserted else { continue }
      question.blockers.append(earlier.route)
    }
    for (place, rival) in decider.other.enumerated()
    where rival.mayMeet(asked) && !blocked.contains(rival.route.language) {
      let agrees = rival.isExclusion == asked.isExclusion || decider.ignored.contains(place)
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

  // MARK: - Likely answers

  private func likelyAnswer(
    _ focus: AnalyzedRoute, _ isMixed: Bool, _ isAnswer: (String) -> Bool
  ) -> String? {
    if let sample = focus.sample.map({ "https://\(domain)\($0.text)" }), isAnswer(sample) {
      return sample
    }
    return variants(focus, isMixed).first(where: isAnswer)
  }

  /// A URL that the route matches: unchanged, in the other case, and, if routes read URLs
  /// differently, with one character escaped.
  private func variants(_ focus: AnalyzedRoute, _ isMixed: Bool) -> [String] {
    guard case .found(let url) = questions.answer(RouteQuestions.Question(focus: focus)) else {
      return []
    }
    let origin = "https://\(domain)/"
    let rest = Array(url.utf8.dropFirst(origin.utf8.count))
    let plain = [url, origin + Self.otherCase(rest)]
    if !isMixed { return plain }
    let escaped = rest.indices.suffix(8).reversed().filter { Self.isEscapable(rest, $0) }.map {
      index in
      origin + String(decoding: rest[..<index], as: UTF8.self) + rest[index].percentEscaped
        + String(decoding: rest[(index + 1)...], as: UTF8.self)
    }
    return plain + escaped
  }

  /// The rest of a URL with the letters of its path in the other case, up to the first escape.
  private static func otherCase(_ bytes: [UInt8]) -> String {
    let path = bytes.prefix { !"%?#".utf8.contains($0) }
    let swapped = path.map { byte in
      Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 ? byte ^ 0x20 : byte
    }
    return String(decoding: swapped + bytes[path.endIndex...], as: UTF8.self)
  }

  /// Whether a byte of a URL can be escaped without breaking an escape that it is part of.
  private static func isEscapable(_ bytes: [UInt8], _ index: Int) -> Bool {
    let isInEscape = bytes[max(0, index - 2)..<index].contains(UInt8(ascii: "%"))
    return !isInEscape && !"%?#".utf8.contains(bytes[index])
  }
}

extension DifferenceAnalysis.Confirmation {
  /// The places of the routes that decide, in the list of a decider and in the other one.
  fileprivate func places(for decider: DifferenceAnalysis.Decider) -> (own: Int?, other: Int?) {
    decider.isBefore ? (before, after) : (after, before)
  }
}
