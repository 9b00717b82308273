package import Association
package import Publishing
import Store

/// What a publication changed, as answers of the API report it. Clients read it too.
package struct PublicationResource: Sendable {
  /// A URL that an app resolves differently now.
  package struct Resolution: Sendable {
    package fileprivate(set) var url = ""
    package fileprivate(set) var platform = Platform.ios.rawValue
    package fileprivate(set) var app = ""
    package fileprivate(set) var before = Association.Resolution.noMatch
    package fileprivate(set) var after = Association.Resolution.noMatch
  }

  /// A difference between the documents or other settings.
  package struct Change: Sendable {
    package fileprivate(set) var kind = DocumentChange.Kind.changed
    package fileprivate(set) var what = ""
    package fileprivate(set) var summary = ""
    package fileprivate(set) var example: Resolution?
  }

  package fileprivate(set) var revision = 0
  package fileprivate(set) var isChanged = false
  package fileprivate(set) var bytes = 0
  private var sha256 = ""
  package fileprivate(set) var documents: [Revision.Document] = []
  package fileprivate(set) var findings: [ReportedFinding] = []
  private var moreFindings = 0
  /// The URLs of expectations that resolve differently.
  package fileprivate(set) var changedResolutions: [Resolution] = []
  package fileprivate(set) var changes: [Change] = []
  /// The changes with all their details; `nil` for the first revision.
  fileprivate var diff: JSON?
  package fileprivate(set) var acceptedCodes: [String] = []
  /// The change that the edit is; `nil` if nothing was written.
  package fileprivate(set) var changeID: Int64?
  /// Where the domain is managed, if somebody has edited it elsewhere.
  package fileprivate(set) var managedBy: String?
  package fileprivate(set) var androidApps: [AdoptedAppResource] = []
}

extension PublicationResource {
  private static let fields: [Field<PublicationResource>] = [
    Field(
      "revision", .revision, \.revision,
      "The current revision of the domain; new if `changed` is true.", .required),
    Field("changed", .bool, \.isChanged, "Whether the edit changed anything.", .required),
    Field("bytes", .count, \.bytes, RevisionResource.sizeDocumentation, .required),
    Field("sha256", .sha256, \.sha256, "The SHA-256 of that document.", .required),
    Field(
      "documents", RevisionResource.documents, \.documents, "Every document of the revision."),
    Field(
      "findings", .list(of: ReportedFinding.coding), \.findings,
      "The linter's findings about the documents."),
    Field("moreFindings", .count, \.moreFindings, moreDocumentation, unless: { $0 == 0 }),
    Field(
      "changedResolutions", .list(of: .resolution("ChangedResolution")), \.changedResolutions,
      "The URLs of expectations that now resolve differently."),
    Field(
      "diff", .shared("Comparison"),
      "How the documents and the other settings differ from before; left out if nothing was published "
        + "before.", .optional,
      write: { $0.diff },
      read: { body, root in
        root.diff = body.json
        let changes = body.object()?["changes"]
        root.changes = changes?.list(Coding.open(.object, changeFields, Change()).read) ?? []
      }),
    Field(
      "accepted", .codes, \.acceptedCodes, "The errors that were accepted.", unless: \.isEmpty),
    Field("change", change, \.changeID, changeMeaning),
    Field(
      "managedBy", .string, \.managedBy,
      "Where the domain is managed, if this edit did not come from `apply`: the next `apply` from there may undo it."
    ),
    Field(
      "androidApps", .list(of: AdoptedAppResource.coding), \.androidApps,
      "The Android apps of adopted statements that were created, or that `androidApps=create` creates.",
      unless: \.isEmpty),
  ]

  fileprivate static let resolutionFields: [Field<Resolution>] = [
    Field("url", .string, \.url, "", .required),
    Field("platform", .string, \.platform, "`ios` or `android`."),
    Field("app", .string, \.app, "", .required),
    Field("before", .resolution, \.before, "", .required),
    Field("after", .resolution, \.after, "", .required),
  ]

  fileprivate static let changeFields: [Field<Change>] = [
    Field("kind", .word("ChangeKind"), \.kind, "", .required),
    Field("what", .string, \.what),
    Field("summary", .string, \.summary, "The change in words.", .required),
    Field("example", .resolution("ChangedResolution"), \.example),
  ]

  static let change = Coding<Int64>.row
  static let changeMeaning =
    "The change, which can be undone; left out if nothing was changed."

  static let moreDocumentation = "The number of findings that are left out, if there are very many."

  /// The members of the answer to every edit.
  static let members = fields.members()

  static let schemas: JSON.Object = [
    "Finding": ReportedFinding.fields.members().schema(),
    "ChangedResolution": resolutionFields.members().schema(),
    "Publication": (members + dryRun).schema("The result of an edit."),
    "PublishedDomain": published(Member("domain", .shared("Domain"))),
    "Conversion": [
      Member("format", .constant("modern"), "The form to convert to.")
    ].schema(for: .request),
    "ConvertedDomain":
      ([Member("domain", .shared("Domain")), remarks] + members
      + [Member("moreRemarks", .count, "The number of remarks left out.", .optional)] + dryRun)
      .schema(),
    "DeletedDomain": ([Member("domain", .domain)] + members + .dryRun).schema(),
    "PublishedEntry": published(Member("entry", .shared("Entry"))),
    "PublishedEntries": published(Member("entries", .list(of: .shared("Entry")))),
    "PublishedRoute": published(Member("route", .shared("Route"))),
    "PublishedRoutes": published(Member("routes", .list(of: .shared("Route")))),
    "PublishedExpectations": published(ExpectationResource.list),
    "Renamed": renamed(Member("app", .app, "The new identifier.")),
    "RenamedAndroidApp": renamed(Member("package", .packageName, "The new package name.")),
    "PutAndroidApp":
      (AppResource.android.members + [
        Member(
          "publications", publications,
          "The domains that use the app, if its fingerprints changed.", .optional),
        Member(
          "deviatingDomains", .list(of: .domain),
          "If the fingerprints changed, the domains with an adopted statement about the app that keeps other ones. Left out "
            + "if there are none.", .optional),
        Member(
          "moreDeviatingDomains", .count, "The number of those that are not listed.", .optional),
        Member("change", change.schema, changeMeaning, .optional),
      ] + .dryRun).schema(),
  ]

  private static let publications = Schema.list(
    of: .named("DomainPublication", .object([Member("domain", .domain)] + members)))

  private static func renamed(_ app: Member) -> JSON {
    ([
      app, Member("domains", publications, "The domains that use the app."),
      Member(
        "templates", .list(of: .shared("TemplateName")),
        "The templates that named the app by themselves; left out if there are none.", .optional),
      Member("change", change.schema, changeMeaning, .optional),
    ] + .dryRun).schema()
  }

  private static let remarks = Member(
    "remarks",
    .list(
      of: .named(
        "ConversionRemark",
        .object([
          Member("pointer", .pointer, "Where it was in the old document."),
          Member("message", .string, "What is different."),
        ]))), "What the modern form leaves out or expresses differently.")

  private static func published(_ member: Member) -> JSON {
    ([member] + members + dryRun).schema()
  }

  /// What the answer to a dry run of an edit of a domain adds.
  private static let dryRun: [Member] =
    .dryRun + [
      Member(
        "account", .shared("ByteAccount"),
        "In the answer to a dry run: what uses the bytes of Apple's file; left out without one.",
        .optional),
      Member(
        "contents", .object, "In the answer to a dry run: the documents themselves, by kind.",
        .optional),
    ]

  package init(_ publication: Publication) {
    let edited = publication.edited
    revision = edited.revision.number
    isChanged = edited.isChanged
    bytes = edited.revision.main.size
    sha256 = edited.revision.main.sha256
    documents = edited.revision.documents
    acceptedCodes = edited.revision.acceptedCodes
    changeID = publication.change
    let listed = Excerpt.first(publication.findings)
    moreFindings = publication.findings.count - listed.count
    findings = listed.map(publication.reported)
    changedResolutions = publication.changedResolutions.map {
      Resolution(
        url: $0.url, platform: $0.app.platform.rawValue, app: $0.app.text, before: $0.before,
        after: $0.after)
    }
    androidApps = publication.androidApps.prefix(Excerpt.limit).map {
      AdoptedAppResource($0, in: publication)
    }
    diff = publication.comparison.map { .object(FindingResource.json($0)) }
    managedBy = publication.managedBy
  }

  package var json: JSON.Object { Self.fields.json(of: self) }

  /// Reads the members of a publication in the answer of a server, which may be newer.
  package static func read(_ body: BodyValue) -> PublicationResource? {
    var publication = PublicationResource()
    return body.read(fields, into: &publication, isOpen: true) ? publication : nil
  }
}

extension Coding<PublicationResource.Resolution> {
  fileprivate static func resolution(_ name: String) -> Coding {
    .open(
      .shared(name), PublicationResource.resolutionFields, PublicationResource.Resolution())
  }
}
