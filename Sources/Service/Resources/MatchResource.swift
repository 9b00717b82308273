package import Association

/// A question about URLs, in JSON.
package struct MatchQuestion {
  /// The document to ask; `nil` for what is published.
  package fileprivate(set) var document: JSON?
  /// The domain whose file the document is; without it, the host of each URL.
  package fileprivate(set) var domain: DomainName?
  package fileprivate(set) var urls: [String] = []
  /// The app to ask about; without it, every app that the document names.
  package fileprivate(set) var app: String?

  /// The maximum number of URLs per request.
  private static let urlLimit = 10_000
  /// The maximum length of a URL, in characters. Servers refuse longer ones.
  package static let longestURL = ExpectationResource.longestURL

  private static let storedFields: [Field<MatchQuestion>] = [
    Field(
      "urls", .list(of: .string, limit: urlLimit), "The URLs.", .required,
      write: { .strings($0.urls) },
      read: { body, question in
        question.urls = body.list(atMost: urlLimit) { $0.text(longest: longestURL) } ?? []
      }),
    Field(
      "app", .text(longest: 255), \.app,
      "Resolve for this app only: an app identifier, or the package of an Android app. Default: every app in "
        + "the document."),
  ]

  private static let fields: [Field<MatchQuestion>] =
    [
      Field(
        "document", .any,
        "An association file of Apple's or Android's kind. Default: what is published for the host of each URL.",
        .optional,
        write: { $0.document },
        read: { body, question in
          question.document = body.json
          if body.json.objectValue == nil && body.json.arrayValue == nil {
            body.fault(
              .malformedValue,
              "A document is an object, or a list for Android. Send the JSON itself, not its text.")
          }
        }),
      Field(
        "domain", .domain, \.domain,
        "The domain that would serve the document: a URL with another host then matches nothing. By "
          + "default, any host may match."),
    ] + storedFields

  private static let result = [
    Member("url", .string),
    Member(
      "platform", .nullable(.platform),
      "The platform of the app; null if nothing is published for the host."),
    Member(
      "app", .nullable(.string),
      "The app: an app identifier, or the package of an Android app. Null if the document names none."
    ),
    Member("resolution", .resolution),
    Member("pointer", .pointer, "The deciding route, if there is one.", .optional),
    Member("reason", .string, "The reason, in words."),
  ]

  static let schemas: JSON.Object = [
    "MatchResults": [
      Member(
        "results", .list(of: .named("MatchResult", .object(result))), "One result per URL and app.")
    ].schema(),
    "StoredQuestion": storedFields.members().schema(for: .request),
    "Question": fields.members().schema(for: .request),
  ]

  /// Reads a question about any document, or about what is published.
  package static func read(_ body: BodyValue) -> MatchQuestion? { read(body, fields) }

  /// Reads a question about the document of a domain.
  package static func readStored(_ body: BodyValue) -> MatchQuestion? {
    read(body, storedFields)
  }

  private static func read(
    _ body: BodyValue, _ fields: [Field<MatchQuestion>]
  ) -> MatchQuestion? {
    var question = MatchQuestion()
    return body.read(fields, into: &question) ? question : nil
  }
}
