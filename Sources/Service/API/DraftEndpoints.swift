import Association
import HTTP
import Publishing
import Store

/// `/v1/drafts` and `/v1/protected-labels`.
struct DraftEndpoints: Sendable {
  let publisher: Publisher
  let state: StateEndpoints
  private var store: Store { publisher.store }

  var all: [Endpoint] { drafts + decisions + protectedLabels }

  private var drafts: [Endpoint] {
    let (path, one) = ("/v1/drafts", "/v1/drafts/{draft}")
    return [
      Endpoint(
        .get, path, .role(.viewer), query: .numberedPage + [.draftStatus, .domainFilter],
        isFilteredByToken: true,
        "listDrafts", .drafts, "List drafts",
        description:
          "A draft is a change that waits until a second person approves it. Who is limited to domains sees the drafts of "
          + "which every domain is one of those. Drafts are deleted \(Draft.daysKept) days after they end.",
        answers: .ok("A page, newest first.", "Drafts"), handle: list),
      Endpoint(
        .post, path, .role(.editor), effect: .change, query: [.accept, .overwrite],
        isFilteredByToken: true,
        isHeavy: false,
        "addDraft", .drafts, "Ask for the approval of a state",
        description:
          "Plans the state like `POST /v1/apply`, refuses what that would refuse, and keeps it until somebody else approves "
          + "it. Protected domains require this; other domains may use it.",
        body: .json("DesiredState", size: .document),
        problems: [
          .nameTaken, .expectationBroken, .changedElsewhere, .severalRefused, .documentTooLarge,
          .tooMuchWork, .unknownAndroidApp, .templateNotFound, .notEditable, .refused,
          .bodyTooLarge, .nothingToApprove,
        ],
        answers: .created("The draft.", "Draft", links: Answer.draft.links)
      ) { call in
        try add(
          try call.json(), overwrites: call.flag(.overwrite), accepting: call.acceptedCodes(), call,
          .created)
      },
      Endpoint(
        .get, one, .role(.viewer), isFilteredByToken: true,
        "getDraft", .drafts, "Read a draft with its state and comments",
        answers: .ok("The draft.", "DraftWithState")
      ) { call in
        let draft = try draft(call)
        let (state, comments) = try store.content(ofDraft: draft.id)
        var object = DraftResource.json(draft)
        object["state"] = try visible(state, of: draft, to: call)
        object["comments"] = .array(comments.map { .object(DraftResource.json($0)) })
        return .json(.ok, .object(object))
      },
      Endpoint(
        .get, one + "/plan", .role(.viewer), isFilteredByToken: true, hasOwnTurns: true,
        "planDraft", .drafts, "Show what approving a draft would change now",
        description:
          "`refused` lists what keeps it from being approved, such as changes that others have made since.",
        problems: [.draftEnded, .tooMuchWork],
        answers: .ok("The plan, as of a dry run.", "Plan"), handle: plan),
      Endpoint(
        .delete, one, .role(.editor), effect: .change, isFilteredByToken: true,
        "withdrawDraft", .drafts, "Withdraw a draft of your own",
        description: "An admin of all its domains can withdraw any draft.",
        problems: [.draftEnded], answers: .deleted
      ) { call in
        let draft = try draft(call)
        if let token = call.token, !call.isOfAuthor(draft),
          try token.role < .admin || !store.has(draft, token.limited(to: .admin).scope)
        {
          throw Problem(
            .roleTooLow,
            "Draft \(draft.id) is by \(draft.author.quoted). Only its author or an admin of all its domains can withdraw it; "
              + "you can decline it.")
        }
        let context = try call.context()
        _ = try store.write(context) { try $0.end(draft, as: .withdrawn, by: context) }
        return Response(.noContent)
      },
    ]
  }

  private var decisions: [Endpoint] {
    let one = "/v1/drafts/{draft}"
    return [
      Endpoint(
        .post, one + "/approve", .role(.editor), roleForDryRun: .viewer, effect: .publications,
        isFilteredByToken: true, mayWait: false, isHeavy: false,
        "approveDraft", .drafts, "Approve a draft of somebody else, and apply it",
        description:
          "All of it is applied, as one change by its author, over exactly the revisions that it was made from; or nothing. A "
          + "token that is limited to domains must cover everything in the draft.",
        problems: [.draftEnded, .draftOutdated, .tooMuchWork],
        answers: .ok("What changed or, for a dry run, would change.", "Plan"), handle: approve),
      Endpoint(
        .post, one + "/decline", .role(.editor), effect: .change, isFilteredByToken: true,
        "declineDraft", .drafts, "Decline a draft of somebody else",
        description:
          "`reason` is needed. A token that is limited to domains must cover everything in the draft.",
        problems: [.draftEnded, .approvalRequired, .tooMuchWork, .unknownValue],
        answers: .ok("The draft, which has ended.", "Draft")
      ) { call in
        let draft = try othersDraft(call)
        try checkReach(draft, call)
        let context = try call.context()
        if context.reason.isEmpty {
          throw Problem(.unknownValue, "Say why: repeat with ?reason=TEXT.")
        }
        let ended = try store.write(context) { try $0.end(draft, as: .declined, by: context) }
        return .json(.ok, DraftResource.json(ended), to: context)
      },
      Endpoint(
        .post, one + "/comments", .role(.editor), effect: .change, isFilteredByToken: true,
        "commentDraft", .drafts, "Comment on an open draft",
        description:
          "Unless the draft is its own, a token that is limited to domains must cover everything in the draft.",
        body: .json("NewDraftComment"), problems: [.draftEnded, .tooMuchWork],
        answers: .created("The comment.", "DraftComment")
      ) { call in
        let draft = try draft(call)
        let text = try Faults.collecting(in: try call.json(), DraftResource.readComment)
        if !call.isOfAuthor(draft) { try checkReach(draft, call) }
        let context = try call.context()
        let comment = try store.write(context) { try $0.comment(text, on: draft) }
        return .json(.created, DraftResource.json(comment), to: context)
      },
    ]
  }

  private var protectedLabels: [Endpoint] {
    let path = "/v1/protected-labels"
    return [
      Endpoint(
        .get, path, .role(.viewer), isFilteredByToken: true,
        "listProtectedLabels", .drafts, "List the labels that protect their domains",
        answers: .ok(
          "All of them; for a token that is limited to domains, those that its domains have.",
          .named("ProtectedLabels", .object([Member("labels", .list(of: .shared("Label")))])))
      ) { call in
        // Which other domains there are is nothing that a token which is limited to some may learn.
        var labels = try store.protectedLabels()
        if !call.scope.isEverything {
          let visible = try store.labels(
            containing: nil, within: call.scope, after: nil, limit: .max)
          labels = labels.filter(Set(visible.map(\.label)).contains)
        }
        return .json(.ok, ["labels": .strings(labels.map(\.text))])
      },
      Endpoint(
        .put, path + "/{label}", .role(.admin), effect: .change,
        "protectLabel", .drafts, "Protect the domains that have a label",
        description:
          "A second person must approve what changes a domain that has the label, like one that is `protected` itself.",
        answers: .ok(
          "The label.",
          .named("ProtectedLabel", .object([Member("label", .shared("Label"))] + .dryRun)))
      ) { call in
        let label = try Call.name(call.parameters["label"] ?? "", Label.init(_:))
        let context = try call.context()
        _ = try store.write(context) { try $0.protect(label) }
        return .json(.ok, ["label": .string(label.text)], to: context)
      },
      Endpoint(
        .delete, path + "/{label}", .role(.admin), effect: .change,
        "unprotectLabel", .drafts, "End the protection of a label",
        description: "Only for an admin who publishes protected domains without approval.",
        problems: [.approvalRequired], answers: .deleted
      ) { call in
        let label = try Call.name(call.parameters["label"] ?? "", Label.init(_:))
        try call.checkPublishesProtected("end the protection of a label")
        _ = try store.write(call.context()) { try $0.protect(label, false) }
        return Response(.noContent)
      },
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let domain = try call.query(.domainFilter).map { try Call.name($0, DomainName.init(_:)) }
    let drafts = try store.drafts(
      call.word(.draftStatus, Draft.Status.self), within: call.scope, of: domain,
      before: try call.numberAfter(page.after).map(Int64.init), limit: page.limit + 1)
    return .page(
      drafts, limit: page.limit, item: { .object(DraftResource.json($0)) },
      cursor: { String($0.id) })
  }

  /// The state of a draft. Who is limited to domains sees no apps in it but those of its domains.
  private func visible(_ state: JSON, of draft: Draft, to call: Call) throws -> JSON {
    guard !call.scope.isEverything, !call.isOfAuthor(draft),
      var content = state.objectValue
    else { return state }
    let domains = content["domains"]?.text ?? ""
    func isUsed<Key: AppKey>(_ app: Key) throws -> Bool {
      // A draft may add it.
      if try store.storedApp(app) == nil { return false }
      return try !Set(draft.domains).isDisjoint(with: store.domains(using: app))
    }
    func keep(_ list: String, _ key: String, _ isUsed: (String) throws -> Bool) throws {
      guard let apps = content[list]?.arrayValue else { return }
      content[list] = .array(
        try apps.filter { app in
          guard let text = app[key]?.stringValue else { return false }
          return try domains.contains(JSON.string(text).text) || isUsed(text)
        })
    }
    try keep("apps", "app") { try isUsed(AppIdentifier(stored: $0)) }
    try keep("androidApps", "package") { try isUsed(PackageName(stored: $0)) }
    return .object(content)
  }

  private func draft(_ call: Call) throws -> Draft {
    // Somebody may see more than they may decide about.
    try store.draft(call.row("draft"), within: call.token?.limited(to: .viewer).scope ?? call.scope)
  }

  /// The draft that the path names, of which the caller is the second person.
  ///
  /// - Throws: `Problem`, 403, if the caller is its author.
  private func othersDraft(_ call: Call) throws -> Draft {
    let draft = try draft(call)
    if call.isOfAuthor(draft) {
      throw Problem(
        .approvalRequired,
        "Draft \(draft.id) is your own, so somebody else must approve or decline it. To take it back, withdraw it."
      )
    }
    return draft
  }

  /// An endpoint that makes a draft of what it would change, if the query says so.
  func offering(_ endpoint: Endpoint) -> Endpoint {
    if !endpoint.mayWait { return endpoint }
    var offering = endpoint
    offering.handle = { call in
      if try !call.flag(.draft) { return try endpoint.handle(call) }
      if let token = call.token, !token.documents.isEmpty { throw token.limitedToDocuments }
      for _ in 1...Self.mostTrials {
        do {
          return try ask(call, endpoint)
        } catch is Outdated {
          // Others were faster; what they changed decides again.
        }
      }
      throw StoreError.busy
    }
    return offering
  }

  /// How often a request is tried while others change what it is about.
  private static let mostTrials = 5

  /// Makes a draft of what a request would change.
  private func ask(_ call: Call, _ endpoint: Endpoint) throws -> Response {
    let state = ProposedState()
    var trial = call
    trial.proposed = state
    // Its answer is let go, and with it what the request holds.
    _ = try endpoint.handle(trial)
    let proposed = state.content
    if proposed.isEmpty && endpoint.method == .delete {
      throw Problem(
        .nothingToApprove,
        "No draft was created: a draft deletes no apps, and nothing else would change.")
    }
    let renaming: Set<Finding.Code> = proposed.renamesApp ? [.opensNothing] : []
    return try add(
      DraftResource.state(proposed), of: proposed, overwrites: true,
      accepting: call.acceptedCodes().union(renaming)
        .union(proposed.accepted.compactMap(Finding.Code.init)), call, .accepted)
  }

  private func add(
    _ content: JSON, of proposed: ProposedState.Content? = nil, overwrites: Bool,
    accepting accepted: Set<Finding.Code>, _ call: Call, _ status: Status
  ) throws -> Response {
    let context = try call.context()
    let options = ApplyOptions(overwrite: overwrites, accepted: accepted)
    if content.text.utf8.count > Draft.longestState {
      throw Problem(
        .bodyTooLarge, "The state of a draft has at most \(Draft.longestState) bytes. Split it.")
    }
    let share =
      try call.request.spool?.share
      ?? state.share(of: call.token, unless: call.request.clientHasGone)
    let received = try ReceivedState(content, beside: store, within: share)
    let draft = try state.planning(call) {
      try state.checked(received, of: call.token) {
        try publisher.addDraft($0, content, options, of: proposed, by: context)
      }
    }
    var object = DraftResource.json(draft)
    ManagedDomains.add(proposed?.managed ?? [:], to: &object)
    return .json(
      status, object, to: context, fields: [HeaderField("Location", "/v1/drafts/\(draft.id)")])
  }

  private func plan(_ call: Call) throws -> Response {
    let draft = try draft(call)
    let context = WriteContext(
      author: call.token?.name ?? "", isDryRun: true, isAbandoned: call.request.clientHasGone)
    return try apply(draft, call, of: nil, by: context, listsRefusals: true)
  }

  private func approve(_ call: Call) throws -> Response {
    let context = try call.context()
    let draft = try context.isDryRun ? self.draft(call) : othersDraft(call)
    return try apply(draft, call, of: call.token, by: context)
  }

  /// Checks that somebody else than the author could approve a draft, as far as their limits go: nobody else stands in the
  /// way of it.
  ///
  /// - Throws: `Problem`, 403.
  private func checkReach(_ draft: Draft, _ call: Call) throws {
    if call.scope.isEverything { return }
    var context = try call.context()
    context.isDryRun = true
    let share = try state.share(of: call.token, unless: call.request.clientHasGone)
    let refused: [JSON]
    do {
      let (_, _, members) = try state.planning(call) {
        try outcome(
          draft, call, of: call.token, by: context, within: share, listsRefusals: true,
          report: { _, _, _ in })
      }
      refused = members["refused"]?.arrayValue ?? []
    } catch is InvalidInput {
      // It fits nothing any more, such as a template that has other parameters now. Its names are within the limits.
      return
    }
    // Of more refusals than are listed, one may be of the limits.
    let codes = [Problem.Code.tokenLimited, .severalRefused].map { JSON.string($0.rawValue) }
    if refused.contains(where: { codes.contains($0["code"] ?? .null) }) {
      throw Problem(
        .tokenLimited,
        "Draft \(draft.id) also changes something outside your limits, so only somebody who could approve it can decline it "
          + "or comment on it.")
    }
  }

  /// - Parameter token: What limits the state; `nil` for nothing.
  private func apply(
    _ draft: Draft, _ call: Call, of token: Token?, by context: WriteContext,
    listsRefusals: Bool = false
  ) throws -> Response {
    let share = try state.share(of: call.token, unless: call.request.clientHasGone)
    return try state.answer(call, within: share, isDryRun: context.isDryRun) {
      try outcome(
        draft, call, of: token, by: context, within: share, listsRefusals: listsRefusals,
        report: $0)
    }
  }

  private func outcome(
    _ draft: Draft, _ call: Call, of token: Token?, by context: WriteContext,
    within share: Spool.Share, listsRefusals: Bool, report: @escaping AppliedState.Report
  ) throws -> StateEndpoints.Outcome {
    try draft.checkIsOpen()
    let content = try store.content(ofDraft: draft.id).state
    let received = try ReceivedState(content, beside: store, within: share)
    let accepted = listsRefusals ? [] : try call.acceptedCodes()
    do {
      return try state.apply(received, of: token, readBy: call.token, listsRefusals: listsRefusals)
      {
        try publisher.approve(
          draft, $0, accepting: accepted, listsRefusals: listsRefusals, by: context,
          visible: call.scope, report: report)
      }
    } catch let problem as Problem where problem.code == Problem.Code.tokenLimited.rawValue {
      if try visible(content, of: draft, to: call) == content { throw problem }
      // It may name an app that the draft does not show.
      throw Problem(
        .tokenLimited,
        "Draft \(draft.id) also changes an app or a template of others, so somebody who is not limited to domains must "
          + "approve it.")
    }
  }
}

extension Call {
  /// Whether the author of a draft asks. A proxy may pass on a user's name as somebody typed it, in any case.
  fileprivate func isOfAuthor(_ draft: Draft) -> Bool {
    token?.name.lowercased() == draft.author.lowercased()
  }

  /// - Parameter action: What only somebody with this right can do.
  /// - Throws: `Problem`, 403.
  func checkPublishesProtected(_ action: String) throws(Problem) {
    if token?.unapproved?.isEverything == true { return }
    throw Problem(
      .approvalRequired,
      "Only an admin who publishes protected domains without approval can \(action). Let such an admin do it, or run the "
        + "command on the machine of the server with --database.")
  }
}
