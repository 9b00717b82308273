/// The one reading of a `webauthn` file: the origins that may use the passkeys of the domain that serves
/// it (WebAuthn Level 3, "Validating Related Origins").
///
/// Reading never fails. `json` keeps everything.
package struct RelatedOrigins: Sendable {
  /// The largest file, in bytes, that Chrome reads.
  package static let maximumSize = 262_144
  /// The number of different registrable labels that the standard asks for, and that Chrome and Firefox
  /// read. They skip the origins of further ones.
  package static let mostLabels = 5

  package let json: JSON
  /// The elements of `origins`; `nil` without such an array.
  let elements: [JSON]?
  /// The members that browsers do not read.
  let unread: [UnreadValue]

  static let pointer = JSONPointer.root.appending("origins")

  package init(_ json: JSON) {
    self.json = json
    guard case .object(let members) = json else {
      (elements, unread) = (nil, [])
      return
    }
    var reader = ObjectReader(members, at: .root, as: .relatedOrigins)
    elements = reader.value("origins", \.arrayValue)
    unread = reader.unread
  }
}

extension Domain {
  /// The domain's `webauthn` file; `nil` if it has none.
  package var webAuthn: JSON? {
    var members = JSON.Object()
    if !webAuthnOrigins.isEmpty || webAuthnExtra["origins"] != nil {
      members["origins"] = origins(with: webAuthnExtra["origins"])
    }
    for member in webAuthnExtra.members where members[member.key] == nil {
      members.appendNew(member.key, member.value)
    }
    return members.isEmpty ? nil : .object(members)
  }

  /// The origins with the other elements of an adopted list, by their index: `{"0": "example.com"}`.
  private func origins(with others: JSON?) -> JSON {
    var rest = webAuthnOrigins[...]
    var elements: [JSON] = []
    let indexed = (others?.objectValue?.members ?? []).compactMap { member in
      Int(member.key).map { (index: $0, value: member.value) }
    }
    for other in indexed.sorted(by: { $0.index < $1.index }) {
      while elements.count < other.index, let origin = rest.popFirst() {
        elements.append(.string(origin.text))
      }
      elements.append(other.value)
    }
    return .array(elements + rest.map { .string($0.text) })
  }

  /// Whether `webAuthnExtra` may have this value for `origins`: elements that are no origins, by their
  /// index in the list. Without any, an empty list is published even if there are no origins.
  package static func areOtherOrigins(_ value: JSON) -> Bool {
    value.objectValue?.members.allSatisfy { member in
      Int(member.key).map { $0 >= 0 } == true
        && member.value.stringValue.flatMap { WebOrigin($0) } == nil
    } ?? false
  }

  /// Replaces the origins by those of a `webauthn` file, so that `webAuthn` equals the file.
  ///
  /// - Throws: `AdoptionError` for a file that is no object, whose `origins` are no array, or that has
  ///   nothing. The domain is unchanged then.
  package mutating func adoptWebAuthn(_ file: JSON) throws(AdoptionError) {
    let read = RelatedOrigins(file)
    guard case .object(let members) = file, file.isReadable else {
      throw AdoptionError(
        pointer: .root,
        message: file.isReadable
          ? "This is \(file.kind) but must be an object."
          : "The file is not read: it is far larger than what browsers read.")
    }
    if let origins = members["origins"], read.elements == nil {
      throw AdoptionError(
        pointer: RelatedOrigins.pointer, message: "This is \(origins.kind) but must be an array.")
    }
    var (origins, others) = ([] as [WebOrigin], JSON.Object())
    for (index, element) in (read.elements ?? []).enumerated() {
      if let origin = element.stringValue.flatMap({ WebOrigin($0) }) {
        origins.append(origin)
      } else {
        others.appendNew("\(index)", element)
      }
    }
    var adopted = self
    (adopted.webAuthnOrigins, adopted.webAuthnExtra) = (origins, members)
    if read.elements != nil {
      let isEmpty = origins.isEmpty && others.isEmpty
      adopted.webAuthnExtra["origins"] = isEmpty || !others.isEmpty ? .object(others) : nil
    }
    guard adopted.webAuthn == file else {
      throw AdoptionError(
        pointer: .root, message: "The file has nothing that can be stored and served.")
    }
    self = adopted
  }
}
