import Association
import HTTP
import Publishing
import Store

/// `/v1/templates`, and what domains do with them.
struct TemplateEndpoints: Sendable {
  let publisher: Publisher
  let state: StateEndpoints
  private var store: Store { publisher.store }

  var all: [Endpoint] {
    let (path, one) = ("/v1/templates", "/v1/templates/{template}")
    let links = ["getTemplate", "listTemplateRevisions", "deleteTemplate"]
    return [
      Endpoint(
        .get, path, .role(.viewer), query: .page, isFilteredByToken: true,
        "listTemplates", .templates, "List templates",
        answers: .ok("A page, by name.", "Templates")
      ) { call in
        let page = try call.page()
        let templates = try store.templates(
          after: page.after, within: call.scope, limit: page.limit + 1)
        return .page(
          templates, limit: page.limit, item: StoredTemplateResource.json,
          cursor: \.template.name.text)
      },
      Endpoint(
        .get, one, .role(.viewer), isFilteredByToken: true,
        "getTemplate", .templates, "Read a template",
        answers: .ok("The template.", "StoredTemplate", isTagged: true)
      ) { call in try Self.answer(store.template(call.template(), within: call.scope)) },
      Endpoint(
        .put, one, .role(.editor), roleForDryRun: .viewer, effect: .template,
        query: [.skipRefused, .renamedParameters],
        "putTemplate", .templates, "Add or replace a template",
        description:
          "Publishes all domains that use the template, or none. The answer has each distinct effect once. With "
          + "`skip=refused`, domains that would be refused stay as they are. With `rename`, domains keep the values of "
          + "parameters that have a new name, also those that stay as they are.",
        body: .json("TemplateInput", size: .document), problems: [.tooMuchWork],
        answers: .ok("The template existed.", "PublishedTemplate", links: links),
        .created("The template is new.", "PublishedTemplate", links: links)
      ) { call in
        let (name, body) = (try call.template(), try call.json())
        let template = try Faults.collecting(in: body) { TemplateResource.read($0, name: name) }
        let old = try store.storedTemplate(name)?.template
        return try publish(
          template, over: old, renaming: call.renamedParameters(of: old, to: template) ?? [:], call)
      },
      Endpoint(
        .delete, one, .role(.editor), effect: .change,
        "deleteTemplate", .templates, "Delete a template that no domain uses",
        problems: [.templateInUse], answers: .deleted
      ) { call in
        let name = try call.template()
        // As an edit of many domains, which sees a domain that has begun to use the template while it waited.
        try store.edit(call.context()) { (_: Void?) in
        } write: { transaction, _ in
          try transaction.delete(name)
        }
        return Response(.noContent)
      },
      Endpoint(
        .get, one + "/revisions", .role(.viewer), query: .numberedPage, isFilteredByToken: true,
        "listTemplateRevisions", .templates, "List the revisions of a template",
        answers: .ok("A page, newest first.", "TemplateRevisions")
      ) { call in
        let page = try call.page()
        let revisions = try store.revisions(
          of: call.template(), before: call.numberAfter(page.after), within: call.scope,
          limit: page.limit + 1)
        return .page(
          revisions, limit: page.limit, item: StoredTemplateResource.json,
          cursor: { String($0.revision) })
      },
      Endpoint(
        .get, one + "/revisions/{revision}", .role(.viewer), isFilteredByToken: true,
        "getTemplateRevision", .templates, "Read a revision of a template",
        answers: .ok("The revision.", "StoredTemplate", isTagged: true)
      ) { call in
        try Self.answer(
          store.template(
            call.template(), revision: Int(call.row("revision")), within: call.scope))
      },
      Endpoint(
        .post, one + "/revisions/{revision}/restore", .role(.editor), effect: .template,
        query: [.skipRefused, .renamedParameters],
        "restoreTemplate", .templates, "Roll back to a revision of a template",
        description:
          "Publishes all domains that use the template, or none, as a PUT does. Parameters that were renamed since get their "
          + "earlier names back, and domains keep the values; `rename` says so where the changes that renamed them are no "
          + "longer kept.",
        problems: [.tooMuchWork],
        answers: .ok("The next revision, equal to the old one.", "PublishedTemplate", links: links)
      ) { call in
        let (name, revision) = (try call.template(), Int(try call.row("revision")))
        let template = try store.template(name, revision: revision).template
        let old = try store.storedTemplate(name)?.template
        let renamed =
          try call.renamedParameters(of: old, to: template)
          ?? publisher.earlierParameters(of: name, at: revision)
        return try publish(template, over: old, renaming: renamed, call)
      },
      Endpoint(
        .post, one + "/adopt", .role(.editor), roleForDryRun: .viewer, effect: .publications,
        query: [.skipRefused], isFilteredByToken: true, isHeavy: false,
        "adoptIntoTemplate", .templates, "Take domains under a template",
        description:
          "Takes all domains that the request chooses, or none, and only if each opens the same URLs in the same apps as "
          + "before. The values of parameters are found in what the domains have, unless the request gives them. What a "
          + "domain has beyond the template stays its own. A token that is limited to domains adopts only those.",
        body: .json("TemplateAdoption", size: .document),
        problems: [.notAdoptable, .tooMuchWork, .domainNotFound],
        answers: .ok("What changed or, for a dry run, would change.", "Plan"), handle: adopt),
      Endpoint(
        .post, "/v1/template-suggestion", .role(.viewer), isFilteredByToken: true,
        "suggestTemplate", .templates, "Suggest a template for domains that are alike",
        description:
          "The template has what the domains have in common, and parameters for what differs. Nothing is stored. "
          + "`POST /v1/templates/{template}/adopt` takes the domains with these values, without a change to any URL.",
        body: .json("SuggestionInput", size: .document),
        problems: [.notAlike, .tooMuchWork, .domainNotFound],
        answers: .ok("The template, and what each domain would have.", "TemplateSuggestion"),
        handle: suggest),
      Endpoint(
        .post, "/v1/domains/{domain}/detach", .role(.editor), effect: .publication,
        "detachDomain", .domains, "Detach a domain from its template",
        description:
          "Everything that the domain has from the template becomes its own. It serves the same bytes.",
        problems: [.noTemplate],
        answers: .ok("The domain.", "PublishedDomain")
      ) { call in
        try call.answer(
          publisher.detach(call.domain(), if: call.precondition(), by: call.context()))
      },
    ]
  }

  private func adopt(_ call: Call) throws -> Response {
    let name = try call.template()
    let request = try Faults.collecting(in: try call.json(), AdoptionRequest.read)
    let skipsRefused = try call.skipsRefused()
    let selection = try call.limited(request.selection, store)
    return try state.answer(call) { report in
      let (applied, domains) = try publisher.adopt(
        selection, into: name, values: request.values, skippingRefused: skipsRefused,
        accepting: call.acceptedCodes(), by: call.context(), report: report)
      return StateEndpoints.outcome(applied, domains)
    }
  }

  private func suggest(_ call: Call) throws -> Response {
    let (chosen, name) = try Faults.collecting(in: try call.json(), AdoptionRequest.readSuggestion)
    let selection = try call.limited(chosen, store)
    var domains: [(name: DomainName, adoption: JoinedTemplate)] = []
    let (suggestion, refusals) = try publisher.suggestTemplate(
      name, for: selection, by: call.context()
    ) { name, publication in
      JoinedTemplate(publication).map { domains.append((name, $0)) }
    }
    var json: JSON.Object = ["template": .object(TemplateResource.json(suggestion.template))]
    json.set(
      "domains", more: "moreDomains",
      Excerpt(of: domains) { name, adoption -> JSON in
        var json: JSON.Object = ["domain": .string(name.text)]
        for member in adoption.json.members { json.appendNew(member.key, member.value) }
        return .object(json)
      })
    if !refusals.isEmpty {
      json.set(
        "refused", more: "moreRefused", Excerpt(of: refusals) { Problem.of($0).json })
    }
    return .json(.ok, .object(json))
  }

  private static func answer(_ stored: StoredTemplate) -> Response {
    .json(.ok, StoredTemplateResource.json(stored), fields: [stored.entityTag])
  }

  /// - Parameter old: The template as it is; `nil` for a new one.
  private func publish(
    _ template: Template, over old: Template?, renaming renamed: [String: String], _ call: Call
  ) throws -> Response {
    let skipsRefused = try call.skipsRefused()
    try call.refuseSkipping(skipsRefused)
    let effects = TemplateEffects()
    let context = try call.context()
    let applied: AppliedState
    do {
      applied = try publisher.publish(
        template, if: call.precondition(), renaming: renamed, skippingRefused: skipsRefused,
        accepting: call.acceptedCodes(), by: context
      ) { domain, _, publication in
        if let publication { effects.add(publication, of: domain) }
      }
    } catch StoreError.notFound(.template(let name)) {
      throw Problem(
        .templateNotFound, status: .preconditionFailed,
        "The template \(name.text.quoted) does not exist, and If-Match requires it to.")
    } catch let error as PublicationError {
      var problem = Problem.of(error)
      if let old { problem.detail += Self.advice(about: template, over: old, renamed) }
      throw problem
    }
    guard let (stored, action) = applied.templates.first else { throw Outdated() }
    var json = effects.json(of: applied, domainCount: stored.domainCount)
    json["template"] = StoredTemplateResource.json(stored)
    json["changed"] = .bool(action != .unchanged)
    return .json(
      action == .create ? .created : .ok, json, to: context, fields: [stored.entityTag])
  }

  /// Asks about parameters that may have another name now: domains lose the values of those that are gone.
  private static func advice(
    about new: Template, over old: Template, _ renamed: [String: String]
  ) -> String {
    let (before, after) = (Set(old.parameters.map(\.name)), Set(new.parameters.map(\.name)))
    let gone = before.subtracting(after).subtracting(renamed.keys).sorted()
    let needed = new.parameters.filter { $0.defaultValue == nil }.map(\.name)
      .filter { !before.contains($0) && !renamed.values.contains($0) }
    guard let name = needed.first, !gone.isEmpty else { return "" }
    return
      " If \(name.quoted) is another name for \(gone.map(\.quoted).joined(separator: " or ")), repeat with "
      + "?rename=\(gone[0]):\(name), so that domains keep their values."
  }
}

extension StoredTemplate {
  fileprivate var entityTag: HeaderField { HeaderField("ETag", "\"\(revision)\"") }
}

extension Call {
  /// The template that the path names.
  fileprivate func template() throws(Problem) -> TemplateName {
    try Self.name(parameters["template"] ?? "", TemplateName.init(_:))
  }

  /// The new names of parameters, by the old ones: `?rename=old:new,other:another`; `nil` without it.
  ///
  /// - Throws: `Problem` for a name that one of the templates does not have, and for one that two would have.
  fileprivate func renamedParameters(
    of old: Template?, to new: Template
  ) throws -> [String: String]? {
    guard let text = query(.renamedParameters) else { return nil }
    let (before, after) = (
      Set(old?.parameters.map(\.name) ?? []), Set(new.parameters.map(\.name))
    )
    var names: [String: String] = [:]
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pair = pair.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard pair.count == 2, before.contains(pair[0]), after.contains(pair[1]),
        names.updateValue(pair[1], forKey: pair[0]) == nil
      else {
        throw InvalidInput(
          .unknownParameter, at: .root.appending("parameters"),
          "\"rename\" must be pairs such as old:new, of a parameter that the template has and one that it will have."
        )
      }
    }
    let kept = before.intersection(after).filter { names[$0] == nil }
    if Set(names.values).union(kept).count < names.count + kept.count {
      throw InvalidInput(
        .unknownValue, at: .root.appending("parameters"),
        "\"rename\" gives two parameters the same name.")
    }
    return names
  }
}

extension Call {
  /// A state cannot say which domains a template leaves behind.
  ///
  /// - Throws: `InvalidInput` for a draft.
  fileprivate func refuseSkipping(_ skipsRefused: Bool) throws(InvalidInput) {
    if proposed != nil && skipsRefused {
      throw InvalidInput(
        .malformedValue, "A draft publishes all domains of a template. Leave \"skip\" out.")
    }
  }
}
