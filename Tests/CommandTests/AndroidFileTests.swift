import Association
import TestSupport
import Testing

/// `aasa validate` and `aasa match` with assetlinks.json files.
@Suite struct AndroidFileTests {
  private let scratch: TemporaryDirectory
  private let file: String
  private let place =
    "/0/relation_extensions/delegate_permission~1common.handle_all_urls/dynamic_app_link_components"

  init() throws {
    scratch = try TemporaryDirectory()
    file = try scratch.write(Self.list("com.example.shop"), to: "assetlinks.json")
  }

  private static func list(_ package: String) -> String {
    """
    [{
      "relation": ["delegate_permission/common.handle_all_urls"],
      "target": {
        "namespace": "android_app",
        "package_name": "\(package)",
        "sha256_cert_fingerprints": [
          "F8:8B:E4:93:BF:67:34:99:B9:E3:D8:D0:5E:85:9B:65:E1:7E:C4:A5:47:F5:60:A5:FD:E5:94:D3:D1:0E:62:F3"
        ]
      },
      "relation_extensions": {
        "delegate_permission/common.handle_all_urls": {
          "dynamic_app_link_components": [
            {"/": "/help/web/*", "exclude": true}, {"/": "/help/*"}, {"/": "/help"}
          ]
        }
      }
    }]
    """
  }

  private func match(_ words: String...) throws -> Program.Result {
    try Program.run(Program.aasa, ["match", "--file", file] + words)
  }

  @Test func theContentSaysThatTheAppIsAPackage() throws {
    let result = try match(
      "example.com/help/1", "https://example.com/help/web/1", "https://example.com/no")
    #expect(
      result.output == """
        match\tcom.example.shop\thttps://example.com/help/1
        blocked\tcom.example.shop\thttps://example.com/help/web/1
        no-match\tcom.example.shop\thttps://example.com/no

        """)
    #expect(result.errors.isEmpty)
    #expect(result.status == 1, "two URLs open no app")
    #expect(try match("https://example.com/help").status == 0)
  }

  @Test func explainNamesTheRuleAndTheReason() throws {
    let result = try match("--explain", "https://example.com/help/web/1", "https://example.com")
    let columns = result.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(columns.map { $0[3] } == ["\(place)/0", "-"])
    #expect(
      columns.map { $0[4] } == [
        "The first matching rule is \(place)/0, an exclusion for the path \"/help/web/*\".",
        "No rule matches. The closest is \(place)/1, which requires the path \"/help/*\". Undocumented: "
          + "a URL without a path has an empty path, not `/`.",
      ])
  }

  @Test func jsonNamesThePlatform() throws {
    let result = try match("--json", "https://example.com/help/1")
    let json = try JSON.parse(result.bytes).value
    #expect(
      json.objectValue?.keys == ["url", "platform", "app", "resolution", "pointer", "reason"])
    #expect(json["platform"] == "android")
    #expect(json["app"] == "com.example.shop")
    #expect(json["pointer"] == .string("\(place)/1"))
  }

  @Test func validateReportsWhatAndroidDoesNotRead() throws {
    let good = try Program.aasa("validate", file)
    #expect(good.status == 0)
    #expect(good.lines.first == "\(file): valid, \(Self.list("com.example.shop").utf8.count) bytes")
    #expect(good.lines.dropFirst().allSatisfy { $0.hasPrefix("  note ") })
    let bad = try scratch.write(Self.list("com.example.*"), to: "bad.json")
    let result = try Program.aasa("validate", "--json", bad)
    #expect(result.status == 1)
    let json = try JSON.parse(result.bytes).value
    #expect(json["valid"] == false)
    #expect(json["findings"]?.arrayValue?.first?["code"] == "malformed-package-name")
    #expect(json["findings"]?.arrayValue?.first?["pointer"] == "/0/target/package_name")
  }

  @Test func theKindCanBeSaid() throws {
    let apple = try scratch.write(AssociationFile.routes(["/a"]).serialized(), to: "apple.json")
    let asAndroid = try Program.aasa("validate", "--kind", "assetlinks.json", apple)
    #expect(asAndroid.status == 1)
    #expect(asAndroid.output.contains("\n  error not-a-list (the whole file)"))
    let asApple = try Program.aasa("validate", "--kind", "apple-app-site-association", file)
    #expect(asApple.output.contains("\n  error not-an-object (the whole file)"))
    let matched = try match("--kind", "apple-app-site-association", "https://example.com/help")
    #expect(matched.output == "no-match\t-\thttps://example.com/help\n")
    let unknown = try Program.aasa("validate", "--kind", "passkeys", file)
    #expect(unknown.status == 64)
    #expect(
      unknown.errors.hasPrefix(
        "--kind must be one of apple-app-site-association, assetlinks.json, webauthn, passkey-endpoints, "
          + "not \"passkeys\"."
      ))
    let useless = try Program.aasa("match", "--kind", "assetlinks.json", "https://example.com/")
    #expect(useless.status == 64 && useless.errors.hasPrefix("--kind needs --file."))
  }

  @Test func aWebAuthnFileIsCheckedAndOpensNoURLs() throws {
    let path = try scratch.write(#"{"origins": ["https://example.de/"]}"#, to: "webauthn")
    let checked = try Program.aasa("validate", path)
    #expect(checked.status == 0)
    #expect(checked.output.contains("\n  warning origin-with-path /origins/0: "))
    for words in [[file, "--kind", "webauthn"], [path]] {
      let result = try Program.run(
        Program.aasa, ["match", "--file"] + words + ["https://example.com/"])
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(result.errors.contains("is a webauthn file, which opens no URLs"), "\(result.errors)")
    }
  }

  @Test(arguments: ["manyStatements", "manyRules", "longPattern"])
  func aHostileFileEndsWithinItsBounds(kind: String) throws {
    let rules =
      switch kind {
      case "manyRules":
        Array(repeating: #"{"/":"/*a*b*c*d"}"#, count: 15_000).joined(separator: ",")
      case "longPattern":
        #"{"/":"/\#(String(repeating: "*a?", count: 40_000))"}"#
      default: #"{"/":"*"}"#
      }
    var text = Self.list("com.example.shop").replacing(#"{"/": "/help"}"#, with: rules)
    if kind == "manyStatements" {
      text =
        "[" + Array(repeating: #"{"relation":[1],"a":2}"#, count: 10_000).joined(separator: ",")
        + "]"
    }
    let path = try scratch.write(text, to: "hostile.json")
    let url = "https://example.com/" + String(repeating: "xa", count: 4_000)
    for words in [["validate", path], ["match", "--explain", "--file", path, url]] {
      let result = try Program.run(
        "bash", ["-c", "ulimit -v 1048576; exec \"$@\"", "bash", Program.aasa] + words)
      #expect(result.status == 0 || result.status == 1, "\(words[0]): \(result.ending)")
      #expect(result.bytes.count + result.errors.utf8.count < 1_000_000)
    }
  }
}
