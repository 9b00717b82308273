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
    [{"url": "https://example.com/checkout", "app": "ABCDE12345.com.example.app",
      "resolution": "no-match"}]
    """

  /// The domain, whose `cacheSeconds` the example of PATCH sets in revision 3.
  static func domain(revision: Int, expectations: String = expectations) -> String {
    """
    {
      "domain": "example.com", "aliases": ["www.example.com", "*.go.example.com"],
      "enabled": true, "format": "modern", "cacheSeconds": \(revision < 3 ? 3600 : 600),
      "environment": "production", "strict": false, "defaults": {"caseSensitive": false},
      "substitutionVariables": {"food": ["burrito", "pizza"]}, "entries": [\(entry)],
      "webcredentials": ["ABCDE12345.com.example.app"], "appclips": [],
      "activitycontinuation": [], "expectations": \(expectations), "revision": \(revision),
      "updatedAt": "2026-11-21T13:51:45Z"
    }
    """
  }

  /// The documents of the domain.
  static let documents = """
    [{"kind": "apple-app-site-association", "bytes": 337, "sha256": "\(sha256)"}]
    """

  /// The document of the domain.
  static let document = """
    {
      "applinks": {
        "defaults": {"caseSensitive": false},
        "substitutionVariables": {"food": ["burrito", "pizza"]},
        "details": [{
          "appIDs": ["ABCDE12345.com.example.app"],
          "components": [
            {"/": "/help/website/*", "exclude": true},
            {"/": "/help/*", "?": {"articleNumber": "????"}}, {"/": "/order/$(food)/*"}
          ]
        }]
      },
      "webcredentials": {"apps": ["ABCDE12345.com.example.app"]}
    }
    """

  /// A handwritten file.
  static let file = """
    {
      "applinks": {
        "details": [{
          "appIDs": ["ABCDE12345.com.example.app"],
          "components": [{"/": "/help/website/*", "exclude": true}, {"/": "/buy/*"}]
        }]
      }
    }
    """

  /// A finding about `file`.
  static let exclusionFinding = """
    {
      "code": "unneeded-exclusion", "severity": "note",
      "document": "apple-app-site-association",
      "pointer": "/applinks/details/0/components/0",
      "message": "This exclusion has no effect: no later route matches the URLs that it excludes.",
      "help": "Remove it, or move it before the routes that it should restrict."
    }
    """

  /// A finding about `document` without its last route.
  static let finding = """
    {
      "code": "unused-variable", "severity": "note",
      "document": "apple-app-site-association",
      "pointer": "/applinks/substitutionVariables/food",
      "message": "No pattern uses `$(food)`, so it has no effect.",
      "help": "Remove it, or correct its name: names are case-sensitive."
    }
    """

  /// A change to a document; with a URL, one that now resolves differently. `opened` is another, which opens the
  /// app now.
  static func change(
    _ kind: String, _ what: String, _ members: String, _ summary: String,
    app: String? = "ABCDE12345.com.example.app", url: String? = nil, before: String = "match",
    after: String = "no-match", opened: String? = nil
  ) -> String {
    let apps = app.map { #""apps": ["\#($0)"], "# } ?? ""
    let resolution = { (url: String, after: String) in
      """
      {
        "url": "https://example.com\(url)", "platform": "ios",
        "app": "\(app ?? "ABCDE12345.com.example.app")",
        "before": "\(before)", "after": "\(after)"
      }
      """
    }
    let example = url.map { #", "example": \#(resolution($0, after))"# } ?? ""
    let more = opened.map { #", "moreExamples": [\#(resolution($0, "match"))]"# } ?? ""
    return """
      {
        "kind": "\(kind)", "what": "\(what)", \(members), \(apps)"summary": "\(summary)",
        "affectsLinks": \(url != nil)\(example)\(more)
      }
      """
  }

  /// A finding about a change that closes an app.
  static func opensNothing(_ subject: String) -> String {
    """
    {
      "code": "opens-nothing", "severity": "error",
      "document": "apple-app-site-association", "pointer": "",
      "message": "After this change, no URL of example.com opens \(subject).",
      "help": "If that is intended, accept opens-nothing."
    }
    """
  }

  /// A changed `cacheSeconds`.
  static func cacheSecondsChange(from before: Int, to after: Int) -> String {
    change(
      "changed", "cacheSeconds", #""before": \#(before), "after": \#(after)"#,
      "cacheSeconds changed: from \(before) to \(after)", app: nil)
  }

  /// A publication.
  ///
  /// - Parameters:
  ///   - changes: The changes since the previous revision, if there is one.
  ///   - members: The other members of the answer.
  static func publication(
    _ revision: Int, findings: [String] = [], changes: [String]? = nil,
    accepted: [String] = [], _ members: String = ""
  ) -> String {
    var parts = [
      """
      "revision": \(revision), "changed": true, "bytes": 337, "sha256": "\(sha256)",
      "documents": \(documents),
      "findings": [\(findings.joined(separator: ", "))], "changedResolutions": []
      """
    ]
    if let changes { parts.append(#""diff": {\#(comparison(changes))}"#) }
    if !accepted.isEmpty { parts.append(#""accepted": ["\#(accepted.joined(separator: ", "))"]"#) }
    if !members.isEmpty { parts.append(members) }
    return "{\(parts.joined(separator: ", "))}"
  }

  /// The members of a comparison.
  static func comparison(_ changes: [String]) -> String {
    let affectsLinks = changes.contains { $0.contains(#""affectsLinks": true"#) }
    return """
      "affectsLinks": \(affectsLinks), "changes": [\(changes.joined(separator: ", "))]
      """
  }
}
