import Association
import Testing

/// What the automata say of random routes, against trying all small URLs.
@Suite struct ShadowingPropertyTests {
  /// What the routes of a trial are made of.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var pathLetters = ["a", "/"]
    var queryLetters: [String] = []
    var fragments = [""]
    var queries: [String] = []
    var isCaseMixed = false
    var isEncodingMixed = false
    var isDecoded = false
    var trials = 60
  }

  static let kinds = [
    Kind(testDescription: "paths", pathLetters: ["a", "b", "/"]),
    Kind(
      testDescription: "paths, queries and fragments", queryLetters: ["x", "=", "&", "a"],
      fragments: ["", "a", "b", "ab"], queries: ["x", "a", "*", "?*", "x=a", "*&*", ""]),
    Kind(
      testDescription: "cases", pathLetters: ["a", "A", "/"], queryLetters: ["x", "X", "=", "a"],
      fragments: ["", "a", "A"], queries: ["x=*", "X=?", "*A*"], isCaseMixed: true),
    Kind(
      testDescription: "decoded", pathLetters: ["a", "/", "%61", "%2F"],
      queryLetters: ["x", "=", "&", "%26"], queries: ["*&*", "x=?", "?"], isDecoded: true),
    Kind(
      testDescription: "mixed encodings", pathLetters: ["a", "/", "%61", "%2F"],
      queryLetters: ["x", "=", "&", "%26"], queries: ["*&*", "x=?", "?"], isEncodingMixed: true),
  ]

  @Test(arguments: kinds)
  func whatIsSaidOfARouteHoldsForAllSmallURLs(kind: Kind) throws {
    var generator = SeededGenerator(seed: 20_26)
    let paths = everyText(of: kind.pathLetters, upTo: 4).map { "/" + $0 } + [""]
    let queries = kind.queryLetters.isEmpty ? [""] : everyText(of: kind.queryLetters, upTo: 4)
    var undecided = 0
    var count = 0
    for trial in 0..<kind.trials {
      let routes = Self.routes(of: kind, &generator)
      let small = SmallURLs(routes, paths: paths, queries: queries, fragments: kind.fragments)
      let verdicts = Shadowing(AppLinks(document: Self.document(routes))).routes
      for (index, route) in verdicts.enumerated() {
        count += 1
        if case .notDecided = route.verdict { undecided += 1 }
        let fault = try Self.fault(route, at: index, routes, small)
        #expect(fault == nil, "trial \(trial): \(Self.document(routes).text)")
        if fault != nil { return }
      }
    }
    #expect(kind.isEncodingMixed ? undecided * 4 < count : undecided == 0)
  }

  /// What is false in what was said of a route.
  private static func fault(
    _ route: Shadowing.Route, at index: Int, _ routes: [NaiveRoute], _ small: SmallURLs
  ) throws -> String? {
    let numbers = { (pointers: [JSONPointer]) in
      pointers.compactMap { Int($0.description.split(separator: "/").last ?? "") }
    }
    switch route.verdict {
    case .decides(let example):
      let first = routes.firstIndex { $0.matches(example) }
      if first != index { return "\(index) does not decide about \(example)" }
      let matcher = try Matcher(document: document(routes))
      let decision = try matcher.resolve(example, in: matcher.everyEntry)
      if decision.route != index { return "the matcher denies that \(index) decides \(example)" }
    case .matchesNothing:
      if small.exists(in: index, notIn: []) { return "\(index) matches something" }
    case .shadowed(let by):
      if small.exists(in: index, notIn: numbers(by)) { return "\(index) is not shadowed by \(by)" }
      if numbers(by).contains(where: { $0 >= index }) { return "\(by) are not earlier" }
    case .repeats(let other):
      if small.exists(in: index, notIn: numbers([other])) { return "\(index) is wider" }
      if numbers([other]).contains(where: { small.exists(in: $0, notIn: [index]) }) {
        return "\(index) is narrower than \(other)"
      }
    case .notDecided: break
    }
    let isNeeded = (index + 1..<max(routes.count, index + 1)).contains {
      !routes[$0].isExclusion && small.exists(inBoth: index, $0)
    }
    return route.isUnneededExclusion && isNeeded ? "\(index) is needed" : nil
  }

  private static func document(_ routes: [NaiveRoute]) -> JSON {
    var variables: JSON.Object = [:]
    for variable in routes.first?.variables ?? [] {
      variables[variable.name] = .strings(variable.values)
    }
    return [
      "applinks": [
        "substitutionVariables": .object(variables),
        "details": [
          ["appIDs": ["ABCDE12345.com.example.app"], "components": .array(routes.map(\.json))]
        ],
      ]
    ]
  }

  // MARK: - Random routes

  private static func routes(
    of kind: Kind, _ generator: inout SeededGenerator
  ) -> [NaiveRoute] {
    let variables = [
      (
        name: "v",
        values: generator.pick([["a"], ["a", "b/"], ["a*", "b"], ["*", "aa"], ["?a", "a/*"]])
      )
    ]
    return (0..<Int(2 + generator.next() % 4)).map { _ in
      var route = NaiveRoute()
      route.variables = variables
      if !generator.once(in: 5) { route.path = pattern(kind.pathLetters, &generator) }
      if !kind.queryLetters.isEmpty { route.query = query(of: kind, &generator) }
      if kind.fragments.count > 1, generator.once(in: 3) {
        route.fragment = generator.pick(kind.fragments + ["*", "?*", "a*", "*b"])
      }
      route.isExclusion = generator.once(in: 3)
      route.isCaseSensitive = !(kind.isCaseMixed && generator.once(in: 2))
      route.isPercentEncoded =
        !(kind.isDecoded || kind.isEncodingMixed && generator.once(in: 2))
      return route
    }
  }

  private static func pattern(_ letters: [String], _ generator: inout SeededGenerator) -> String {
    let parts = letters + letters + ["*", "*", "?", "/*", "/", "$(v)"]
    let count = 1 + Int(generator.next() % 4)
    let start = generator.once(in: 4) ? "" : "/"
    return start + (0..<count).map { _ in generator.pick(parts) }.joined()
  }

  private static func query(
    of kind: Kind, _ generator: inout SeededGenerator
  ) -> NaiveRoute.Query {
    let values = ["*", "?*", "?", "a", "a*", "", "*a", "$(v)"]
    switch generator.next() % 5 {
    case 0: return .any
    case 1: return .whole(generator.pick(kind.queries))
    case 2:
      return .items([("x", generator.pick(values)), ("a", generator.pick(values))])
    default:
      return .items([(generator.pick(["x", "a", "X", "", "xa", "&"]), generator.pick(values))])
    }
  }
}

/// All URLs of some paths, queries and fragments, as far as routes tell them apart.
private struct SmallURLs {
  /// The sets of routes (a bit each) of which all and no others match some URL.
  private let masks: Set<Int>

  init(_ routes: [NaiveRoute], paths: [String], queries: [String], fragments: [String]) {
    func masks(_ texts: [String], _ matches: (NaiveRoute, String) -> Bool) -> Set<Int> {
      Set(
        texts.map { text in
          routes.indices.reduce(0) { $0 | (matches(routes[$1], text) ? 1 << $1 : 0) }
        })
    }
    let queries = masks(queries) { $0.matches(query: $1) }
    let fragments = masks(fragments) { $0.matches(fragment: $1) }
    var all: Set<Int> = []
    for path in masks(paths, { $0.matches(path: $1) }) {
      for query in queries { for fragment in fragments { all.insert(path & query & fragment) } }
    }
    self.masks = all
  }

  /// Whether some URL is matched by a route and none of others.
  func exists(in route: Int, notIn others: [Int]) -> Bool {
    let excluded = others.reduce(0) { $0 | 1 << $1 }
    return masks.contains { $0 & 1 << route != 0 && $0 & excluded == 0 }
  }

  /// Whether two routes match some URL.
  func exists(inBoth one: Int, _ other: Int) -> Bool {
    masks.contains { $0 & 1 << one != 0 && $0 & 1 << other != 0 }
  }
}
