package import Association
import Store

/// The `components.schemas` of the OpenAPI description.
package enum ResourceSchemas {
  /// Every schema by its name.
  package static let all: JSON.Object = {
    var all = JSON.Object()
    for group in [
      values, AppResource.apple.schemas, AppResource.android.schemas, RouteResource.schemas,
      EntryResource.schemas,
      ExpectationResource.schemas, ExpectationResource.brokenSchemas, DomainResource.schemas,
      FindingResource.schemas,
      PublicationResource.schemas, AdoptedAppResource.schemas, RevisionResource.schemas,
      MatchQuestion.schemas, DeviceExplanation.schemas,
      TemplateResource.schemas, TemplateEffects.schemas, AdoptionRequest.schemas,
      StateResource.schemas, Plan.schemas,
      ForeignChangeResource.schemas, TokenResource.schemas, AuditResource.schemas,
      ChangeResource.schemas, RouteEditing.schemas, FetchResource.schemas,
      SuppressionResource.schemas,
      StoredFinding.schemas, SnippetResource.schemas, CheckQuestion.schemas,
      LiveFilesQuestion.schemas,
      CheckHistoryResource.schemas,
      WebhookResource.schemas, ReplicaResource.schemas, ServedResource.schemas,
      SessionResource.schemas,
      UserResource.schemas, DraftResource.schemas,
      pages,
    ] {
      for schema in group.members { all.appendNew(schema.key, schema.value) }
    }
    return all
  }()

  /// The values that resources are made of.
  private static let values: JSON.Object = [
    "JSONObject": [
      "type": "object", "additionalProperties": true, "description": "Any members.",
    ],
    "DomainName": [
      "type": "string", "format": "domain-name", "minLength": 1,
      "description":
        .string(
          "A host name such as `example.com`. Requests may use A-labels or U-labels in any case; "
            + "answers have lower-case A-labels."),
    ],
    "Alias": [
      "type": "string", "format": "domain-alias", "minLength": 1,
      "description": "A host name, or `*.` and a host name for all names below it, at any depth.",
    ],
    "Label": [
      "type": "string", "pattern": .string(Label.pattern),
      "description": "A word by which domains are chosen, such as `brand-a`.",
    ],
    "AppIdentifier": [
      "type": "string", "pattern": "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)+$", "maxLength": 255,
      "description": "`<application identifier prefix>.<bundle identifier>`; case-sensitive.",
    ],
    "PackageName": [
      "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)+$",
      "maxLength": 223, "description": "The package name of an Android app; case-sensitive.",
    ],
    "Fingerprint": [
      "type": "string", "pattern": "^([0-9A-F]{2}:){31}[0-9A-F]{2}$",
      "description": "The SHA-256 fingerprint of a certificate.",
    ],
    "FingerprintInput": [
      "type": "string", "pattern": "^([0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){31}|[0-9A-Fa-f]{64})$",
      "description":
        .string(
          "The SHA-256 fingerprint of a certificate in either case, with colons or without, as `keytool` and "
            + "the Play Console print it."),
    ],
    "Environment": .object(
      Schema.words(App.Environment.self).json(for: .answer).described(
        "What an app or a domain is for.")),
    "Resolution": .object(
      Schema.words(Resolution.self).json(for: .answer).described(
        "How a URL resolves for an app; `blocked` means that an exclusion decided.")),
    "Pointer": [
      "type": "string", "pattern": "^(/[\\s\\S]*)?$", "description": "A JSON pointer (RFC 6901).",
    ],
    "AssociationFile": AssociationFile.Service.allCases.map(\.rawValue)
      .reduce(into: [Member("applinks", .object, "", .optional)]) {
        $0.append(Member($1, .object, "", .optional))
      }.schema(
        "An apple-app-site-association file. Members that the format does not define are kept.",
        isOpen: true),
  ]

  private static let pages: JSON.Object = [
    "Apps": page(of: "App").schema(), "AndroidApps": page(of: "AndroidApp").schema(),
    "Domains":
      (page(of: "DomainSummary") + [
        Member("total", .count, "The number of items on all pages."),
        Member(
          "totalIsEstimate", .bool,
          "`true`: `total` is estimated from a sample, because the server has more than 20,000 domains and the filters hold "
            + "for many of them. Otherwise, it is left out, and `total` is exact.", .optional),
      ])
      .schema(),
    "Labels": page(of: "UsedLabel").schema(),
    "UsedLabel": [
      Member("label", .shared("Label")), Member("domains", .count, "How many domains have it."),
    ].schema(),
    "Revisions": page(of: "Revision").schema(),
    "Templates": page(of: "StoredTemplate").schema(),
    "TemplateRevisions": page(of: "StoredTemplate").schema(),
    "AuditRecords": page(of: "AuditRecord").schema(),
    "CheckRuns": page(of: "CheckRun").schema(),
    "CheckStates":
      (page(of: "CheckState") + [Member("total", .count, "The number of items on all pages.")])
      .schema(),
    "WebhookDeliveries": page(of: "WebhookDelivery").schema(),
    "Changes": page(of: "RecordedChange").schema(),
    "Drafts": page(of: "Draft").schema(),
  ]

  /// The members of a page of a list.
  static func page(of item: String) -> [Member] {
    [
      Member("items", .list(of: .shared(item))),
      Member(
        "next", .nullable(.string), "The `cursor` of the next page; null on the last page."),
    ]
  }
}
