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
  ///   - action: What is done, for the revision.
  ///   - change: What the domain shall be; given `nil` where there is none.
  ///   - answer: The members of the answer besides those of the publication.
  ///   - location: The path of what is new, if something is.
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

  /// Publishes one domain as a call wants it.
  ///
  /// - Throws: what `body` throws, `StoreError`, and a `Problem` with the revision where it is stored and
  ///   not served yet.
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
  /// The answer to a change of a domain: 201 where something is new, otherwise 200.
  func response(
    _ publication: Publication, _ answer: (Publication) throws -> JSON.Object,
    location: (Publication) throws -> String? = { _ in nil }
  ) throws -> Response {
    var object = try PublicationResource(publication).json
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
