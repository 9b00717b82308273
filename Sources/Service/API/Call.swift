import Association
import HTTP
import Publishing
import Store

/// A request to an endpoint, and how endpoints read it.
struct Call: Sendable {
  let request: Request
  let parameters: [String: String]
  /// Who sends the request; `nil` if anybody may.
  let identity: Identity?
  /// The address of the client; empty for a command.
  var client = ""
  /// Called when all that is left is to write.
  var willWrite: @Sendable () -> Void = {}
  /// Takes what the request would change, of which a draft is made instead; `nil` to change it.
  var proposed: ProposedState?

  /// The rights of the caller; `nil` if none are needed.
  var token: Token? { identity?.token }

  /// The domains that the caller is limited to.
  var scope: Scope { token?.scope ?? Scope() }

  /// The label that the query chooses domains by; `nil` without one.
  func label() throws(Problem) -> Label? {
    guard let text = query(.label) else { return nil }
    return try Self.name(text, Label.init(_:))
  }

  /// The domain that the path names.
  func domain() throws(Problem) -> DomainName {
    try Self.name(parameters["domain"] ?? "", DomainName.init(_:))
  }

  /// The kind of document that the path names.
  func kind() throws(Problem) -> DocumentKind {
    let text = parameters["kind"] ?? ""
    if let kind = DocumentKind(rawValue: text) { return kind }
    return .named(try Self.name(text, DocumentName.init(_:)))
  }

  /// The body as a document that is published as bytes. Without a `Content-Type`, it has the usual media type of its
  /// name.
  func document(_ name: DocumentName) throws -> NamedDocument {
    let pointer = JSONPointer.root.appending("documents").appending(name.text)
    do throws(ValidationError) {
      let given = request.fields["Content-Type"]
      do throws(ValidationError) {
        let mediaType = try given.map { text throws(ValidationError) in try MediaType(text) }
        return try NamedDocument(name, mediaType, bytes: request.body)
      } catch  where error.code != .documentSize {
        let hint =
          given == "application/x-www-form-urlencoded"
          ? " That is what curl's --data-binary sends; use curl -T, or add -H 'Content-Type: \(name.usualMediaType)'."
          : ""
        throw ValidationError(error.code, error.message + hint)
      }
    } catch {
      if error.code == .documentSize && !request.body.isEmpty {
        let account = ByteAccount(bytes: request.body.count, of: .named(name))
        throw Problem(
          .documentTooLarge, "Not published: \(error.message)",
          members: [
            "domain": .string(try domain().text), "account": FindingResource.json(account),
          ])
      }
      let place = error.code == .documentSize ? pointer : pointer.appending("mediaType")
      throw InvalidInput(faults: [
        Fault(pointer: place, code: error.code.rawValue, message: error.message)
      ])
    }
  }

  /// The name in the path of something that the request may add.
  func newName(_ parameter: String, longest: Int) throws(Problem) -> String {
    let name = parameters[parameter] ?? ""
    if name.unicodeScalars.count <= longest, NewName.allows(name) { return name }
    throw Problem(
      .malformedPath,
      "The name of a \(parameter) has at most \(longest) characters, \(NewName.rule).")
  }

  /// A name in the path or the query.
  static func name<Name>(
    _ text: String, _ parse: (String) throws(ValidationError) -> Name
  ) throws(Problem) -> Name {
    do throws(ValidationError) {
      return try parse(text)
    } catch {
      throw Problem(malformed: error)
    }
  }

  /// An `id` or a revision number in the path.
  func row(_ parameter: String) throws(Problem) -> Int64 {
    guard let id = Int64(parameters[parameter] ?? "") else {
      throw Problem(.malformedPath, "The \(parameter) in the path must be a number.")
    }
    return id
  }

  /// A parameter of the query. `Endpoint.check` has refused any that is repeated.
  func query(_ parameter: Parameter) -> String? {
    request.target.queryItems.first { $0.name == parameter.name }?.value
  }

  /// The body as JSON.
  ///
  /// - Parameter element: See `JSON.parse`.
  /// - Throws: `Problem` for another media type (RFC 9110 section 15.5.16) or invalid JSON, and
  ///   `InvalidInput` for repeated keys.
  func json(element: ((String, Int, JSON) -> Void)? = nil) throws -> JSON {
    let type = (request.fields["Content-Type"] ?? "application/json").lowercased()
    let essence = type.prefix { $0 != ";" }.trimmingSuffix(while: \.isWhitespace)
    guard ["application/json", "application/merge-patch+json"].contains(essence) else {
      throw Problem(
        .notJSONType,
        "The Content-Type must be application/json, not \"\(type.prefix(80))\". "
          + "With curl, use --json."
      )
    }
    let parsed = try parsedBody(element)
    if parsed.duplicateKeys.isEmpty { return parsed.value }
    throw InvalidInput(
      faults: parsed.duplicateKeys.map {
        Fault(pointer: $0, code: .duplicateKey, message: "This key occurs more than once.")
      }, more: parsed.duplicateKeyCount - parsed.duplicateKeys.count)
  }

  private func parsedBody(
    _ element: ((String, Int, JSON) -> Void)?
  ) throws(Problem) -> JSON.Parsed {
    do throws(JSON.SyntaxError) {
      return try JSON.parse(request.body, element: element)
    } catch {
      if error.limit == nil { throw Problem(.notJSON, "The body is not valid JSON: \(error).") }
      throw Problem(.bodyTooComplex, "The body is too complex: \(error). Send less at a time.")
    }
  }

  /// The condition for the change: `If-Match` or `If-None-Match`.
  func precondition() throws(Problem) -> Precondition {
    let ifMatch = request.fields.values(of: "If-Match")
    let ifNoneMatch = request.fields["If-None-Match"]
    guard ifNoneMatch == nil || ifNoneMatch == "*" else {
      throw Problem(
        .malformedIfNoneMatch, "On a change, the only valid If-None-Match is \"*\".")
    }
    if ifMatch.isEmpty { return ifNoneMatch == nil ? .none : .absent }
    guard ifNoneMatch == nil else {
      throw Problem(
        .alreadyExists,
        "If-Match needs what exists, and If-None-Match what does not. Send one of them.")
    }
    if ifMatch == ["*"] { return .exists }
    // Elements of a list may be empty (RFC 9110 section 5.6.1), but not all of them.
    let tags = ifMatch.flatMap { $0.split(separator: ",") }
      .map { $0.trimming(while: \.isWhitespace) }.filter { !$0.isEmpty }
    guard !tags.isEmpty, tags.allSatisfy(Self.isEntityTag) else {
      throw Problem(
        .malformedIfMatch, "If-Match must be a revision in quotes, such as \"7\".")
    }
    // A weak tag, or one that is not a revision, matches nothing (RFC 9110 section 13.1.1).
    return .revision(tags.compactMap { Int($0.dropFirst().dropLast()) })
  }

  private static func isEntityTag(_ text: String) -> Bool {
    text.hasSuffix("\"") && (text.hasPrefix("\"") || text.hasPrefix("W/\"")) && text.count > 2
  }

  /// The codes of errors to accept: `?accept=a,b`.
  func acceptedCodes() throws(Problem) -> Set<Finding.Code> {
    do throws(UnacceptableCode) {
      return try Finding.Code.accepted(in: query(.accept) ?? "")
    } catch {
      throw Problem(.unknownCode, error.message)
    }
  }

  /// Who makes the change, why (`?reason=`), and whether it is a dry run: `?dryRun=true`, or what a draft is made
  /// of.
  ///
  /// - Parameter author: Who, if not the caller.
  func context(by author: Token? = nil) throws(Problem) -> WriteContext {
    let author = author ?? token
    var (isDryRun, isApproved) = (try flag(.dryRun), try flag(.approved))
    if proposed != nil { (isDryRun, isApproved) = (true, true) }
    var context = WriteContext(
      author: author?.name ?? "", address: client, within: author?.scope ?? Scope(),
      documents: author?.documents ?? [],
      unapproved: isDryRun && isApproved ? Scope() : author?.unapproved,
      reason: query(.reason) ?? "", isDryRun: isDryRun, proposed: proposed,
      isAbandoned: request.clientHasGone, willWrite: willWrite)
    context.applier = author?.applier
    return context
  }

  /// A parameter of the query that is `true` or `false`, which is the default.
  func flag(_ parameter: Parameter) throws(Problem) -> Bool {
    switch query(parameter) {
    case nil, "false": return false
    case "true": return true
    default:
      throw Problem(.malformedFlag, "\"\(parameter.name)\" must be true or false.")
    }
  }

  /// The requested page of a list: what it starts after, and its maximum length.
  func page() throws(Problem) -> (after: String?, limit: Int) {
    guard let limit = Int(query(.limit) ?? "100"), (1...1000).contains(limit) else {
      throw Problem(.malformedLimit, "\"limit\" must be a number from 1 to 1000.")
    }
    return (query(.cursor), limit)
  }

  /// The cursor of a list that is paged by number.
  func numberAfter(_ cursor: String?) throws(Problem) -> Int? {
    guard let cursor else { return nil }
    guard let number = Int(cursor) else {
      throw Problem(.malformedCursor, "\"cursor\" must be the \"next\" of a page.")
    }
    return number
  }
}

extension JSON {
  /// The value after a merge patch (RFC 7396 section 2): members of the patch replace those here,
  /// `null` removes them, objects are merged in turn.
  func merging(_ patch: JSON) -> JSON {
    guard case .object(let changes) = patch else { return patch }
    var members: [(key: String, value: JSON)] = []
    var places: [[UInt8]: Int] = [:]
    for member in objectValue?.members ?? [] {
      places[Array(member.key.utf8)] = members.count
      members.append((member.key, member.value))
    }
    var removed: Set<Int> = []
    for change in changes.members {
      let place = places[Array(change.key.utf8)]
      if change.value == .null {
        if let place { removed.insert(place) }
      } else if let place {
        members[place].value = members[place].value.merging(change.value)
      } else {
        members.append((change.key, JSON.null.merging(change.value)))
      }
    }
    var merged = JSON.Object()
    for (index, member) in members.enumerated() where !removed.contains(index) {
      merged.appendNew(member.key, member.value)
    }
    return .object(merged)
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
    var text = String(self)
    while let last = text.last, predicate(last) { text.removeLast() }
    return text
  }

  func trimming(while predicate: (Character) -> Bool) -> String {
    String(drop(while: predicate)).trimmingSuffix(while: predicate)
  }
}
