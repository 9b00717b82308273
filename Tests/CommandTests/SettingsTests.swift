import Glibc
import TestSupport
import Testing

/// Where settings come from: flags, then the environment, then the file, then defaults.
@Suite struct SettingsTests {
  let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func exists(_ name: String) -> Bool { access(scratch.path(name), F_OK) == 0 }

  private func config(_ database: String) throws -> String {
    try scratch.write(
      "// JSON5\n{database: '\(scratch.path(database))', threads: 2,}", to: "aasa.json5")
  }

  @Test func flagsComeBeforeAllElse() throws {
    let server = try RunningServer(
      database: scratch.path("flag.db"), arguments: ["--config", try config("file.db")],
      environment: ["AASA_DATABASE": scratch.path("environment.db")])
    _ = server
    #expect(exists("flag.db") && !exists("environment.db") && !exists("file.db"))
  }

  @Test func theEnvironmentComesBeforeTheFile() throws {
    let result = try Program.aasa(
      "token", "list",
      environment: [
        "AASA_CONFIG": try config("file.db"), "AASA_DATABASE": scratch.path("environment.db"),
      ])
    #expect(result.status == 0)
    #expect(exists("environment.db") && !exists("file.db"))
  }

  @Test func theFileComesBeforeDefaults() throws {
    let result = try Program.aasa(
      "token", "list", environment: ["AASA_CONFIG": try config("file.db")], in: scratch)
    #expect(result.status == 0)
    #expect(exists("file.db") && !exists("aasa.db"))
  }

  @Test func theDefaultDatabaseIsInTheWorkingDirectory() throws {
    #expect(try Program.aasa("token", "list", in: scratch).status == 0)
    #expect(exists("aasa.db"))
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    var words: [String] = []
    var environment: [String: String] = [:]
    var file: String?
    let sentence: String
    var testDescription: String { sentence }
  }

  @Test(arguments: [
    Wrong(words: ["--threads", "0"], sentence: "--threads: “0” is not a number from 1 to 64."),
    Wrong(words: ["--database", ""], sentence: "--database: “” is not a path."),
    Wrong(
      words: ["--public-address", "8080"],
      sentence:
        "--public-address: “8080” is not an address and a port, such as 127.0.0.1:8080."),
    Wrong(
      environment: ["AASA_MAX_BODY_BYTES": "8M"],
      sentence: "AASA_MAX_BODY_BYTES: “8M” is not a number from 131072 to 1073741824."),
    Wrong(
      file: "{threads: 1.5}", sentence: "aasa.json5: threads: “1.5” is not a number from 1 to 64."),
    Wrong(file: "{thread: 1}", sentence: "aasa.json5: there is no setting “thread”."),
    Wrong(file: "{threads: true}", sentence: "aasa.json5: “threads” is of the wrong type."),
    Wrong(file: "[]", sentence: "aasa.json5: the whole file is of the wrong type."),
    Wrong(file: "{threads", sentence: "aasa.json5 is not JSON5."),
    Wrong(
      words: ["--config", "missing"], sentence: "missing cannot be read: No such file or directory."
    ),
  ])
  func aSettingThatIsWrongStopsWithASentence(wrong: Wrong) throws {
    var words = ["serve"] + wrong.words
    if let file = wrong.file {
      try scratch.write(file, to: "aasa.json5")
      words += ["--config", "aasa.json5"]
    }
    let result = try Program.run(
      Program.aasa, words, environment: wrong.environment, in: scratch)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix(wrong.sentence), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(!exists("aasa.db"))
  }
}
