import FoundationEssentials
import JSONValue
import TestSupport
import Testing

/// `aasa config` prints what counts and where it is from.
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
      // Ours.
      {
        database: 'file.db', threads: 0x2, "drainSeconds": 20, /* a comment
        of two lines */ insecureAdmin: true,
        trustedProxies: [
          '10.0.0.0/8', // the balancers
          '2001:db8::/32',
        ],
      }
      """, to: "aasa.json5")
    let rows = try rows(
      ["--config", "aasa.json5", "--threads=3", "--log-format", "json"],
      environment: ["AASA_THREADS": "4", "AASA_DRAIN_SECONDS": "30"])
    let expected = [
      "database": ["file.db", "aasa.json5:3"], "threads": ["3", "--threads"],
      "drainSeconds": ["30", "AASA_DRAIN_SECONDS"], "insecureAdmin": ["true", "aasa.json5:4"],
      "trustedProxies": ["10.0.0.0/8,2001:db8::/32", "aasa.json5:5"],
      "logFormat": ["json", "--log-format"], "keepRevisions": ["100", "default"],
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
    try scratch.write("{\n threads: 2}", to: "aasa.json5")
    let result = try Program.aasa(
      "config", "--json", "--trusted-proxies", "10.0.0.0/8",
      environment: ["AASA_CONFIG": "aasa.json5", "AASA_INSECURE_ADMIN": "true"], in: scratch)
    let settings = try JSON.parse(result.bytes).value["settings"]?.arrayValue ?? []
    let texts = settings.map { String(decoding: $0.serialized(), as: UTF8.self) }
    for expected in [
      #"{"name":"threads","value":2,"source":{"kind":"file","path":"aasa.json5","line":2}}"#,
      #"{"name":"insecureAdmin","value":true,"source":{"kind":"variable","name":"AASA_INSECURE_ADMIN"}}"#,
      #"{"name":"trustedProxies","value":["10.0.0.0/8"],"source":{"kind":"flag","name":"--trusted-proxies"}}"#,
      #"{"name":"database","value":"aasa.db","source":{"kind":"default"}}"#,
    ] {
      #expect(texts.contains(expected))
    }
  }

  @Test func theExampleNamesEverySettingWithItsDefault() throws {
    let package = URL(filePath: #filePath).appending(path: "../../..").standardized.path
    let standard = try rows()
    let example = try rows(["--config", "\(package)/Config/aasa.json5"])
    #expect(example.map { $0[0] } == standard.map { $0[0] })
    #expect(example.map { $0[1] } == standard.map { $0[1] })
    #expect(example.allSatisfy { $0[2].contains("Config/aasa.json5:") })
    #expect(standard.allSatisfy { $0[2] == "default" })
  }

  @Test func everySettingIsInTheReadmeWithItsDefault() throws {
    let readme = URL(filePath: #filePath).appending(path: "../../../README.md").standardized
    let text = String(decoding: try Data(contentsOf: readme), as: UTF8.self)
    for row in try rows() {
      let cells = "| `\(row[0])` |" + (row[1].isEmpty ? "" : " `\(row[1])` |")
      let isThere = text.contains(cells)
      #expect(isThere, "\(row[0])")
    }
  }
}
