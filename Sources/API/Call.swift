import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// A request to an endpoint, with what all endpoints read from it.
struct Call: Sendable {
  let request: Request
  let parameters: [String: String]
  /// The token that the request came with; `nil` where none is needed.
  let token: Token?

  /// The domain that the path names.
  func domain() throws(Problem) -> DomainName {
    try DomainName(inPath: parameters["domain"] ?? "")
  }

  /// The app that the path names.
  func app() throws -> AppIdentifier {
    do throws(ValidationError) {
      return try AppIdentifier(parameters["app"] ?? "")
    } catch {
      throw Problem(.badRequest, error.code, error.message)
    }
  }

  /// The number of a row that the path names.
  func row(_ parameter: String) throws(Problem) -> Int64 {
    guard let id = Int64(parameters[parameter] ?? "") else {
      throw Problem(.badRequest, "malformed-path", "The \(parameter) in the path must be a number.")
    }
    return id
  }

  /// A parameter of the query, which is there once at most.
  func query(_ parameter: QueryParameter) -> String? {
    request.target.queryItems.first { $0.name == parameter.rawValue }?.value
  }

  /// The body as JSON.
  ///
  /// - Throws: `Problem` for another media type (RFC 9110 section 15.5.16), and for what is not JSON
  ///   or has a key twice.
  func json() throws -> JSON {
    let type = (request.fields["Content-Type"] ?? "application/json").lowercased()
    let essence = type.prefix { $0 != ";" }.trimmingSuffix(while: \.isWhitespace)
    guard ["application/json", "application/merge-patch+json"].contains(essence) else {
      throw Problem(
        .unsupportedMediaType, "not-json-type",
        "The body must be application/json; the request says “\(type)”. With curl: --json.")
    }
    let parsed = try parsedBody()
    if parsed.duplicateKeys.isEmpty { return parsed.value }
    throw InvalidInput(
      faults: parsed.duplicateKeys.map {
        Fault(pointer: $0, code: "duplicate-key", message: "This key is there already.")
      })
  }

  private func parsedBody() throws(Problem) -> JSON.Parsed {
    do throws(JSON.SyntaxError) {
      return try JSON.parse(request.body)
    } catch {
      throw Problem(.badRequest, "not-json", "The body is not JSON: \(error).")
    }
  }

  /// What the request demands of the state that it changes.
  func precondition() throws(Problem) -> Precondition {
    let ifMatch = request.fields.values(of: "If-Match")
    let ifNoneMatch = request.fields["If-None-Match"]
    if ifMatch.isEmpty {
      guard let ifNoneMatch else { return .none }
      if ifNoneMatch == "*" { return .absent }
      throw Problem(
        .badRequest, "malformed-if-none-match", "On a change, If-None-Match can only be “*”.")
    }
    if ifMatch == ["*"] { return .exists }
    // Elements of a list may be empty (RFC 9110 section 5.6.1), all of them together may not.
    let tags = ifMatch.flatMap { $0.split(separator: ",") }
      .map { $0.trimming(while: \.isWhitespace) }.filter { !$0.isEmpty }
    guard !tags.isEmpty, tags.allSatisfy(Self.isEntityTag) else {
      throw Problem(
        .badRequest, "malformed-if-match", "If-Match must be a revision in quotes, such as \"7\".")
    }
    // A weak tag, or one that no revision has, matches nothing (RFC 9110 section 13.1.1).
    return .revision(tags.compactMap { Int($0.dropFirst().dropLast()) })
  }

  /// Does a PUT of a domain. Where there is none and If-Match asks for one, what fails is that
  /// precondition (RFC 9110 section 13.1.1), since a PUT would otherwise make it.
  func putting(_ put: () throws -> Response) throws -> Response {
    do {
      return try put()
    } catch StoreError.notFound(.domain(let name)) {
      throw Problem(
        .preconditionFailed, "domain-not-found",
        "There is no domain “\(name)”, and If-Match asks for it to be there.")
    }
  }

  private static func isEntityTag(_ text: String) -> Bool {
    text.hasSuffix("\"") && (text.hasPrefix("\"") || text.hasPrefix("W/\"")) && text.count > 2
  }

  /// The codes of errors in spite of which the request wants to publish: `?accept=a,b`.
  func acceptedCodes() throws(Problem) -> Set<Finding.Code> {
    do throws(ValidationError) {
      return try Finding.Code.accepted(in: query(.accept) ?? "")
    } catch {
      throw Problem(.badRequest, "unknown-code", error.message)
    }
  }

  /// Who makes the change, why (`?reason=`), and whether it is only tried (`?dryRun=true`).
  func context() throws(Problem) -> WriteContext {
    WriteContext(
      author: token?.name ?? "", address: request.peer, reason: query(.reason) ?? "",
      isDryRun: try flag(.dryRun))
  }

  /// A parameter of the query that is `true`, `false` or left out, which is the same as `false`.
  func flag(_ parameter: QueryParameter) throws(Problem) -> Bool {
    switch query(parameter) {
    case nil, "false": return false
    case "true": return true
    default:
      throw Problem(
        .badRequest, "malformed-flag", "“\(parameter.rawValue)” must be true or false.")
    }
  }

  /// A page of a list: `?limit=` (1 to 1000) and `?cursor=`, the `next` of the page before.
  func page() throws(Problem) -> (after: String?, limit: Int) {
    guard let limit = Int(query(.limit) ?? "100"), (1...1000).contains(limit) else {
      throw Problem(.badRequest, "malformed-limit", "“limit” must be a number from 1 to 1000.")
    }
    return (query(.cursor), limit)
  }
}

extension DomainName {
  /// A domain that a path names.
  init(inPath text: String) throws(Problem) {
    do throws(ValidationError) {
      try self.init(text)
    } catch {
      throw Problem(.badRequest, error.code, error.message)
    }
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
    var text = String(self)
    while let last = text.last, predicate(last) { text.removeLast() }
    return text
  }

  fileprivate func trimming(while predicate: (Character) -> Bool) -> String {
    String(drop(while: predicate)).trimmingSuffix(while: predicate)
  }
}
