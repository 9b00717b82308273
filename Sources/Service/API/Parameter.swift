import Association
import HTTP
import Store

/// A parameter of a path, a query or a header.
struct Parameter: Sendable {
  enum Place: String, Sendable { case path, query, header }

  let name: String
  let place: Place
  /// The name in the description, where one name means several parameters.
  let key: String
  let description: String
  let schema: Schema
  let isRequired: Bool
  let example: JSON?
  /// The problems of a value that does not exist.
  let problems: [Problem.Code]
  /// The maximum length of a value in a query, in characters.
  fileprivate let longest: Int

  private init(
    _ name: String, in place: Place = .query, key: String? = nil, _ description: String,
    _ schema: Schema, longest: Int = 255, isRequired: Bool = false, example: JSON? = nil,
    problems: [Problem.Code] = []
  ) {
    self.name = name
    self.place = place
    self.key = key ?? name
    self.description = description
    self.schema = schema
    self.isRequired = isRequired || place == .path
    self.example = example
    self.problems = problems
    self.longest = longest
  }

  /// The parameters of paths, by their names in braces.
  static let inPaths = [
    Parameter(
      "domain", in: .path, "The domain.", "DomainName", example: "example.com",
      problems: [.domainNotFound]),
    Parameter(
      "app", in: .path, "The app identifier.", "AppIdentifier",
      example: "ABCDE12345.com.example.app", problems: [.appNotFound]),
    Parameter(
      "package", in: .path, "The package name.", "PackageName", example: "com.example.app",
      problems: [.appNotFound]),
    Parameter(
      "entry", in: .path, "The `id` of an entry: its number in the domain.", .int64, example: 1,
      problems: [.entryNotFound]),
    Parameter(
      "route", in: .path, "The `id` of a route: its number in the entry.", .int64, example: 1,
      problems: [.routeNotFound]),
    Parameter(
      "suppression", in: .path,
      "The `id` of a suppression: its number in the domain, or among those of several domains.",
      .int64,
      example: 1, problems: [.suppressionNotFound]),
    Parameter(
      "kind", in: .path, key: "kindOfDocument",
      "The kind of a document, or another name below `/.well-known/`: the name of its file.",
      .documentKind, example: .string(DocumentKind.apple.rawValue),
      problems: [.documentNotFound]),
    Parameter(
      "template", in: .path, "The name of a template.", "TemplateName", example: "white-label",
      problems: [.templateNotFound]),
    Parameter(
      "revision", in: .path, "A revision number, from 1.", .int64, example: 1,
      problems: [.revisionNotFound, .revisionPruned]),
    Parameter(
      "change", in: .path, "The `id` of a change.", .int64, example: 1,
      problems: [.changeNotFound]),
    Parameter(
      "draft", in: .path, "The `id` of a draft.", .int64, example: 1,
      problems: [.draftNotFound]),
    Parameter(
      "label", in: .path, key: "labelInPath", "A label.", "Label", example: "production"),
    Parameter(
      "token", in: .path, "The name of a token.", .text("^[^\\u0000]+$"),
      example: "release pipeline", problems: [.tokenNotFound]),
    Parameter(
      "webhook", in: .path, "The name of a webhook.",
      NewName.schema(longest: Webhook.longestName),
      example: "deployments", problems: [.webhookNotFound]),
    Parameter(
      "user", in: .path, "The name of a user, as the proxy sends it.",
      NewName.schema(longest: User.longestName),
      example: "anna@example.com", problems: [.userNotFound]),
    Parameter(
      "group", in: .path, "The name of a group, as the proxy sends it.",
      NewName.schema(longest: User.longestName),
      example: "brand-team", problems: [.groupNotFound]),
  ]

  static let ifMatch = Parameter(
    "If-Match", in: .header,
    "Revisions such as `\"7\"`, one of which must be current; `*` matches any that exists. Otherwise 412.",
    .json([
      "type": "string", "format": "entity-tags",
      "pattern": #"^(\*|(W/)?"[^",]+"( *, *(W/)?"[^",]+")*)$"#,
    ]))
  static let ifNoneMatch = Parameter(
    "If-None-Match", in: .header, "It must not exist yet. Otherwise 412.",
    .named("IfNoneMatch", .words(["*"])))
  static let dashboard = Parameter(
    Authentication.dashboardHeader, in: .header,
    "Proves that no other website made a browser send the request.",
    .named("DashboardHeader", .words(["1"])), isRequired: true, example: "1")
  static let requestID = Parameter(
    "X-Request-Id", in: .header,
    "The ID of the request in the log: 1 to 64 letters, digits, `-`, `_` and `.`. Any other value is "
      + "replaced.", .string)

  static let limit = Parameter(
    "limit", "The maximum number of items per page.",
    .json(["type": "integer", "minimum": 1, "maximum": 1000, "default": 100]))
  static let cursor = Parameter(
    "cursor", "The `next` of the previous page, with the same `sort` if the list has one.",
    .text(longest: 300), longest: 300)
  static let servedCursor = Parameter(
    "cursor", key: "servedCursor", "The `next` of the previous answer; without it, the first one.",
    .text("^[0-9]{1,18}(-[0-9]{1,18})?$"))
  static let numberCursor = Parameter(
    "cursor", key: "numberCursor", "The `next` of the previous page.", .text("^[0-9]{1,18}$"))

  static let dryRun = Parameter(
    "dryRun", "`true`: check everything and return the same answer, but change nothing.", .bool)
  static let accept = Parameter(
    "accept", "Codes of errors to accept and publish anyway, separated by commas.",
    .list(
      of: .named(
        "AcceptableCode", .words(Finding.Code.allCases.filter(\.isAcceptable).map(\.rawValue)))),
    longest: 4000)
  static let androidApps = Parameter(
    "androidApps",
    "`create`: create the Android apps that are not stored, with the fingerprints of the statements that are "
      + "adopted or kept. Adopting a file, this also names them in the entries whose routes say the same for "
      + "Android; what is served stays JSON-equal to the file. Without it, the answer names the apps.",
    .named("AndroidAppsChoice", .words(["create"])))
  static let reason = Parameter(
    "reason", "The reason for the change, for the revision and the audit log.",
    .text(longest: 1000), longest: 1000)
  static let wait = Parameter(
    "wait",
    "`all`: answer when every server on the database serves the change. If one does not in time, the header "
      + "field `X-Aasa-Not-Served-By` names it, or is `unknown` if the database does not say; the change is made anyway.",
    .constant("all"))
  static let waitSeconds = Parameter(
    "waitSeconds", "How long `wait` waits, in seconds.",
    .json(["type": "integer", "minimum": 1, "maximum": 60, "default": 10]))
  static let prune = Parameter(
    "prune", "`true`: delete domains and unused apps that the state does not list.", .bool)

  static let approved = Parameter(
    "approved",
    "`true`, in a dry run: what the change does once a second person has approved it, as a draft. Outside a dry run, it has no effect.",
    .bool)
  static let draft = Parameter(
    "draft", key: "asDraft",
    "`true`: change nothing, but create a draft of it, which somebody else approves. The answer is the draft. Apps and "
      + "templates that the request would delete stay; so does the old identifier of an app that it would rename.",
    .bool, problems: [.nothingToApprove, .invalidInput, .bodyTooLarge])
  static let overwrite = Parameter(
    "overwrite", "`true`: undo what others have changed since the state was exported.", .bool)

  static let table = Parameter(
    "template", key: "tableTemplate",
    "The state is a table of the domains of this template. A domain keeps values that its `parameters` leave out; `null` "
      + "is the default or, without one, no value. A domain of another template is refused. With `prune`, only domains of "
      + "this template are deleted, and neither apps nor templates.",
    "TemplateName")
  static let resolved = Parameter(
    "resolved",
    "`true`: everything that is in force, also what comes from the template, and in `sources` where it comes from.",
    .bool)
  static let detach = Parameter(
    "detach",
    "`true`: what came from a template becomes the domain's own, so that exactly the old documents come back.",
    .bool)
  static let everywhere = Parameter(
    "everywhere",
    "`true`: first remove the app wherever domains name it, all of it or nothing. An expectation of the app goes with it "
      + "if another app has the same one, or if its resolution is `no-match`; any other must still hold.",
    .bool)
  static let skipRefused = Parameter(
    "skip", key: "skipRefused",
    "`refused`: leave domains as they are that would be refused. Without it, nothing is changed because of them.",
    .named("SkipRefused", .words(["refused"])))
  static let renamedParameters = Parameter(
    "rename", key: "renamedParameters",
    "Parameters that have another name now, as `old:new`, separated by commas.",
    .text("^[A-Za-z][A-Za-z0-9_-]{0,62}:[A-Za-z][A-Za-z0-9_-]{0,62}(,.+)?$", longest: 2000),
    longest: 2000)
  static let skipChanged = Parameter(
    "skip", key: "skipChanged",
    "`changed`: leave domains as they are that have changed since. Without it, nothing is undone because of them.",
    .named("SkipChanged", .words(["changed"])))
  static let changeFilter = Parameter(
    "change", key: "changeFilter", "Only the parts of this change of several domains.", .revision)
  static let listRefusals = Parameter(
    "listRefusals",
    "`true`: answer a dry run with the whole plan, and list in `refused` what would be refused, instead of a "
      + "problem.", .bool)

  static let kind = Parameter(
    "kind", "The kind of document. In a list of domains: only domains that publish it.",
    .documentKind)
  static let text = Parameter(
    "q",
    "Only domains whose name or an alias contains this text, in Unicode or as an A-label. For a URL, only its host "
      + "is used, as with `host`.", .text(longest: longestLink), longest: longestLink)
  static let appText = Parameter(
    "q", key: "appText", "Only apps whose name or identifier contains this text, in any case.",
    .text(longest: 255))
  static let labelText = Parameter(
    "q", key: "labelText", "Only labels that contain this text.", .text(longest: 255))
  static let host = Parameter(
    "host",
    "Only the domain that this host belongs to: by name, by alias, or by the longest wildcard.",
    "DomainName")
  static let appFilter = Parameter(
    "app", key: "appFilter", "Only domains that use this app.", "AppIdentifier")
  static let androidAppFilter = Parameter(
    "androidApp", "Only domains that use this Android app.", "PackageName")
  static let environment = Parameter(
    "environment", "Only domains for this environment.", "Environment")
  static let domainSort = Parameter(
    "sort", key: "domainSort",
    "By name, or by the time of the last change; with `-`, the last first. Default: `name`.",
    .words(DomainOrder.self, "DomainOrder"))
  static let enabled = Parameter(
    "enabled", "`true`: only enabled domains; `false`: only disabled ones.", .bool)
  static let finding = Parameter(
    "finding", "Only domains whose document has a finding with this code.", "FindingCode")
  static let collected = Parameter(
    "collected",
    "Only enabled domains whose current Apple file Apple's CDN has fetched (`true`) or has not "
      + "(`false`), even if it has never fetched any.", .bool)
  static let check = Parameter(
    "check", "Only domains whose last check from outside had this outcome.",
    .words(CheckOutcome.self, "CheckOutcome"))
  static let checkStatus = Parameter(
    "status", key: "checkStatus", "Only checks with this outcome.", .checkStatus)
  static let fileKind = Parameter(
    "kind", key: "fileKind", "The kind of the file. Default: detected from the content.",
    .documentKind)
  static let code = Parameter(
    "code", key: "findingCode", "Only findings with this code.", "FindingCode")
  static let severity = Parameter(
    "severity", "Only findings of this severity.", .words(Finding.Severity.self, "Severity"))
  static let minimumSeverity = Parameter(
    "minSeverity",
    "Only findings of this severity or a worse one: `error` is worse than `warning`, which is "
      + "worse than `note`.", .words(Finding.Severity.self, "Severity"))
  static let source = Parameter(
    "source", "Only findings from this source: `lint`, in documents, or `check`, from outside.",
    .words(Finding.Source.self, "FindingSource"))
  static let suppressed = Parameter(
    "suppressed", "`true`: only suppressed findings; `false`: only others.", .bool)
  static let domainFindings = Parameter(
    "domain", key: "findingsOfDomain", "Only findings of this domain.", "DomainName")
  static let findingCursor = Parameter(
    "cursor", key: "findingCursor", "The `next` of the previous page.",
    .text("^[0-9]{1,9} [^\\u0000]+$", longest: 300), longest: 300)
  static let templateFilter = Parameter(
    "template", key: "templateFilter", "Only domains that use this template.", "TemplateName")
  static let behindTemplate = Parameter(
    "behindTemplate",
    "`true`: only domains for which an edit of their template was not published, because it was refused; `false`: only "
      + "others.", .bool)
  static let label = Parameter("label", "Only domains with this label.", "Label")
  static let deleted = Parameter(
    "deleted",
    "`true`: only deleted domains, which can be restored; they use no app. Default: `false`.",
    .bool)
  static let domainFilter = Parameter(
    "domain", key: "domainFilter", "Only records of this domain.", "DomainName")
  static let since = Parameter("since", "Only records from this time on.", .time)
  static let until = Parameter("until", "Only records before this time.", .time)
  static let draftStatus = Parameter(
    "status", key: "draftStatus", "Only drafts with this status.",
    .words(Draft.Status.self, "DraftStatus"))
  static let deliveryStatus = Parameter(
    "status", key: "deliveryStatus", "Only deliveries with this status.",
    .words(Delivery.Status.self, "DeliveryStatus"))
  static let author = Parameter(
    "author", "Only changes with this token, or by this user or command.", .text(longest: 255))

  static let from = Parameter(
    "from",
    "The revision to compare. Default: the one kept before `to` or, for a document, the "
      + "current one.",
    .revision, problems: [.revisionNotFound, .revisionPruned])
  static let to = Parameter(
    "to", "The revision to compare it with. Default: the current one.", .revision,
    problems: [.revisionNotFound, .revisionPruned])
  static let link = Parameter(
    "url", key: "link", "An `https` URL in ASCII, of at most 2,000 bytes.",
    .text(#"^https://[!"$-.0->@-~][!-~]*$"#, longest: longestLink), longest: longestLink,
    isRequired: true, example: "https://example.com/shop")
  private static let longestLink = 2000
  static let askedDomain = Parameter(
    "domain", key: "askedDomain", "The name that a client wants a certificate for.", "DomainName",
    isRequired: true, example: "example.com", problems: [.notServed])
}

extension [Parameter] {
  /// The parameters of a list that has pages.
  static let page: [Parameter] = [.limit, .cursor]
  /// The parameters of a list that is paged by number.
  static let numberedPage: [Parameter] = [.limit, .numberCursor]
}

extension Endpoint {
  /// Refuses unknown parameters, since a misspelled `dryRun` must not make a change, repeated ones, since
  /// each takes one value, and long ones.
  ///
  /// - Throws: `Problem`, 400.
  func check(_ items: [RequestTarget.QueryItem]) throws(Problem) {
    if isFile { return }
    let unknown = items.first { item in
      !query.contains { $0.name.utf8.elementsEqual(item.name.utf8) }
    }
    if let unknown {
      let names = query.map(\.name).sorted().joined(separator: ", ")
      throw Problem(
        .unknownParameter,
        "\(method.name) \(path) has no query parameter \"\(unknown.name.prefix(80))\". "
          + (query.isEmpty ? "It takes none." : "It takes \(names)."))
    }
    for parameter in query {
      let values = items.filter { $0.name == parameter.name }.map(\.value)
      if let value = values.first, value.unicodeScalars.count > parameter.longest {
        throw Problem(
          .longParameter,
          "The query parameter \"\(parameter.name)\" has \(value.unicodeScalars.count) characters; the limit "
            + "is \(parameter.longest). Shorten it.")
      }
      if values.count < 2 { continue }
      throw Problem(
        .repeatedParameter,
        "The query parameter \"\(parameter.name)\" appears \(values.count) times. "
          + (parameter.name == Parameter.accept.name
            ? "Send it once, with commas between its codes." : "Send it once."))
    }
  }
}
