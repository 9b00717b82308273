import Foundation
public import Association
public import Testing

/// A form that association files take in practice, with an example.
public struct Shape: Sendable, CustomTestStringConvertible {
  /// What distinguishes it.
  public let testDescription: String
  /// The example.
  public let file: JSON

  /// The shapes of `Tests/Fixtures/shapes.json`.
  public static let all: [Shape] = {
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
