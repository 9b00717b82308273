package import Association
package import JSONValue

/// An expectation in JSON.
package enum ExpectationResource {
  package static func json(_ expectation: Expectation) -> JSON {
    [
      "url": .string(expectation.url), "app": .string(expectation.app.text),
      "resolution": .string(expectation.resolution.rawValue),
    ]
  }

  package static func read(_ input: Input) -> Expectation? {
    guard let object = input.object(["url", "app", "resolution"]),
      let url = object.required("url")?.url,
      let app = object.required("app")?.parse(AppIdentifier.init(_:)),
      let resolution = object.required("resolution")?.word(Resolution.self)
    else { return nil }
    return Expectation(url: url, app: app, resolution: resolution)
  }
}

extension Input {
  /// An http or https URL with a host.
  fileprivate var url: String? {
    guard let text = string else { return nil }
    if Matcher.host(of: text) != nil { return text }
    fault("malformed-url", "“\(text)” is no http or https URL with a host.")
    return nil
  }
}
