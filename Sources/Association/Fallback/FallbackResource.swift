/// What people without an app get, in JSON.
package enum FallbackResource {
  private static let fields: [Field<Fallback>] = [
    Field(
      "web", .target, \.web,
      "Where people without the app are sent. `{path}` and `{query}` stand for those of the request; a query has its "
        + "`?`, or behind a query of the URL an `&`.", .required),
    Field(
      "apple", .target, \.apple,
      "Where iPhones, iPads and iPods are sent instead, such as the App Store."),
    Field(
      "android", .target, \.android, "Where Android devices are sent instead, such as Google Play."),
    Field(
      "page", .page, \.page,
      "A page that everybody gets instead of a redirect, with links to the others and, on iPhones and iPads, the "
        + "banner of the App Store."),
  ]

  fileprivate static let pageFields: [Field<FallbackPage>] = [
    Field(
      "title", .fallbackText("FallbackTitle", longest: 100), \.title, "The heading.", .required),
    Field(
      "text", .fallbackText("FallbackBody", longest: 500), \.text, "The text below it.", .required),
    Field(
      "button", .fallbackText("FallbackButton", longest: 50), \.button,
      "The text of the link to `web`.", .required),
  ]

  /// The most languages of a text.
  static let mostLanguages = 50

  package static let coding = Coding<Fallback>(
    .named("Fallback", request: "FallbackInput", .object(fields.members())),
    read: { body in
      var fallback = Fallback(web: LinkTarget(stored: ""))
      return body.read(fields, into: &fallback) ? fallback : nil
    }, write: { .object(fields.json(of: $0)) })

  /// - Returns: `nil` for anything that `coding` does not write.
  package static func read(record: JSON) -> Fallback? {
    let faults = Faults()
    let fallback = coding.read(BodyValue(json: record, pointer: .root, faults: faults))
    return faults.count == 0 ? fallback : nil
  }
}

extension Coding<LinkTarget> {
  package static var target: Coding {
    Coding(
      .json([
        "type": "string", "format": "uri-template", "pattern": "^https://",
        "maxLength": .integer(LinkTarget.longest),
      ]), read: { $0.parse(LinkTarget.init(_:)) }, write: { .string($0.text) })
  }
}

extension Coding<FallbackPage> {
  fileprivate static var page: Coding {
    let fields = FallbackResource.pageFields
    return Coding(
      .named("FallbackPage", request: "FallbackPageInput", .object(fields.members())),
      read: { body in
        let none = FallbackText([])
        var page = FallbackPage(title: none, text: none, button: none)
        guard body.read(fields, into: &page) else { return nil }
        let languages = Set(page.languages)
        for (name, text) in [("title", page.title), ("text", page.text), ("button", page.button)]
        where !text.languages.isEmpty && Set(text.languages) != languages {
          body.faults.add(
            .languagesDiffer, at: body.pointer.appending(name),
            "The texts of a page are in the same languages. Here are \(text.languages.joined(separator: ", ")), but "
              + "another text has \(page.languages.joined(separator: ", ")).")
        }
        return page
      }, write: { .object(fields.json(of: $0)) })
  }
}

extension Coding<FallbackText> {
  fileprivate static func fallbackText(_ name: String, longest: Int) -> Coding {
    let text: JSON.Object = [
      "type": "string", "minLength": 1, "maxLength": .integer(longest),
      "pattern": "^[^<\\u0000-\\u001f\\u007f-\\u009f]*$",
    ]
    let byLanguage = Schema.named(
      name + "ByLanguage",
      .json([
        "type": "object", "description": "A text for each language, by its tag (BCP 47).",
        "minProperties": 1, "maxProperties": .integer(FallbackResource.mostLanguages),
        "propertyNames": ["pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$", "maxLength": 35],
        "additionalProperties": .object(text),
      ]))
    let schema = Schema.json(["oneOf": [.object(text), byLanguage.json]])
    return Coding(
      .named(name, schema),
      read: { body in
        guard case .object(let members) = body.json else {
          return read(body, longest).map { FallbackText($0) }
        }
        return translations(members, body, longest).map { FallbackText($0) }
      },
      write: { text in
        if let plain = text.translations.first, plain.language.isEmpty {
          return .string(plain.text)
        }
        var members = JSON.Object()
        for one in text.translations { members.appendNew(one.language, .string(one.text)) }
        return .object(members)
      })
  }

  private static func translations(
    _ members: JSON.Object, _ body: BodyValue, _ longest: Int
  ) -> [FallbackText.Translation]? {
    if members.isEmpty {
      body.fault(.wrongLength, "There is no text. Give one, or one for each language.")
      return nil
    }
    guard body.isShort(members.members.count, FallbackResource.mostLanguages) else { return nil }
    var seen: Set<String> = []
    return members.members.compactMap { member in
      let value = BodyValue(
        json: member.value, pointer: body.pointer.appending(member.key), faults: body.faults)
      if !LanguageTag.isTag(member.key) {
        value.fault(
          .malformedName,
          "\(member.key.quoted) is not a language tag (BCP 47), such as en or pt-BR.")
      } else if !seen.insert(member.key.lowercased()).inserted {
        value.fault(.repeated, "The language \(member.key.quoted) is there twice. Remove one.")
      }
      return read(value, longest).map { FallbackText.Translation(member.key, $0) }
    }
  }

  private static func read(_ body: BodyValue, _ longest: Int) -> String? {
    guard let text = body.name(longest: longest) else { return nil }
    if !text.utf8.contains(UInt8(ascii: "<")) { return text }
    body.fault(
      .markup,
      "\(text.quoted) has \"<\". The page shows texts as they are, without markup. Leave it out.")
    return nil
  }
}
