import Association
import TestSupport
import Testing

/// What `aasa export` writes, in each of its shapes, goes through `aasa validate`, `diff` and `apply`.
@Suite struct ExportRoundTripTests {
  private let scratch: TemporaryDirectory
  private let directory: String
  private let whole: String

  init() throws {
    scratch = try TemporaryDirectory()
    (directory, whole) = (scratch.path("state"), scratch.path("whole.json"))
  }

  private func aasa(
    _ command: String, _ words: String..., database: String? = nil, input: [UInt8] = []
  ) throws -> Program.Result {
    let site = database.map { ["--database", scratch.path($0)] } ?? []
    return try Program.run(
      Program.aasa, [command] + site + words, input: input)
  }

  /// Applies a state to an empty database, and exports it as a directory and as one file.
  private func export(_ state: JSON) throws {
    let file = try scratch.write(state.text, to: "random.json")
    let applied = try aasa("apply", "--accept", RandomState.accepted, file, database: "one.db")
    try #require(applied.status == 0, "\(applied.errors)\n\(state.text)")
    let exported = try aasa("export", directory, database: "one.db")
    try #require(exported.status == 0, "\(exported.errors)")
    try scratch.write(aasa("export", database: "one.db").bytes, to: "whole.json")
  }

  private static let seeds: Range<UInt64> = 0..<12

  @Test(arguments: seeds)
  func whatIsExportedIsValidAndDiffersInNothing(seed: UInt64) throws {
    let state = RandomState(seed: seed)
    try export(state.json)
    let accept = "--accept=\(RandomState.accepted)"
    let domains = state.domains.compactMap { $0["domain"]?.stringValue }
    let files = domains.map { "\(directory)/\($0).json" }
    let shapes = [[directory], [whole], files, ["\(directory)/apps.json"] + files, ["-"]]
    for shape in shapes + files.map({ [$0] }) {
      let input = shape == ["-"] ? try scratch.read("whole.json") : []
      let result = try Program.run(
        Program.aasa, ["validate", accept] + shape, input: input)
      #expect(
        result.status == 0 && result.errors.isEmpty, "\(shape): \(result.output)\(result.errors)")
      let errors = result.lines.filter { $0.hasPrefix("  error ") }
      #expect(errors.allSatisfy { $0.contains(" \(RandomState.accepted) ") }, "\(shape): \(errors)")
    }
    for shape in [directory, whole] {
      let same = try aasa("diff", accept, shape, database: "one.db")
      #expect(same.status == 0, "\(same.output)\(same.errors)")
    }
    let moved = try aasa("apply", accept, directory, database: "two.db")
    #expect(moved.status == 0, "\(moved.errors)")
    let again = try aasa("export", database: "two.db")
    #expect(try again.bytes == scratch.read("whole.json"))
  }

  /// A member that a later version adds has to be added to the random states, too.
  @Test func everyMemberThatAStateCanHaveIsExported() throws {
    let states = Self.seeds.map { RandomState(seed: $0) }
    let server = try RunningServer(database: scratch.path("aasa.db"))
    let description = try server.client().send("GET", "/openapi.json").json
    let schemas = description["components"]?["schemas"]
    func members(_ schema: String) throws -> Set<String> {
      let object = schemas?[schema]?["properties"]?.objectValue
      return Set(try #require(object).keys)
    }
    func keys(_ objects: [JSON]) -> Set<String> {
      Set(objects.flatMap { $0.objectValue?.keys ?? [] })
    }
    let domains = states.flatMap(\.domains)
    let entries = domains.flatMap { $0["entries"]?.arrayValue ?? [] }
    let routes = entries.flatMap { $0["routes"]?.arrayValue ?? [] }
    let readOnly: Set = [
      "unicode", "revision", "id", "updatedAt", "domains", "findings", "addedBy", "behindTemplate",
      "base",
      // `TemplateFileTests` exports and applies these.
      "template", "parameters",
    ]
    for (schema, objects) in [
      ("DomainOfState", domains), ("EntryInput", entries), ("RouteInput", routes),
      ("AppOfState", states.flatMap(\.apps)), ("AndroidAppOfState", states.flatMap(\.androidApps)),
    ] {
      let missing = try members(schema).subtracting(readOnly).subtracting(keys(objects))
      #expect(missing.isEmpty, "\(schema): \(missing)")
    }
  }

  private static let fingerprint =
    "D9:55:96:F6:BD:58:9D:EF:D9:C3:CC:2E:FE:25:DD:D0:63:2D:9D:0F:56:47:E4:9E:CF:9F:9D:76:9F:4E:B6:6F"
  private static let app: JSON = [
    "package": "com.example.shop", "name": "Shop", "environment": "production",
    "fingerprints": [["sha256": .string(fingerprint), "label": "play-signing"]],
  ]
  private static let domain: JSON = [
    "domain": "a.example",
    "entries": [["apps": [], "androidApps": ["com.example.shop"], "routes": [["path": "/a"]]]],
  ]

  @Test(
    arguments: [
      ["androidApps": [app]], ["androidApps": [app], "apps": []],
      ["apps": [], "androidApps": [app]],
      ["domains": [], "androidApps": [app]], ["domains": [domain], "androidApps": [app]],
    ] as [JSON])
  func aStateOfAndroidAppsIsOneInAnyOrderAndAlone(state: JSON) throws {
    for path in [
      try scratch.write(state.text, to: "any-name.json"),
      try scratch.write(state.text, to: "apps.json"),
    ] {
      let result = try aasa("validate", path)
      #expect(result.status == 0 && !result.output.contains(" error "), "\(result.output)")
      #expect(try aasa("diff", path, database: "none.db").status == 2)
    }
  }

  @Test func theFileOfADomainUsesTheAppsBesideIt() throws {
    let file = try scratch.write(Self.domain.text, to: "a.example.json")
    let alone = try aasa("validate", file)
    #expect(alone.status == 0, "\(alone.output)")
    #expect(alone.output.contains("note app-not-listed (the whole file): "), "\(alone.output)")
    try scratch.write(JSON.object(["apps": [], "androidApps": [Self.app]]).text, to: "apps.json")
    for path in [file, "a.example.json", "./a.example.json"] {
      let result = try Program.run(Program.aasa, ["validate", path], in: scratch)
      #expect(result.status == 0 && !result.output.contains("app-not-listed"), "\(result.output)")
    }
  }

  /// `apply` takes files of a gigabyte.
  @Test func aStateMayBeLargerThanAnAssociationFile() throws {
    let apps = (0..<90_000).map { number -> JSON in
      [
        "app": .string("ABCDE12345.com.example.app\(number)"), "name": "An app with a name",
        "environment": "production",
      ]
    }
    let path = try scratch.write(JSON.object(["apps": .array(apps)]).text, to: "apps.json")
    let result = try aasa("validate", path)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let padded = String(repeating: " ", count: 9_000_000)
    let other = try scratch.write(padded + #"{"applinks": {}}"#, to: "large.json")
    #expect(try aasa("validate", other).errors.contains("is too large"))
  }
}
