package import Association
package import JSONValue

/// The domains whose files to fetch. `Checking` writes the answer itself; its schema is here.
package struct LiveFilesQuestion {
  package fileprivate(set) var domains: [DomainName] = []

  private static let fields: [Field<LiveFilesQuestion>] = [
    Field(
      "domains", .list(of: .domain, limit: CheckQuestion.mostDomains), \.domains,
      "The domains. They need not be published here.", .required)
  ]

  static let schemas: JSON.Object = [
    "LiveFilesQuestion": fields.members().schema(for: .request),
    "LiveFiles": [
      Member(
        "items",
        .list(
          of: .named(
            "LiveFilesOfDomain",
            .object([
              Member("domain", .domain),
              Member(
                "files",
                .list(
                  of: .named(
                    "LiveFile",
                    .object([
                      Member("url", .string, "Where it was looked for; it ends with the kind."),
                      Member("content", .string, "The bytes in base64."),
                    ]))), "At most one per kind."),
              Member(
                "failures",
                .list(
                  of: .named(
                    "LiveFileFailure",
                    .object([
                      Member("url", .string),
                      Member("code", .string, "The code of a finding, or `no-file`."),
                      Member("message", .string),
                    ]))), "What was not fetched, though it may be there."),
              Member("notes", .list(of: .string), "How the files were found."),
            ]))))
    ].schema(),
  ]

  /// Reads a question.
  package static func read(_ body: BodyValue) -> LiveFilesQuestion? {
    var question = LiveFilesQuestion()
    return body.read(fields, into: &question) ? question : nil
  }
}

/// Which domains to check from outside, in JSON. `Checking` writes the answer itself; its schema is here.
package struct CheckQuestion {
  package fileprivate(set) var domains: [DomainName] = []
  /// What they should serve; `nil` for what is published.
  package fileprivate(set) var document: JSON?
  package fileprivate(set) var app: LinkedApp?
  package fileprivate(set) var expectations: [Expectation] = []

  /// The most domains per request. They are checked together, so that it takes about ten seconds.
  package static let mostDomains = 16

  private static let fields: [Field<CheckQuestion>] = [
    Field(
      "domains", .list(of: .domain, limit: mostDomains), \.domains,
      "The domains. They need not be published here.", .required),
    Field(
      "document", .any, "What they should serve. Default: what is published here for each.",
      .optional, write: { $0.document },
      read: { body, question in question.document = body.json }),
    Field(
      "app", .app,
      "An app that Apple's file has to name, or for a package name, `assetlinks.json`.",
      .optional,
      write: { $0.app.map { .string($0.text) } },
      read: { body, question in question.app = body.parse(LinkedApp.init(likely:)) }),
    Field(
      "expectations", ExpectationResource.listCoding, \.expectations,
      "URLs with the resolutions that they must have with Apple's copy, besides those of the domain."
    ),
  ]

  private static let held = [
    Member(
      "revision", .nullable(.revision),
      "The revision that it is; null if it is none. Left out if it is compared with `document`.",
      .optional),
    Member("current", .revision, "The current revision.", .optional),
    Member(
      "by", .named("EqualBy", .words(["bytes", "meaning"])),
      "How it equals that revision: in every byte, or as JSON.", .optional),
    Member("bytes", .count, "Its size."),
    Member("sha256", .sha256, "Its SHA-256."),
    Member("age", .count, "Of a copy: its age in seconds.", .optional),
    Member("expires", .time, "Of a copy: until when it is fresh.", .optional),
    Member(
      "changes", .list(of: .string), "What changes from the current document to this one.",
      .optional),
  ]

  private static let request = [
    Member("url", .string), Member("agent", .string, "The `User-Agent`."),
    Member("milliseconds", .count),
    Member("address", .string, "The address that it was sent to.", .optional),
    Member("error", .string, "Why there is no answer.", .optional),
    Member("status", .count, "", .optional), Member("contentType", .string, "", .optional),
    Member("bytes", .count, "", .optional),
    Member("redirect", .string, "Where the answer redirects to.", .optional),
    Member(
      "fields", .object, "The header fields about caching, and Apple's own.", .optional),
  ]

  static let schemas: JSON.Object = [
    "CheckQuestion": fields.members().schema(for: .request),
    "Checks": [Member("items", .list(of: .shared("Check")))].schema(),
    "Check": [
      Member("domain", .domain), Member("at", .time, "When the check began."),
      Member("milliseconds", .count, "How long it took."),
      Member(
        "status", .checkStatus,
        "By the worst finding that is not suppressed."),
      Member("findings", .list(of: .shared("Finding")), "The worst first."),
      Member(
        "origin", .named("FoundFile", .object(held)),
        "What the site serves as Apple's file, if it is one.", .optional),
      Member("cdn", .named("FoundFile", .object(held)), "What Apple's CDN serves.", .optional),
      Member(
        "certificate",
        .named(
          "SiteCertificate",
          .object([
            Member("names", .list(of: .string)), Member("issuer", .string),
            Member("expires", .time),
          ])), "The certificate of the site.", .optional),
      Member(
        "requests", .list(of: .named("CheckRequest", .object(request))),
        "Every request, with each redirect."),
    ].schema("A check of a domain from outside."),
  ]

  /// Reads a question.
  package static func read(_ body: BodyValue) -> CheckQuestion? {
    var question = CheckQuestion()
    return body.read(fields, into: &question) ? question : nil
  }
}
