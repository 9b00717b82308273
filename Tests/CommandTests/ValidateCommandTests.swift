import JSONValue
import TestSupport
import Testing

@Suite struct ValidateCommandTests {
  let scratch: TemporaryDirectory
  let good = AssociationFile.routes(["/a"]).serialized()

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.write(good, to: "good.json")
    try scratch.write("{\n\"applinks\"", to: "bad.json")
  }

  private func validate(_ words: [String], input: [UInt8] = []) throws -> Program.Result {
    try Program.run(Program.aasa, ["validate"] + words, input: input, in: scratch)
  }

  @Test func aValidFileEndsWith0() throws {
    let result = try validate(["good.json"])
    #expect(result.status == 0)
    #expect(result.lines.first == "good.json: valid, \(good.count) bytes")
    #expect(result.errors.isEmpty)
  }

  @Test func oneBadFileAmongGoodOnesEndsWith1AndAllAreExamined() throws {
    let result = try validate(["good.json", "bad.json", "missing.json", "good.json"])
    #expect(result.status == 1)
    let files = result.lines.filter { !$0.hasPrefix("  ") }
    #expect(
      files.map { $0.prefix { $0 != "," } } == [
        "good.json: valid", "bad.json: not valid", "good.json: valid",
      ])
    #expect(result.output.contains("error not-json (the whole file)"))
    #expect(result.errors == "Cannot read \"missing.json\": No such file or directory.\n")
  }

  @Test func withJSONEachFileIsAnObjectOnALine() throws {
    let result = try validate(["--json", "good.json", "bad.json"])
    #expect(result.status == 1)
    let objects = try result.lines.map { try JSON.parse(Array($0.utf8)).value }
    #expect(objects.map { $0["file"]?.stringValue } == ["good.json", "bad.json"])
    #expect(objects.map { $0["valid"]?.boolValue } == [true, false])
    #expect(objects[0]["bytes"] == .integer(good.count))
    #expect(objects[1]["findings"]?.arrayValue?.first?["code"] == "not-json")
  }

  @Test(arguments: [false, true])
  func aDashIsStdinBeItAFileOrAPipe(isPipe: Bool) throws {
    guard isPipe else {
      #expect(try validate(["-"], input: good).output.hasPrefix("-: valid"))
      return
    }
    let process = try ChildProcess(
      Program.aasa, ["validate", "-"], environment: Program.environment(), input: .pipe,
      output: scratch.path("out"), errors: scratch.path("err"))
    try process.send(good)
    process.closeInput()
    #expect(try process.waitForEnd() == .exited(0))
    #expect(try scratch.text("out").hasPrefix("-: valid"))
  }

  @Test(
    arguments: [[0], [0xFF, 0xFE], [0x22, 0xC3, 0x28, 0x22], [0xEF, 0xBB, 0xBF]] as [[UInt8]])
  func bytesThatAreNoTextAreNotValidAndNothingWorse(bytes: [UInt8]) throws {
    let result = try validate(["-"], input: bytes)
    #expect(result.status == 1)
    #expect(result.output.contains("not-json"))
  }
}
