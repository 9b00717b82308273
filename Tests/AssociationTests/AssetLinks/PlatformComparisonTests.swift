import Association
import TestSupport
import Testing

/// What is said about differences between the platforms, against slow readings of both formats.
@Suite struct PlatformComparisonTests {
  /// Some routes with the rules that are made of them.
  private struct Both {
    let routes: [NaiveRoute]
    let rendering: AssetLinksRendering

    init(_ routes: [NaiveRoute]) throws {
      self.routes = routes
      var applinks: JSON.Object = [
        "details": [["appIDs": ["A.b"], "components": .array(routes.map(\.json))]]
      ]
      if let variables = routes.first?.variables, !variables.isEmpty {
        var object: JSON.Object = [:]
        for variable in variables { object[variable.name] = .strings(variable.values) }
        applinks["substitutionVariables"] = .object(object)
      }
      var document = try AssociationFile(adopting: ["applinks": .object(applinks)])
      let package = try #require(PackageName(StatementList.package))
      let fingerprint = try #require(Fingerprint(StatementList.fingerprint))
      document.entries[0].androidApps = [package]
      let domain = Domain(name: try DomainName("example.com"), associationFile: document)
      rendering = try #require(
        AssetLinksRendering(domain) { _ in [AndroidApp.Certificate(fingerprint, label: .upload)] })
    }

    var rules: [JSON] {
      rendering.json.arrayValue?.first?["relation_extensions"]?[StatementList.relation]?[
        "dynamic_app_link_components"]?.arrayValue ?? []
    }

    var findings: [Finding] { PlatformComparison(rendering, domain: "example.com").findings }

    func opensOnApple(_ url: String) -> Bool {
      routes.first { $0.matches(url) }.map { !$0.isExclusion } ?? false
    }

    func opensOnAndroid(_ url: String) -> Bool {
      SlowAndroidMatcher(rules: rules).resolve(url).resolution == "match"
    }

    var text: String { "\(JSON.array(routes.map(\.json)).text) as \(JSON.array(rules).text)" }
  }

  private static func rendering(_ components: JSON) throws -> (JSON, AssetLinksRendering) {
    var document = try AssociationFile(
      adopting: ["applinks": ["details": [["appIDs": ["A.b"], "components": components]]]])
    let file = document.json
    document.entries[0].androidApps = [try #require(PackageName(StatementList.package))]
    let domain = Domain(name: try DomainName("example.com"), associationFile: document)
    let fingerprint = try #require(Fingerprint(StatementList.fingerprint))
    let rendering = try #require(
      AssetLinksRendering(domain) { _ in [AndroidApp.Certificate(fingerprint, label: .upload)] })
    return (file, rendering)
  }

  private static func findings(_ components: JSON) throws -> [String] {
    let (_, rendering) = try rendering(components)
    return PlatformComparison(rendering, domain: "example.com").findings.map {
      "\($0.severity.rawValue) \(example(in: $0) ?? $0.message)"
    }
  }

  /// The URL in a message.
  private static func example(in finding: Finding) -> String? {
    finding.message.split(separator: "\"").map(String.init).first { $0.hasPrefix("https://") }
  }

  // MARK: - Random routes

  private static let paths = [
    "/a", "/b/*", "/*", "*", "/a*", "/a/b", "/?", "/a?", "/$(v)", "/$(v)/*", "/b/", "*b", "/A*",
    "/*/b", "/a*b", "*/a/*", "/?*", "/a?*b", "/a//*", "/%20*", "/a%2Fb", "/$(digit)*", "a*",
  ]

  private static func route(
    _ variables: [(name: String, values: [String])], _ generator: inout SeededGenerator
  ) -> NaiveRoute {
    var route = NaiveRoute()
    if !generator.once(in: 5) { route.path = generator.pick(paths) }
    if route.path?.contains("digit") == true { route.path = "/1*" }
    switch generator.next() % 8 {
    case 0: route.query = .whole(generator.pick(["*", "", "?*", "v=a"]))
    case 1:
      route.query = .items([
        (generator.pick(["v", "w"]), generator.pick(["a", "a*", "?*", "*", "", "b*a"]))
      ])
    case 2: route.query = .items([("v", "a"), ("w", generator.pick(["*", "b"]))])
    default: break
    }
    if generator.once(in: 5) { route.fragment = generator.pick(["", "a", "?*", "*", "*a", "a*"]) }
    route.isExclusion = generator.once(in: 3)
    route.isCaseSensitive = !generator.once(in: 5)
    route.isPercentEncoded = !generator.once(in: 6)
    route.variables = variables
    return route
  }

  private static func routes(_ generator: inout SeededGenerator) -> [NaiveRoute] {
    let values = generator.pick([["a"], ["a", "b"], ["a*", "b"], ["ab", "?"], ["/a", "b/"]])
    let variables = [(name: "v", values: values)]
    return (0..<Int(1 + generator.next() % 4)).map { _ in route(variables, &generator) }
  }

  /// URLs that the comparison is exact about.
  private static let regular: [String] = {
    let segments = everyText(of: ["a", "b", "A", "/"], upTo: 3).filter {
      !$0.contains("//") && !$0.hasPrefix("/")
    }
    let ends = [
      "", "?v=a", "?v=ba&w=b", "?w=b", "?v=", "?v", "#a", "?v=a#ba", "?W=b&x=y#b", "?v=b=a",
    ]
    return segments.flatMap { path in ends.map { "https://example.com/\(path)\($0)" } }
  }()

  private static func irregular(_ generator: inout SeededGenerator) -> String {
    let pieces = ["a", "b", "A", "/", "//", "%61", "%2F", "%20", "%C3%A9", "1", "%3F"]
    var url = "https://example.com/" + generator.text(of: pieces, upTo: 4)
    if generator.once(in: 2) {
      url +=
        "?"
        + generator.text(of: ["v=", "w=", "a", "b", "&", ";", "v=a", "%61", "=", "%26"], upTo: 6)
    }
    if generator.once(in: 3) { url += "#" + generator.text(of: ["a", "b", "%61", "#"], upTo: 2) }
    return url
  }

  @Test func whatIsSaidHoldsForAllSmallURLs() throws {
    var generator = SeededGenerator(seed: 1)
    var (less, equal, missed) = (0, 0, 0)
    for _ in 0..<80 {
      let both = try Both(Self.routes(&generator))
      let findings = both.findings
      let examples = findings.compactMap { finding in
        Self.example(in: finding).map { (url: $0, finding: finding) }
      }
      for (url, finding) in examples {
        let isMore = finding.message.hasPrefix("Android")
        try #require(
          both.opensOnAndroid(url) == isMore && both.opensOnApple(url) != isMore,
          "\(both.text) \(finding)")
      }
      // What is rendered opens no more than the routes mean.
      try #require(!findings.contains { $0.severity == .warning }, "\(both.text) \(findings)")
      let isLess = findings.contains { $0.message.hasPrefix("Apple") }
      let isUndecided = findings.contains { $0.message.contains("too long") }
      let rules = SlowAndroidMatcher(rules: both.rules)
      for url in Self.regular {
        let onAndroid = rules.resolve(url).resolution == "match"
        let onApple = both.opensOnApple(url)
        try #require(
          onAndroid == onApple || onApple && (isLess || isUndecided),
          "\(both.text) \(url) \(findings)")
      }
      if !examples.contains(where: { both.opensOnAndroid($0.url) }) {
        let urls = (0..<100).map { _ in Self.irregular(&generator) }
        if urls.contains(where: { both.opensOnAndroid($0) && !both.opensOnApple($0) }) {
          missed += 1
        }
      }
      less += isLess ? 1 : 0
      equal += isLess ? 0 : 1
    }
    #expect(less > 15 && equal > 15, "\(less) \(equal)")
    // Of unusually written URLs, one is looked for.
    #expect(missed < 4, "\(missed)")
  }

  @Test func renderedRulesHaveNoErrors() throws {
    var generator = SeededGenerator(seed: 15)
    for _ in 0..<300 {
      let both = try Both(Self.routes(&generator))
      let report = Linter.report(onFile: both.rendering.json.serialized(), kind: .assetLinks)
      #expect(report.isValid, "\(both.text) \(report.findings.filter { $0.severity == .error })")
    }
  }

  static let differences: [(JSON, [String])] = [
    // Nothing opens, or everything.
    ([], []),
    ([["/": "/a", "exclude": true]], []),
    ([["/": "*"]], []),
    // Only URLs that are written unusually.
    ([["/": "/buy/*"], ["/": "/help"]], ["note https://example.com/bu%79/"]),
    ([["?": ["v": "a"]]], ["note https://example.com/?v=%61"]),
    // Apple drops the slash that `?` matches, so Android must not open it. It may not be kept from others.
    ([["/": "/id/??"]], ["note https://example.com/id/x%78/"]),
    (
      [["/": "/id/??"], ["/": "/id/x"]],
      ["note https://example.com/id/x/", "note https://example.com/id/y%79/"]
    ),
    // More segments than there are rules.
    ([["/": "/*/c"]], ["note https://example.com/x/x/x/c/x/c", "note https://example.com/x/%63"]),
    // Android cannot compare them.
    ([["/": "/a*", "?": "v=1"]], ["note https://example.com/a?v=1"]),
    (
      [["/": "/Angebote/*", "caseSensitive": false]],
      ["note https://example.com/ANGEBOTE", "note https://example.com/Angebot%65/"]
    ),
    // Every URL with another segment is kept out.
    (
      [["/": "/*/help", "exclude": true], ["/": "*"]],
      ["note https://example.com/x/", "note https://example.com//hel%70"]
    ),
  ]

  @Test(arguments: differences.indices)
  func everyRouteThatDiffersHasAnExample(index: Int) throws {
    let (components, expected) = Self.differences[index]
    let findings = try Self.findings(components)
    #expect(findings == expected, "\(components.text) \(findings)")
  }

  static let unusual: [(JSON, moreOnAndroid: String?, lessOnAndroid: String?)] = [
    // Without any URL that is compared exactly.
    ([["/": "/caf%C3%A9"]], "/%63af%C3%A9", nil),
    ([["/": "/caf%C3%A9", "?": ["a": "1"]]], "/caf%C3%A9?a=1&a=2", nil),
    // Separators behind the only parameter.
    ([["?": ["web": "1"], "exclude": true], ["/": "/*"]], "/a?web=1&", nil),
    // An exclusion behind many others.
    (
      .array(
        (0..<9).map { ["/": .string("/x\($0)/*"), "exclude": true] }
          + [["/": "/admin", "exclude": true], ["/": "/*"]]), "/admin//", nil
    ),
    ([["/": "./a*/?/"]], "/./aab///", nil),
    // Routes without a rule.
    ([["/": "/a/*"], ["/": "/b%2Fc"]], nil, "/b%2Fc"),
    ([["/": "/%2F"]], nil, "/%2F"),
    ([["/": "/a/%2A"]], nil, "/a/%2A"),
    ([["/": "/%61"]], nil, "/%61"),
    ([["/": "/caf%c3%a9/*"], ["/": "/x"]], nil, "/caf%c3%a9"),
    ([["?": ["b": "a;b"]]], nil, "/?b=a;b"),
    ([["?": ["": "x"]], ["/": "/a/*"]], nil, "/?=x"),
    ([["/": "/b%2Fc", "?": "v"], ["/": "/x"]], nil, "/b%2Fc?v"),
    // A route with fewer tries of its star than there are segments.
    ([["/": "/caf%C3%A9/*/buy"]], nil, "/caf%C3%A9/a/a/a/a/a/buy"),
  ]

  @Test(arguments: unusual.indices)
  func differencesOfUnusualURLsAreReported(index: Int) throws {
    let (components, more, less) = Self.unusual[index]
    let (file, rendering) = try Self.rendering(components)
    let matchers = (
      try Matcher(AppLinks(document: file)), try AndroidMatcher(AssetLinks(rendering.json))
    )
    let findings = PlatformComparison(rendering, domain: "example.com").findings
    for (path, isMore) in [(more, true), (less, false)] {
      guard let path else { continue }
      let url = "https://example.com\(path)"
      let opens = try Self.opens(url, matchers)
      try #require(opens == (apple: !isMore, android: isMore), "\(url) \(opens)")
      let found = findings.filter { $0.message.hasPrefix(isMore ? "Android" : "Apple") }
      let example = try #require(found.compactMap(Self.example).first, "\(findings)")
      #expect(try Self.opens(example, matchers) == opens, "\(example)")
    }
  }

  private static func opens(
    _ url: String, _ matchers: (Matcher, AndroidMatcher)
  ) throws -> (apple: Bool, android: Bool) {
    let ofApple = try matchers.0.explain(url, in: matchers.0.scope(of: "A.b")).resolution
    let ofAndroid = try matchers.1.explain(url, for: StatementList.package).resolution
    return (ofApple == .match, ofAndroid == .match)
  }

  private static let unusualPieces = [
    "/", "//", "a", "b", "*", "?", "%61", "%2F", "%C3%A9", "%c3%a9", "é", ";", "&", "%20", "%2A",
    "/*/",
  ]

  private static func unusualComponent(_ generator: inout SeededGenerator) -> JSON {
    var component: JSON.Object = [:]
    let pieces = unusualPieces
    if !generator.once(in: 5) {
      component["/"] = .string("/" + generator.text(of: pieces, upTo: 4))
    }
    if generator.once(in: 3) {
      let (name, value) = (
        generator.pick(["a", "%61", "é", "", "a;b"]), generator.text(of: pieces, upTo: 3)
      )
      component["?"] = generator.once(in: 4) ? .string(value) : [name: .string(value)]
    }
    if generator.once(in: 5) { component["#"] = .string(generator.text(of: pieces, upTo: 2)) }
    if generator.once(in: 3) { component["exclude"] = true }
    if generator.once(in: 5) { component["caseSensitive"] = false }
    if generator.once(in: 4) { component["percentEncoded"] = false }
    return .object(component)
  }

  /// A URL for one of the routes, more or less, with something unusual in it.
  private static func unusualURL(
    _ components: [JSON], _ generator: inout SeededGenerator
  ) -> String {
    let pieces = ["/", "//", "a", "b", "A", "%61", "%2F", "%C3%A9", "%c3%a9", ";", "%20", "%2A"]
    let component = generator.pick(components)
    func text(_ pattern: String, _ generator: inout SeededGenerator) -> String {
      var text = ""
      for character in pattern {
        switch character {
        case "*": text += generator.text(of: pieces, upTo: 2)
        case "?": text += generator.pick(pieces)
        case "a" where generator.once(in: 4): text += "%61"
        // No client sends it as it is.
        case "é": text += "%C3%A9"
        default: text.append(character)
        }
      }
      return text
    }
    var url = "https://example.com"
    url += text(component["/"]?.stringValue ?? "/*", &generator)
    if generator.once(in: 2) { url += generator.pick(["/", "//", "///", "%2F", "a"]) }
    switch component["?"] {
    case .string(let pattern): url += "?" + text(pattern, &generator)
    case .object(let items):
      url += "?"
      for item in items.members {
        url += text(item.key, &generator) + "=" + text(item.value.stringValue ?? "", &generator)
        url += generator.pick(["", "&", "&" + text(item.key, &generator) + "=", ";a", "%26"])
      }
    default: if generator.once(in: 4) { url += "?a=" + generator.text(of: pieces + ["&"], upTo: 3) }
    }
    if let fragment = component["#"]?.stringValue { url += "#" + text(fragment, &generator) }
    return url
  }

  /// Whatever differs has a finding. What Android opens alone has an example of that, but for rare lists.
  @Test func noUnusualURLDiffersWithoutAFinding() throws {
    var generator = SeededGenerator(seed: 1)
    var (more, less, unexplained) = (0, 0, [] as [String])
    for _ in 0..<150 {
      let routes = (0...generator.next() % 4).map { _ in Self.unusualComponent(&generator) }
      let components = JSON.array(routes)
      let (file, rendering) = try Self.rendering(components)
      let matchers = (
        try Matcher(AppLinks(document: file)), try AndroidMatcher(AssetLinks(rendering.json))
      )
      let findings = PlatformComparison(rendering, domain: "example.com").findings
      var hasExample = false
      for url in findings.compactMap(Self.example) where !url.hasSuffix("…") {
        let opens = try Self.opens(url, matchers)
        try #require(opens.apple != opens.android, "\(components.text) \(url)")
        hasExample = hasExample || opens.android
      }
      var opened: String?
      for _ in 0..<200 {
        let url = Self.unusualURL(routes, &generator)
        let opens = try Self.opens(url, matchers)
        if opens.apple == opens.android { continue }
        try #require(!findings.isEmpty, "\(components.text) \(url)")
        if opens.android { opened = url } else { less += 1 }
      }
      guard let opened else { continue }
      more += 1
      if !hasExample { unexplained.append("\(components.text) \(opened) \(findings)") }
    }
    #expect(more > 10 && less > 50, "\(more) \(less)")
    #expect(unexplained.count <= 1, "\(unexplained.joined(separator: "\n"))")
  }

  @Test func tooManyRulesAreReportedWithTheLimit() throws {
    let (_, rendering) = try Self.rendering(
      .array((0..<40).map { ["/": .string("/$(lang)/\($0)")] }))
    let findings = PlatformComparison(rendering, domain: "example.com").findings
    #expect(findings.map(\.code) == [.tooComplex])
    #expect(findings.first?.message.contains("20000") == true, "\(findings)")
  }

  /// The processor time to render and to compare entries with one route each.
  private static func time(_ routes: [[JSON]], _ values: Int) throws -> Duration {
    try processorTime {
      var document = try AssociationFile(
        adopting: [
          "applinks": [
            "details": .array(
              routes.enumerated().map {
                ["appIDs": [.string("A.b\($0)")], "components": .array($1)]
              }),
            "substitutionVariables": [
              "v": .strings((0..<values).map { "x\($0)" })
            ],
          ]
        ])
      for index in document.entries.indices {
        document.entries[index].androidApps = [try #require(PackageName(StatementList.package))]
      }
      let domain = Domain(name: try DomainName("example.com"), associationFile: document)
      let fingerprint = try #require(Fingerprint(StatementList.fingerprint))
      let rendering = try #require(
        AssetLinksRendering(domain) { _ in [AndroidApp.Certificate(fingerprint, label: .upload)] })
      _ = PlatformComparison(rendering, domain: "example.com").findings
    }.time
  }

  @Test func hostileRoutesTakeBoundedTime() throws {
    let long = String(repeating: "a", count: 150)
    let longer = String(repeating: "a", count: 10_000)
    let entries: [[[JSON]]] = [
      (0..<500).map { _ in [["/": .string("/\(long)$(v)/*")]] },
      [
        (0..<300).map {
          ["/": .string("/*a?*\($0)*b"), "exclude": .bool($0.isMultiple(of: 2))]
        }
      ],
      [(0..<20).map { ["/": .string("/\($0)\(longer)*b*c*d*e*f")] }],
      [(0..<600).map { ["/": .string("/$(digit)$(digit)$(alnum)\($0)*"), "?": ["a": "$(v)"]] }],
    ]
    for routes in entries {
      let duration = try Self.time(routes, 1000)
      #expect(duration < .seconds(3), "\(routes[0][0].text.prefix(40)): \(duration)")
    }
  }

  @Test func complexRoutesAreGivenUpInTime() throws {
    let paths = (0..<200).map { "*/a\($0)*b*/*" }
    let routes = JSON.array(
      paths.enumerated().map { ["/": .string($1), "exclude": .bool($0.isMultiple(of: 3))] })
    let (findings, time) = try processorTime { try Self.findings(routes) }
    #expect(time < .seconds(60), "\(time)")
    #expect(findings.contains { $0.contains("take too long") }, "\(findings)")
  }
}
