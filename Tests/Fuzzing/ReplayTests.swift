import Foundation
import Testing

/// Every input of the corpus, through the functions that `make fuzz` calls. An input that once broke
/// something stays there.
@Suite struct ReplayTests {
  private static func inputs(_ target: FuzzTarget) throws -> [URL] {
    let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
    return try FileManager.default.contentsOfDirectory(
      at: corpus.appending(path: target.rawValue), includingPropertiesForKeys: nil)
  }

  @Test(arguments: FuzzTarget.allCases)
  func everyInputKeepsItsProperties(target: FuzzTarget) throws {
    let inputs = try Self.inputs(target)
    #expect(!inputs.isEmpty)
    for input in inputs {
      #expect(throws: Never.self, "\(input.path)") {
        try target.check(Array(try Data(contentsOf: input)))
      }
    }
  }

  /// One byte of each input at a time is changed, so that the checks meet what is nearly right too.
  @Test(arguments: FuzzTarget.allCases)
  func everyInputKeepsItsPropertiesWithAByteChanged(target: FuzzTarget) throws {
    for input in try Self.inputs(target) {
      let bytes = Array(try Data(contentsOf: input))
      for round in 0..<min(8, bytes.count) {
        var changed = bytes
        changed[bytes.count * round / 8] ^= 1 << UInt8(round % 7)
        #expect(throws: Never.self, "\(input.path), round \(round)") { try target.check(changed) }
      }
    }
  }
}
