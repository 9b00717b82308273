import TestSupport
import Testing

/// `aasa validate` and `aasa match` of files that were made to take long or to fill the memory.
@Suite struct HostileFileTests {
  enum Kind: CaseIterable {
    case deepArrays, longKey, wrongElements, longValue, manyStars, manyRoutes

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
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func aHostileFileEndsWithinItsBounds(kind: Kind) throws {
    let scratch = try TemporaryDirectory()
    let path = try scratch.write(kind.text, to: "file")
    let url = "https://example.com/" + repeated("a", 8000)
    for words in [["validate", path], ["match", "--file", path, url]] {
      // In a gigabyte of addresses.
      let result = try Program.run(
        "bash", ["-c", "ulimit -v 1048576; exec \"$@\"", "bash", Program.aasa] + words)
      #expect(result.status == 0 || result.status == 1, "\(words[0]): \(result.ending)")
      #expect(result.bytes.count + result.errors.utf8.count < 1_000_000)
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

private func file(_ components: String, _ other: String = "") -> String {
  """
  {"applinks": {\(other) "details": [{
    "appIDs": ["ABCDE12345.com.example.app"], "components": [\(components)]
  }]}}
  """
}
