package import Association
package import Publishing

extension ExpectationResource {
  private static let brokenFields: [Field<BrokenExpectation>] = [
    Field("url", .string, get: \.expectation.url),
    Field(
      "platform", .platform, write: { .string($0.expectation.app.platform.rawValue) }),
    Field("app", .string, write: { .string($0.expectation.app.text) }),
    Field("expected", .resolution, get: \.expectation.resolution, "How the URL must resolve."),
    Field("resolution", .resolution, get: \.explanation.resolution, "How the URL would resolve."),
    Field(
      "pointer", .pointer, "The deciding route, if there is one.", .optional,
      write: { $0.explanation.route.map { .string($0.description) } }),
    Field("reason", .string, get: \.explanation.reason, "Why it resolves that way."),
  ]

  static let brokenSchemas: JSON.Object = [
    "BrokenExpectation": brokenFields.members().schema()
  ]

  package static func json(_ broken: BrokenExpectation) -> JSON {
    .object(brokenFields.json(of: broken))
  }
}
