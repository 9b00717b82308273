import Association
package import JSONValue
package import Store

/// What checks from outside have found so far, in JSON.
package enum CheckHistoryResource {
  private static let fieldsOfRun: [Field<CheckRun>] = [
    Field(
      "since", .time, get: \.firstAt, "When the first of the checks in a row with this outcome was."
    ),
    Field("at", .time, get: \.lastAt, "When the last of them was."),
    Field("checks", .count, get: \.count, "Their number."),
    Field(
      "status", .word("CheckStatus"), get: \.status, "By the worst finding that is not suppressed."),
    Field(
      "codes", .list(of: .string), "The codes of the findings that are not suppressed.",
      write: { .strings($0.codes) }),
    Field(
      "cdnRevision", .nullable(.revision),
      "The revision that Apple's CDN had; null for none of ours, or for no copy.",
      write: { $0.cdnRevision.map { .integer($0) } ?? .null }),
  ]

  static let schemas: JSON.Object = [
    "CheckRun":
      (fieldsOfRun.members() + [
        Member(
          "last", .nullable(.shared("Check")),
          "The last of them in full; null if that was more than `keepCheckDays` ago.")
      ]).schema("Checks of a domain in a row that had the same outcome."),
    "CheckState":
      ([Member("domain", .domain)] + fieldsOfRun.members() + [
        Member("failures", .count, "The number of failing checks in a row."),
        Member("failingSince", .time, "When the first of those was.", .optional),
        Member("certificateExpires", .time, "When the certificate of the site ends.", .optional),
        Member(
          "cdnBehind", .count, "How many revisions behind Apple's copy is; left out if unknown.",
          .optional),
        Member("cdnFetchedAt", .time, "When Apple's CDN fetched its copy.", .optional),
      ]).schema("How the last check of a domain ended."),
  ]

  package static func json(_ run: CheckRun) -> JSON {
    var object = fieldsOfRun.json(of: run)
    object["last"] = run.result.map { .object($0) } ?? .null
    return .object(object)
  }

  package static func json(_ state: CheckState) -> JSON {
    var object: JSON.Object = ["domain": .string(state.domain.text)]
    for member in fieldsOfRun.json(of: state.run).members {
      object.appendNew(member.key, member.value)
    }
    object["failures"] = .integer(state.failures)
    object["failingSince"] = state.failingSince.map { .time($0) }
    object["certificateExpires"] = state.certificateEndsAt.map { .time($0) }
    object["cdnBehind"] = state.cdnLag.map { .integer($0) }
    object["cdnFetchedAt"] = state.cdnFetchedAt.map { .time($0) }
    return .object(object)
  }
}
