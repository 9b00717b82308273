package import Association
import Checking

/// The domains whose files to fetch.
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
      Member("items", .list(of: .named("LiveFilesOfDomain", .object(LiveFiles.fields.members()))))
    ].schema(),
  ]

  package static func read(_ body: BodyValue) -> LiveFilesQuestion? {
    var question = LiveFilesQuestion()
    return body.read(fields, into: &question) ? question : nil
  }
}

/// Which domains to check from outside, in JSON.
package struct CheckQuestion {
  package fileprivate(set) var domains: [DomainName] = []
  /// The domains are those with this label, too.
  package fileprivate(set) var label: Label?
  /// What they should serve; `nil` for what is published.
  package fileprivate(set) var document: JSON?
  package fileprivate(set) var app: LinkedApp?
  package fileprivate(set) var expectations: [Expectation] = []

  /// The most domains per request. They are checked together, so that it takes about ten seconds.
  package static let mostDomains = 16

  private static let fields: [Field<CheckQuestion>] = [
    Field(
      "domains", .list(of: .domain, limit: mostDomains), \.domains,
      "The domains. They need not be published here. Without `label`, there is at least one."),
    Field(
      "label", .label, \.label, "Also check the domains with this label, which may be few enough."),
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

  static let schemas: JSON.Object = [
    "CheckQuestion": fields.members().schema(for: .request),
    "Checks": [Member("items", .list(of: .shared("Check")))].schema(),
    "Check": Check.fields.members().schema("A check of a domain from outside."),
  ]

  package static func read(_ body: BodyValue) -> CheckQuestion? {
    var question = CheckQuestion()
    return body.read(fields, into: &question) ? question : nil
  }
}
