import Foundation
package import Association
import Testing

/// A form that association files take in practice, with an example.
package struct Shape: Sendable, CustomTestStringConvertible {
  /// What distinguishes it.
  package let testDescription: String
  /// The example.
  package let file: JSON

  /// The shapes of `Tests/Fixtures/shapes.json`.
  package static let all: [Shape] = {
    let path = URL(filePath: #filePath).appending(path: "../../Fixtures/shapes.json")
    do {
      let shapes = try JSON.parse(Data(contentsOf: path.standardized)).value.arrayValue ?? []
      return shapes.map {
        Shape(testDescription: $0["name"]?.stringValue ?? "", file: $0["file"] ?? .null)
      }
    } catch {
      Issue.record(error, "The shapes cannot be read.")
      return []
    }
  }()
}
