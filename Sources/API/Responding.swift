import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

extension Publisher {
  /// Edits the domain that a call names, and answers with what was published.
  ///
  /// - Parameters:
  ///   - action: What the edit does, for the revision.
  ///   - change: Returns the changed domain, given the current one or `nil`.
  ///   - answer: The members of the answer beside those of the publication.
  ///   - location: The path of a new resource.
  func respond(
    to call: Call, _ action: String, change: (StoredDomain?) throws -> Domain,
    answer: (Publication) throws -> JSON.Object,
    location: (Publication) throws -> String? = { _ in nil }
  ) throws -> Response {
    let name = try call.domain()
    let publication = try publish(call) {
      try $0.publish(
        name, if: call.precondition(), action: action, accepting: call.acceptedCodes(), change)
    }
    return try call.response(publication, answer, location: location)
  }

  /// Publishes one domain for a call.
  ///
  /// - Throws: what `body` throws, `StoreError`, and a `Problem` with the revision if it is stored but not
  ///   served yet.
  func publish(
    _ call: Call, _ body: (borrowing Transaction) throws -> Publication
  ) throws -> Publication {
    var stored: StoredDomain?
    do {
      return try write(call.context()) { transaction in
        let publication = try body(transaction)
        stored = publication.edited.stored
        return publication
      }
    } catch StoreError.notServedYet {
      throw Problem.notServedYet(stored)
    }
  }
}

extension Call {
  /// The answer to a publication: 201 if it created something, otherwise 200.
  func response(
    _ publication: Publication, _ answer: (Publication) throws -> JSON.Object,
    location: (Publication) throws -> String? = { _ in nil }
  ) throws -> Response {
    var object = try PublicationResource.json(publication)
    if try context().isDryRun { object["dryRun"] = true }
    for member in try answer(publication).members { object[member.key] = member.value }
    let stored = publication.edited.stored
    var fields = [stored.entityTag]
    let own = publication.edited.isNew ? "/v1/domains/\(stored.domain.name)" : nil
    let location = try location(publication) ?? own
    if let location { fields.append(Field("Location", location)) }
    return .json(location == nil ? .ok : .created, .object(object), fields: fields)
  }
}

extension Response {
  static func json(_ status: Status, _ json: JSON, fields: [Field] = []) -> Response {
    Response(
      status, fields: Fields([Field("Content-Type", "application/json")] + fields),
      body: json.serialized())
  }

  /// A page of a list.
  ///
  /// - Parameters:
  ///   - items: The items of the page, and one more if there are more.
  ///   - members: Members that come first.
  ///   - cursor: What the next page starts after.
  static func page<Item>(
    _ items: [Item], limit: Int, total: Int? = nil, beside members: JSON.Object = [:],
    item: (Item) -> JSON, cursor: (Item) -> String
  ) -> Response {
    let shown = items.prefix(limit)
    let next = items.count > limit ? shown.last.map(cursor) : nil
    var object = members
    object["items"] = .array(shown.map(item))
    object["next"] = .optional(next)
    object["total"] = total.map { .integer($0) }
    return .json(.ok, .object(object))
  }

  /// A document as it is or was served.
  static func file(_ published: (document: [UInt8], revision: Revision)) -> Response {
    Response(
      .ok,
      fields: [
        Field("Content-Type", "application/json"),
        Field("ETag", "\"\(published.revision.number)\""),
      ], body: published.document)
  }
}

extension StoredDomain {
  /// The revision as an entity tag.
  var entityTag: Field { Field("ETag", "\"\(revision)\"") }
}
