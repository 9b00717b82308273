import Association
import HTTP
import Publishing
import Store

/// `/v1/domains`, `/v1/domains/{domain}` and its file.
struct DomainEndpoints: Sendable {
  let publisher: Publisher

  private static let kinds = DocumentKind.allCases.map { "`\($0.rawValue)`" }.joined(
    separator: ", ")

  private static let links = [
    "getDomain", "patchDomain", "deleteDomain", "listEntries", "addEntry", "getFile",
    "listRevisions", "setExpectations", "matchStored", "getRevision", "getRevisionFile",
    "restoreRevision",
  ]

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}"
    return [
      Endpoint(
        .get, "/v1/domains", .role(.viewer),
        query: .page + [
          .text, .host, .appFilter, .androidAppFilter, .environment, .enabled, .kind, .finding,
          .collected, .check, .label, .templateFilter, .behindTemplate, .deleted,
          .domainSort,
        ],
        isFilteredByToken: true,
        "listDomains", .domains, "List domains",
        answers: .ok(
          "A page, by name unless `sort` is given. A token that is limited to domains sees only those.",
          "Domains"),
        handle: list),
      Endpoint(
        .get, "/v1/labels", .role(.viewer), query: .page + [.labelText], isFilteredByToken: true,
        "listLabels", .domains, "List the labels of domains",
        answers: .ok(
          "A page, by label. A token that is limited to domains sees only the labels of those.",
          "Labels")
      ) { call in
        let page = try call.page()
        let labels = try publisher.store.labels(
          containing: call.query(.labelText), within: call.scope, after: page.after,
          limit: page.limit + 1)
        return .page(
          labels, limit: page.limit,
          item: { ["label": .string($0.label.text), "domains": .integer($0.domainCount)] },
          cursor: { $0.label.text })
      },
      Endpoint(
        .get, path, .role(.viewer), query: [.resolved],
        "getDomain", .domains, "Read a domain",
        answers: .ok(
          "The domain. With a template, what is its own, unless `resolved=true`.",
          "Domain", isTagged: true),
        handle: get),
      Endpoint(
        .put, path, .role(.editor), effect: .publication, query: [.androidApps],
        "putDomain", .domains, "Add a domain, or replace all of it",
        description:
          "Replacing a domain needs `If-Match`: its revision, or `*` for any.",
        body: .json("DomainInput", size: .document),
        problems: [.preconditionRequired],
        answers: .ok("The domain existed.", "PublishedDomain", links: Self.links),
        .created(
          "The domain is new.", "PublishedDomain", links: Self.links), handle: put),
      Endpoint(
        .patch, path, .role(.editor), effect: .publication, query: [.androidApps],
        "patchDomain", .domains, "Change members of a domain",
        body: .patch("DomainPatch", size: .document),
        answers: .ok("The domain.", "PublishedDomain"),
        handle: patch),
      Endpoint(
        .delete, path, .role(.editor), effect: .deletion,
        "deleteDomain", .domains, "Delete a domain",
        description:
          "The domain is no longer served, and its names are free. Its revisions are kept, so that it can be "
          + "restored. If links of the domain open an app, this needs `accept=opens-nothing`.",
        answers: .ok("What is no longer served. `revision` is the last one.", "DeletedDomain")
      ) { call in
        let publication = try publisher.delete(
          call.domain(), if: call.precondition(), accepting: call.acceptedCodes(),
          by: call.context())
        var object = PublicationResource(publication).json
        object["domain"] = .string(publication.edited.stored.domain.name.text)
        return try .json(.ok, object, to: call.context())
      },
      Endpoint(
        .post, path + "/restore", .role(.editor), effect: .publication, query: [.detach],
        "restoreDomain", .domains, "Bring back a deleted domain",
        description:
          "Publishes its last revision again, under the next number, with all of its settings, including "
          + "names, `enabled` and expectations.",
        problems: [.notDeleted, .templateChanged],
        answers: .created("The domain is served again.", "PublishedDomain"),
        handle: restore),
      Endpoint(
        .get, path + "/file", .role(.viewer),
        "getFile", .domains, "Read Apple's served file", problems: [.documentNotFound],
        answers: .ok("The document, byte for byte.", .object, isTagged: true)
      ) { call in try .file(.apple, of: publisher.store.currentRevision(of: call.domain())) },
      Endpoint(
        .put, path + "/file", .role(.editor), effect: .publication, query: [.androidApps],
        "adoptFile", .domains, "Adopt an existing Apple file",
        description:
          "The served document is JSON-equal to the file; otherwise the file is refused. The media type "
          + "is ignored.", body: .file("AssociationFile"), problems: [.usesTemplate],
        answers: .ok("The domain existed.", "PublishedDomain", links: Self.links),
        .created("The domain is new.", "PublishedDomain", links: Self.links)
      ) { call in try adopt(call, as: .apple) },
      Endpoint(
        .get, path + "/documents", .role(.viewer),
        "listDocuments", .domains, "List the served documents",
        answers: .ok("The documents, in the order of kinds.", "Documents")
      ) { call in
        let revision = try publisher.store.currentRevision(of: call.domain()).revision
        return .json(.ok, ["documents": RevisionResource.json(revision.documents)])
      },
      Endpoint(
        .get, path + "/documents/{kind}", .role(.viewer),
        "getDocument", .domains, "Read a served document",
        answers: .ok("The document, byte for byte.", .any, isTagged: true)
      ) { call in try .file(call.kind(), of: publisher.store.currentRevision(of: call.domain())) },
      Endpoint(
        .put, path + "/documents/{kind}", .role(.editor), roleForDryRun: .viewer,
        effect: .publication, query: [.androidApps], changesOneDocument: true,
        "adoptDocument", .domains, "Publish a document",
        description:
          "Adopts a file of one of the kinds \(Self.kinds): the served document is JSON-equal to it; otherwise it is "
          + "refused, and the media type is ignored. Under any other name, the body is published byte for byte, up to "
          + "131,072 bytes, with its media type or, without one, with the usual one of the name. The other documents of "
          + "the domain stay.",
        body: .file(.any),
        problems: [.documentNotFound, .usesTemplate],
        answers: .ok("The domain existed.", "PublishedDomain", links: Self.links),
        .created("The domain is new.", "PublishedDomain", links: Self.links)
      ) { call in
        guard case .named(let name) = try call.kind() else {
          return try adopt(call, as: call.kind())
        }
        let document = try call.document(name)
        return try creating {
          try call.answer(
            publisher.put(
              document, for: call.domain(), if: call.precondition(),
              accepting: call.acceptedCodes(), by: call.context()))
        }
      },
      Endpoint(
        .delete, path + "/documents/{kind}", .role(.editor), effect: .publication,
        changesOneDocument: true, "removeDocument", .domains, "Remove a document",
        description:
          "Removes everything that only this document says, and keeps the other documents. A domain without any "
          + "serves an Apple file without apps.",
        problems: [.documentNotFound, .usesTemplate],
        answers: .ok("The domain without the document.", "PublishedDomain", links: Self.links)
      ) { call in
        let kind = try call.kind()
        return try publisher.edit(call, "remove document") { domain in
          let absent = Problem(.documentNotFound, "\(domain.name) has no \(kind.rawValue).")
          if case .named(let name) = kind {
            if !domain.namedDocuments.contains(where: { $0.name == name }) { throw absent }
            domain.namedDocuments.removeAll { $0.name == name }
            return
          }
          if let template = domain.template?.name {
            throw PublicationError.usesTemplate(domain.name, template)
          }
          if domain.rendered(UsedApps())[kind] == nil { throw absent }
          try domain.adopt(nil, as: kind, UsedApps())
        } answer: {
          ["domain": DomainResource.json($0)]
        }
      },
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let filter = try call.domainFilter()
    let order = try call.word(.domainSort, DomainOrder.self) ?? .name
    let (domains, total, isEstimate) = try publisher.store.domains(
      filter, by: order, after: try page.after.map { try Self.place($0, order) },
      limit: page.limit + 1)
    return .page(
      domains, limit: page.limit, total: total, isEstimate: isEstimate, item: \.json,
      cursor: { Self.cursor($0.updatedAt, $0.name.text, order) })
  }

  /// A page by name begins after any name. Other cursors say which order they belong to: in another one, pages would
  /// skip domains.
  private static func cursor(_ time: UnixTime, _ name: String, _ order: DomainOrder) -> String {
    order == .name ? name : "\(order.rawValue) \(time.seconds) \(name)"
  }

  private static func place(
    _ cursor: String, _ order: DomainOrder
  ) throws(Problem) -> DomainOrder.Place {
    let parts = cursor.split(separator: " ").map(String.init)
    if order == .name && parts.count == 1 { return DomainOrder.Place(updatedAt: 0, name: cursor) }
    guard order != .name, parts.count == 3, parts[0] == order.rawValue,
      let seconds = Int64(parts[1])
    else {
      throw Problem(
        .malformedCursor, "\"cursor\" must be the \"next\" of a page with the same \"sort\".")
    }
    return DomainOrder.Place(updatedAt: UnixTime(seconds), name: parts[2])
  }

  private func get(_ call: Call) throws -> Response {
    let stored = try publisher.store.domain(call.domain())
    let isResolved = try call.flag(.resolved)
    return .json(
      .ok, isResolved ? DomainResource.resolved(stored) : DomainResource.json(stored),
      fields: [stored.entityTag])
  }

  private func put(_ call: Call) throws -> Response {
    let json = try call.json()
    let isGuarded = try call.precondition() != .none
    return try creating {
      try replace(call, "put domain", mayReplace: isGuarded) { _ in json }
    }
  }

  /// RFC 7396: members of the body replace those of the domain, `null` resets them.
  private func patch(_ call: Call) throws -> Response {
    let patch = try call.json()
    return try replace(call, "patch domain") { old in
      guard let old else { throw StoreError.notFound(.domain(try call.domain())) }
      let merged = DomainResource.json(old).merging(patch)
      // Expectations that are left out are kept; `null` resets them like any other member.
      return patch["expectations"] == .null ? merged.merging(["expectations": []]) : merged
    }
  }

  /// - Parameters:
  ///   - mayReplace: Whether the domain may exist.
  ///   - json: Returns the new domain, given the current one.
  private func replace(
    _ call: Call, _ action: String, mayReplace: Bool = true,
    json: (StoredDomain?) throws -> JSON
  ) throws -> Response {
    let name = try call.domain()
    let publication = try publisher.publish(
      name, if: call.precondition(), action: action, accepting: call.acceptedCodes(),
      creatingAndroidApps: call.createdAndroidApps(), by: call.context()
    ) { old in
      let domain = try read(json(old), name, over: old, call)
      if let old, !mayReplace { throw Problem(replacing: old) }
      return domain
    }
    return try call.answer(publication)
  }

  private func read(
    _ json: JSON, _ name: DomainName, over old: StoredDomain?, _ call: Call
  ) throws -> Domain {
    let domain = try Faults.collecting(in: json) {
      DomainResource.read($0, name: name, keeping: old?.domain.expectations ?? [])
    }
    // A token may keep existing aliases outside its limits.
    let before = Set(old?.domain.aliases ?? [])
    for alias in domain.aliases where !before.contains(alias) { try call.checkAlias(alias) }
    return domain
  }

  private func restore(_ call: Call) throws -> Response {
    try call.answer(
      publisher.restore(
        deleted: call.domain(), if: call.precondition(), accepting: call.acceptedCodes(),
        detaching: call.flag(.detach), by: call.context(), checking: call.checkAlias))
  }

  /// Such files are often sent with a wrong media type, so it is ignored.
  private func adopt(_ call: Call, as kind: DocumentKind) throws -> Response {
    try creating {
      try call.answer(
        publisher.adopt(
          call.request.body, as: kind, for: call.domain(), if: call.precondition(),
          accepting: call.acceptedCodes(), creatingAndroidApps: call.createdAndroidApps(),
          by: call.context()))
    }
  }

  /// Runs a PUT that creates a missing domain. So if it does not find the domain, If-Match required it
  /// to exist, and that precondition failed (RFC 9110 section 13.1.1).
  private func creating(_ put: () throws -> Response) throws -> Response {
    do {
      return try put()
    } catch StoreError.notFound(.domain(let name)) {
      throw Problem(
        .domainNotFound, status: .preconditionFailed,
        "The domain \"\(name)\" does not exist, and If-Match requires it to.")
    }
  }
}

extension Problem {
  /// A whole domain would be replaced without a condition.
  fileprivate init(replacing old: StoredDomain) {
    self.init(
      .preconditionRequired,
      "The domain \"\(old.domain.name)\" exists. To replace all of it, send If-Match with its revision, "
        + "\"\(old.revision)\", or with *. To change a part of it, use PATCH.",
      fields: [old.entityTag])
  }
}

extension Call {
  /// The filters of a list of domains, with those of the token.
  fileprivate func domainFilter() throws -> DomainFilter {
    let text = query(.text)
    let host = query(.host) == nil ? text.flatMap(Self.host(ofURL:)) : nil
    // A deleted domain has no host any more, only its name.
    let isDeleted = try condition(.deleted) == true
    let searched = isDeleted ? nil : host
    var filter = DomainFilter(
      text: searched == nil ? host?.text ?? text : nil,
      host: try query(.host).map { try Call.name($0, DomainName.init(_:)) } ?? searched,
      app: try query(.appFilter).map { try Call.name($0, AppIdentifier.init(_:)) },
      androidApp: try query(.androidAppFilter).map {
        try Call.name($0, PackageName.init(validating:))
      },
      environment: try word(.environment, App.Environment.self),
      isEnabled: try condition(.enabled), kind: try word(.kind, DocumentKind.self),
      finding: try word(.finding, Finding.Code.self)?.rawValue,
      isCollected: try condition(.collected), check: try word(.check, CheckOutcome.self),
      label: try label(), isDeleted: try condition(.deleted) == true, within: scope)
    filter.template = try query(.templateFilter).map { try Call.name($0, TemplateName.init(_:)) }
    filter.isBehind = try condition(.behindTemplate)
    return filter
  }

  /// The host of a URL that somebody looks for.
  private static func host(ofURL text: String) -> DomainName? {
    guard let scheme = text.firstRange(of: "://") else { return nil }
    let host = text[scheme.upperBound...].prefix { !"/?#:".contains($0) }
    return DomainName(usable: String(host))
  }

  /// Checks that the token may give its domain a name.
  ///
  /// - Throws: `Problem`, 403.
  func checkAlias(_ alias: Alias) throws { try token?.check(newName: alias) }

  private enum AndroidApps: String, CaseIterable {
    case create
  }

  /// Which Android apps of adopted statements are created: `?androidApps=create`. A token that is limited to
  /// domains creates those that rows of its domain name; any file can name an app of somebody else.
  fileprivate func createdAndroidApps() throws(Problem) -> AndroidAppCreation {
    if try word(.androidApps, AndroidApps.self) != .create { return .none }
    return scope.isEverything ? .all : .named
  }

  private enum Flag: String, CaseIterable {
    case `true`, `false`
  }

  /// A parameter that filters by a property; `nil` without it.
  func condition(_ parameter: Parameter) throws(Problem) -> Bool? {
    try word(parameter, Flag.self).map { $0 == .true }
  }

  /// A parameter that is a word of a closed set; `nil` without it.
  func word<Words: RawRepresentable<String> & CaseIterable>(
    _ parameter: Parameter, _: Words.Type
  ) throws(Problem) -> Words? {
    guard let text = query(parameter) else { return nil }
    if let word = Words(rawValue: text) { return word }
    let words = Words.allCases.map(\.rawValue)
    let allowed = words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
    throw Problem(.unknownValue, "\"\(parameter.name)\" must be \(allowed).")
  }
}
