package import Association

/// What a text from a device means, in JSON.
package struct DeviceExplanation {
  struct Item: Sendable {
    let row: DeviceRow
    let verdict: DeviceVerdict
    /// `nil` if nothing is known of the host.
    let facts: PublishedFacts?
  }

  private let kind: DeviceOutput.Kind
  private(set) var items: [Item] = []
  /// The hosts that are not published here.
  private var otherHosts: Set<String> = []
  /// The number of rows that are left out, because there are too many.
  private(set) var more: Int

  init(of output: DeviceOutput) {
    kind = output.kind
    more = output.moreRows
  }

  /// Explains each row by itself, without knowing what is published.
  package init(alone output: DeviceOutput) {
    self.init(of: output)
    for row in output.rows { add(row, nil) }
  }

  mutating func add(_ row: DeviceRow, _ facts: PublishedFacts?) {
    items.append(Item(row: row, verdict: DeviceVerdict(row, of: kind, facts), facts: facts))
  }

  mutating func add(_ item: Item) { items.append(item) }

  mutating func countOther(_ host: String) { otherHosts.insert(host) }

  mutating func leaveOut(_ count: Int = 1) { more += count }

  package var json: JSON { .object(Self.fields.json(of: self)) }

  static let schemas: JSON.Object = [
    "DeviceExplanation": fields.members().schema("What a text from a device means.")
  ]

  private static let fields: [Field<DeviceExplanation>] = [
    Field(
      "kind", .word("DeviceOutputKind"), get: \.kind,
      "The form of the text; `unknown` if it is none of those that tools print."),
    Field(
      "items", .list(of: .written("ExplainedRow", itemFields)), get: \.items,
      "One for each host, app and service that is published here, and for each message that names no host."
    ),
    Field(
      "otherHosts", .count, get: \.otherHosts.count,
      "The number of hosts in the text that are not published here, or that the token may not see."),
    Field(
      "more", .count, get: \.more,
      "The number of rows that are left out, because there are too many."),
  ]

  private static let userFields: [Field<DeviceRow.User>] = [
    Field("user", .string, get: \.name),
    Field(
      "linkHandling", .bool, get: \.linkHandling,
      "Whether the app may open links that are verified."),
    Field(
      "selection", .word("LinkSelection"), get: \.selection,
      "Whether the user chose the app for the host. `disabled` is no fault: verified hosts have it, too."
    ),
    Field("status", .string, get: \.status, "The status of Android 11 and lower."),
  ]

  private static let rowFields: [Field<DeviceRow>] = [
    Field(
      "host", .nullable(.string), get: \.host,
      "In lower case, perhaps with `*.`; null if the text names no whole host."),
    Field("service", .nullable(.string), get: \.service, "Apple's service, such as `applinks`."),
    Field(
      "app", .nullable(.string), get: \.app, "An app identifier, or the package of an Android app."),
    Field("state", .string, get: \.state, "The word or number of the tool."),
    Field("error", .nullable(.string), get: \.error),
    Field("lastChecked", .nullable(.time), get: \.lastChecked),
    Field("nextCheck", .nullable(.time), get: \.nextCheck),
    Field(
      "mode", .nullable(.word("DeveloperMode")), get: \.mode, "The mode of the associated domain."),
    Field("userApproval", .string, get: \.userApproval, "What the user of an Apple device chose."),
    Field("retries", .integer(in: Int.min...Int.max), get: \.retries),
    Field(
      "users", .list(of: .written("DeviceUser", userFields)), get: \.someUsers,
      "The users of an Android device."),
    Field(
      "signatures", .list(of: .shared("Fingerprint")), "The certificates of an Android app there.",
      .optional,
      write: { $0.signatures.isEmpty ? nil : .strings($0.signatures.map(\.description)) }),
    Field(
      "rule", .word("DynamicRuleEffect"), get: \.rule,
      "What the first dynamic rule that matches does with the URL."),
    Field(
      "resolution", .string, get: \.resolution, "How the device chooses among the apps for the URL."
    ),
    Field("url", .string, get: \.url, "The URL that a rule decided about."),
    Field("maskedHost", .string, get: \.maskedHost, "The host as a log masks it."),
    Field("route", .string, get: \.route, "How the device fetched: `cdn`, or `.wk` for the site."),
    Field("tryDirect", .bool, get: \.tryDirect, "Apple's `Apple-Try-Direct`."),
    Field("details", .string, get: \.details, "Apple's details of a failure."),
    Field(
      "others", .list(of: .string), "Lines of the entry that are not understood.", .optional,
      write: { $0.others.isEmpty ? nil : .strings($0.others) }),
  ]

  private static let stateFields: [Field<PublishedFacts.State>] = [
    Field("revision", .revision, get: \.revision),
    Field("publishedAt", .time, get: \.publishedAt),
    Field(
      "isServed", .bool, get: \.isServed,
      "Whether it has a file for the platform, and serves it for the host."),
    Field(
      "namesApp", .bool, get: \.namesApp, "Whether its file names the app for the service."),
  ]

  private static let copyFields: [Field<PublishedFacts.Copy>] = [
    Field(
      "revision", .nullable(.revision), get: \.revision,
      "Null for a file that is none of the revisions."),
    Field("isCurrent", .bool, get: \.isCurrent, "Whether its file is the one that is served now."),
    Field("checkedAt", .time, get: \.checkedAt, "When the last check was."),
  ]

  private static let certificateFields: [Field<PublishedFacts.Certificate>] = [
    Field("fingerprint", .string(.shared("Fingerprint")), get: \.fingerprint.description),
    Field(
      "label", .word("CertificateLabel"), get: \.label,
      "Whose key it is; left out if the app is not stored with it."),
    Field("isPublished", .bool, get: \.isPublished, "Whether the file names it for the app."),
  ]

  private static let verdictFields: [Field<DeviceVerdict>] = [
    Field("code", .word("DeviceVerdictCode"), get: \.code),
    Field(
      "isFine", .bool, get: \.isFine,
      "Whether nothing keeps links, passwords or passkeys from the app."),
    Field(
      "certainty", .word("Certainty"), get: \.certainty,
      "`sure` if a maker documents it, or what is published proves it; `likely` if reports agree."),
    Field("actor", .word("DeviceVerdictActor"), get: \.actor, "Who has to do the next step."),
    Field("message", .string, get: \.message, "What is the case."),
    Field("nextStep", .string, get: \.nextStep, "What to do next."),
  ]

  private static let itemFields: [Field<Item>] =
    rowFields.of(\.row) + [
      Field("domain", .domain, get: \.facts?.domain, "The domain that the host belongs to."),
      Field(
        "published", .written("PublishedState", stateFields), get: \.facts?.now,
        "What is published now."),
      Field(
        "publishedThen", .written("PublishedState", stateFields), get: \.facts?.earlier,
        "What was published at `lastChecked`."),
      Field(
        "cdn", .written("CheckedCopy", copyFields), get: \.facts?.copy,
        "What Apple's CDN had at the last check."),
      Field(
        "certificates", .list(of: .written("DeviceCertificate", certificateFields)),
        get: \.facts?.someCertificates, "The certificates of the app on the device."),
      Field("verdict", .written("DeviceVerdict", verdictFields), get: \.verdict, "What it means."),
    ]
}

extension DeviceRow {
  /// `nil` if there are none.
  fileprivate var someUsers: [User]? { users.isEmpty ? nil : users }
}

extension PublishedFacts {
  /// `nil` if there are none.
  fileprivate var someCertificates: [Certificate]? { certificates.isEmpty ? nil : certificates }

  /// What was published when the device last checked, if that is known and was anything.
  fileprivate var earlier: State? {
    if case .published(let state, _) = then { state } else { nil }
  }
}
