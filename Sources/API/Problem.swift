import APITypes
import Association
import HTTP
import JSONValue

/// An answer that says what is wrong (RFC 9457).
struct Problem: Error, Sendable {
  let status: Status
  /// A stable word for programs.
  let code: String
  /// A sentence for people: what is wrong and what to do.
  let detail: String
  /// Further members.
  var members: JSON.Object = [:]
  /// Further fields of the answer.
  var fields: [Field] = []

  init(
    _ status: Status, _ code: String, _ detail: String, members: JSON.Object = [:],
    fields: [Field] = []
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.members = members
    self.fields = fields
  }

  /// A request whose body is JSON, but not what is asked for.
  static func invalid(_ input: InvalidInput) -> Problem {
    let faults = input.faults.map { FindingResource.json($0) }
    let count = faults.count == 1 ? "one thing that is" : "\(faults.count) things that are"
    return Problem(
      .unprocessableContent, "invalid-input",
      "The body has \(count) not as it must be; “errors” says where.",
      members: ["errors": .array(faults)])
  }

  /// What is wrong, in JSON.
  var json: JSON {
    var object: JSON.Object = [
      "type": "about:blank", "title": .string(Self.title(status)),
      "status": .integer(status.code), "detail": .string(detail), "code": .string(code),
    ]
    for member in members.members { object[member.key] = member.value }
    return .object(object)
  }

  /// The answer.
  func response(requestID: String) -> Response {
    var object = json.objectValue ?? [:]
    object["requestId"] = .string(requestID)
    var response = Response(
      status, fields: [Field("Content-Type", "application/problem+json")],
      body: JSON.object(object).serialized())
    for field in fields { response.fields.append(field) }
    return response
  }

  /// The reason phrases of RFC 9110 and RFC 6585; with `about:blank`, RFC 9457 wants them as titles.
  private static func title(_ status: Status) -> String {
    switch status {
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .conflict: "Conflict"
    case .preconditionFailed: "Precondition Failed"
    case .contentTooLarge: "Content Too Large"
    case .unsupportedMediaType: "Unsupported Media Type"
    case .unprocessableContent: "Unprocessable Content"
    case .requestHeaderFieldsTooLarge: "Request Header Fields Too Large"
    case .notImplemented: "Not Implemented"
    case .serviceUnavailable: "Service Unavailable"
    case .insufficientStorage: "Insufficient Storage"
    default: "Internal Server Error"
    }
  }
}
