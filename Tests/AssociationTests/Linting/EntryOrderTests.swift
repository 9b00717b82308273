import Association
import TestSupport
import Testing

/// The routes of all entries of an app are decided in file order, and findings say so.
@Suite struct EntryOrderTests {
  private static let app: JSON = "ABCDE12345.com.example.app"
  private static let other: JSON = "ABCDE12345.com.example.other"

  private static func modern(_ routes: [JSON], _ apps: [JSON] = [app]) -> JSON {
    ["appIDs": .array(apps), "components": .array(routes)]
  }

  private static func legacy(_ paths: [String], _ app: JSON = app) -> JSON {
    ["appID": app, "paths": .strings(paths)]
  }

  private static func out(_ path: JSON) -> JSON { ["/": path, "exclude": true] }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let entries: [JSON]
    /// Code and place of each finding.
    let expected: [String]

    init(_ testDescription: String, _ entries: [JSON], _ expected: [String]) {
      self.testDescription = testDescription
      self.entries = entries
      self.expected = expected
    }
  }

  static let cases = [
    Case(
      "everything in a first entry, a path in a second",
      [modern([["/": "*"]]), modern([["/": "/x"]])],
      ["note shadowed-route 1/components/0"]),
    Case(
      "an exclusion in a second entry of what the first opens",
      [modern([["/": "/a/*"]]), modern([out("/a/x"), ["/": "/b"]])],
      ["warning shadowed-route 1/components/0"]),
    Case(
      "a first entry that excludes everything", [modern([out("*")]), modern([["/": "/x"]])],
      ["warning excludes-later-routes 0/components/0", "warning shadowed-route 1/components/0"]),
    Case(
      "the same behind two entries of other apps",
      [
        modern([out("*")]), modern([["/": "/y"]], [other]), legacy(["/z"], other),
        modern([["/": "/x"]]),
      ],
      ["warning excludes-later-routes 0/components/0", "warning shadowed-route 3/components/0"]),
    Case(
      "a legacy entry before a modern one with exclusions",
      [legacy(["*"]), modern([out("/x"), ["/": "*"]])],
      ["warning shadowed-route 1/components/0", "note duplicate-route 1/components/1"]),
    Case(
      "a legacy entry behind a modern one is for older systems",
      [modern([out("/x"), ["/": "*"]]), legacy(["NOT /x", "*"])], []),
    Case(
      "an exclusion of the rest that keeps newer systems from the legacy entry",
      [modern([["/": "/x"], out("*")]), legacy(["*"])], []),
    Case(
      "a modern entry that excludes everything, before a legacy one",
      [modern([out("*")]), legacy(["/x"])], ["warning excludes-later-routes 0/components/0"]),
    Case(
      "routes of one legacy entry", [modern([["/": "*"]]), legacy(["/a/*", "/a/b", "NOT /a/c"])],
      ["note shadowed-route 1/paths/1", "warning shadowed-route 1/paths/2"]),
    Case(
      "an exclusion for one of the apps of a later entry",
      [modern([out("/x")], [app]), modern([["/": "/x"], ["/": "/y"]], [app, other])], []),
    Case(
      "an exclusion for one app of all that a later entry opens",
      [modern([out("/x")], [app]), modern([["/": "/x"]], [app, other])],
      ["warning excludes-later-routes 0/components/0"]),
    Case(
      "two entries that suffice together",
      [
        modern([["/": "/a", "#": "?*"]]), modern([["/": "/a", "#": ""]]),
        modern([out("/a")]),
      ], ["warning shadowed-route 2/components/0"]),
    Case(
      "apps with different pasts, none of which leaves anything",
      [
        modern([["/": "/*"]]), modern([["/": "/a/*"]], [other]),
        modern([["/": "/a/b"]], [app, other]),
      ], ["note shadowed-route 2/components/0"]),
    Case(
      "an exclusion of every value where one was meant",
      [modern([["?": ["x": "*"], "exclude": true], ["/": "/a"], ["/": "/b"]])],
      [
        "warning excludes-later-routes 0/components/0", "warning shadowed-route 0/components/1",
        "warning shadowed-route 0/components/2",
      ]),
    Case(
      "an exclusion of every later route but one",
      [modern([out("/a/*"), ["/": "/a/b"], ["/": "/c"]])],
      ["warning shadowed-route 0/components/1"]),
    Case(
      "an exclusion that a later entry needs",
      [modern([["/": "/b"], out("/a/x")]), modern([["/": "/a/*"]])], []),
    Case(
      "an exclusion that only an earlier entry would need",
      [modern([["/": "/a/*"], ["/": "/b"]]), modern([["/": "/c"], out("/d")])],
      ["note unneeded-exclusion 1/components/1"]),
  ]

  @Test(arguments: cases)
  func entriesOfOneAppAreDecidedInTheirOrder(testCase: Case) throws {
    let document: JSON = ["applinks": ["details": .array(testCase.entries)]]
    let findings = Linter.findings(in: ReadDocument(document), size: 10)
      .filter { !FindingCase.common.contains($0.code) }
    let found = findings.map { finding in
      let place = finding.pointer.description.dropFirst("/applinks/details/".count)
      return "\(finding.severity) \(finding.code.rawValue) \(place)"
    }
    #expect(found == testCase.expected)
    for finding in findings where !finding.pointer.keys.contains("paths") {
      try check(finding, document)
    }
  }

  /// The URL that a finding names is decided by a route that it names, or if it is about an exclusion,
  /// by that.
  private func check(_ finding: Finding, _ document: JSON) throws {
    let matcher = try Matcher(document: document)
    let words = finding.message.split { " ()".contains($0) }
    let url = String(try #require(words.first { $0.hasPrefix("https://") }))
    let decider = try matcher.explain(url, in: matcher.scope(of: Self.app.stringValue ?? "")).route
    let isAboutExclusion =
      finding.code == .unneededExclusion || finding.code == .excludesLaterRoutes
    if isAboutExclusion {
      #expect(decider == finding.pointer)
    } else {
      #expect(decider != finding.pointer)
      #expect(finding.message.contains(try #require(decider).description))
    }
  }

  @Test func theURLIsOneOfTheDomain() throws {
    let document: JSON = [
      "applinks": ["details": [Self.modern([["/": "*"]]), Self.modern([["/": "/x"]])]]
    ]
    let context = Linter.Context(domain: "shop.example.net")
    let findings = Linter.findings(in: ReadDocument(document), size: 10, context: context)
    #expect(findings.map(\.message).joined().contains("https://shop.example.net/x"))
  }

  @Test func theHelpSaysInWhichOrderToPutTheEntries() throws {
    let both: JSON = [
      "appIDs": [Self.app], "components": [["/": "/a"]], "paths": ["/a"],
    ]
    let mixed = Linter.findings(
      in: ReadDocument(["applinks": ["details": [both]]]), size: 10)
    #expect(mixed.map(\.code) == [.componentsAndPaths])
    #expect(mixed[0].help.contains("after this one"))
    let swapped = Linter.findings(
      in: ReadDocument([
        "applinks": ["details": [Self.legacy(["*"]), Self.modern([Self.out("/x")])]]
      ]), size: 10)
    #expect(swapped.map(\.help).contains { $0.contains("before the one with `paths`") })
  }

  @Test func anExclusionOfAnyQueryIsToldHowToRequireAValue() throws {
    func help(_ query: JSON) -> [String] {
      let routes: [JSON] = [["?": query, "exclude": true], ["/": "/a"]]
      let document: JSON = ["applinks": ["details": [Self.modern(routes)]]]
      return Linter.findings(in: ReadDocument(document), size: 10)
        .filter { $0.code == .excludesLaterRoutes }.map(\.help)
    }
    for query: JSON in ["*", ["x": "*"], ["x": "*", "y": "*"]] {
      #expect(help(query).count == 1 && help(query)[0].contains("`?*`"))
    }
    #expect(help(["x": "?*"]).isEmpty)
  }

  /// As many entries of one app, and of many, as a file can have.
  @Test(arguments: [1, 2, 100, 1_700])
  func thousandsOfEntriesAreDecidedInBoundedTime(apps: Int) throws {
    let entries: [JSON] = (0..<3_400).map { index in
      let app = JSON.string("A.\(index % apps)")
      let path = JSON.string("/\(index)")
      return Self.modern([index % 3 == 0 ? Self.out(path) : ["/": path]], [app])
    }
    let links = AppLinks(document: ["applinks": ["details": .array(entries)]])
    let (verdicts, time) = processorTime { Shadowing(links).routes.map(\.verdict) }
    #expect(time < .seconds(60), "\(time)")
    #expect(verdicts.count == 3_400)
    #expect(verdicts.allSatisfy { if case .shadowed = $0 { false } else { true } })
  }

  /// Each app of the last entry comes to it from another past.
  @Test func anEntryOfThousandsOfAppsWithDifferentPastsIsDecidedInBoundedTime() throws {
    let apps = (0..<2_000).map { JSON.string("A.\($0)") }
    let first = apps.map { Self.modern([["/": "/a"]], [$0]) }
    let last = Self.modern((0..<2_000).map { ["/": .string("/\($0)")] } + [["/": "/a"]], apps)
    let links = AppLinks(document: ["applinks": ["details": .array(first + [last])]])
    let (verdicts, time) = processorTime { Shadowing(links).routes.map(\.verdict) }
    #expect(time < .seconds(60), "\(time)")
    #expect(verdicts[2_000] == .decides(example: "https://example.com/0"))
    #expect(verdicts.last == .notDecided(.tooComplex))
  }
}
