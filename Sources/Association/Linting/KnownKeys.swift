/// The keys that Apple documents, by the object that they stand in.
enum KnownKeys: CaseIterable {
  case document, service, applinks, entry, route, defaults

  /// The services (Apple's page Configuring an associated domain; Handoff Programming Guide).
  static let services = [
    "applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv",
  ]

  var keys: [String] {
    switch self {
    case .document: Self.services
    case .service: ["apps"]
    case .applinks: ["details", "defaults", "substitutionVariables", "apps"]
    case .entry: ["appIDs", "appID", "components", "paths", "defaults"]
    case .route, .defaults:
      ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]
    }
  }

  /// What the object is called.
  var name: String {
    switch self {
    case .document: "the file"
    case .service: "a service"
    case .applinks: "`applinks`"
    case .entry: "an element of `details`"
    case .route: "an element of `components`"
    case .defaults: "`defaults`"
    }
  }

  /// What to do about a key that is not known here: the known one that it resembles, or where it
  /// belongs.
  func advice(on key: String) -> String {
    if let similar = keys.first(where: { Self.resemble(key, $0) }) {
      return "Write `\(similar)` if that is what is meant."
    }
    if let home = Self.allCases.first(where: { $0.keys.contains(key) }) {
      return "`\(key)` belongs in \(home.name): move it there."
    }
    return "Remove it, unless something else than Apple's systems reads it."
  }

  /// Whether one could be a slip of the pen for the other.
  private static func resemble(_ key: String, _ known: String) -> Bool {
    let letters = { (text: String) in
      Array(text.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") })
    }
    let aliases = [
      "path": "/", "query": "?", "fragment": "#", "excluded": "exclude", "apps": "appIDs",
      "app": "appID", "comments": "comment", "variables": "substitutionVariables",
    ]
    if aliases[key.lowercased()] == known { return true }
    guard known.utf8.count > 3, key.utf8.count < 100 else { return false }
    return editDistance(letters(key), letters(known)) <= known.utf8.count / 4
  }
}
