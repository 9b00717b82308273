public import JSONValue

extension DocumentChange {
  /// The change on one line for people: its sign, the summary, and what it does to links.
  public var text: String {
    switch effect {
    case .example(let example): "\(kind.sign) \(summary) [\(example.text)]"
    case .none where what == .route || what == .app || what == .variable:
      "\(kind.sign) \(summary) [no URL resolves differently]"
    case .none, .unknown: "\(kind.sign) \(summary)"
    }
  }

  /// The change as the API and `--json` write it. What is not known or does not apply is left out.
  public var json: JSON {
    var object: JSON.Object = ["kind": .string(kind.rawValue), "what": .string(what.rawValue)]
    object["from"] = from.map { .string($0.description) }
    object["to"] = to.map { .string($0.description) }
    object["before"] = before
    object["after"] = after
    if !apps.isEmpty { object["apps"] = .strings(apps) }
    object["summary"] = .string(summary)
    object["affectsLinks"] = affectsLinks.map(JSON.bool)
    object["example"] = example?.json
    return .object(object)
  }
}

extension DocumentChange.Example {
  /// The example for people.
  fileprivate var text: String {
    "\(Wording.plain(url)) for \(Wording.plain(app)): \(before.rawValue) → \(after.rawValue)"
  }

  /// The example as the API writes it.
  fileprivate var json: JSON {
    [
      "url": .string(url), "app": .string(app), "before": .string(before.rawValue),
      "after": .string(after.rawValue),
    ]
  }
}
