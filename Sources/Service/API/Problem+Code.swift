import Association
import HTTP

extension Problem {
  /// The stable codes of problems. The description lists them in this order; of the codes that an
  /// answer can have, the last is the most specific and names it.
  enum Code: String, Sendable, CaseIterable {
    case malformedTarget = "malformed-target"
    case malformedHeader = "malformed-header"
    case malformedPath = "malformed-path"
    case malformedFlag = "malformed-flag"
    case malformedRevision = "malformed-revision"
    case malformedLimit = "malformed-limit"
    case malformedCursor = "malformed-cursor"
    case malformedIfMatch = "malformed-if-match"
    case malformedIfNoneMatch = "malformed-if-none-match"
    case unknownCode = "unknown-code"
    case unknownParameter = "unknown-parameter"
    case repeatedParameter = "repeated-parameter"
    case longParameter = "parameter-too-long"
    case unknownValue = "unknown-value"
    case malformedURL = "malformed-url"
    case notJSON = "not-json"
    case unauthorized
    case unknownUser = "unknown-user"
    case unknownHost = "unknown-host"
    case dashboardHeaderMissing = "dashboard-header-missing"
    case roleTooLow = "role-too-low"
    case tokenLimited = "token-limited"
    case approvalRequired = "approval-required"
    case pathNotFound = "path-not-found"
    case notServed = "not-served"
    case appNotFound = "app-not-found"
    case templateNotFound = "template-not-found"
    case tokenNotFound = "token-not-found"
    case userNotFound = "user-not-found"
    case groupNotFound = "group-not-found"
    case webhookNotFound = "webhook-not-found"
    case domainNotFound = "domain-not-found"
    case entryNotFound = "entry-not-found"
    case routeNotFound = "route-not-found"
    case suppressionNotFound = "suppression-not-found"
    case changeNotFound = "change-not-found"
    case draftNotFound = "draft-not-found"
    case revisionNotFound = "revision-not-found"
    case revisionPruned = "revision-pruned"
    case documentNotFound = "document-not-found"
    case methodNotAllowed = "method-not-allowed"
    case nameTaken = "name-taken"
    case notDeleted = "not-deleted"
    case expectationBroken = "expectation-broken"
    case changedElsewhere = "changed-elsewhere"
    case changedSince = "changed-since"
    case notRevertible = "not-revertible"
    case draftEnded = "draft-ended"
    case draftOutdated = "draft-outdated"
    case nothingToApprove = "nothing-to-approve"
    case severalRefused = "several-refused"
    case appExists = "app-exists"
    case appInUse = "app-in-use"
    case templateInUse = "template-in-use"
    case usesTemplate = "uses-template"
    case noTemplate = "no-template"
    case templateChanged = "template-changed"
    case tokenNameTaken = "token-name-taken"
    case webhookDisabled = "webhook-disabled"
    case readOnlyServer = "read-only-server"
    case staleRevision = "stale-revision"
    case alreadyExists = "already-exists"
    case preconditionUnsupported = "precondition-unsupported"
    case preconditionRequired = "precondition-required"
    case bodyTooLarge = "body-too-large"
    case bodyTooComplex = "body-too-complex"
    case documentTooLarge = "too-large"
    case tooMuchWork = "too-much-work"
    case notJSONType = "not-json-type"
    case unknownContentCoding = "unknown-content-coding"
    case invalidInput = "invalid-input"
    case unknownAndroidApp = "unknown-android-app"
    case notEditable = "not-editable"
    case notAdoptable = "not-adoptable"
    case notAlike = "not-alike"
    case refused
    case headerTooLarge = "header-too-large"
    case internalError = "internal-error"
    case committedNotServed = "committed-not-served"
    case unknownTransferCoding = "unknown-transfer-coding"
    case tooManyBodies = "too-many-bodies"
    case tooManyConnections = "too-many-connections"
    case busy
    case databaseUnavailable = "database-unavailable"
    case outcomeUnknown = "outcome-unknown"
    case databaseReplaced = "database-replaced"
    case diskFull = "disk-full"

    /// The status of the answer, and what the code means.
    private var facts: (status: Status, meaning: String) {
      switch self {
      case .malformedTarget: (.badRequest, "The path or the query contains invalid bytes.")
      case .malformedHeader: (.badRequest, "A header field is invalid.")
      case .malformedPath:
        (.badRequest, "An identifier in the path is not a number, or a name in it is too long.")
      case .malformedFlag: (.badRequest, "A flag in the query is neither true nor false.")
      case .malformedRevision: (.badRequest, "`from` or `to` is not a revision number.")
      case .malformedLimit: (.badRequest, "`limit` is not a number from 1 to 1000.")
      case .malformedCursor: (.badRequest, "`cursor` is not the `next` of a page.")
      case .malformedIfMatch: (.badRequest, "`If-Match` is not a list of entity tags.")
      case .malformedIfNoneMatch: (.badRequest, "`If-None-Match` is not `*`.")
      case .unknownCode: (.badRequest, "`accept` has a code that cannot be accepted.")
      case .unknownParameter: (.badRequest, "The endpoint has no such query parameter.")
      case .repeatedParameter: (.badRequest, "A query parameter occurs more than once.")
      case .longParameter: (.badRequest, "A query parameter is longer than its limit.")
      case .unknownValue: (.badRequest, "A query parameter has a value that is not allowed.")
      case .malformedURL: (.badRequest, "`url` is not an https URL in ASCII.")
      case .notJSON: (.badRequest, "The body is not valid JSON.")
      case .unauthorized:
        (
          .unauthorized,
          "The token is missing, unknown, revoked or expired, or the session has ended."
        )
      case .unknownUser: (.forbidden, "The user whom the proxy names is not in the list of users.")
      case .unknownHost:
        (
          .misdirectedRequest,
          "A proxy names the user, but the host of the request is not in `adminHosts`."
        )
      case .dashboardHeaderMissing:
        (
          .forbidden,
          "A session or a proxy's user needs `\(Authentication.dashboardHeader): 1` for changes."
        )
      case .roleTooLow: (.forbidden, "The role of the token or user is too low.")
      case .tokenLimited: (.forbidden, "The token or user is limited to other domains.")
      case .approvalRequired:
        (.forbidden, "A second person must approve the change: the domain is protected.")
      case .pathNotFound: (.notFound, "No endpoint has this path.")
      case .notServed: (.notFound, "No file is served for the name.")
      case .appNotFound: (.notFound, "The app does not exist.")
      case .templateNotFound: (.notFound, "The template does not exist.")
      case .tokenNotFound: (.notFound, "The token does not exist.")
      case .userNotFound: (.notFound, "The user does not exist.")
      case .groupNotFound: (.notFound, "The group does not exist.")
      case .webhookNotFound: (.notFound, "The webhook does not exist.")
      case .domainNotFound: (.notFound, "The domain does not exist.")
      case .entryNotFound: (.notFound, "The domain has no such entry.")
      case .routeNotFound: (.notFound, "The entry has no such route.")
      case .suppressionNotFound: (.notFound, "The domain has no such suppression.")
      case .changeNotFound: (.notFound, "The change does not exist, or is no longer kept.")
      case .draftNotFound: (.notFound, "The draft does not exist, or is no longer kept.")
      case .revisionNotFound: (.notFound, "The domain has no such revision.")
      case .revisionPruned:
        (.notFound, "The revision is no longer kept.")
      case .documentNotFound: (.notFound, "The domain has no document of this kind.")
      case .methodNotAllowed: (.methodNotAllowed, "The path does not allow this method.")
      case .nameTaken:
        (.conflict, "Another domain has the name or alias.")
      case .notDeleted: (.conflict, "The domain to restore is not deleted.")
      case .expectationBroken:
        (.conflict, "The change would break expectations.")
      case .changedElsewhere:
        (
          .conflict, "Applying the state would undo changes by others."
        )
      case .changedSince:
        (.conflict, "Domains have changed since the change.")
      case .notRevertible:
        (.conflict, "The change cannot be undone.")
      case .draftEnded: (.conflict, "The draft was approved, declined or withdrawn.")
      case .draftOutdated: (.conflict, "Others have changed what the draft changes.")
      case .nothingToApprove: (.unprocessableContent, "The draft would change nothing.")
      case .severalRefused:
        (.conflict, "Several domains were refused; `problems` has one for each.")
      case .appExists: (.conflict, "An app with the new identifier already exists.")
      case .appInUse: (.conflict, "Domains still use the app.")
      case .templateInUse: (.conflict, "Domains still use the template.")
      case .usesTemplate:
        (
          .conflict, "The domain uses a template, and the edit concerns what comes from it."
        )
      case .noTemplate: (.conflict, "The domain uses no template.")
      case .templateChanged:
        (
          .conflict,
          "The template has changed since the revision, so something would stay different."
        )
      case .tokenNameTaken: (.conflict, "A token or a user with this name already exists.")
      case .webhookDisabled: (.conflict, "The webhook is disabled.")
      case .readOnlyServer:
        (.conflict, "This server only reads; `servers` has those that accept edits.")
      case .staleRevision:
        (.preconditionFailed, "`If-Match` does not name the current revision; see `ETag`.")
      case .alreadyExists:
        (.preconditionFailed, "`If-None-Match` requires a new domain, but it exists.")
      case .preconditionUnsupported:
        (.preconditionFailed, "The endpoint supports neither `If-Match` nor `If-None-Match`.")
      case .preconditionRequired:
        (.preconditionRequired, "The domain exists, and `If-Match` is missing; see `ETag`.")
      case .bodyTooLarge: (.contentTooLarge, "The body is over the limit.")
      case .bodyTooComplex:
        (.contentTooLarge, "The body has too many values, or a key or string that is too long.")
      case .documentTooLarge: (.contentTooLarge, Self.tooLargeMeaning)
      case .tooMuchWork: (.contentTooLarge, "The documents of the state take too long to check.")
      case .notJSONType: (.unsupportedMediaType, "The media type of the body is not JSON.")
      case .unknownContentCoding:
        (.unsupportedMediaType, "The body is compressed, as `Content-Encoding` says.")
      case .invalidInput:
        (
          .unprocessableContent, "The body has invalid values; `errors` lists them."
        )
      case .unknownAndroidApp:
        (.unprocessableContent, "A domain names an Android app that does not exist.")
      case .notEditable:
        (.unprocessableContent, "The edit does not fit the domain.")
      case .notAdoptable:
        (
          .unprocessableContent,
          "The template does not give the domain what it has; `differences` or `parameters` says why."
        )
      case .notAlike:
        (.unprocessableContent, "No template can be suggested for the domains.")
      case .refused:
        (.unprocessableContent, Self.refusedMeaning)
      case .headerTooLarge: (.requestHeaderFieldsTooLarge, "The header is over the limit.")
      case .internalError:
        (.internalServerError, "Internal error; the log has the details under the request ID.")
      case .committedNotServed: (.internalServerError, Self.notServedMeaning)
      case .unknownTransferCoding:
        (.notImplemented, "The only supported transfer coding is `chunked`.")
      case .tooManyBodies:
        (
          .serviceUnavailable,
          "The bodies of all requests together, or the client's or token's share of them, are over the limit."
        )
      case .tooManyConnections:
        (.serviceUnavailable, "All connections, or the client's share of them, are in use.")
      case .busy: (.serviceUnavailable, Self.busyMeaning)
      case .databaseUnavailable:
        (.serviceUnavailable, "The database cannot be used. Nothing was changed.")
      case .outcomeUnknown:
        (
          .serviceUnavailable,
          "The connection to the database was lost while it stored the change, which may or may not have been made."
        )
      case .databaseReplaced:
        (.serviceUnavailable, "The database file was deleted or replaced. Edits are refused.")
      case .diskFull: (.insufficientStorage, "The disk is full. Nothing was changed.")
      }
    }

    private static let tooLargeMeaning =
      "A document is larger than its readers allow (Apple: 131,072 bytes); `account` shows what uses them."
    private static let busyMeaning =
      "The server was busy with other requests for 5 seconds. Nothing was changed. Try again after "
      + "`Retry-After` seconds."
    private static let refusedMeaning =
      "The document has errors; `errors` lists them. The problem's code is usually that of the first."
    private static let notServedMeaning =
      "The change is stored but not served yet. Do not repeat it: the server retries four times a "
      + "second, and `GET /readyz` answers `ready` once it is served."

    /// The status of the answer, or the usual one of two: `several-refused` is 422 where documents
    /// have errors, and `domain-not-found` 412 where `If-Match` asks a PUT for an existing domain.
    var status: Status { facts.status }

    /// What the code means, for the description.
    var meaning: String { facts.meaning }
  }

  /// The members that only some problems have.
  enum Member: String, Sendable, CaseIterable {
    case account, count, domain, domains, errors, moreErrors, expectations, moreExpectations
    case findings, moreFindings, problems, moreProblems, revision, conflicts, moreConflicts
    case acceptable, name, claimant, servers, moreDomains, differences, parameters, user, admins

    var meaning: String {
      switch self {
      case .account: "What uses the bytes of a document that is too large."
      case .count: "The number of domains that use the app or the template."
      case .domain: "The domain that was refused, or that has the name."
      case .domains: "The first of the domains that are in the way."
      case .errors: "What is wrong, and where."
      case .expectations: "The expectations that the change breaks."
      case .findings: "All findings about the document."
      case .problems: "One problem for each refused domain."
      case .revision: "The revision that is stored but not served yet."
      case .conflicts: "What applying the state would undo."
      case .acceptable:
        "The codes of `?accept=` that publish anyway; left out if some error cannot be accepted."
      case .name: "The name that is taken."
      case .claimant: "The other domain of the request that has the name."
      case .servers: "The servers that accept edits."
      case .differences:
        "What would stay different from the revision, or what a template would change, in words."
      case .user: "The person whom the proxy names."
      case .admins: "Some of the people who can add them."
      case .parameters: "The parameters of which the values have to be given."
      case .moreErrors, .moreExpectations, .moreFindings, .moreProblems, .moreConflicts,
        .moreDomains:
        "The number of elements that are left out."
      }
    }

    var schema: Schema {
      switch self {
      case .account: "ByteAccount"
      case .count, .revision, .moreErrors, .moreExpectations, .moreFindings, .moreProblems,
        .moreConflicts, .moreDomains:
        .revision
      case .domain, .claimant: "DomainName"
      case .name, .user: .string
      case .domains: .list(of: .domain)
      case .servers, .differences, .parameters, .admins: .list(of: .string)
      case .errors: .list(of: "Fault")
      case .expectations: .list(of: "BrokenExpectation")
      case .findings: .list(of: "Finding")
      case .acceptable: .list(of: "FindingCode")
      case .problems: .list(of: .object)
      case .conflicts: .list(of: "ForeignChange")
      }
    }
  }
}

extension Finding.Code {
  /// The codes that a refused document can give its problem with the status 422. One that is not JSON
  /// has 400, one that is too large 413.
  static let refusals =
    allCases.filter { $0.severity == .error && $0 != .notJSON && $0 != .tooLarge }
    + [.environmentMismatch]
}
