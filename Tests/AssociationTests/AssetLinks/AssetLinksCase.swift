import Foundation
import Association
import Testing

/// A case of `assetlinks-vectors.json`.
struct AssetLinksCase: Sendable, CustomTestStringConvertible {
  let json: JSON

  var testDescription: String { "\(text("id")): \(text("why"))" }

  func text(_ key: String) -> String { json[key]?.stringValue ?? "" }

  /// Whether Google's documents or tests settle the case.
  var isDocumented: Bool { json["documented"]?.boolValue ?? true }

  static let matching = cases("cases")
  static let parsing = cases("parsing")
  static let discards = cases("discards")

  private static func cases(_ key: String) -> [AssetLinksCase] {
    guard
      let url = Bundle.module.url(
        forResource: "Fixtures/assetlinks-vectors", withExtension: "json"),
      let data = FileManager.default.contents(atPath: url.path)
    else { return [] }
    do {
      let vectors = try JSON.parse(data).value
      return vectors[key]?.arrayValue?.map { AssetLinksCase(json: $0) } ?? []
    } catch {
      Issue.record(error)
      return []
    }
  }
}

/// Small assetlinks.json files.
enum StatementList {
  static let package = "com.example.shop"
  static let fingerprint =
    "F8:8B:E4:93:BF:67:34:99:B9:E3:D8:D0:5E:85:9B:65:E1:7E:C4:A5:47:F5:60:A5:FD:E5:94:D3:D1:0E:62:F3"
  static let relation = "delegate_permission/common.handle_all_urls"

  static let target: JSON = [
    "namespace": "android_app", "package_name": .string(package),
    "sha256_cert_fingerprints": [.string(fingerprint)],
  ]

  /// A file with one statement.
  static func statement(extensions: JSON) -> JSON {
    [["relation": [.string(relation)], "target": target, "relation_extensions": extensions]]
  }

  /// A file with one statement with dynamic rules.
  static func rules(_ rules: JSON) -> JSON {
    statement(extensions: .object([relation: ["dynamic_app_link_components": rules]]))
  }
}
