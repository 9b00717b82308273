import TestSupport
import Testing

/// `aasa validate` and `aasa match` of files that were made to take long or to fill the memory.
@Suite struct HostileFileTests {
  enum Kind: CaseIterable {
    case deepArrays, longKey, wrongElements, longValue, manyStars, manyRoutes
    case rulesLikeEachOther, unreadKeys, extensions, undefinedVariables

    var text: String {
      switch self {
      case .deepArrays: repeated("[", 1_000_000)
      case .longKey:
        "{\"\(repeated("k", 4_000_000))\": {\(repeated("\"a\": 1", 1000, by: ","))}}"
      case .wrongElements: file(repeated("1", 2_000_000, by: ","))
      case .longValue:
        file(
          "{\"/\": \"\(repeated("$(v)", 5000))\"}",
          "\"substitutionVariables\": {\"v\": [\"\(repeated("a", 100_000))\"]},")
      case .manyStars: file("{\"/\": \"/\(repeated("*a?", 20_000))\"}")
      case .manyRoutes: file(repeated("{\"/\": \"/*a*b*c*d\"}", 5000, by: ","))
      case .rulesLikeEachOther:
        statement(
          rules: listed(900) { number in
            "{\"?\": {\(listed(60) { "\"p\($0)\": \"*\"" }), \"z\": \"\(number)\"}}"
          })
      case .unreadKeys: "[\(repeated("{\"dynamic_app_link\": \"1\"}", 20_000, by: ","))]"
      case .extensions:
        """
        [{"relation": [\(listed(10_000) { "\"a/b\($0)\"" })],
          "relation_extensions": {\(listed(10_000) { "\"c/d\($0)\": {}" })}}]
        """
      case .undefinedVariables:
        file(
          repeated("{\"/\": \"$(a)\"}", 5000, by: ","),
          "\"substitutionVariables\": {\(listed(5000) { "\"v\($0)\": [\"x\"]" })},")
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func aHostileFileEndsWithinItsBounds(kind: Kind) throws {
    let scratch = try TemporaryDirectory()
    let path = try scratch.write(kind.text, to: "file")
    let url = "https://example.com/" + repeated("a", 8000)
    for words in [["validate", path], ["match", "--file", path, url]] {
      // In a gigabyte of addresses, and 20 seconds of a processor.
      let result = try Program.run(
        "bash", ["-c", "ulimit -v 1048576 -t 20; exec \"$@\"", "bash", Program.aasa] + words)
      #expect(result.status == 0 || result.status == 1, "\(words[0]): \(result.ending)")
      #expect(result.bytes.count + result.errors.utf8.count < 1_000_000)
    }
  }

  /// An entry with `appID` alone is written once for each app: here, a gigabyte and a half.
  @Test func aShortStateOfALongDocumentIsRefusedBeforeThatIsMade() throws {
    let scratch = try TemporaryDirectory()
    let path = "/" + repeated("a", 1000)
    let state = try scratch.write(
      """
      {"domains": [{"domain": "a.example", "format": "legacy", "entries": [{
        "apps": [\(listed(5000) { "\"ABCDE12345.com.example.a\($0)\"" })],
        "routes": [\(listed(300) { "{\"path\": \"\(path)\($0)\"}" })]}]}]}
      """, to: "state.json")
    let result = try Program.run(
      "bash",
      [
        "-c", "ulimit -v 2097152; exec \"$@\"", "bash", Program.aasa, "apply", "--database",
        scratch.path("aasa.db"), "--dry-run", state,
      ])
    #expect(result.status == 1 && result.errors.contains("too-large"), "\(result.ending)")
  }

  @Test func aSecondListOfManyStatementsIsComparedWithTheFirst() throws {
    let scratch = try TemporaryDirectory()
    for (name, letter) in [("first", "x"), ("second", "y")] {
      let file = try scratch.write(
        "[\(listed(12_000) { "{\"\(letter)\($0)\": \"1\"}" })]", to: name)
      let result = try Program.run(
        "bash",
        [
          "-c", "ulimit -t 20; exec \"$@\"", "bash", Program.aasa, "import", "--database",
          scratch.path("aasa.db"), "--kind", "assetlinks.json", "--domain", "a.example", "--accept",
          "missing-relation,missing-target", file,
        ])
      #expect(result.status == 0, "\(result.errors.prefix(500))")
    }
  }

  @Test(arguments: [["validate"], ["import", "--domain", "a.example"], ["match", "--file"]])
  func aFileOverTheLimitIsRefusedWithTheLimit(words: [String]) throws {
    let scratch = try TemporaryDirectory()
    let path = try scratch.write(Array(repeating: UInt8(ascii: " "), count: 8_388_609), to: "file")
    let url = words[0] == "match" ? ["https://a.example/"] : []
    let result = try Program.run(Program.aasa, words + [path] + url, in: scratch)
    #expect(result.status == 1)
    #expect(result.errors == "\"\(path)\" is too large. The limit is 8388608 bytes.\n")
  }
}

private func repeated(_ text: String, _ times: Int, by separator: String = "") -> String {
  Array(repeating: text, count: times).joined(separator: separator)
}

private func listed(_ count: Int, _ text: (Int) -> String) -> String {
  (0..<count).map(text).joined(separator: ",")
}

private func file(_ components: String, _ other: String = "") -> String {
  """
  {"applinks": {\(other) "details": [{
    "appIDs": ["ABCDE12345.com.example.app"], "components": [\(components)]
  }]}}
  """
}

private func statement(rules: String) -> String {
  let relation = "delegate_permission/common.handle_all_urls"
  return """
    [{"relation": ["\(relation)"], "target": {
      "namespace": "android_app", "package_name": "com.example.app",
      "sha256_cert_fingerprints": ["\(repeated("AB", 32, by: ":"))"]},
      "relation_extensions": {"\(relation)": {"dynamic_app_link_components": [\(rules)]}}}]
    """
}
