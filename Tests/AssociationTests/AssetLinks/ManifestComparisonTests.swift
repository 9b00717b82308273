import Association
import Testing
import TestSupport

@Suite struct ManifestComparisonTests {
  private static func links(_ rules: [JSON]) -> AssetLinks {
    AssetLinks(StatementList.rules(.array(rules)))
  }

  private static func compare(
    _ filters: [LinkFilter], with rules: [JSON], steps: Int = 100_000_000
  ) throws -> ManifestComparison {
    var steps = steps
    return ManifestComparison(
      filters, links(rules), package: try #require(PackageName(StatementList.package)),
      host: "example.com", steps: &steps)
  }

  @Test func whatManyHostsTakeTogetherIsBounded() throws {
    let filters = [try Self.filter(("/buy", .prefix))]
    let compared = try Self.compare(filters, with: [["/": "/help"]])
    #expect(!compared.isUndecided && compared.narrowings.count == 1)
    let spent = try Self.compare(filters, with: [["/": "/help"]], steps: 0)
    #expect(spent.isUndecided && spent.narrowings.isEmpty)
  }

  private static func filter(
    _ patterns: (String, PatternMatcher.Kind)..., groups: [LinkFilter.Group] = []
  ) throws -> LinkFilter {
    LinkFilter(paths: try patterns.map { try PatternMatcher($0, $1) }, groups: groups)
  }

  private static func group(
    _ isAllowed: Bool, paths: [(String, PatternMatcher.Kind)] = [],
    parameters: [(String, PatternMatcher.Kind)] = [],
    fragments: [(String, PatternMatcher.Kind)] = []
  ) throws -> LinkFilter.Group {
    let patterns = { (list: [(String, PatternMatcher.Kind)]) in
      try list.map { try PatternMatcher($0, $1) }
    }
    return LinkFilter.Group(
      isAllowed: isAllowed, paths: try patterns(paths), parameters: try patterns(parameters),
      fragments: try patterns(fragments))
  }

  /// Each pattern, with paths that it matches and some that it does not (the pages of `<data>` and PatternMatcher, and
  /// AOSP's source). A manifest with this one pattern must name exactly the first of a rule's links.
  private static let patterns:
    [(String, PatternMatcher.Kind, matches: [String], others: [String])] = [
      ("/buy", .literal, ["/buy"], ["/buy/", "/Buy", "/"]),
      ("/buy", .prefix, ["/buy", "/buyer", "/buy/1"], ["/bu", "/a/buy"]),
      (".html", .suffix, ["/a.html", "/.html", "/.ht.html"], ["/a.htm", "/a.html/"]),
      ("aab", .suffix, ["/aab", "/aaab", "/aaaab"], ["/ab", "/aaba"]),
      ("/a.*", .simpleGlob, ["/a", "/ab", "/a/b/c"], ["/", "/b"]),
      ("/.*/c", .simpleGlob, ["/a/c", "//c"], ["/a/b/c", "/c"]),
      ("/a*b", .simpleGlob, ["/b", "/ab", "/aaab"], ["/", "/a", "/cb"]),
      // What is over before `a*` does not match it.
      ("/ba*", .simpleGlob, ["/ba", "/baaa"], ["/b", "/bab"]),
      ("/a*a", .simpleGlob, [], ["/a", "/aa"]),
      ("/a.c", .simpleGlob, ["/abc", "/a/c"], ["/ac", "/abbc"]),
      ("/a\\*c", .simpleGlob, ["/a*c"], ["/ac", "/aac"]),
      ("/a\\.c", .simpleGlob, ["/a.c"], ["/abc"]),
      ("/.*\\.c", .simpleGlob, ["/a.c", "/.c"], ["/abc", "/a.b.c"]),
      ("/[a-c]+", .advancedGlob, ["/a", "/abc"], ["/", "/d", "/ad"]),
      ("/[^/]+", .advancedGlob, ["/a", "/ab"], ["/", "/a/b"]),
      ("/[0-9]{2,3}", .advancedGlob, ["/12", "/123"], ["/1", "/1234", "/a"]),
      ("/a{2}", .advancedGlob, ["/aa"], ["/a", "/aaa"]),
      ("/a{1,}b", .advancedGlob, ["/ab", "/aaab"], ["/b"]),
      // `.*` takes everything, and nothing is left for what follows.
      ("/.*c", .advancedGlob, [], ["/c", "/ac"]),
      ("/a*", .advancedGlob, ["/", "/a", "/aa"], ["/b"]),
      ("/a\\+", .advancedGlob, ["/a+"], ["/a", "/aa"]),
    ]

  @Test(arguments: patterns.indices)
  func aPatternNamesExactlyWhatAndroidSays(index: Int) throws {
    let (text, kind, matches, others) = Self.patterns[index]
    let slow = SlowPatternMatcher(pattern: text, kind: kind)
    let filter = try Self.filter((text, kind))
    let pattern = try PatternMatcher(text, kind)
    for path in matches {
      #expect(slow.matches(path) && pattern.isMatch(path), "\(path)")
      // A rule cannot say a star.
      if path.contains("*") { continue }
      #expect(
        try Self.compare([filter], with: [["/": .string(path)]]).narrowings.isEmpty, "\(path)")
    }
    for path in others {
      #expect(!slow.matches(path) && !pattern.isMatch(path), "\(path)")
      let found = try Self.compare([filter], with: [["/": .string(path)]]).narrowings
      #expect(found.map(\.url) == ["https://example.com\(path)"], "\(path)")
      #expect(found.first?.isWhole == true)
    }
  }

  private static let pieces = ["/", "a", "b", ".", ".*", "a*", "\\.", "/.*", "ab"]
  private static let advancedPieces = [
    "/", "a", "b", ".", ".*", "a*", "[ab]", "[^a]+", "b{1,2}", "a{2,}",
  ]

  private static func pattern(
    _ generator: inout SeededGenerator
  ) -> (text: String, kind: PatternMatcher.Kind) {
    let kind = generator.pick(PatternMatcher.Kind.allCases)
    let pieces =
      switch kind {
      case .simpleGlob: pieces
      case .advancedGlob: advancedPieces
      case .literal, .prefix, .suffix: ["/", "a", "b", "ab", "."]
      }
    return ((kind == .suffix ? "" : "/") + generator.text(of: pieces, upTo: 4), kind)
  }

  /// All paths of these characters, up to a length.
  private static let paths = {
    var paths = ["/"]
    var last = paths
    for _ in 0..<4 {
      last = last.flatMap { path in ["/", "a", "b", ".", "x"].map { path + $0 } }
      paths += last
    }
    return paths
  }()

  private struct RandomFilter {
    let plain: [(text: String, kind: PatternMatcher.Kind)]
    let groups: [(isAllowed: Bool, patterns: [(text: String, kind: PatternMatcher.Kind)])]

    private static func matches(
      _ pattern: (text: String, kind: PatternMatcher.Kind), _ path: String
    ) -> Bool {
      SlowPatternMatcher(pattern: pattern.text, kind: pattern.kind).matches(path)
    }

    func opensBefore15(_ path: String) -> Bool {
      plain.isEmpty || plain.contains { Self.matches($0, path) }
    }

    func opens(_ path: String) -> Bool {
      if plain.isEmpty && groups.isEmpty || plain.contains(where: { Self.matches($0, path) }) {
        return true
      }
      return groups.first { $0.patterns.allSatisfy { Self.matches($0, path) } }?.isAllowed ?? false
    }

    var filter: LinkFilter {
      get throws {
        LinkFilter(
          paths: try plain.map { try PatternMatcher($0.text, $0.kind) },
          groups: try groups.map {
            try ManifestComparisonTests.group($0.isAllowed, paths: $0.patterns)
          })
      }
    }
  }

  /// One or two filters with paths and groups, in which groups may keep links out: the answers are those of a second
  /// reading, tried with all short paths.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func randomManifestsAreComparedExactly(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var (narrowed, complete, older, severalBlock) = (0, 0, 0, 0)
    for _ in 0..<30 {
      let filters = (0...Int(generator.next() % 2)).map { _ in
        RandomFilter(
          plain: (0..<Int(generator.next() % 3)).map { _ in Self.pattern(&generator) },
          groups: (0..<Int(generator.next() % 3)).map { _ in
            (
              isAllowed: !generator.once(in: 2),
              patterns: [Self.pattern(&generator), Self.pattern(&generator)]
            )
          })
      }
      if filters.count(where: { $0.groups.contains { !$0.isAllowed } }) > 1 { severalBlock += 1 }
      let opens = { (path: String) in filters.contains { $0.opens(path) } }
      let opensBefore15 = { (path: String) in filters.contains { $0.opensBefore15(path) } }
      let rules = (0..<Int(1 + generator.next() % 3)).map { _ in
        (
          path: "/" + generator.text(of: ["a", "b", "/", "?", "*"], upTo: 3),
          isExclusion: generator.once(in: 3)
        )
      }
      let list = rules.map { rule -> JSON in
        ["/": .string(rule.path), "exclude": .bool(rule.isExclusion)]
      }
      let published = SlowAndroidMatcher(rules: list)
      let comparison = try Self.compare(filters.map { try $0.filter }, with: list)
      #expect(!comparison.isUndecided)
      let path = { (url: String) in String(url.dropFirst("https://example.com".count)) }
      let found = Dictionary(
        uniqueKeysWithValues: comparison.narrowings.map {
          ($0.rule?.pointer.description.suffix(1).description ?? "", $0)
        })
      for narrowing in comparison.narrowings {
        let decision = published.resolve(narrowing.url)
        #expect(decision.resolution == "match" && !opens(path(narrowing.url)), "\(narrowing.url)")
      }
      for place in rules.indices {
        let decided = Self.paths.filter {
          published.resolve("https://example.com\($0)") == ("match", place)
        }
        let lost = decided.filter { !opens($0) }
        if let narrowing = found["\(place)"] {
          narrowed += 1
          if narrowing.isWhole { #expect(lost == decided) }
        } else {
          complete += 1
          #expect(lost.isEmpty, "\(list) \(filters)")
        }
      }
      let differing = Self.paths.filter { path in
        opensBefore15(path)
          && !(opens(path) && published.resolve("https://example.com\(path)").resolution == "match")
      }
      if let url = comparison.openedBefore15 {
        older += 1
        #expect(
          opensBefore15(path(url))
            && !(opens(path(url)) && published.resolve(url).resolution == "match"), "\(url)")
      } else {
        #expect(differing.isEmpty)
      }
    }
    #expect(
      narrowed > 5 && complete > 2 && older > 5 && severalBlock > 0,
      "\(narrowed) \(complete) \(older) \(severalBlock)")
  }

  @Test func aGroupAsksForParametersAndFragments() throws {
    let group = try Self.group(
      true, parameters: [("id=", .prefix), ("kind=a", .literal)], fragments: [("top", .literal)])
    let filter = try Self.filter(groups: [group])
    let all: JSON = ["?": ["id": "1*", "kind": "a"], "#": "top"]
    #expect(try Self.compare([filter], with: [all]).narrowings.isEmpty)
    let lacking: [JSON] = [
      ["?": ["id": "1", "kind": "a"]], ["?": ["id": "1"], "#": "top"], ["#": "top"],
      ["?": ["id": "1", "kind": "ab"], "#": "top"],
    ]
    for rule in lacking {
      let narrowing = try #require(try Self.compare([filter], with: [rule]).narrowings.first)
      let slow = SlowAndroidMatcher(rules: [rule])
      #expect(slow.resolve(narrowing.url).resolution == "match")
      let isComplete =
        narrowing.url.contains("id=") && narrowing.url.contains(/kind=a(&|#)/)
        && narrowing.url.hasSuffix("#top")
      #expect(!isComplete, "\(narrowing.url)")
    }
    // Any text of a fragment, but a fragment.
    let fragments = try Self.filter(groups: [Self.group(true, fragments: [(".*", .simpleGlob)])])
    #expect(try Self.compare([fragments], with: [["#": "*"]]).narrowings.isEmpty)
    #expect(
      try Self.compare([fragments], with: [["/": "/a"]]).narrowings.map(\.url) == [
        "https://example.com/a"
      ])
  }

  @Test func aGroupThatKeepsLinksOutOfOneFilterDoesNotKeepThemOutOfAnother() throws {
    let blocking = try Self.filter(
      groups: [
        Self.group(false, paths: [("/a", .prefix)]), Self.group(true, paths: [("/", .prefix)]),
      ])
    let other = try Self.filter(("/ab", .literal))
    let found = try Self.compare([blocking, other], with: [["/": "/a*"]])
    #expect(found.narrowings.count == 1 && !found.isUndecided)
    #expect(found.narrowings.first?.url != "https://example.com/ab")
    #expect(try Self.compare([blocking, other], with: [["/": "/ab"]]).narrowings.isEmpty)
    let another = try Self.filter(
      groups: [
        Self.group(false, paths: [("/ac", .prefix)]), Self.group(true, paths: [("/a", .prefix)]),
      ])
    for filters in [[blocking, another], [another, blocking]] {
      let found = try Self.compare(filters, with: [["/": "/a*"]])
      #expect(found.narrowings.map(\.url) == ["https://example.com/ac"] && !found.isUndecided)
      #expect(try Self.compare(filters, with: [["/": "/ab*"]]).narrowings.isEmpty)
    }
    // There is a limit to how many groups of several filters are compared.
    let many = try Self.filter(
      groups: (0..<20).map { try Self.group($0 == 0, paths: [("/\($0)", .prefix)]) })
    #expect(try Self.compare([many, many], with: [["/": "/a"]]).isUndecided)
  }

  @Test func withoutRulesTheManifestDecidesAlone() throws {
    var steps = 100_000_000
    let found = try ManifestComparison(
      [Self.filter(("/buy", .prefix))], AssetLinks(StatementList.statement(extensions: [:])),
      package: try #require(PackageName(StatementList.package)), host: "example.com", steps: &steps)
    let narrowing = try #require(found.narrowings.first)
    #expect(narrowing.rule == nil && !narrowing.url.hasPrefix("https://example.com/buy"))
    #expect(found.openedBefore15 == nil)
  }

  @Test func malformedPatternsAreNamed() {
    for text in [
      "*a", "a**", "[", "[]", "[a", "a{", "a{x}", "a{3,2}", "a\\", "[b-a]", "+", "{1}", "a{-1}",
    ] {
      #expect(throws: PatternMatcher.Malformed.self, "\(text)") {
        try PatternMatcher(text, .advancedGlob)
      }
    }
    #expect(throws: PatternMatcher.Malformed.self) { try PatternMatcher("a{9000}", .advancedGlob) }
    #expect(throws: PatternMatcher.Malformed.self) {
      try PatternMatcher(String(repeating: "a", count: 2049), .literal)
    }
  }

  /// A manifest that makes a search as slow as possible ends with "undecided".
  @Test func aHostileManifestIsUndecided() throws {
    let slow = try (0..<60).map { place in
      try Self.filter(("/.{\(100 + place)}[ab]{1,\(500 + place)}.+", .advancedGlob))
    }
    let found = try Self.compare(slow, with: [["/": "/*"], ["/": "*a*b*"]])
    #expect(found.isUndecided)
  }
}
