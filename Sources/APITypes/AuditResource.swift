import Association
package import JSONValue
package import Store

/// A record of the audit in JSON.
package enum AuditResource {
  package static func json(_ record: AuditRecord) -> JSON {
    var object: JSON.Object = [
      "id": .integer(record.id), "at": .string(Timestamp.text(record.at)),
      "author": .string(record.author), "address": .string(record.address),
      "action": .string(record.action), "reason": .string(record.reason),
    ]
    switch record.subject {
    case .domain(let name): object["domain"] = .string(name.text)
    case .app(let id): object["app"] = .string(id.text)
    case .token(let name): object["token"] = .string(name)
    case nil: break
    }
    object["revision"] = record.revision.map { .integer($0) }
    return .object(object)
  }
}
