package import Association
package import Store

/// What checks from outside have found so far, in JSON.
package enum CheckHistoryResource {
  private static let runFields: [Field<CheckRun>] = [
    Field(
      "since", .time, get: \.firstAt, "When the first of the checks in a row with this outcome was."
    ),
    Field("at", .time, get: \.lastAt, "When the last of them was."),
    Field("checks", .count, get: \.count, "Their number."),
    Field(
      "status", .word("CheckStatus"), get: \.status, "By the worst finding that is not suppressed."),
    Field(
      "codes", .list(of: .string), get: \.codes,
      "The codes of the findings that are not suppressed."),
    Field(
      "cdnRevision", .nullable(.revision), get: \.cdnRevision,
      "The revision that Apple's CDN had; null for none of ours, or for no copy."),
  ]

  private static let fullRunFields: [Field<CheckRun>] =
    runFields + [
      Field(
        "last", .nullable(.shared("Check")),
        "The last of them in full; null if that was more than `keepCheckDays` ago.",
        write: { $0.result.map { .object($0) } ?? .null })
    ]

  private static let stateFields: [Field<CheckState>] =
    [Field("domain", .domain, get: \.domain)] + runFields.of(\.run) + [
      Field("failures", .count, get: \.failures, "The number of failing checks in a row."),
      Field("failingSince", .time, get: \.failingSince, "When the first of those was."),
      Field(
        "certificateExpires", .time, get: \.certificateEndsAt,
        "When the certificate of the site ends."),
      Field(
        "cdnBehind", .count, get: \.cdnLag,
        "How many revisions behind Apple's copy is; left out if unknown."),
      Field("cdnFetchedAt", .time, get: \.cdnFetchedAt, "When Apple's CDN fetched its copy."),
    ]

  static let schemas: JSON.Object = [
    "CheckRun": fullRunFields.members().schema(
      "Checks of a domain in a row that had the same outcome."),
    "CheckState": stateFields.members().schema("How the last check of a domain ended."),
  ]

  package static func json(_ run: CheckRun) -> JSON { .object(fullRunFields.json(of: run)) }

  package static func json(_ state: CheckState) -> JSON { .object(stateFields.json(of: state)) }
}
