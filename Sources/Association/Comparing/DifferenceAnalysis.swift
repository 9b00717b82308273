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

  enum Verdict {
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
  private let questions: RouteQuestions
  private var unspent: [Depth: Int] = [:]

  /// - Parameter routes: All routes that questions may involve.
  convenience init(routes: [AppLinks.Route], domain: String) {
    self.init(conditions: { routes.map { RouteConditions($0) } }, domain: domain)
  }

  /// - Parameter conditions: The conditions of all routes or rules that questions may involve.
  init(conditions: @escaping () -> [RouteConditions], domain: String) {
    self.domain = domain
    questions = RouteQuestions(domain: domain, routes: conditions)
  }

  /// Looks for a URL that a route decides in its list and the other list resolves differently.
  ///
  /// - Parameter isAnswer: Checks some likely URLs before any search.
  func verdict(
    on focus: Int, of list: [RankedRoute], beside other: [RankedRoute], _ depth: Depth,
    isAnswer: (String) -> Bool
  ) -> Verdict {
    var unspent = unspent[depth] ?? depth.budgetPerComparison
    defer { self.unspent[depth] = unspent }
    if unspent <= 0 { return .undecided }
    return questions.budget.spending(atMost: depth.budgetPerQuestion, from: &unspent) {
      // Filtering the other routes takes time, too.
      questions.budget.spend((focus + other.count) / 2)
      guard let question = question(on: focus, of: list, beside: other) else { return .none }
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
  private func question(
    on focus: Int, of list: [RankedRoute], beside other: [RankedRoute]
  ) -> RouteQuestions.Question? {
    let asked = list[focus]
    var question = RouteQuestions.Question(focus: asked.route)
    var blocked: Set<Int> = []
    for earlier in list[..<focus] where earlier.mayMeet(asked) {
      if earlier.route.language == asked.route.language { return nil }
      guard blocked.insert(earlier.route.language).inserted else { continue }
      question.blockers.append(earlier.route)
    }
    for rival in other
    where rival.mayMeet(asked) && !blocked.contains(rival.route.language) {
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
