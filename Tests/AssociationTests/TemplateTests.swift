import Association
import Testing

/// What a template gives to a domain, and what no value of a parameter can do.
@Suite struct TemplateTests {
  private static let app = "ABCDE12345.com.example.brand"
  private static let json: JSON = [
    "parameters": [
      ["name": "app", "type": "app"],
      ["name": "clips", "type": "apps", "default": []],
      ["name": "package", "type": "package", "default": .null],
      ["name": "slug", "type": "path"],
      ["name": "sale", "type": "pattern", "default": .null],
      ["name": "note", "type": "text", "default": "shared"],
      ["name": "login", "type": "origins", "default": []],
    ],
    "cacheSeconds": 600,
    "entries": [
      [
        "apps": ["{app}"], "androidApps": ["{package}"],
        "routes": [
          ["path": "/{slug}/private/*", "exclude": true],
          ["path": "/{slug}/*", "comment": "{note}"],
          ["path": "/sale/{sale}"],
        ],
      ]
    ],
    "appclips": ["{clips}", "ABCDE12345.com.example.Clip"],
    "webauthnOrigins": ["https://login.{domain}", "{login}"],
    "passkeyEndpoints": ["enroll": "https://{domain}/passkeys/{slug}"],
    "expectations": [["url": "https://{domain}/{slug}/a", "app": "{app}", "resolution": "match"]],
  ]

  private static func template(_ json: JSON = json) throws(InvalidInput) -> Template {
    try Faults.collecting(in: json) {
      TemplateResource.read($0, name: TemplateName(stored: "white-label"))
    }
  }

  /// A domain with a template and nothing of its own.
  private static func domain(_ parameters: JSON.Object) -> Domain {
    var domain = Domain(name: DomainName(stored: "brand.example"))
    domain.template = TemplateUse(TemplateName(stored: "white-label"), parameters: parameters)
    return domain
  }

  private static func faults(of json: JSON) -> [String] {
    let faults = Faults()
    _ = TemplateResource.read(
      BodyValue(json: json, pointer: .root, faults: faults), name: TemplateName(stored: "x"))
    return found(faults)
  }

  private static func found(_ faults: Faults) -> [String] {
    do throws(InvalidInput) {
      try faults.check()
      return []
    } catch {
      return error.faults.map { "\($0.code) \($0.pointer)" }
    }
  }

  private static func codes(_ parameters: JSON.Object, _ json: JSON = json) throws -> [String] {
    do throws(InvalidInput) {
      _ = try domain(parameters).resolved(with: try template(json))
      return []
    } catch {
      return error.faults.map { "\($0.code) \($0.pointer)" }
    }
  }

  // MARK: What it gives

  @Test func aBraceThatBeginsNoNameIsText() throws {
    let braces = String(repeating: "{", count: 300)
    let template = try Self.template([
      "parameters": [["name": "shop", "type": "path"]],
      "entries": [
        ["apps": [.string(Self.app)], "routes": [["path": .string("/\(braces){shop}/}")]]]
      ],
    ])
    var domain = Domain(name: DomainName(stored: "a.example"))
    domain.template = TemplateUse(template.name, parameters: ["shop": "toys"])
    let resolved = try domain.resolved(with: template)
    #expect(resolved.associationFile.entries.first?.routes.first?.path == "/\(braces)toys/}")
  }

  @Test func valuesStandWhereTheTemplateNamesThem() throws {
    let domain = try Self.domain([
      "app": .string(Self.app), "clips": ["ABCDE12345.a.Clip", "ABCDE12345.b.Clip"],
      "package": "com.example.brand", "slug": "gift", "sale": "?*", "note": "*?$(",
      "login": ["https://a.example", "https://b.example"],
    ]).resolved(with: Self.template())
    let entry = domain.associationFile.entries[0]
    #expect(entry.apps.map(\.text) == [Self.app])
    #expect(entry.androidApps.map(\.text) == ["com.example.brand"])
    #expect(entry.routes.map(\.path) == ["/gift/private/*", "/gift/*", "/sale/?*"])
    #expect(entry.routes[1].comment == "*?$(")
    #expect(
      domain.associationFile.services[.appclips]?.apps.map(\.text)
        == ["ABCDE12345.a.Clip", "ABCDE12345.b.Clip", "ABCDE12345.com.example.Clip"])
    #expect(
      domain.webAuthnOrigins.map(\.text)
        == ["https://login.brand.example", "https://a.example", "https://b.example"])
    #expect(domain.passkeyEndpoints == ["enroll": "https://brand.example/passkeys/gift"])
    #expect(domain.expectations.map(\.url) == ["https://brand.example/gift/a"])
    #expect(domain.cacheSeconds == 600)
  }

  @Test func whatUsesAParameterWithoutAValueIsLeftOut() throws {
    let domain = try Self.domain(["app": .string(Self.app), "slug": "gift"])
      .resolved(with: Self.template())
    #expect(domain.associationFile.entries[0].androidApps.isEmpty)
    #expect(domain.associationFile.entries[0].routes.map(\.path) == ["/gift/private/*", "/gift/*"])
    #expect(domain.associationFile.entries[0].routes[1].comment == "shared")
    let none = try Self.domain(["app": .null, "slug": "gift"]).resolved(with: Self.template())
    #expect(none.associationFile.entries.isEmpty, "an entry without apps would be for all or none")
    #expect(none.expectations.isEmpty)
    let noRoutes = try Self.domain(["app": .string(Self.app), "slug": .null])
      .resolved(with: Self.template())
    #expect(noRoutes.associationFile.entries.isEmpty)
    #expect(noRoutes.passkeyEndpoints == [:])
  }

  @Test func ownEntriesComeFirstAndOwnMembersWin() throws {
    var own = Self.domain(["app": .string(Self.app), "slug": "gift"])
    own.associationFile.entries = [
      Entry(apps: [AppIdentifier(stored: "ABCDE12345.own")], routes: [Route(path: "/own")])
    ]
    own.cacheSeconds = 3600
    own.template?.ownMembers = ["cacheSeconds"]
    own.template?.ownEntries = 1
    let domain = try own.resolved(with: Self.template())
    #expect(
      domain.associationFile.entries.map { $0.routes[0].path } == ["/own", "/gift/private/*"])
    #expect(domain.cacheSeconds == 3600, "the default wins, too, if the domain says so")
    #expect(try domain.resolved(with: Self.template()) == domain, "nothing comes twice")
    #expect(domain.own.associationFile.entries.count == 1)
    #expect(domain.own.expectations.isEmpty)
  }

  @Test func whatTheTemplateNoLongerHasIsGone() throws {
    let domain = try Self.domain(["app": .string(Self.app), "slug": "gift"])
      .resolved(with: Self.template())
    var less = Self.json.objectValue ?? [:]
    for key in ["cacheSeconds", "passkeyEndpoints", "appclips"] { less[key] = nil }
    less["parameters"] = .array(
      (less["parameters"]?.arrayValue ?? []).filter { $0["name"] != "clips" })
    let after = try domain.resolved(with: Self.template(.object(less)))
    #expect(after.cacheSeconds == Domain.defaultCacheSeconds)
    #expect(after.passkeyEndpoints == nil)
    #expect(after.associationFile.services[.appclips] == nil)
  }

  @Test func aTemplateIsWrittenAsItIsRead() throws {
    let template = try Self.template()
    let written = JSON.object(TemplateResource.json(template))
    #expect(try TemplateResource.read(record: written) == template)
    #expect(try Self.template(written) == template)
  }

  // MARK: What is refused

  @Test(
    arguments: [
      (
        "an unknown parameter", ["entries": [["apps": ["{none}"]]]],
        "unknown-parameter /entries/0/apps/0"
      ),
      (
        "an unused parameter", ["parameters": [["name": "x", "type": "text"]]],
        "unused-parameter /parameters/0/name"
      ),
      (
        "the name of the domain",
        [
          "parameters": [["name": "domain", "type": "text"]],
          "passkeyEndpoints": ["enroll": "{domain}"],
        ],
        "repeated /parameters/0/name"
      ),
      (
        "a bad name", ["parameters": [["name": "1x", "type": "text"]]],
        "malformed-name /parameters/0/name"
      ),
      (
        "a bad type", ["parameters": [["name": "x", "type": "glob"]]],
        "unknown-value /parameters/0/type"
      ),
      (
        "a bad default",
        [
          "parameters": [["name": "x", "type": "path", "default": "a*"]],
          "entries": [["apps": ["ABCDE12345.a"], "routes": [["path": "/{x}"]]]],
        ], "malformed-value /parameters/0/default"
      ),
      (
        "a list in a pattern",
        [
          "parameters": [["name": "x", "type": "apps"]],
          "entries": [["apps": ["ABCDE12345.a"], "routes": [["path": "/{x}"]]]],
        ], "misplaced-parameter /entries/0/routes/0/path"
      ),
      (
        "text in a pattern",
        [
          "parameters": [["name": "x", "type": "text"]],
          "entries": [["apps": ["ABCDE12345.a"], "routes": [["query": ["q": "{x}"]]]]],
        ], "misplaced-parameter /entries/0/routes/0/query/q"
      ),
      (
        "a part of an app",
        ["parameters": [["name": "x", "type": "app"]], "webcredentials": ["{x}.more"]],
        "misplaced-parameter /webcredentials/0"
      ),
      (
        "a value in a name",
        [
          "parameters": [["name": "x", "type": "path"]],
          "entries": [["apps": ["ABCDE12345.a"], "routes": [["query": ["{x}": "{x}"]]]]],
        ], "misplaced-parameter /entries/0/routes/0/query/{x}"
      ),
      ("another member", ["aliases": ["a.example"]], "unknown-member /aliases"),
      ("a bad value", ["cacheSeconds": "long"], "wrong-type /cacheSeconds"),
    ] as [(String, JSON, String)])
  func aTemplateThatCannotBeUsedIsRefused(_ what: String, _ json: JSON, _ fault: String) {
    #expect(Self.faults(of: json).contains(fault), "\(what): \(Self.faults(of: json))")
  }

  @Test func parametersThatDoNotFitAreRefusedByName() throws {
    #expect(try Self.codes(["app": .string(Self.app)]) == ["missing-parameter /parameters/slug"])
    #expect(
      try Self.codes(["app": .string(Self.app), "slug": "a", "slag": "b"])
        == ["unknown-parameter /parameters/slag"])
    #expect(
      try Self.codes(["app": ["a"], "slug": "a"]) == ["wrong-type /parameters/app"])
    #expect(
      try Self.codes(["app": "no", "slug": 5])
        == ["malformed-app-identifier /parameters/app", "wrong-type /parameters/slug"])
    #expect(
      try Self.codes([
        "app": .string(Self.app), "slug": "a", "sale": .string(String(repeating: "a", count: 2049)),
      ])
        == ["wrong-length /parameters/sale"])
  }

  @Test func aFaultInWhatIsRenderedNamesTheTemplate() throws {
    let json: JSON = [
      "parameters": [["name": "host", "type": "text"]],
      "expectations": [
        ["url": "https://{host}/a", "app": .string(Self.app), "resolution": "match"]
      ],
    ]
    #expect(try Self.codes(["host": "not a host"], json) == ["foreign-url /template"])
  }

  // MARK: What no value can do

  /// Texts that would be something else if they were pasted into a file.
  private static let hostile = [
    "*", "?", "$(", "$(lang)", "$", "(", "(lang)", "{domain}", "{app}", "{", "}", "\"", "\\", "\"]",
    "\", \"exclude\": true", "NOT ", "NOT /a", "/", "//", "..", "#", "%2A", "%", "&a=*", "\u{301}",
    "e\u{301}", "é", " ", "a", "",
  ]

  /// For every place and every value, however it is put together: either the values are refused, or the pattern has
  /// exactly the special characters that the template has, and everything else is as it would be with plain text.
  @Test func noLiteralTextBecomesAPatternWhateverItContains() throws {
    let template = try Self.template([
      "parameters": [["name": "a", "type": "path"], ["name": "b", "type": "path"]],
      "entries": [
        [
          "apps": [.string(Self.app)],
          "routes": [
            ["path": "/x/{a}{b}/*", "query": ["q": "{a}", "r": "$(lang){b}"], "fragment": "{b}?"],
            ["path": "/{b}$", "query": "{a}=({b})"],
          ],
        ]
      ],
      "substitutionVariables": ["lang": ["de", "en"]],
    ])
    func special(_ route: Route) -> [String] {
      let texts =
        [route.path, route.fragment]
        + (route.query?.json.objectValue?.members.map { $0.value.stringValue } ?? [])
        + [route.query?.json.stringValue]
      return texts.map { text in
        let text = text ?? ""
        let variables = text.ranges(of: "$(").count
        return "\(text.filter { $0.unicodeScalars.contains("*") }.count) "
          + "\(text.filter { $0.unicodeScalars.contains("?") }.count) \(variables)"
      }
    }
    func routes(_ a: String, _ b: String) throws(InvalidInput) -> [Route] {
      try Self.domain(["a": .string(a), "b": .string(b)]).resolved(with: template)
        .associationFile.entries[0].routes
    }
    let plain = try routes("a", "b").map(special)
    var accepted = 0
    var values = Self.hostile
    for left in Self.hostile { for right in Self.hostile { values.append(left + right) } }
    for (index, first) in values.enumerated() {
      for second in [Self.hostile[index % Self.hostile.count], values[(index * 31) % values.count]]
      {
        do throws(InvalidInput) {
          let found = try routes(first, second)
          accepted += 1
          #expect(
            found.map(special) == plain, "\(first.debugDescription) \(second.debugDescription)")
          #expect(found.count == 2 && found.allSatisfy { $0.exclude == nil && $0.extra.isEmpty })
        } catch {
          let known = ["malformed-value", "control-character"]
          #expect(error.faults.allSatisfy { known.contains($0.code) }, "\(error.faults)")
        }
      }
    }
    #expect(accepted > 200)
  }

  /// A value of any type, in every place that takes it, changes nothing but its own string.
  @Test(arguments: hostile) func noValueBecomesAnotherMemberOrAnotherApp(_ value: String) throws {
    for (name, texts) in [
      ("app", [value, Self.app + value]), ("package", [value]), ("note", [value]),
      ("sale", [value]),
    ] {
      for text in texts {
        let parameters: JSON.Object = ["app": .string(Self.app), "slug": "gift"]
        var hostile = parameters
        hostile[name] = .string(text)
        do throws(InvalidInput) {
          var domain = try Self.domain(hostile).resolved(with: Self.template())
          let plain = try Self.domain(parameters).resolved(with: Self.template())
          switch name {
          case "app": #expect(domain.associationFile.entries[0].apps.map(\.text) == [text])
          case "package":
            #expect(domain.associationFile.entries[0].androidApps.map(\.text) == [text])
          case "note": #expect(domain.associationFile.entries[0].routes[1].comment == text)
          default: #expect(domain.associationFile.entries[0].routes[2].path == "/sale/" + text)
          }
          if name == "note" {
            domain.associationFile.entries[0].routes[1].comment = "shared"
            domain.template = plain.template
            #expect(domain == plain)
          }
        } catch {
          #expect(error.faults.allSatisfy { $0.pointer.description == "/parameters/\(name)" })
        }
      }
    }
  }
}
