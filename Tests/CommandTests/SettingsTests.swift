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
      "# A comment\ndatabase = '\(scratch.path(database))'\nthreads = 2\n", to: "aasa.toml")
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
    Wrong(
      words: ["--threads", "0"], sentence: "--threads must be a number from 1 to 64, not \"0\"."),
    Wrong(
      words: ["--database", ""],
      sentence: "--database must be a path, or a URI such as postgresql://USER@HOST/NAME, not \"\"."
    ),
    Wrong(
      words: ["--public-address", "8080"],
      sentence:
        "--public-address must be an address and a port, such as 127.0.0.1:8080, not \"8080\"."),
    Wrong(
      words: ["--log-format", "xml"], sentence: "--log-format must be text or json, not \"xml\"."),
    Wrong(
      environment: ["AASA_MAX_BODY_BYTES": "8M"],
      sentence: "AASA_MAX_BODY_BYTES must be a number from 131072 to 1073741824, not \"8M\"."),
    Wrong(
      environment: ["AASA_DATABSE": "aasa.db"],
      sentence: "Unknown environment variable \"AASA_DATABSE\". Did you mean \"AASA_DATABASE\"?"),
    Wrong(
      environment: ["AASA_PORT": "8080"],
      sentence: "Unknown environment variable \"AASA_PORT\". Use one of AASA_DATABASE, "),
    Wrong(
      environment: ["AASA_INSECURE_ADMIN": "yes"],
      sentence: "AASA_INSECURE_ADMIN must be true or false, not \"yes\"."),
    Wrong(
      words: ["--trusted-proxies", "10.0.0.0/8", "--trusted-proxies", "proxy"],
      sentence: "--trusted-proxies must be a list of addresses and ranges, such as "
        + "10.0.0.0/8,::1, not \"10.0.0.0/8,proxy\"."),
    Wrong(
      words: ["--admin-user-header", "Cookie"],
      sentence:
        "--admin-user-header must be the name of a header such as X-Forwarded-User, but not "
        + "Authorization, Cookie or Host, not \"Cookie\"."),
    Wrong(
      environment: ["AASA_ADMIN_USER_HEADER": "X User"],
      sentence: "AASA_ADMIN_USER_HEADER must be the name of a header such as"),
    Wrong(
      file: "adminUserHeader = 'authorization'",
      sentence: "aasa.toml:1: adminUserHeader must be the name of a header such as"),
    Wrong(
      words: ["--admin-user-header", "X-Forwarded-User", "--admin-hosts", "aasa.example.com"],
      sentence:
        "adminUserHeader needs trustedProxies, because the server reads the header only from them. "
    ),
    Wrong(
      words: ["--admin-user-header", "X-Forwarded-User", "--trusted-proxies", "127.0.0.1"],
      sentence: "adminUserHeader needs adminHosts, so that no web page can reach the server under "),
    Wrong(
      words: ["--admin-hosts", "https://aasa.example.com"],
      sentence: "--admin-hosts must be a list of host names, such as aasa.example.com, not "),
    Wrong(
      file: "threads = 1.5",
      sentence: "aasa.toml:1: threads must be a number from 1 to 64, not \"1.5\"."),
    Wrong(
      file: "# A comment\r\ntrustedProxies = [ # many\r\n]\r\nthread = 1",
      sentence: "aasa.toml:4: unknown setting \"thread\". Did you mean \"threads\"?"),
    Wrong(
      file: "port = 8080", sentence: "aasa.toml:1: unknown setting \"port\". Use one of database, "),
    Wrong(
      file: "\nthreads = true",
      sentence: "aasa.toml:2: threads must be a number from 1 to 64, not \"true\"."),
    Wrong(
      file: "threads = [1,\n 2]",
      sentence: "aasa.toml:1: threads must be a number from 1 to 64, not \"[ 1, 2 ]\"."),
    Wrong(
      file: "[threads]\na = 1",
      sentence: "aasa.toml:1: threads must be a number from 1 to 64, not \"a = 1\"."),
    Wrong(
      file: "database = 5",
      sentence:
        "aasa.toml:1: database must be a path, or a URI such as postgresql://USER@HOST/NAME."),
    Wrong(
      file: "database = 2026-11-22",
      sentence:
        "aasa.toml:1: database must be a path, or a URI such as postgresql://USER@HOST/NAME."),
    Wrong(
      file: "database = \"\(String(repeating: "a\u{20}", count: 200))\"\nthreads = 0",
      sentence: "aasa.toml:2: threads must be"),
    Wrong(
      file: "logFormat = \"\(String(repeating: "a", count: 200))\"",
      sentence: "aasa.toml:1: logFormat must be text or json, not "
        + "\"\(String(repeating: "a", count: 80))…\"."),
    Wrong(
      file: "\ntrustedProxies = ['::1', 7]",
      sentence: "aasa.toml:2: trustedProxies must be a list of addresses and ranges, such as"),
    Wrong(
      file: "threads = 1\n\n\"thr\\u0065ads\" = 2",
      sentence: "aasa.toml:3: \"\"thr\\u0065ads\" = 2\" repeats a setting. Keep one of the two."),
    Wrong(
      file: "threads = 1\ndatabase 'x'",
      sentence: "aasa.toml:2: \"database 'x'\" is not valid TOML: expected '=', saw '''. Write "),
    Wrong(file: "[ = 1", sentence: "aasa.toml is not valid TOML: a key or a value is malformed."),
    Wrong(file: "threads", sentence: "aasa.toml:1: \"threads\" is not valid TOML: "),
    Wrong(file: "database = 'a\n'", sentence: "aasa.toml:1: \"database = 'a\" is not valid TOML: "),
    Wrong(file: "{threads: 1}", sentence: "aasa.toml:1: \"{threads: 1}\" is not valid TOML: "),
    Wrong(
      file: "\n\ndatabase = /var/lib", sentence: "aasa.toml:3: \"database = /var/lib\" is not "),
    Wrong(
      file: "threads = 99999999999999999999",
      sentence: "aasa.toml:1: \"threads = 99999999999999999999\" is not valid TOML: "),
    Wrong(
      words: ["--config", "missing"],
      sentence: "Cannot read \"missing\": No such file or directory."),
    Wrong(words: ["--config", "."], sentence: "Cannot read \".\": Is a directory."),
  ])
  func aSettingThatIsWrongStopsWithASentence(wrong: Wrong) throws {
    var words = ["serve"] + wrong.words
    if let file = wrong.file {
      try scratch.write(file, to: "aasa.toml")
      words += ["--config", "aasa.toml"]
    }
    let result = try Program.run(
      Program.aasa, words, environment: wrong.environment, in: scratch)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix(wrong.sentence), "\(result.errors)")
    #expect(result.errors.hasSuffix("\n") && result.errors.count { $0 == "\n" } == 1)
    #expect(!exists("aasa.db"))
  }

  @Test(arguments: ["config", "serve"])
  func everySettingThatIsWrongIsReportedAtOnce(command: String) throws {
    try scratch.write("threads = 0\nthread = 1\ncheckHour = 24", to: "aasa.toml")
    let read = try Program.aasa(
      command, "--config", "aasa.toml", "--log-format", "xml",
      environment: ["AASA_ACCESS_LOG": "-1", "AASA_THREDS": "2"], in: scratch)
    #expect(read.status == 64 && read.output.isEmpty)
    let places = [
      "Unknown environment variable \"AASA_THREDS\"", "aasa.toml:1: threads ",
      "aasa.toml:2: unknown setting \"thread\"", "aasa.toml:3: checkHour ", "AASA_ACCESS_LOG ",
      "--log-format ",
    ]
    let faults = read.errors.split(separator: "\n")
    #expect(faults.count == places.count, "\(read.errors)")
    for (line, place) in zip(faults, places) { #expect(line.hasPrefix(place)) }

    let together = try Program.aasa(
      command, "--admin-address", "0.0.0.0:8080", "--public-address", "0.0.0.0:8080",
      "--admin-user-header", "X-User", "--spool-directory", "missing",
      "--check-authorities", "missing", in: scratch)
    #expect(together.status == (command == "serve" ? 64 : 1))
    let words = [
      "publicAddress and adminAddress", "plain HTTP", "trustedProxies", "adminHosts",
      "spoolDirectory", "checkAuthorities",
    ]
    let sentences = together.errors.split(separator: "\n")
    #expect(sentences.count == words.count, "\(together.errors)")
    for (line, word) in zip(sentences, words) { #expect(line.contains(word)) }
    #expect(!exists("aasa.db"))
  }

  @Test func anEmptyVariableCountsAsUnset() throws {
    let names = [
      "CONFIG", "SERVER", "TOKEN", "DATABASE", "SNAPSHOT", "PUBLIC_CERTIFICATES", "ADMIN_URL",
      "GOOGLE_KEY", "CHECK_PROXY", "APPLE_CDN", "THREADS", "READ_ONLY", "LOG_FORMAT",
      "CHECK_INTERVAL",
    ]
    for name in names {
      let result = try Program.aasa("config", environment: ["AASA_\(name)": ""], in: scratch)
      #expect(result.status == 0 && result.errors.isEmpty, "\(name): \(result.errors)")
      #expect(!result.output.contains("AASA_\(name)"), "\(name)")
    }
    let file = try Program.aasa(
      "config", "--config", try config("file.db"), environment: ["AASA_DATABASE": ""], in: scratch)
    #expect(file.output.contains("\(scratch.path("file.db"))\t"), "\(file.output)")
    let tokens = try Program.aasa(
      "token", "list", environment: ["AASA_SERVER": "", "AASA_DATABASE": "", "AASA_TOKEN": ""],
      in: scratch)
    #expect(tokens.errors.contains("aasa.db"), "\(tokens.errors)")
  }

  @Test func anEmptyVariableOfAListIsAnEmptyList() throws {
    try scratch.write("trustedProxies = ['192.0.2.1']", to: "aasa.toml")
    let result = try Program.aasa(
      "config", "--config", "aasa.toml", environment: ["AASA_TRUSTED_PROXIES": ""], in: scratch)
    #expect(result.output.contains("trustedProxies\t\tAASA_TRUSTED_PROXIES"), "\(result.output)")
  }

  @Test func anEmptyFlagNamesNoFile() throws {
    let flag = try Program.aasa("config", "--config", "", in: scratch)
    #expect(flag.status == 64 && flag.errors == "--config must be a path, not \"\".\n")
  }

  @Test func anEmptyFileIsFine() throws {
    try scratch.write("", to: "aasa.toml")
    #expect(try Program.aasa("config", "--config", "aasa.toml", in: scratch).status == 0)
  }

  @Test func aPathWithAZeroByteIsNotCutThere() throws {
    try scratch.write("database = \"a\\u0000b\"", to: "aasa.toml")
    let result = try Program.aasa("config", "--config", "aasa.toml", in: scratch)
    #expect(result.lines.first?.hasPrefix("database\ta\0b\t") == true)
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
