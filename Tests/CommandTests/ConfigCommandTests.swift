import Foundation
import Association
import TestSupport
import Testing

/// `aasa config` prints the effective settings and where they come from.
@Suite struct ConfigCommandTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Name, value and origin of each setting.
  private func rows(
    _ words: [String] = [], environment: [String: String] = [:]
  ) throws -> [[String]] {
    let result = try Program.run(
      Program.aasa, ["config"] + words, environment: environment, in: scratch)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    return result.lines.map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  @Test func eachValueHasItsOrigin() throws {
    try scratch.write(
      """
      # Ours.

      database = 'file.db'
      threads = 0x2
      "drainSeconds" = 20   # seconds
      insecureAdmin = true
      trustedProxies = [
        '10.0.0.0/8', # the balancers
        "2001:db8::/32",
      ]
      keepRevisions = "7"
      """, to: "aasa.toml")
    let rows = try rows(
      ["--config", "aasa.toml", "--threads=3", "--log-format", "json"],
      environment: ["AASA_THREADS": "4", "AASA_DRAIN_SECONDS": "30"])
    let expected = [
      "database": ["file.db", "aasa.toml:3"], "threads": ["3", "--threads"],
      "drainSeconds": ["30", "AASA_DRAIN_SECONDS"], "insecureAdmin": ["true", "aasa.toml:6"],
      "trustedProxies": ["10.0.0.0/8,2001:db8::/32", "aasa.toml:7"],
      "logFormat": ["json", "--log-format"], "keepRevisions": ["7", "aasa.toml:11"],
      "keepAuditDays": ["0", "default"],
      "publicCertificates": ["", "default"],
    ]
    for row in rows where expected[row[0]] != nil {
      #expect(Array(row.dropFirst()) == expected[row[0]])
    }
    #expect(Set(expected.keys).isSubset(of: rows.map { $0[0] }))
  }

  @Test func aFlagOfABooleanNeedsNoValueAndListsAreTakenTogether() throws {
    let words = [
      "--insecure-admin", "--trusted-proxies", "::1", "--trusted-proxies=10.0.0.0/8, 192.0.2.1",
    ]
    let all = try rows(words)
    #expect(all.contains(["insecureAdmin", "true", "--insecure-admin"]))
    #expect(
      all.contains(["trustedProxies", "::1/128,10.0.0.0/8,192.0.2.1/32", "--trusted-proxies"]))
    let off = try rows(["--insecure-admin=false"], environment: ["AASA_INSECURE_ADMIN": "true"])
    #expect(off.contains(["insecureAdmin", "false", "--insecure-admin"]))
  }

  @Test func asJSONItHasKindsAndLines() throws {
    try scratch.write("\nthreads = 2", to: "aasa.toml")
    let result = try Program.aasa(
      "config", "--json", "--trusted-proxies", "10.0.0.0/8",
      environment: ["AASA_CONFIG": "aasa.toml", "AASA_INSECURE_ADMIN": "true"], in: scratch)
    let settings = try JSON.parse(result.bytes).value["settings"]?.arrayValue ?? []
    let texts = settings.map { String(decoding: $0.serialized(), as: UTF8.self) }
    for expected in [
      #"{"name":"threads","value":2,"source":{"kind":"file","path":"aasa.toml","line":2}}"#,
      #"{"name":"insecureAdmin","value":true,"source":{"kind":"variable","name":"AASA_INSECURE_ADMIN"}}"#,
      #"{"name":"trustedProxies","value":["10.0.0.0/8"],"source":{"kind":"flag","name":"--trusted-proxies"}}"#,
      #"{"name":"database","value":"aasa.db","source":{"kind":"default"}}"#,
    ] {
      #expect(texts.contains(expected))
    }
  }

  @Test(arguments: ["missing/aasa.db", "file/aasa.db"])
  func aDatabaseWhoseDirectoryIsMissingIsReported(database: String) throws {
    try scratch.write("", to: "file")
    let result = try Program.aasa("config", "--database", database, in: scratch)
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("database: cannot write to its directory \""))
  }

  @Test func aFileThatIsNoDatabaseIsReported() throws {
    try scratch.write("# Notes", to: "notes.md")
    for (path, reason) in [("notes.md", "is not an SQLite database."), (".", "Is a directory.")] {
      let result = try Program.aasa("config", "--database", path, in: scratch)
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("database: "), "\(result.errors)")
      #expect(result.errors.contains(reason), "\(result.errors)")
    }
  }

  @Test(arguments: [("missing.pem", "cannot be read"), ("empty.pem", "has no certificate in PEM")])
  func authoritiesWithWhichNoCheckCouldConnectAreReported(file: String, reason: String) throws {
    try scratch.write("none", to: "empty.pem")
    for command in ["config", "serve"] {
      let result = try Program.aasa(command, "--check-authorities", file, in: scratch)
      #expect(result.status == (command == "serve" ? 64 : 1))
      #expect(result.errors.contains("checkAuthorities: \"\(file)\" \(reason)"), "\(result.errors)")
    }
  }

  @Test func thePasswordOfAKeystoreStopsNoServer() throws {
    #expect(try !rows(environment: ["AASA_KEYSTORE_PASSWORD": "secret"]).isEmpty)
  }

  private static let package = URL(filePath: #filePath).appending(path: "../../..").standardized

  @Test func theExampleHasEverySettingWithItsDefault() throws {
    let file = Self.package.appending(path: "Config/aasa.toml")
    let printed = try Program.aasa("config", "--example")
    #expect(
      printed.output == (try String(contentsOf: file, encoding: .utf8)),
      "run `make generate` after a change of settings")
    let standard = try rows()
    let example = try rows(["--config", file.path])
    #expect(example.map { Array($0.prefix(2)) } == standard.map { Array($0.prefix(2)) })
    #expect(example.allSatisfy { $0[2].contains("Config/aasa.toml:") })
    #expect(standard.allSatisfy { $0[2] == "default" })
  }

  @Test func theDocumentationHasTheTableOfAllSettings() throws {
    let page = Self.package.appending(path: "docs/configuration.md")
    let table = try Program.aasa("reference", "settings").output
    let isThere = try String(contentsOf: page, encoding: .utf8).contains("\n\n\(table)\n")
    #expect(isThere, "run `make generate` after a change of settings")
    for row in try rows() { #expect(table.contains("| `\(row[0])` |")) }
  }
}
