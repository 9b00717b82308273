import Foundation
import Association
import Testing

/// A case of `device-output-cases.json`.
struct DeviceOutputCase: Sendable, CustomTestStringConvertible {
  let json: JSON

  var testDescription: String { json["id"]?.stringValue ?? "" }

  /// The pasted text; of a recipe, its pieces.
  var input: String {
    if let input = json["input"]?.stringValue { return input }
    return (json["inputRecipe"]?.arrayValue ?? []).map { piece in
      piece["text"]?.stringValue
        ?? String(
          repeating: piece["repeat"]?.stringValue ?? "", count: piece["times"]?.integerValue ?? 0)
    }.joined()
  }

  var expected: [JSON] { json["expect"]?.arrayValue ?? [] }

  static let all: [DeviceOutputCase] = {
    guard
      let url = Bundle.module.url(
        forResource: "Fixtures/device-output-cases", withExtension: "json"),
      let data = FileManager.default.contents(atPath: url.path)
    else { return [] }
    do {
      let cases = try JSON.parse(data).value["cases"]?.arrayValue ?? []
      return cases.map { DeviceOutputCase(json: $0) }
    } catch {
      Issue.record(error)
      return []
    }
  }()
}

extension DeviceOutput {
  init(_ text: String) { self.init(Array(text.utf8)) }

  /// Each row in one line: host, service, app, state; `-` for none.
  var lines: [String] {
    rows.map { row in
      [row.host, row.service, row.app, row.state].map { $0 ?? "-" }.joined(separator: " ")
    }
  }
}

/// Pieces of tables of associations.
enum TableEntry {
  static let separator = String(repeating: "-", count: 80)

  /// An entry with the keys in their order, as the table has it.
  static func text(_ values: (String, String)...) -> String {
    values.map { key, value in
      "\(key):\(String(repeating: " ", count: max(1, 21 - key.count)))\(value)\n"
    }.joined()
  }

  /// An entry that Apple approved for a host.
  static func approved(_ host: String, _ more: (String, String)...) -> String {
    let all = [
      ("Service", "applinks"), ("App ID", "ABCDE12345.com.example.app"), ("Domain", host),
      ("User Approval", "unspecified"), ("Site/Fmwk Approval", "approved"),
    ]
    return (all + more).map { text($0) }.joined()
  }
}

extension DeviceOutput {
  /// "kind host app verdict" of each row of a text, for which nothing is published.
  static func explained(_ text: String) -> [String] {
    let output = DeviceOutput(Array(text.utf8))
    return output.rows.map { row in
      let verdict = DeviceVerdict(row, of: output.kind)
      return "\(output.kind.rawValue) \(row.host ?? "-") \(row.app ?? "-") \(verdict.code.rawValue)"
    }
  }
}
