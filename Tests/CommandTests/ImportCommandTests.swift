import Association
import TestSupport
import Testing

@Suite struct ImportCommandTests {
  let scratch: TemporaryDirectory
  var database: String { scratch.path("aasa.db") }
  let file = AssociationFile.routes(["/a", "/b/*"])

  init() throws { scratch = try TemporaryDirectory() }

  private func adopt(_ bytes: [UInt8], _ domain: String = "example.com") throws -> Program.Result {
    let path = try scratch.write(bytes, to: "file.json")
    return try Program.aasa("import", "--domain", domain, "--database", database, path)
  }

  @Test func aFileThatDoesNotExistIsNamed() throws {
    let result = try Program.aasa("import", "--database", "x.db", "missing")
    #expect(result.status == 1)
    #expect(result.errors == "Cannot read \"missing\": No such file or directory.\n")
  }

  @Test func itReportsThePublishedRevision() throws {
    let size = file.serialized().count
    #expect(try adopt(file.serialized()).output == "example.com: revision 1, \(size) bytes\n")
    let again = try adopt(Array(file.prettyPrinted().utf8))
    #expect(again.status == 0)
    #expect(again.output == "example.com: revision 1, \(size) bytes (unchanged)\n")
  }

  @Test func itShowsWhatChanges() throws {
    _ = try adopt(file.serialized())
    let path = try scratch.write(AssociationFile.routes(["/a"]).serialized(), to: "new.json")
    let result = try Program.aasa(
      "import", "--dry-run", "--domain", "example.com", "--database", database, path)
    #expect(result.lines.count == 2 && result.lines[0].contains("revision 2"))
    #expect(result.lines.last?.hasPrefix("    - route \"/b/*\" removed") == true)
  }

  @Test func aDashIsStdin() throws {
    let result = try Program.aasa(
      "import", "--domain", "example.com", "--database", database, "-", input: file.serialized())
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("example.com: revision 1"))
  }

  @Test(arguments: [
    (text: "{\n  \"applinks\": {,\n}", place: "line 2, column 16"),
    (text: "", place: "line 1, column 1"),
    (text: "{\"applinks\": {}}}", place: "line 1, column 17"),
  ])
  func invalidJSONIsRefusedWithItsPositionAndChangesNothing(text: String, place: String) throws {
    #expect(try adopt(file.serialized()).status == 0)
    let result = try adopt(Array(text.utf8))
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(place), "\(result.errors)")
    #expect(result.errors.contains("file.json\": Not published: the document has 1 error."))
    #expect(result.errors.contains("\n  not-json: "))
    let server = try RunningServer(database: database)
    #expect(try server.file(of: "example.com").json == file)
  }

  @Test func aRefusalListsTheErrorsAndSaysHowToAcceptThem() throws {
    // A misspelled key is a warning, which refuses nothing.
    let json: JSON = [
      "applinks": [
        "details": [
          [
            "appIDs": [.string(AssociationFile.app)], "compnents": [],
            "components": [["/": "/$(food)"]],
          ]
        ]
      ]
    ]
    let refused = try adopt(json.serialized())
    #expect(refused.status == 1)
    let lines = refused.errors.split(separator: "\n").filter { !$0.hasPrefix("Created") }
    #expect(lines.count == 2, "\(lines)")
    #expect(
      lines.first?.hasSuffix(" To publish anyway, repeat with --accept undefined-variable.") == true
    )
    #expect(
      lines.last?.hasPrefix(
        #"  example.com route 1 of entry 1 ("/"): undefined-variable: "#) == true)
  }

  @Test func aRefusalDoesNotListErrorsThatAreAccepted() throws {
    let path = try scratch.write(
      AssociationFile.routes(["/$(food)"]).serialized(), to: "file.json")
    let words = ["import", "--domain", "example.com", "--database", database]
    let accepted = try Program.run(
      Program.aasa, words + ["--accept", "undefined-variable", path])
    #expect(accepted.status == 0)
    let worse = AssociationFile.routes(["/$(food)"]).text
      .replacing("\"/\":", with: "\"exclude\":\"yes\",\"/\":")
    try scratch.write(worse, to: "file.json")
    let refused = try Program.run(Program.aasa, words + [path])
    #expect(refused.status == 1)
    #expect(refused.errors.contains(": wrong-value-type: "))
    #expect(!refused.errors.contains("undefined-variable"), "\(refused.errors)")
  }
}
