import Association
import Foundation
import Testing

/// A document, a URL, an app, and what must come of it.
struct MatchCase: Sendable, CustomTestStringConvertible {
  let name: String
  let document: JSON
  let url: String
  let app: String?
  let domain: String?
  let expected: String
  let isSettled: Bool

  var testDescription: String { name }

  /// The outcome as the file of the case writes it.
  func outcome() throws -> String {
    let matcher = try Matcher(document: document)
    let scope = app.map(matcher.scope(of:)) ?? matcher.everyEntry
    let resolution = try matcher.resolve(url, in: scope, domain: domain).resolution
    #expect(try matcher.explain(url, in: scope, domain: domain).resolution == resolution)
    return resolution.rawValue
  }

  /// The cases of `match-vectors.json`.
  static let vectors: [MatchCase] = {
    guard let url = Bundle.module.url(forResource: "Fixtures/match-vectors", withExtension: "json")
    else { return [] }
    return cases(at: url) { json in
      MatchCase(
        name: "\(json["id"]?.stringValue ?? ""): \(json["why"]?.stringValue ?? "")",
        document: json["file"] ?? .null, url: json["url"]?.stringValue ?? "",
        app: json["appID"]?.stringValue, domain: nil, expected: json["expect"]?.stringValue ?? "",
        isSettled: json["documented"]?.boolValue ?? true)
    }
  }()

  /// The decisions recorded from Apple's tool, which are not ours to copy; none where the folder
  /// beside the package is missing.
  static let recorded: [MatchCase] = cases(at: SharedFiles.recordedCases) { json in
    let words = ["exclude": "blocked", "no_match": "no-match"]
    let expected = json["expect"]?.stringValue ?? ""
    return MatchCase(
      name: json["name"]?.stringValue ?? "", document: json["aasa"] ?? .null,
      url: json["url"]?.stringValue ?? "", app: json["appId"]?.stringValue,
      domain: json["domain"]?.stringValue, expected: words[expected] ?? expected, isSettled: true)
  }

  private static func cases(at url: URL, _ read: (JSON) -> MatchCase) -> [MatchCase] {
    guard let data = FileManager.default.contents(atPath: url.path) else { return [] }
    do {
      return try JSON.parse(data).value["cases"]?.arrayValue?.map(read) ?? []
    } catch {
      Issue.record(error)
      return []
    }
  }
}

/// Files of other people, which lie in a folder `shared` beside the package where they are at all.
enum SharedFiles {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared")
  static let recordedCases = folder.appending(path: "spec/swcutil-cases.json")
  static let corpus = folder.appending(path: "corpus/aasa")

  static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }
}

@Suite struct RecordedCaseTests {
  @Test func theVectorsAreThere() {
    #expect(MatchCase.vectors.count == 254)
  }

  @Test(arguments: MatchCase.vectors)
  func everyVectorResolvesAsTheFormatSays(_ testCase: MatchCase) throws {
    #expect(try testCase.outcome() == testCase.expected)
  }

  @Test(
    .enabled(if: SharedFiles.exists(SharedFiles.recordedCases), "needs ../shared/spec"),
    arguments: MatchCase.recorded)
  func everyRecordedDecisionIsTheSameHere(_ testCase: MatchCase) throws {
    #expect(try testCase.outcome() == testCase.expected)
  }
}
