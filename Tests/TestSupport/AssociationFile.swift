public import JSONValue

/// Association files that tests publish.
public enum AssociationFile {
  /// The app in these files.
  public static let app = "ABCDE12345.com.example.app"

  /// A file whose routes have these paths.
  public static func routes(_ paths: [String]) -> JSON {
    ["applinks": ["details": [["appIDs": [.string(app)], "components": routeList(paths)]]]]
  }

  /// A file with one route and at least a given size.
  public static func large(_ path: String, bytes: Int = 100_000) -> JSON {
    let comment = JSON.string(String(repeating: "x", count: bytes))
    let route: JSON = ["/": .string(path), "comment": comment]
    return ["applinks": ["details": [["appIDs": [.string(app)], "components": [route]]]]]
  }

  private static func routeList(_ paths: [String]) -> JSON {
    .array(paths.map { ["/": .string($0)] })
  }

  /// The paths of the routes of a served file, in order; `nil` for a file of another shape.
  public static func paths(of file: JSON) -> [String]? {
    guard let entries = file["applinks"]?["details"]?.arrayValue, entries.count == 1 else {
      return nil
    }
    return entries[0]["components"]?.arrayValue?.compactMap { $0["/"]?.stringValue }
  }
}
