import Association
import HTTP

/// An error answer (RFC 9457).
struct Problem: Error, Sendable {
  let status: Status
  /// The code for programs: the raw value of a `Code`, a `Finding.Code` or a
  /// `ValidationError.Code`.
  let code: String
  /// What went wrong and what to do about it, for people.
  var detail: String
  /// Members beyond those that every problem has.
  var members: JSON.Object = [:]
  /// Header fields beyond those that every problem has.
  var fields: [HeaderField] = []
}

extension Problem {
  /// - Parameter status: Only for a code that has more than one status.
  init(
    _ code: Code, status: Status? = nil, _ detail: String, members: JSON.Object = [:],
    fields: [HeaderField] = []
  ) {
    self.init(
      status: status ?? code.status, code: code.rawValue, detail: detail, members: members,
      fields: fields)
  }

  /// A document that was refused. Its code is that of its first error.
  init(_ code: Finding.Code, status: Status, _ detail: String, members: JSON.Object) {
    self.init(status: status, code: code.rawValue, detail: detail, members: members)
  }

  /// A request that is malformed HTTP or exceeds a limit.
  init(_ reason: Refusal.Reason) {
    switch reason {
    case .malformedTarget(let reason):
      self.init(.malformedTarget, "The request target \(reason.rawValue).")
    case .malformedHeader(let reason): self.init(.malformedHeader, reason)
    case .unknownTransferCoding:
      self.init(.unknownTransferCoding, "The only supported transfer coding is \"chunked\".")
    case .bodyTooLarge(let limit):
      self.init(.bodyTooLarge, "The body is over the limit of \(limit) bytes.")
    case .tooManyBodies(let limit, let isShare):
      let bodies = isShare ? "The request bodies of this client or token" : "All request bodies"
      self.init(
        .tooManyBodies,
        "\(bodies) together are over the limit of \(limit) bytes. Try again later.",
        fields: [HeaderField("Retry-After", "1")])
    case .noRoom:
      self.init(
        .diskFull, "The disk has no room for the body. Nothing was changed. Free some space.")
    case .spoolFailed:
      self.init(
        .databaseUnavailable,
        "Cannot write the body to a file beside the database. Nothing was changed. See the log.")
    case .tooManyConnections:
      self.init(
        .tooManyConnections, "All connections, or your share of them, are in use. Try again later.",
        fields: [HeaderField("Retry-After", "1")])
    case .headerTooLarge(let limit):
      self.init(.headerTooLarge, "The header is over the limit of \(limit) bytes.")
    }
  }

  /// A malformed name in the path or the query.
  init(malformed error: ValidationError) {
    self.init(status: .badRequest, code: error.code.rawValue, detail: error.message)
  }

  /// A body that is JSON but has invalid values.
  static func invalid(_ input: InvalidInput, in domain: DomainName? = nil) -> Problem {
    var members = errors(input.faults, more: input.more)
    members["domain"] = domain.map { .string($0.text) }
    let count = (input.faults.count + input.more).counted("invalid value")
    return Problem(
      .invalidInput, domain.map { "\($0) has \(count)." } ?? "The body has \(count).",
      members: members)
  }

  /// The members of a problem that list faults.
  static func errors(_ faults: [Fault], more: Int) -> JSON.Object {
    var members: JSON.Object = ["errors": .array(faults.map { FindingResource.json($0) })]
    if more > 0 { members["moreErrors"] = .integer(more) }
    return members
  }

  /// The work was not begun, because it had to wait too long.
  /// - Parameter seconds: When to try again.
  static func busy(_ reason: String, seconds: Int = 1) -> Problem {
    Problem(
      .busy, "\(reason) Nothing was changed. Repeat the request later.",
      fields: [HeaderField("Retry-After", "\(seconds)")])
  }

  var json: JSON {
    var object: JSON.Object = [
      "type": "about:blank", "title": .string(status.reasonPhrase), "status": .integer(status.code),
      "detail": .string(detail), "code": .string(code),
    ]
    for member in members.members { object[member.key] = member.value }
    return .object(object)
  }

  /// - Parameter requestID: `nil` for a request that is not logged.
  func response(requestID: String? = nil) -> Response {
    var object = json.objectValue ?? [:]
    object["requestId"] = requestID.map(JSON.string)
    var response = Response(
      status, fields: [HeaderField("Content-Type", "application/problem+json")],
      body: JSON.object(object).serialized())
    for field in fields { response.fields.append(field) }
    return response
  }
}
