package import Association

/// Association files that tests publish.
package enum AssociationFile {
  /// The app in these files.
  package static let app = "ABCDE12345.com.example.app"

  /// A file whose routes have these paths.
  package static func routes(_ paths: [String]) -> JSON {
    ["applinks": ["details": [["appIDs": [.string(app)], "components": routeList(paths)]]]]
  }

  /// A file with one route and at least a given size.
  package static func large(_ path: String, bytes: Int = 100_000) -> JSON {
    let comment = JSON.string(String(repeating: "x", count: bytes))
    let route: JSON = ["/": .string(path), "comment": comment]
    return ["applinks": ["details": [["appIDs": [.string(app)], "components": [route]]]]]
  }

  /// A statement of `assetlinks.json` that lets an app open links, perhaps only those of some rules.
  package static func statement(
    _ package: String, _ fingerprints: [String], rules: JSON? = nil, _ more: JSON.Object = [:]
  ) -> JSON {
    let relation = "delegate_permission/common.handle_all_urls"
    var statement: JSON.Object = [
      "relation": [.string(relation)],
      "target": [
        "namespace": "android_app", "package_name": .string(package),
        "sha256_cert_fingerprints": .strings(fingerprints),
      ],
    ]
    if let rules {
      statement["relation_extensions"] = .object([relation: ["dynamic_app_link_components": rules]])
    }
    for member in more.members { statement[member.key] = member.value }
    return .object(statement)
  }

  private static func routeList(_ paths: [String]) -> JSON {
    .array(paths.map { ["/": .string($0)] })
  }

  /// The paths of the routes of a served file, in order; `nil` for a file of another shape.
  package static func paths(of file: JSON) -> [String]? {
    guard let entries = file["applinks"]?["details"]?.arrayValue, entries.count == 1 else {
      return nil
    }
    return entries[0]["components"]?.arrayValue?.compactMap { $0["/"]?.stringValue }
  }
}
