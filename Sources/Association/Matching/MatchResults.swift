public import JSONValue

/// What a document says of one URL for one app.
public struct MatchResult: Sendable {
  /// The URL as it was asked about.
  public let url: String
  /// Why it resolves as it does; its `app` is `nil` only where the document names none.
  public let explanation: Explanation

  /// A result.
  public init(url: String, explanation: Explanation) {
    self.url = url
    self.explanation = explanation
  }

  /// The result as the API and `--json` write it.
  public var json: JSON {
    var object: JSON.Object = [
      "url": .string(url), "app": .optional(explanation.app),
      "resolution": .string(explanation.resolution.rawValue),
    ]
    object["pointer"] = explanation.route.map { .string($0.description) }
    object["reason"] = .string(explanation.reason)
    return .object(object)
  }
}

extension Matcher {
  /// The scopes that an answer is about: of one app, or of each app that the document names, or of
  /// the document as a whole where it names none.
  public func scopes(asking app: String?) -> [Scope] {
    if let app { return [scope(of: app)] }
    return scopes.isEmpty ? [everyEntry] : scopes
  }

  /// What the document says of a URL: a result for each app, or for one.
  ///
  /// - Parameters:
  ///   - app: The app that is asked about; without it, every app that the document names.
  ///   - domain: As for `resolve`.
  public func results(
    for url: String, app: String? = nil, domain: String? = nil
  ) -> [MatchResult] {
    scopes(asking: app).map {
      MatchResult(url: url, explanation: explain(url, in: $0, domain: domain))
    }
  }

  /// The host of a URL as it is written, without user information, port and the dot at its end;
  /// `nil` for what is not a URL with the scheme http or https and a host.
  public static func host(of url: String) -> Substring? {
    let bytes = url.utf8.span
    guard let range = URLParts(bytes)?.host(in: bytes) else { return nil }
    let start = url.utf8.index(url.startIndex, offsetBy: range.lowerBound)
    return url[start..<url.utf8.index(start, offsetBy: range.count)]
  }
}
