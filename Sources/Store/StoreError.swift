package import Association

package enum StoreError: Error, Sendable, Equatable {
  case notFound(Item)
  /// The domain was changed since the caller read it; has its current revision.
  case staleRevision(current: Int)
  /// The domain to create already exists; has its current revision.
  case alreadyExists(current: Int)
  /// The domain to bring back is not deleted; has its current revision.
  case notDeleted(DomainName, current: Int)
  /// Another domain already has this name, as its own or as an alias.
  case nameTaken(String, by: DomainName)
  /// The app cannot be deleted because domains use it. Has the first few of them, and their number.
  case appInUse(LinkedApp, domains: [DomainName], count: Int)
  /// The template cannot be deleted because domains use it. Has the first few of them, and their number.
  case templateInUse(TemplateName, domains: [DomainName], count: Int)
  /// An app with this identifier already exists.
  case appExists(LinkedApp)
  /// A domain names Android apps that do not exist, or an app has no fingerprints, without which it cannot
  /// be rendered.
  case unknownApps([LinkedApp])
  /// A token with this name already exists.
  case tokenNameTaken(String)
  /// The token has expired, so that a new secret of it would not be accepted.
  case tokenExpired(String, UnixTime)
  /// A user with this name already exists.
  case userNameTaken(String)
  /// The author has `Draft.mostOpen` open drafts.
  case tooManyDrafts(String)
  /// The draft has `Draft.mostComments` comments.
  case tooManyComments(Int64)
  /// The draft was approved, declined or withdrawn by somebody.
  case draftEnded(Int64, Draft.Status, by: String)
  /// There are `Webhook.limit` webhooks.
  case tooManyWebhooks
  case webhookDisabled(String)
  /// The database belongs to another program.
  case foreign
  /// The file exists, but has no tables. Usually a database was lost.
  case empty
  /// The database does not exist, but this file of a deleted one does.
  case leftover(String)
  /// The schema of the database is newer than this program.
  case newerSchema(found: Int, known: Int)
  /// The schema is older than this program, and nothing may be written.
  case olderSchema(found: Int, known: Int)
  /// The server of the database, or the database itself, lacks something; has a clause that says what.
  case unsuitable(String)
  /// The store refuses every write. Has the URLs of servers on the same database that accept them.
  case readOnlyStore(writers: [String])
  /// A migration would leave rows of these tables with broken references.
  case brokenReferences(migration: String, tables: [String])
  /// Nothing was changed: the turn to write did not come within `Store.longestWait`, or another process
  /// held the lock for that long, or the client went away while it waited.
  case busy
  /// Nothing was changed: others have waited too long for the rows of an edit of many domains.
  case tookTooLong
  /// The edit is stored, but could not be served yet. Has the domain, if it was one.
  case notServedYet(StoredDomain?, detail: String)
  /// The database failed; nothing was changed.
  case database(Refusal, detail: String)

  /// A file of the database was deleted or replaced.
  static func replaced(_ file: String) -> StoreError {
    .database(.replaced, detail: "\"\(file)\" was deleted or replaced")
  }

  /// A kind of thing that can be missing.
  package enum Item: Sendable, Equatable {
    case domain(DomainName)
    case app(LinkedApp)
    case template(TemplateName)
    /// An entry of a domain. Has the numbers that exist.
    case entry(Int64, existing: [Int64])
    /// A route of an entry. Has the numbers that exist.
    case route(Int64, existing: [Int64])
    /// A suppression of a domain. Has the numbers that exist.
    case suppression(Int64, existing: [Int64])
    /// A suppression of several domains. Has the numbers that exist.
    case sharedSuppression(Int64, existing: [Int64])
    /// A revision that the domain never had.
    case revision(Int)
    /// A revision of the domain that was pruned.
    case prunedRevision(Int)
    /// A change that never was, or was pruned, or concerns none of the domains that somebody is limited to.
    case change(Int64)
    case token(String)
    case webhook(String)
    /// A draft that never was, or was deleted, or changes other domains than those that somebody is limited to.
    case draft(Int64)
    case user(String)
    case group(String)
  }

  /// Why the database failed.
  package enum Refusal: String, Sendable, CaseIterable {
    case diskFull = "disk-full"
    /// The file or its directory is not writable.
    case readOnly = "read-only"
    /// The file cannot be opened or created, or the server refuses the connection.
    case cannotOpen = "cannot-open"
    /// The server cannot be reached.
    case unreachable
    /// The server went away while it committed: the change may have been made or not.
    case unknownOutcome = "unknown-outcome"
    /// The file is not a database, or is damaged.
    case damaged
    /// The file was deleted or replaced while it was open.
    case replaced
    /// Reading or writing the disk failed.
    case inputOutput = "input-output"
    /// A constraint of the schema failed, or anything else that should not happen.
    case unexpected
  }

  init(_ error: SQLError) {
    let refusal: Refusal
    switch error.kind {
    case .busy, .conflict:
      self = .busy
      return
    case .full: refusal = .diskFull
    case .readOnly: refusal = .readOnly
    case .cannotOpen: refusal = .cannotOpen
    case .disconnected: refusal = .unreachable
    case .corrupt: refusal = .damaged
    case .inputOutput: refusal = .inputOutput
    case .unique, .foreignKey, .constraint, .other: refusal = .unexpected
    }
    self = .database(refusal, detail: error.description)
  }
}

extension StoreError: CustomStringConvertible {
  /// A clause for a log or a terminal.
  package var description: String {
    switch self {
    case .database(_, let detail): detail
    case .busy: "another program holds the lock of the database"
    case .tookTooLong: "writing so many domains took too long for others who edit"
    case .notServedYet(_, let detail): "the change is stored, but not served yet: \(detail)"
    case .notFound(let item): "\(item) does not exist"
    case .staleRevision(let current):
      "the domain was changed meanwhile; revision \(current) is the current one"
    case .alreadyExists(let current): "the domain already exists, with revision \(current)"
    case .notDeleted(let name, let current):
      "\(name) is not deleted; revision \(current) is the current one"
    case .nameTaken(let name, let owner):
      "\(name) is already a name or an alias of the domain \(owner)"
    case .appInUse(let app, _, let count): "the app \(app) is in use by \(count) domains"
    case .templateInUse(let name, _, let count):
      "the template \(name) is in use by \(count) domains"
    case .appExists(let app): "the app \(app) already exists"
    case .unknownApps(let apps):
      "no fingerprints are known of \(apps.map(\.description).joined(separator: ", "))"
    case .tokenNameTaken(let name): "a token named \(name) already exists"
    case .tokenExpired(let name, let end): "the token \(name) expired at \(end.text)"
    case .userNameTaken(let name): "a user named \(name) already exists"
    case .tooManyDrafts(let author): "\(author) has \(Draft.mostOpen) open drafts already"
    case .tooManyComments(let id): "draft \(id) has \(Draft.mostComments) comments already"
    case .draftEnded(let id, let status, let author):
      "draft \(id) was \(status.rawValue) by \(author)"
    case .tooManyWebhooks: "there are \(Webhook.limit) webhooks already"
    case .webhookDisabled(let name): "the webhook \(name) is disabled"
    case .foreign: "the database belongs to another program"
    case .empty: "the database is empty"
    case .leftover(let file): "\(file) is left over from a deleted database"
    case .newerSchema(let found, let known):
      "the database has schema \(found), and this version of aasa only knows schemas up to \(known)"
    case .olderSchema(let found, let known):
      "the database has schema \(found), and this version of aasa needs \(known)"
    case .unsuitable(let reason): "the server of the database \(reason)"
    case .readOnlyStore: "this server only reads"
    case .brokenReferences(let migration, let tables):
      "the migration \(migration) would leave broken references in \(tables.joined(separator: ", "))"
    }
  }
}

extension StoreError.Item: CustomStringConvertible {
  /// The thing with its name, such as `revision 3`.
  package var description: String {
    switch self {
    case .domain(let name): "the domain \(name)"
    case .app(let app): "the app \(app)"
    case .entry(let number, _): "entry \(number)"
    case .route(let number, _): "route \(number)"
    case .suppression(let number, _): "suppression \(number)"
    case .sharedSuppression(let number, _): "suppression \(number) of several domains"
    case .revision(let number), .prunedRevision(let number): "revision \(number)"
    case .change(let id): "change \(id)"
    case .token(let name): "the token \(name)"
    case .webhook(let name): "the webhook \(name)"
    case .draft(let id): "draft \(id)"
    case .user(let name): "the user \(name)"
    case .template(let name): "the template \(name)"
    case .group(let name): "the group \(name)"
    }
  }
}
