/// Examples that several endpoints share, as JSON texts.
enum Example {
  static let sha256 = "2aedbcd82e709abcabbe99153de742bd9448391c0950e95238393c9349972c7c"

  static let routes = """
    [
      {"id": 1, "path": "/help/website/*", "exclude": true},
      {"id": 2, "path": "/help/*", "query": {"articleNumber": "????"}},
      {"id": 3, "path": "/order/$(food)/*"}
    ]
    """

  static let entry = #"{"id": 1, "apps": ["ABCDE12345.com.example.app"], "routes": \#(routes)}"#

  static let expectations = """
    [
      {
        "url": "https://example.com/checkout", "app": "ABCDE12345.com.example.app",
        "resolution": "no-match"
      }
    ]
    """

  static func domain(
    revision: Int, cacheSeconds: Int = 600, expectations: String = expectations
  ) -> String {
    """
    {
      "domain": "example.com", "aliases": ["www.example.com", "*.go.example.com"],
      "enabled": true, "format": "modern", "cacheSeconds": \(cacheSeconds),
      "environment": "production", "strict": false, "defaults": {"caseSensitive": false},
      "substitutionVariables": {"food": ["burrito", "pizza"]}, "entries": [\(entry)],
      "webcredentials": ["ABCDE12345.com.example.app"], "appclips": [],
      "activitycontinuation": [], "expectations": \(expectations), "revision": \(revision),
      "updatedAt": "2026-11-21T13:51:45Z"
    }
    """
  }

  /// The document of the domain.
  static let document = """
    {
      "applinks": {
        "defaults": {"caseSensitive": false},
        "substitutionVariables": {"food": ["burrito", "pizza"]},
        "details": [
          {
            "appIDs": ["ABCDE12345.com.example.app"],
            "components": [
              {"/": "/help/website/*", "exclude": true},
              {"/": "/help/*", "?": {"articleNumber": "????"}},
              {"/": "/order/$(food)/*"}
            ]
          }
        ]
      },
      "webcredentials": {"apps": ["ABCDE12345.com.example.app"]}
    }
    """

  /// A file that somebody wrote by hand.
  static let file = """
    {
      "applinks": {
        "details": [
          {
            "appIDs": ["ABCDE12345.com.example.app"],
            "components": [{"/": "/help/website/*", "exclude": true}, {"/": "/buy/*"}]
          }
        ]
      }
    }
    """

  static let finding = """
    {
      "code": "unused-variable", "severity": "note",
      "pointer": "/applinks/substitutionVariables/food",
      "message": "No pattern uses `$(food)`, so it has no effect.",
      "help": "Remove it, or correct its name: names are case-sensitive."
    }
    """

  /// A publication.
  ///
  /// - Parameters:
  ///   - changes: The changes since the revision before, if there is one.
  ///   - members: The other members of the answer.
  static func publication(
    _ revision: Int, findings: String = "", changes: String? = nil, affectsLinks: Bool = true,
    _ members: String = ""
  ) -> String {
    let diff = changes.map { #""diff": {"affectsLinks": \#(affectsLinks), "changes": [\#($0)]}"# }
    return """
      {
        "revision": \(revision), "changed": true, "bytes": 337, "sha256": "\(sha256)",
        "findings": [\(findings)], "changedResolutions": []
        \([diff ?? "", members].filter { !$0.isEmpty }.map { ", \($0)" }.joined())
      }
      """
  }
}
