import FoundationEssentials

/// The documents of a domain that are published as bytes, in JSON: an object with a member for each.
enum NamedDocumentResource {
  private static let mediaType = Member(
    "mediaType",
    .json(["type": "string", "pattern": .string(MediaType.pattern), "maxLength": 100]),
    "The `Content-Type`. In a request, it can be left out: then it is the usual one of the name.",
    .optional)

  /// In the resource of a domain.
  static let coding = Coding<[NamedDocument]>(
    .named(
      "NamedDocuments", request: "NamedDocumentsInput",
      .map(
        of: .named(
          "NamedDocument", request: "NamedDocumentInput",
          .object([
            mediaType,
            Member("text", .string, "The bytes, if they are UTF-8 without NUL.", .optional),
            Member(
              "base64", .json(["type": "string", "format": "byte"]), "Any other bytes.", .optional),
          ])))),
    read: { read($0, isRecord: false) },
    write: { documents in
      object(documents) { document in
        document.text.map { ("text", $0) }
          ?? ("base64", Data(document.bytes).base64EncodedString())
      }
    })

  /// In the record of a revision, which has the bytes itself.
  static let recorded = Coding<[NamedDocument]>(
    .object, read: { read($0, isRecord: true) },
    write: { object($0) { ("sha256", $0.sha256) } })

  private static func object(
    _ documents: [NamedDocument], _ content: (NamedDocument) -> (key: String, text: String)
  ) -> JSON {
    var object = JSON.Object()
    for document in documents {
      let content = content(document)
      object.appendNew(
        document.name.text,
        .object([
          "mediaType": .string(document.mediaType.text), content.key: .string(content.text),
        ]))
    }
    return .object(object)
  }

  private static func read(_ body: BodyValue, isRecord: Bool) -> [NamedDocument]? {
    guard let members = body.members,
      body.isShort(members.members.count, NamedDocument.mostPerDomain)
    else { return nil }
    return members.members.compactMap { member -> NamedDocument? in
      // As in a merge patch: no such document.
      if member.value == .null { return nil }
      let value = BodyValue(
        json: member.value, pointer: body.pointer.appending(member.key), faults: body.faults)
      return read(value, member.key, isRecord: isRecord)
    }.sorted { $0.name < $1.name }
  }

  private static func read(
    _ value: BodyValue, _ key: String, isRecord: Bool
  ) -> NamedDocument? {
    do throws(ValidationError) {
      let name = try DocumentName(key)
      let content = isRecord ? ["sha256"] : ["text", "base64"]
      guard let object = value.object(["mediaType"] + content) else { return nil }
      var mediaType = name.usualMediaType
      if let given = object["mediaType"] {
        guard let parsed = given.parse(MediaType.init(_:)) else { return nil }
        mediaType = parsed
      }
      if isRecord { return NamedDocument(stored: name, mediaType, bytes: []) }
      guard let bytes = Self.content(value, object) else { return nil }
      return try NamedDocument(name, mediaType, bytes: bytes)
    } catch {
      value.fault(error)
      return nil
    }
  }

  private static func content(_ value: BodyValue, _ object: BodyObject) -> [UInt8]? {
    switch (object["text"], object["base64"]) {
    case (let text?, nil): return text.string.map { Array($0.utf8) }
    case (nil, let base64?):
      guard let text = base64.string else { return nil }
      if let data = Data(base64Encoded: text) { return [UInt8](data) }
      base64.fault(.malformedValue, "This is not base64 (RFC 4648 section 4).")
    case (nil, nil):
      value.fault(.choiceNeeded, "The bytes are missing. Give \"text\" or \"base64\".")
    case (_?, _?):
      value.fault(.choiceNeeded, "Give either \"text\" or \"base64\", not both.")
    }
    return nil
  }
}
