import Association
import TestSupport
import Testing

@Suite struct MatchCommandTests {
  private let scratch: TemporaryDirectory
  private let file: String
  private let app = AssociationFile.app

  init() throws {
    scratch = try TemporaryDirectory()
    let other = "ABCDE12345.com.example.other"
    let document: JSON = [
      "applinks": [
        "details": [
          [
            "appIDs": [.string(AssociationFile.app)],
            "components": [["/": "/help/web/*", "exclude": true], ["/": "/help/*"]],
          ],
          ["appIDs": [.string(other)], "components": [["/": "/other"]]],
        ]
      ]
    ]
    file = try scratch.write(document.serialized(), to: "file.json")
  }

  private func match(_ words: String..., input: String = "") throws -> Program.Result {
    try Program.run(Program.aasa, ["match", "--file", file] + words, input: Array(input.utf8))
  }

  @Test func aLineForEachURLAndAppSaysResolutionAppAndURL() throws {
    let result = try match("https://a.example/help/1", "https://a.example/help/web/1")
    #expect(
      result.output == """
        match\t\(app)\thttps://a.example/help/1
        no-match\tABCDE12345.com.example.other\thttps://a.example/help/1
        blocked\t\(app)\thttps://a.example/help/web/1
        no-match\tABCDE12345.com.example.other\thttps://a.example/help/web/1

        """)
    #expect(result.errors.isEmpty)
    #expect(result.status == 1, "the second URL opens no app")
  }

  @Test(
    arguments: [
      (urls: ["https://a.example/help/1", "https://b.example/other"], status: 0),
      (urls: ["https://a.example/help/1", "https://a.example/no"], status: 1),
      (urls: ["https://a.example/help/web/1"], status: 1), (urls: ["not a URL"], status: 1),
    ] as [(urls: [String], status: Int32)])
  func theStatusSaysWhetherEachURLOpensAnApp(urls: [String], status: Int32) throws {
    let result = try Program.run(Program.aasa, ["match", "--file", file] + urls)
    #expect(result.status == status)
    #expect(result.lines.count == 2 * urls.count)
  }

  @Test(arguments: [
    (#"{"appId":"ABCDE12345.com.a","paths":["/a"]}"#, "Write `appID` in place of \"appId\"."),
    (#"{"appID":"ABCDE12345.com.a","path":["/a"]}"#, "Write `paths` in place of \"path\"."),
    (#"{"appID":"ABCDE12345.com.a","paths":"/a"}"#, "Write `[\"/a\"]`."),
  ])
  func whatIsWrongWithTheFileIsSaidOnceIfAURLOpensNothing(entry: String, words: String) throws {
    let text = "{\"applinks\":{\"details\":[\(entry)]}}"
    let file = try scratch.write(Array(text.utf8), to: "wrong.json")
    let match = { (options: [String]) in
      try Program.run(
        Program.aasa, ["match", "--file", file] + options + ["https://a.example/a", "a.example/a"])
    }
    let result = try match(["--explain"])
    #expect(result.status == 1 && result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(try match([]).errors.isEmpty && match(["--json"]).errors.isEmpty)
  }

  @Test func anEntryThatNamesNoAppOpensNothing() throws {
    let file = try scratch.write(
      Array(#"{"applinks":{"details":[{"components":[{"/":"*"}]}]}}"#.utf8), to: "nobody.json")
    let result = try Program.run(Program.aasa, ["match", "--file", file, "https://a.example/"])
    #expect(result.output == "no-match\t-\thttps://a.example/\n")
    #expect(result.status == 1)
  }

  @Test func oneAppCanBeAskedAbout() throws {
    #expect(try match("--app", app, "https://a.example/help/1").lines.count == 1)
    let other = try match("--app", "ABCDE12345.com.example.other", "https://a.example/help/1")
    #expect(other.status == 1)
    #expect(other.lines == ["no-match\tABCDE12345.com.example.other\thttps://a.example/help/1"])
    let unknown = try match("--app", "ABCDE12345.no.such", "https://a.example/help/1")
    #expect(unknown.status == 1)
  }

  @Test(arguments: [
    (domain: "a.example", resolution: "match"), (domain: "A.Example", resolution: "match"),
    (domain: "b.example", resolution: "no-match"),
  ])
  func withADomainOnlyItsURLsCount(domain: String, resolution: String) throws {
    let result = try match("--domain", domain, "--app", app, "https://a.example/help/1")
    #expect(result.lines == ["\(resolution)\t\(app)\thttps://a.example/help/1"])
  }

  @Test func explainNamesTheRouteAndTheReason() throws {
    let result = try match(
      "--explain", "--app", app, "https://a.example/help/web/1", "https://a.example/no")
    let columns = result.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(
      columns[0].prefix(4) == [
        "blocked", app, "https://a.example/help/web/1", "/applinks/details/0/components/0",
      ])
    #expect(columns[1].prefix(4) == ["no-match", app, "https://a.example/no", "-"])
    #expect(columns.allSatisfy { $0.count == 5 && $0[4].hasSuffix(".") })
  }

  @Test func jsonIsAnObjectALine() throws {
    let result = try match("--json", "https://a.example/help/web/1")
    let objects = try result.lines.map { try JSON.parse(Array($0.utf8)).value }
    #expect(objects.count == 2)
    #expect(objects[0]["resolution"] == "blocked")
    #expect(objects[0]["app"] == .string(app) && objects[0]["platform"] == "ios")
    #expect(objects[0]["url"] == "https://a.example/help/web/1")
    #expect(objects[0]["pointer"] == "/applinks/details/0/components/0")
    #expect(objects[1]["pointer"] == nil)
  }

  @Test func theFileCanBeStdin() throws {
    let document = AssociationFile.routes(["/a"]).serialized()
    let result = try Program.aasa("match", "--file", "-", "https://a.example/a", input: document)
    #expect(result.output == "match\t\(app)\thttps://a.example/a\n")
    #expect(result.status == 0)
  }

  @Test func aFileThatIsNoJSONIsNamedWithThePlace() throws {
    let path = try scratch.write("{\n  'applinks': {}\n}", to: "bad.json")
    let result = try Program.aasa("match", "--file", path, "https://a.example/")
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(
      result.errors.hasPrefix("\"\(path)\" is not JSON: line 2, column 3"), "\(result.errors)")
  }
}
