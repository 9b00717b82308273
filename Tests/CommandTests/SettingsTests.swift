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
      "token", "create", "--name", "a", "--role", "viewer",
      environment: [
        "AASA_CONFIG": try config("file.db"), "AASA_DATABASE": scratch.path("environment.db"),
      ])
    #expect(result.status == 0)
    #expect(exists("environment.db") && !exists("file.db"))
  }

  @Test func theFileComesBeforeDefaults() throws {
    let result = try Program.aasa(
      "token", "create", "--name", "a", "--role", "viewer",
      environment: ["AASA_CONFIG": try config("file.db")], in: scratch)
    #expect(result.status == 0)
    #expect(exists("file.db") && !exists("aasa.db"))
  }

  @Test func theDefaultDatabaseIsInTheWorkingDirectory() throws {
    let words = ["token", "create", "--name", "a", "--role", "viewer"]
    #expect(try Program.run(Program.aasa, words, in: scratch).status == 0)
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
      environment: ["AASA_DATABSE": "aasa.db"],
      sentence: "There is no setting “AASA_DATABSE”. Did you mean AASA_DATABASE? There are"),
    Wrong(
      environment: ["AASA_PORT": "8080"], sentence: "There is no setting “AASA_PORT”."),
    Wrong(
      environment: ["AASA_INSECURE_ADMIN": "yes"],
      sentence: "AASA_INSECURE_ADMIN: “yes” is not true or false."),
    Wrong(
      words: ["--trusted-proxies", "10.0.0.0/8", "--trusted-proxies", "proxy"],
      sentence:
        "--trusted-proxies: “10.0.0.0/8,proxy” is not a list of addresses and ranges, such as"),
    Wrong(
      file: "{threads: 1.5}", sentence: "aasa.json5:1: threads: “1.5” is not a number from 1 to 64."
    ),
    Wrong(
      file: "// JSON5\r\n{\r\n  /* many\r\n lines */ thread: 1}",
      sentence:
        "aasa.json5:4: There is no setting “thread”. Did you mean threads? There are database, "),
    Wrong(
      file: "{\n threads: true}",
      sentence: "aasa.json5:2: threads: “true” is not a number from 1 to 64."),
    Wrong(
      file: "{threads: [1,\n 2]}",
      sentence: "aasa.json5:1: threads: “[1, 2]” is not a number from 1 to 64."),
    Wrong(file: "{database: 5}", sentence: "aasa.json5:1: database: “5” is not a path."),
    Wrong(file: "{database: null}", sentence: "aasa.json5:1: database: “null” is not a path."),
    Wrong(
      file: "{\n trustedProxies: ['::1', 7]}",
      sentence: "aasa.json5:2: trustedProxies: “['::1', 7]” is not a list"),
    Wrong(
      file: "{threads: 1,\n\n 'thr\\u0065ads': 2}",
      sentence: "aasa.json5:3: “threads” is there already, in line 1."),
    Wrong(
      file: "[]", sentence: "aasa.json5:1: This is not JSON5. The file must be an object in braces."
    ),
    Wrong(
      file: "{\n threads: 1\n database: 'x'}",
      sentence: "aasa.json5:3: This is not JSON5. There must be a comma"),
    Wrong(file: "{threads", sentence: "aasa.json5:1: This is not JSON5. There must be a colon"),
    Wrong(
      file: "{database: 'a\n'}",
      sentence: "aasa.json5:1: This is not JSON5. A string is not closed."),
    Wrong(
      file: "{\n/* threads: 1}",
      sentence: "aasa.json5:2: This is not JSON5. A comment is not closed."),
    Wrong(file: "{threads: 1}\n}", sentence: "aasa.json5:2: This is not JSON5. Nothing can follow"),
    Wrong(file: "", sentence: "aasa.json5:1: This is not JSON5."),
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
    #expect(result.errors.hasSuffix("\n") && result.errors.count { $0 == "\n" } == 1)
    #expect(!exists("aasa.db"))
  }

  @Test func variablesThatKubernetesSetsForAServiceOfThisNameAreNoSettings() throws {
    let address = "tcp://10.0.0.1:8080"
    let result = try Program.aasa(
      "config",
      environment: [
        "AASA_SERVICE_HOST": "10.0.0.1", "AASA_SERVICE_PORT": "8080",
        "AASA_SERVICE_PORT_HTTP": "8080",
        "AASA_PORT": address, "AASA_PORT_8080_TCP": address, "AASA_PORT_8080_TCP_ADDR": "10.0.0.1",
        "AASA_ADMIN_SERVICE_HOST": "10.0.0.2", "AASA_ADMIN_PORT": address,
      ])
    #expect(result.status == 0, "\(result.errors)")
  }
}
