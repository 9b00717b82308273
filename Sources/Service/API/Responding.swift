import Association
import HTTP
import Publishing
import Store

extension Publisher {
  /// Edits the existing domain that a call names.
  ///
  /// - Parameters:
  ///   - action: What the edit does, for the revision.
  ///   - answer: The members of the answer besides those of the publication.
  ///   - location: The path of a new resource.
  func edit(
    _ call: Call, _ action: String, _ change: (inout Domain) throws -> Void,
    answer: (StoredDomain) throws -> JSON.Object,
    location: (StoredDomain) throws -> String? = { _ in nil }
  ) throws -> Response {
    let name = try call.domain()
    let publication = try publish(
      name, if: call.precondition(), action: action, accepting: call.acceptedCodes(),
      by: call.context()
    ) { old in
      guard let own = old?.domain else { throw StoreError.notFound(.domain(name)) }
      var domain = own
      try change(&domain)
      domain.takeOwnership(changing: own)
      return domain
    }
    return try call.answer(publication, answer: answer, location: location)
  }
}

extension Call {
  /// The answer to an edit of a domain.
  ///
  /// - Parameters:
  ///   - answer: The members of the answer besides those of the publication.
  ///   - location: The path of a new resource; the domain's own if that is new.
  func answer(
    _ publication: Publication,
    answer: (StoredDomain) throws -> JSON.Object = { ["domain": DomainResource.json($0)] },
    location: (StoredDomain) throws -> String? = { _ in nil }
  ) throws -> Response {
    let stored = publication.edited.stored
    var object = PublicationResource(publication).json
    if try context().isDryRun {
      object["dryRun"] = true
      object["account"] = publication.appleAccount.map(FindingResource.json)
      var contents: JSON.Object = [:]
      for kind in DocumentKind.allCases {
        contents[kind.rawValue] = publication.documents.json[kind]
      }
      object["contents"] = .object(contents)
    }
    for member in try answer(stored).members { object[member.key] = member.value }
    let own = publication.edited.isNew ? "/v1/domains/\(stored.domain.name)" : nil
    let location = try location(stored) ?? own
    return .json(
      location == nil ? .ok : .created, .object(object),
      fields: [stored.entityTag] + (location.map { [HeaderField("Location", $0)] } ?? []))
  }
}

extension Response {
  static func json(_ status: Status, _ json: JSON, fields: [HeaderField] = []) -> Response {
    Response(
      status, fields: Fields([HeaderField("Content-Type", "application/json")] + fields),
      body: json.serialized())
  }

  /// The answer to a change, which says if that was a dry run.
  static func json(
    _ status: Status, _ object: JSON.Object, to context: WriteContext, fields: [HeaderField] = []
  ) -> Response {
    var object = object
    if context.isDryRun { object["dryRun"] = true }
    return .json(status, .object(object), fields: fields)
  }

  /// An answer whose text is made while it is sent.
  static func json(_ status: Status, stream next: @escaping () throws -> [UInt8]?) -> Response {
    Response(status, fields: [HeaderField("Content-Type", "application/json")], stream: next)
  }

  /// A page of a list.
  ///
  /// - Parameters:
  ///   - items: The items of the page, and one more if there are more.
  ///   - members: Members that come first.
  ///   - cursor: What the next page starts after.
  static func page<Item>(
    _ items: [Item], limit: Int, total: Int? = nil, isEstimate: Bool = false,
    beside members: JSON.Object = [:],
    item: (Item) -> JSON, cursor: (Item) -> String
  ) -> Response {
    let shown = items.prefix(limit)
    let next = items.count > limit ? shown.last.map(cursor) : nil
    var object = members
    object["items"] = .array(shown.map(item))
    object["next"] = .optional(next)
    object["total"] = total.map { .integer($0) }
    if isEstimate { object["totalIsEstimate"] = true }
    return .json(.ok, .object(object))
  }

  /// A document as it is or was served.
  ///
  /// - Throws: `Problem` if the revision has none of this kind.
  static func file(
    _ kind: DocumentKind, of published: PublishedRevision
  ) throws(Problem) -> Response {
    guard let document = published.documents[kind] else {
      let kinds = published.revision.documents.map(\.kind.rawValue).joined(separator: ", ")
      throw Problem(
        .documentNotFound,
        "Revision \(published.revision.number) has no \(kind.rawValue). It has \(kinds).")
    }
    let mediaType = published.revision.documents.first { $0.kind == kind }?.mediaType ?? .json
    return Response(
      .ok,
      fields: [
        HeaderField("Content-Type", mediaType.text),
        HeaderField("X-Content-Type-Options", "nosniff"),
        HeaderField("ETag", "\"\(published.revision.number)\""),
      ], body: document)
  }
}

extension StoredDomain {
  /// The revision as an entity tag.
  var entityTag: HeaderField { HeaderField("ETag", "\"\(revision)\"") }
}
