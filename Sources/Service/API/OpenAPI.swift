import APIExamples
import Association
import HTTP
import Store

/// The OpenAPI description of the API, built from its endpoints.
struct OpenAPI {
  private let endpoints: [Endpoint]
  /// A request and its answer for each operation, as `DescriptionExampleTests` records them.
  private let examples: JSON
  private var parameters = JSON.Object()
  private var links = JSON.Object()
  private var responses = JSON.Object()
  private var responseCodes: [String: [Problem.Code]] = [:]

  private init(_ endpoints: [Endpoint]) throws {
    self.endpoints = endpoints
    examples = try JSON.parse(Array(String(cString: aasa_api_examples()).utf8)).value
  }

  /// Describes endpoints.
  ///
  /// - Throws: `JSON.SyntaxError` for examples that are not JSON, `NamedSchemas.NameTaken` for different
  ///   schemas with one name.
  static func describe(_ endpoints: [Endpoint]) throws -> JSON {
    var description = try OpenAPI(endpoints)
    return try description.document()
  }

  private mutating func document() throws -> JSON {
    var paths = JSON.Object()
    for endpoint in endpoints {
      var methods = paths[endpoint.path]?.objectValue ?? [:]
      methods[endpoint.method.name.lowercased()] = operation(endpoint)
      paths[endpoint.path] = .object(methods)
    }
    // No operation has this code: it answers methods that a path does not support.
    _ = response(.methodNotAllowed, [.methodNotAllowed])
    var schemas = try NamedSchemas(ResourceSchemas.all)
    let references = try schemas.referring([
      "paths": .object(paths), "parameters": .object(parameters), "responses": .object(responses),
    ])
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "aasa", "version": .string(AdminAPI.programVersion),
        "summary": "Hosts apple-app-site-association files.",
        "description": .string(
          "The JSON API of the admin listener. docs/api.md teaches it task by task. In the body of a "
            + "request, null means the same as leaving the member out. Every GET endpoint also answers "
            + "HEAD. docs/limits.md lists the limits; a problem says which one was exceeded. "
            + "`x-codes` of a response lists the codes that its problems have."),
        "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
      ],
      "servers": [["url": "/"]],
      "tags": .array(Endpoint.Topic.allCases.map { ["name": .string($0.rawValue)] }),
      "security": [["token": []], ["session": []]],
      "paths": references["paths"] ?? .null,
      "components": [
        "securitySchemes": [
          "token": [
            "type": "http", "scheme": "bearer",
            "description": .string(
              "Create a token with `aasa token create` or POST /v1/tokens. The scope is the lowest role "
                + "that may call the operation. A trusted proxy can name a user instead, in the header "
                + "`adminUserHeader`; changes then need `\(Authentication.dashboardHeader): 1`."),
          ],
          "session": [
            "type": "apiKey", "in": "cookie", "name": .string(Authentication.cookie),
            "description": .string(
              "Sign in with POST /v1/session. Over HTTPS, the name is "
                + "`\(Authentication.secureCookie)`. Methods other than GET and HEAD also need "
                + "`\(Authentication.dashboardHeader): 1`."),
          ],
        ],
        "parameters": references["parameters"] ?? .null, "headers": Self.headers,
        "links": .object(links), "responses": references["responses"] ?? .null,
        "schemas": .object(schemas.definitions),
      ],
    ]
  }

  private static let headers: JSON = [
    "ETag": header("The revision, in quotes.", tag),
    "CurrentETag": header(
      "The current revision, in quotes, of what the request is about. Left out if there is none, and if the problem is "
        + "not about it.", tag, isRequired: false),
    "Location": header("The path of the new resource."),
    "WWW-Authenticate": header("RFC 6750."),
    "Allow": header("The methods that the path allows."),
    "X-Request-Id": header(
      "The request ID, as in the log: the one that the client sent, or a new one.",
      "^[A-Za-z0-9._-]{1,64}$"),
  ]

  private static let tag = "^\"[0-9]+\"$"

  private static func header(
    _ description: String, _ pattern: String? = nil, isRequired: Bool = true
  ) -> JSON {
    var schema: JSON.Object = ["type": "string"]
    schema["pattern"] = pattern.map(JSON.string)
    return [
      "description": .string(description), "required": .bool(isRequired),
      "schema": .object(schema),
    ]
  }

  private static func reference(_ kind: String, _ name: String) -> JSON {
    ["$ref": .string("#/components/\(kind)/\(name)")]
  }

  private static func headers(_ names: [String]) -> JSON {
    var object = JSON.Object()
    for name in names + ["X-Request-Id"] {
      object[name == "CurrentETag" ? "ETag" : name] = reference("headers", name)
    }
    return .object(object)
  }

  // MARK: An operation

  private mutating func operation(_ endpoint: Endpoint) -> JSON {
    let forDryRun = endpoint.roleForDryRun.map {
      "For a dry run, the role \($0.rawValue) is enough."
    }
    let sentences = [endpoint.description, endpoint.access.sentence, forDryRun ?? ""]
      .filter { !$0.isEmpty }
    var object: JSON.Object = [
      "operationId": .string(endpoint.id), "tags": [.string(endpoint.topic.rawValue)],
      "summary": .string(endpoint.summary),
      "description": .string(sentences.joined(separator: " ")),
      "security": endpoint.access.security,
      "parameters": .array(endpoint.parameters.map { reference(to: $0) }),
    ]
    if let body = endpoint.body {
      var media: JSON.Object = ["schema": body.schema.json]
      media["example"] = examples[endpoint.id]?["request"]
      var content = JSON.Object()
      for type in body.mediaTypes { content[type] = .object(media) }
      object["requestBody"] = [
        "description": .string(body.size.sentence), "required": .bool(body.isRequired),
        "content": .object(content),
      ]
    }
    var responses: [(status: Status, json: JSON)] = endpoint.answers.map {
      ($0.status, response($0, endpoint))
    }
    for (status, codes) in endpoint.problems.sorted(by: { $0.key.code < $1.key.code }) {
      responses.append((status, response(status, codes)))
    }
    responses.sort { $0.status.code < $1.status.code }
    object["responses"] = .object(
      responses.reduce(into: [:]) { $0["\($1.status.code)"] = $1.json })
    return .object(object)
  }

  private mutating func reference(to parameter: Parameter) -> JSON {
    var object: JSON.Object = [
      "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
      "description": .string(parameter.description),
    ]
    if parameter.isRequired { object["required"] = true }
    object["schema"] = parameter.schema.json
    object["example"] = parameter.example
    if parameter.schema.json["type"] == "array" {
      object["style"] = "form"
      object["explode"] = false
    }
    parameters[parameter.key] = .object(object)
    return Self.reference("parameters", parameter.key)
  }

  private mutating func response(_ answer: Answer, _ endpoint: Endpoint) -> JSON {
    let isPublication = endpoint.effect == .publication
    let isOfDraft = answer.status == .accepted
    let headers =
      (isOfDraft
        ? ["Location"]
        : isPublication || endpoint.effect == .template || answer.isTagged ? ["ETag"] : [])
      + (isPublication && answer.status == .created ? ["Location"] : [])
    var object: JSON.Object = [
      "description": .string(answer.description), "headers": Self.headers(headers),
    ]
    if let schema = answer.schema {
      var media: JSON.Object = ["schema": schema.json]
      let example = examples[endpoint.id]
      if example?["status"] == .integer(answer.status.code) {
        media["example"] = example?["answer"]
      }
      object["content"] = .object([answer.mediaType: .object(media)])
    }
    if !answer.links.isEmpty {
      var links = JSON.Object()
      for id in answer.links { links[id] = link(id, from: endpoint) }
      object["links"] = .object(links)
    }
    return .object(object)
  }

  /// A link to an operation, whose path parameters are those of the request or come from the answer.
  private mutating func link(_ id: String, from source: Endpoint) -> JSON {
    let inAnswer = [
      "entry": "/entry/id", "route": "/route/id", "revision": "/revision", "token": "/name",
      "suppression": "/id", "draft": "/id",
    ]
    let target = endpoints.first { $0.id == id }
    var parameters = JSON.Object()
    for name in target?.pathParameters.map(\.name) ?? [] {
      let isInPath = source.pathParameters.contains { $0.name == name }
      parameters[name] = .string(
        isInPath ? "$request.path.\(name)" : "$response.body#\(inAnswer[name] ?? "")")
    }
    links[id] = [
      "operationId": .string(id), "parameters": .object(parameters),
      "description": .string((target?.summary ?? "") + "."),
    ]
    return Self.reference("links", id)
  }

  // MARK: Problems

  /// Every problem. It is one schema, so that generated clients have one type for all of them.
  private static let problem = Schema.named(
    "Problem",
    .object(
      everyProblem + [Member("requestId", .string, "The same as in `X-Request-Id`.")] + someProblems
        + [
          Member(
            "problems", .list(of: .named("DomainProblem", .object(everyProblem + someProblems))),
            "One problem for each refused domain.", .optional),
          Member("moreProblems", .count, "The number of problems that are left out.", .optional),
        ], isOpen: true))

  private static let everyProblem = [
    Member("type", .constant("about:blank")),
    Member("title", .string, "The reason phrase of the status."),
    Member("status", .json(["type": "integer", "minimum": 400, "maximum": 599])),
    Member("code", .string, "For programs: a stable code."),
    Member("detail", .string, "For people: what is wrong and what to do."),
  ]

  private static let someProblems = Problem.Member.allCases.compactMap { member in
    member == .problems || member == .moreProblems
      ? nil : Member(member.rawValue, member.schema, member.meaning, .optional)
  }

  /// Those that say what the current revision is.
  private static let tagged: [Problem.Code] = [
    .notDeleted, .staleRevision, .alreadyExists, .preconditionRequired, .committedNotServed,
  ]

  /// The response with some codes of one status. It is named after the status if it has all codes of
  /// it, otherwise after its last and most specific code or, if that name is taken, all codes.
  private mutating func response(_ status: Status, _ codes: [Problem.Code]) -> JSON {
    let all = Problem.Code.allCases.filter { $0.status == status }
    let code = codes.last.map { "\($0)\(status.code)" } ?? ""
    var name = codes == all ? status.reasonPhrase.replacing(" ", with: "") : code.capitalized
    if let others = responseCodes[name], others != codes {
      name = "Only" + codes.map { "\($0)".capitalized }.joined() + "\(status.code)"
    }
    responseCodes[name] = codes
    var words = codes.map(\.rawValue)
    var meanings = codes.map { "`\($0.rawValue)`: \($0.meaning)" }
    if status == .badRequest {
      words += ValidationError.Code.allCases.map(\.rawValue)
      meanings.append("The other codes mean that a name in the path or query is invalid.")
    }
    if codes.contains(.refused) {
      words += Finding.Code.refusals.map(\.rawValue)
      meanings.append("The other codes are finding codes.")
    }
    let fields: [Status: [String]] = [
      .unauthorized: ["WWW-Authenticate"], .methodNotAllowed: ["Allow"],
    ]
    let isTagged = codes.contains(where: Self.tagged.contains)
    responses[name] = [
      "description": .string(meanings.joined(separator: "\n\n")),
      "headers": Self.headers(isTagged ? ["CurrentETag"] : fields[status] ?? []),
      "content": ["application/problem+json": ["schema": Self.problem.json]],
      // Not an enumeration in the schema: generators would make a type for each response of each operation.
      "x-codes": .strings(words),
    ]
    return Self.reference("responses", name)
  }
}

extension Endpoint {
  /// The parameters of its path, in order.
  fileprivate var pathParameters: [Parameter] {
    path.split(separator: "/").filter { $0.hasPrefix("{") }.compactMap { part in
      Parameter.inPaths.first { $0.name == part.dropFirst().dropLast() }
    }
  }

  fileprivate var parameters: [Parameter] {
    pathParameters + headers + effect.preconditions + query + [.requestID]
  }

  /// Whether a PUT creates the resource in its path, which therefore need not exist.
  private var isCreating: Bool {
    method == .put && answers.contains { $0.status == .created }
  }

  /// The codes of its problems by status, in their order.
  fileprivate var problems: [Status: [Problem.Code]] {
    var codes: Set<Problem.Code> = [
      .pathNotFound, .bodyTooLarge, .headerTooLarge, .internalError, .unknownTransferCoding,
      .tooManyBodies,
      .tooManyConnections,
    ]
    codes.formUnion(Problem.Code.allCases.filter { $0.status == .badRequest })
    if access != .anybody {
      codes.formUnion([.unauthorized, .unknownUser, .unknownHost, .busy, .databaseUnavailable])
      if method != .get { codes.insert(.dashboardHeaderMissing) }
    }
    if effect != .none { codes.formUnion([.outcomeUnknown, .readOnlyServer]) }
    if case .role = access { codes.formUnion([.roleTooLow, .tokenLimited]) }
    if !isCreating { codes.formUnion(pathParameters.flatMap(\.problems)) }
    codes.formUnion(query.flatMap(\.problems) + effect.problems + ownProblems)
    if body != nil { codes.insert(.unknownContentCoding) }
    switch body?.kind {
    case .json, .mergePatch: codes.formUnion([.notJSONType, .bodyTooComplex, .invalidInput])
    case .file, .text, nil: break
    }
    var byStatus: [Status: [Problem.Code]] = [:]
    for code in Problem.Code.allCases where codes.contains(code) {
      byStatus[code.status, default: []].append(code)
    }
    if codes.contains(.severalRefused) {
      byStatus[.unprocessableContent, default: []].append(.severalRefused)
    }
    if isCreating && !effect.preconditions.isEmpty {
      byStatus[.preconditionFailed, default: []].append(
        effect == .template ? .templateNotFound : .domainNotFound)
    }
    return byStatus
  }
}

extension String {
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}

extension Body.Size {
  fileprivate var sentence: String {
    bytes.map { "At most \($0) bytes, or `maxBodyBytes` if that is less." }
      ?? "At most `maxBodyBytes`, a setting: 8388608 bytes by default."
  }
}

extension Endpoint.Access {
  fileprivate var sentence: String {
    switch self {
    case .anybody: "Needs no token."
    case .anyToken: "Needs a token of any role, even one limited to domains."
    case .role(.viewer): "Needs a token of any role."
    case .role(let role):
      "Needs the role \(Role.allCases.filter { $0 >= role }.map(\.rawValue).joined(separator: " or "))."
    }
  }

  fileprivate var security: JSON {
    switch self {
    case .anybody: []
    case .anyToken: [["token": []], ["session": []]]
    case .role(let role):
      [["token": [.string(role.rawValue)]], ["session": [.string(role.rawValue)]]]
    }
  }
}
