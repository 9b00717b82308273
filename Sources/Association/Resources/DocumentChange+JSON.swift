extension DocumentChange {
  /// The change as the API and `--json` write it, without members that are unknown or do not apply.
  package var json: JSON { .object(Self.fields.json(of: self)) }

  package static let affectsLinksDocumentation =
    "Whether any URL resolves differently; left out if unknown."

  package static let fields: [Field<DocumentChange>] = [
    Field("kind", .word("ChangeKind"), get: \.kind),
    Field("what", .word("ChangeSubject"), get: \.what),
    Field(
      "document", .documentKind, "The kind of document with these places; left out for Apple's.",
      .optional, write: { $0.document == .apple ? nil : .string($0.document.rawValue) }),
    Field(
      "from", .string(.pointer), get: \.from?.description, "The place in the first document."),
    Field("to", .string(.pointer), get: \.to?.description, "The place in the second document."),
    Field("before", .any, get: \.before, "The value in the first document."),
    Field("after", .any, get: \.after, "The value in the second document."),
    Field(
      "apps", .list(of: .string), "The apps whose links may change.", .optional,
      write: { $0.apps.isEmpty ? nil : .strings($0.apps) }),
    Field("summary", .string, get: \.summary, "The change in words."),
    Field("affectsLinks", .bool, get: \.affectsLinks, affectsLinksDocumentation),
    Field("example", example, get: \.placedExamples.first, "A URL that resolves differently."),
    Field(
      "moreExamples", .list(of: example.schema),
      "Up to 9 more, one for each other pair of routes that decide a URL before and after; left "
        + "out without any.", .optional,
      write: { change in
        let more = change.placedExamples.dropFirst()
        return more.isEmpty ? nil : .array(more.map(example.write))
      }),
  ]

  private typealias PlacedExample = (platform: Platform, example: Example)

  private var placedExamples: [PlacedExample] {
    examples.map { (document == .assetLinks ? .android : .ios, $0) }
  }

  private static let example = Coding<PlacedExample>.written(
    "ChangeExample",
    [
      Field("url", .string, get: \.example.url),
      Field("platform", .word("Platform"), get: \.platform),
      Field("app", .string, get: \.example.app),
      Field("before", .resolution, get: \.example.before),
      Field("after", .resolution, get: \.example.after),
    ])
}
