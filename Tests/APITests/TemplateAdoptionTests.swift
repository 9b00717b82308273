import Association
import Store
import TestSupport
import Testing

/// Existing domains are taken under a template, and no URL opens another app.
@Suite struct TemplateAdoptionTests {
  private let running: RunningService
  private var admin: Client { running.admin }
  private let path = "/v1/templates/white-label"

  private static let template: JSON = [
    "parameters": [
      ["name": "app", "type": "app"], ["name": "shop", "type": "path"],
      ["name": "package", "type": "package", "default": .null],
      ["name": "clips", "type": "apps", "default": []],
    ],
    "cacheSeconds": 600,
    "entries": [
      [
        "apps": ["{app}"], "androidApps": ["{package}"],
        "routes": [
          ["path": "/{shop}/cart", "exclude": true], ["path": "/{shop}/*"], ["path": "/help/*"],
        ],
      ]
    ],
    "webcredentials": ["{app}"], "appclips": ["{clips}"],
    "passkeyEndpoints": ["enroll": "https://{domain}/{shop}/keys"],
    "expectations": [["url": "https://{domain}/{shop}/1", "app": "{app}", "resolution": "match"]],
  ]

  init() throws {
    running = try RunningService()
    let answer = try admin.send("PUT", path, json: Self.template)
    #expect(answer.status == 201, "\(answer.text)")
  }

  private func app(_ name: String) -> String { "ABCDE12345.com.example.\(name)" }

  /// A domain that has what the template gives with these values.
  private func alike(_ name: String, shop: String, _ change: (inout JSON.Object) -> Void = { _ in })
    -> JSON
  {
    var json: JSON.Object = [
      "cacheSeconds": 600,
      "entries": [
        [
          "apps": [.string(app(name))],
          "routes": [
            ["path": .string("/\(shop)/cart"), "exclude": true], ["path": .string("/\(shop)/*")],
            ["path": "/help/*"],
          ],
        ]
      ],
      "webcredentials": [.string(app(name))],
      "passkeyEndpoints": ["enroll": .string("https://\(name).example/\(shop)/keys")],
    ]
    change(&json)
    return .object(json)
  }

  private func adopt(
    _ domains: [String], _ query: String = "", parameters: JSON? = nil, by client: Client? = nil
  ) throws -> RawResponse {
    var body: JSON.Object = ["domains": .strings(domains)]
    body["parameters"] = parameters
    return try (client ?? admin).send("POST", path + "/adopt\(query)", json: .object(body))
  }

  private func adoption(_ response: RawResponse, _ index: Int = 0) throws -> JSON {
    try response.json["domains"]?[index]?["adoption"] ?? .null
  }

  private func domain(_ name: String) throws -> JSON {
    try admin.send("GET", "/v1/domains/\(name).example").json
  }

  // MARK: Values that are found

  @Test func domainsJoinWithTheValuesThatTheyHaveAndServeTheSameBytes() throws {
    for (name, shop) in [("anna", "shop"), ("bruno", "boutique")] {
      try running.put("\(name).example", alike(name, shop: shop))
    }
    let before = try running.serve("bruno.example").body
    let dry = try adopt(["*.example"], "?dryRun=true")
    #expect(dry.status == 200, "\(dry.text)")
    #expect(try domain("bruno")["template"] == nil, "a dry run changes nothing")
    let done = try adopt(["*.example"], "?reason=moving")
    for answer in [dry, done] {
      #expect(
        try adoption(answer, 1)["parameters"] == ["app": .string(app("bruno")), "shop": "boutique"])
      #expect(try adoption(answer, 1)["own"] == [] && adoption(answer)["sameBytes"] == true)
    }
    #expect(try running.serve("bruno.example").body == before)
    #expect(try domain("bruno")["template"] == "white-label")
    #expect(try domain("bruno")["entries"] == nil && domain("bruno")["cacheSeconds"] == nil)
    let again = try adopt(["*.example"])
    #expect(try again.json["domains"]?[0]?["action"] == "unchanged" && again.json["change"] == nil)

    let line = try admin.send("GET", "/v1/audit?limit=1").json["items"]?[0]
    #expect(line?["action"] == "adopt into template white-label" && line?["domainCount"] == 2)
    #expect(line?["reason"] == "moving")
    let change = try #require(try done.json["change"]?.integerValue)
    #expect(try admin.send("POST", "/v1/changes/\(change)/revert").status == 200)
    #expect(try domain("bruno")["template"] == nil)
    #expect(try domain("bruno")["entries"]?.arrayValue?.count == 1)
    #expect(try running.serve("bruno.example").body == before)
  }

  @Test func everyDomainThatWouldOpenSomethingElseIsNamed() throws {
    for name in ["anna", "bruno", "carla"] {
      try running.put("\(name).example", alike(name, shop: "shop") { $0["appclips"] = nil })
      let own: JSON = ["cacheSeconds": 60, "webcredentials": []]
      #expect(try admin.send("PATCH", "/v1/domains/\(name).example", json: own).status == 200)
    }
    let changed: JSON = [
      "domains": ["*.example"],
      "parameters": .object(
        ["anna", "bruno", "carla"].reduce(into: [:]) {
          $0["\($1).example"] = ["app": .string(app("other")), "shop": "shop"]
        }),
    ]
    let refused = try admin.send("POST", path + "/adopt?dryRun=true", json: changed)
    #expect(refused.status == 422, "\(refused.text)")
    for name in ["anna", "bruno", "carla"] { #expect(refused.text.contains("\(name).example")) }
  }

  @Test func theOrderOfAppsIsNothingThatADomainOpens() throws {
    let other: JSON = ["apps": [.string(app("lite"))], "routes": [["path": "/lite/*"]]]
    try running.put(
      "anna.example",
      alike("anna", shop: "shop") {
        $0["entries"] = .array(($0["entries"]?.arrayValue ?? []) + [other])
      })
    let before = try running.serve("anna.example").body
    let answer = try adopt(["anna.example"])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.text.contains("in the order of apps"), "\(answer.text)")
    let details = { (body: [UInt8]) in
      Set(try JSON.parse(body).value["applinks"]?["details"]?.arrayValue?.map(\.text) ?? [])
    }
    #expect(try details(running.serve("anna.example").body) == details(before))
  }

  @Test func listsTakeWhatNothingElseGives() throws {
    try running.put(
      "anna.example",
      alike("anna", shop: "shop") { $0["appclips"] = ["ABCDE12345.b.Clip", "ABCDE12345.a.Clip"] })
    let answer = try adopt(["anna.example"])
    #expect(
      try adoption(answer)["parameters"]?["clips"] == ["ABCDE12345.b.Clip", "ABCDE12345.a.Clip"],
      "\(answer.text)")
    #expect(try adoption(answer)["sameBytes"] == true)
  }

  @Test func whatADomainHasBeyondTheTemplateStaysItsOwn() throws {
    try running.put(
      "anna.example",
      alike("anna", shop: "shop") { json in
        json["cacheSeconds"] = 60
        json["entries"] = [
          ["apps": [.string(app("other"))], "routes": [["path": "/other/*"]]],
          json["entries"]?[0] ?? [:],
        ]
        json["expectations"] = [
          [
            "url": "https://anna.example/other/1", "app": .string(app("other")),
            "resolution": "match",
          ]
        ]
      })
    let before = try running.serve("anna.example").body
    let answer = try adopt(["anna.example"])
    #expect(
      try adoption(answer)["own"] == ["entries", "cacheSeconds", "expectations"], "\(answer.text)")
    #expect(try adoption(answer)["sameBytes"] == true)
    #expect(try running.serve("anna.example").body == before)
    #expect(try domain("anna")["entries"]?.arrayValue?.count == 1)
    #expect(try domain("anna")["cacheSeconds"] == 60)
    let expected = try running.store.domain(DomainName("anna.example")).domain.expectations
    #expect(expected.map(\.url) == ["https://anna.example/other/1", "https://anna.example/shop/1"])
  }

  @Test func ownRoutesOfASharedEntryStayIfNoLinkChanges() throws {
    func put(_ name: String, at place: Int, _ path: String) throws {
      try running.put(
        "\(name).example",
        alike(name, shop: "shop") { json in
          var entry = json["entries"]?[0]?.objectValue ?? [:]
          var routes = entry["routes"]?.arrayValue ?? []
          routes.insert(["path": .string(path)], at: place)
          entry["routes"] = .array(routes)
          json["entries"] = [.object(entry)]
        })
    }
    try put("anna", at: 2, "/news/*")
    try put("bruno", at: 2, "/shop/c*")
    let kept = try adopt(["anna.example"])
    #expect(try adoption(kept)["sameBytes"] == false, "\(kept.text)")
    #expect(try domain("anna")["entries"]?[0]?["routes"]?.arrayValue?.count == 1)
    // It is behind the exclusion now, and would come before it.
    let refused = try adopt(["bruno.example"], parameters: ["bruno.example": ["shop": "shop"]])
    #expect(refused.status == 422, "\(refused.text)")
    #expect(
      try refused.json["code"] == "not-adoptable" && refused.json["domain"] == "bruno.example")
    let difference = try refused.json["differences"]?.text ?? ""
    #expect(difference.contains("https://bruno.example/shop/cart"), "\(difference)")
    #expect(difference.contains("blocked → match"), "\(difference)")
    #expect(try domain("bruno")["template"] == nil)
  }

  @Test func anEntryOfSeveralAppsIsSplit() throws {
    try running.put(
      "anna.example",
      alike("anna", shop: "shop") { json in
        var entry = json["entries"]?[0]?.objectValue ?? [:]
        entry["apps"] = [.string(app("anna")), .string(app("beta"))]
        json["entries"] = [.object(entry)]
      })
    let answer = try adopt(
      ["anna.example"], parameters: ["anna.example": ["app": .string(app("anna"))]])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try domain("anna")["entries"]?[0]?["apps"] == [.string(app("beta"))])
    #expect(try adoption(answer)["sameBytes"] == false)
    let details = try running.served("anna.example")["applinks"]?["details"]?.arrayValue ?? []
    #expect(details.map { $0["appIDs"] } == [[.string(app("beta"))], [.string(app("anna"))]])
    #expect(details.first?["components"] == details.last?["components"])
  }

  // MARK: Values that are not guessed

  @Test func aValueThatCouldBeAnotherHasToBeGiven() throws {
    let shops = { (paths: [String]) -> JSON in
      [
        "entries": [
          [
            "apps": [.string(app("anna"))], "routes": .array(paths.map { ["path": .string($0)] }),
          ]
        ]
      ]
    }
    let simple = try admin.send(
      "PUT", "/v1/templates/simple",
      json: [
        "parameters": [["name": "app", "type": "app"], ["name": "shop", "type": "path"]],
        "entries": [["apps": ["{app}"], "routes": [["path": "/{shop}/*"]]]],
      ])
    #expect(simple.status == 201)
    try running.put("anna.example", shops(["/gift/*", "/shop/*"]))
    func adopt(_ parameters: JSON) throws -> RawResponse {
      try admin.send(
        "POST", "/v1/templates/simple/adopt",
        json: ["domains": ["anna.example"], "parameters": parameters])
    }
    let open = try adopt([:])
    #expect(open.status == 422, "\(open.text)")
    #expect(try open.json["parameters"] == ["shop"])
    #expect(open.text.contains("gift") && open.text.contains("shop"))
    let given = try adopt(["anna.example": ["shop": "shop"]])
    #expect(given.status == 200, "\(given.text)")
    #expect(
      try domain("anna")["entries"]?[0]?["routes"]?.arrayValue?.map { $0["path"] } == ["/gift/*"])
  }

  @Test func aValueGivesNothingThatTheTemplateGivesAnyway() throws {
    let put = try admin.send(
      "PUT", "/v1/templates/simple",
      json: [
        "parameters": [["name": "app", "type": "app"], ["name": "shop", "type": "path"]],
        "entries": [["apps": ["{app}"], "routes": [["path": "/{shop}/*"], ["path": "/help/*"]]]],
      ])
    #expect(put.status == 201)
    try running.put(
      "anna.example",
      [
        "entries": [
          ["apps": [.string(app("anna"))], "routes": [["path": "/gift/*"], ["path": "/help/*"]]]
        ]
      ])
    let answer = try admin.send(
      "POST", "/v1/templates/simple/adopt", json: ["domains": ["anna.example"]])
    #expect(try adoption(answer)["parameters"]?["shop"] == "gift", "\(answer.text)")
  }

  @Test func twoValuesInOneTextAreNotGuessed() throws {
    let put = try admin.send(
      "PUT", "/v1/templates/simple",
      json: [
        "parameters": [["name": "a", "type": "path"], ["name": "b", "type": "path"]],
        "entries": [
          ["apps": [.string(app("x"))], "routes": [["path": "/{a}-{b}/*"], ["path": "/{a}"]]]
        ],
      ])
    #expect(put.status == 201)
    for (name, second) in [("anna", "/x"), ("bruno", "/y")] {
      try running.put(
        "\(name).example",
        [
          "entries": [
            [
              "apps": [.string(app("x"))],
              "routes": [["path": "/x-y-z/*"], ["path": .string(second)]],
            ]
          ]
        ])
    }
    func adopt(_ name: String) throws -> RawResponse {
      try admin.send(
        "POST", "/v1/templates/simple/adopt", json: ["domains": [.string("\(name).example")]])
    }
    let clear = try adopt("anna")
    #expect(try adoption(clear)["parameters"] == ["a": "x", "b": "y-z"], "\(clear.text)")
    let open = try adopt("bruno")
    #expect(try open.json["parameters"] == ["a", "b"], "\(open.text)")
  }

  @Test func aDomainThatHasNothingOfTheTemplateIsRefused() throws {
    try running.put(
      "anna.example", ["entries": [["apps": [.string(app("anna"))], "routes": [["path": "/x"]]]]])
    let open = try adopt(["anna.example"])
    #expect(try open.json["parameters"] == ["shop"], "\(open.text)")
    let given = try adopt(["anna.example"], parameters: ["anna.example": ["shop": "shop"]])
    #expect(given.status == 422 && given.text.contains("/shop/"), "\(given.text)")
    #expect(try domain("anna")["template"] == nil)
  }

  // MARK: What is refused

  @Test func ifOneDomainIsRefusedNoneIsAdoptedUnlessItIsSkipped() throws {
    try running.put("anna.example", alike("anna", shop: "shop"))
    try running.put(
      "bruno.example", alike("bruno", shop: "shop") { $0["webcredentials"] = [] })
    try running.put(
      "carla.example",
      alike("carla", shop: "shop") { json in
        json["entries"] = [
          [
            "apps": [.string(app("carla"))],
            "routes": [["path": "/shop/cart", "exclude": true], ["path": "/shop/*"]],
          ]
        ]
      })
    let refused = try adopt(["*.example"])
    #expect(refused.status == 422, "\(refused.text)")
    #expect(try refused.json["domain"] == "carla.example")
    #expect(refused.text.contains("https://carla.example/help "), "\(refused.text)")
    #expect(try domain("anna")["template"] == nil)
    let skipped = try adopt(["*.example"], "?skip=refused")
    #expect(skipped.status == 200, "\(skipped.text)")
    #expect(try skipped.json["skipped"] == ["carla.example"])
    #expect(try skipped.json["problems"]?[0]?["code"] == "not-adoptable")
    #expect(try domain("anna")["template"] == "white-label")
    #expect(try domain("bruno")["webcredentials"] == [], "none is its own")
    #expect(try running.serve("bruno.example").json["webcredentials"] == nil)
    #expect(try domain("carla")["template"] == nil)
  }

  @Test func aDisabledDomainIsComparedAsIfItWereServed() throws {
    var without = Self.template.objectValue ?? [:]
    without["expectations"] = nil
    #expect(try admin.send("PUT", path, json: .object(without)).status == 200)
    try running.put(
      "anna.example",
      alike("anna", shop: "shop") { json in
        json["enabled"] = false
        json["entries"] = [
          [
            "apps": [.string(app("anna"))],
            "routes": [["path": "/shop/cart", "exclude": true], ["path": "/shop/*"]],
          ]
        ]
      })
    let refused = try adopt(["anna.example"])
    #expect(refused.status == 422 && refused.text.contains("/help/"), "\(refused.text)")
  }

  @Test func androidAppsAreSharedAsBefore() throws {
    let put = try admin.send(
      "PUT", "/v1/android-apps/com.example.anna",
      json: [
        "fingerprints": [
          [
            "sha256":
              "5C:A3:32:E0:FD:4E:66:7A:48:34:3A:72:CB:2E:8B:FF:02:4F:1A:42:97:8E:72:AF:30:F5:62:F5:81:AE:E7:F5",
            "label": "play-signing",
          ]
        ]
      ])
    #expect(put.status == 201, "\(put.text)")
    for name in ["anna", "bruno"] {
      try running.put(
        "\(name).example",
        alike(name, shop: "shop") { json in
          var entry = json["entries"]?[0]?.objectValue ?? [:]
          entry["androidApps"] = ["com.example.anna"]
          json["entries"] = [.object(entry)]
          if name == "bruno" { json["dynamicAppLinks"] = false }
        })
    }
    let links = try running.serve("anna.example", "assetlinks.json").body
    let answer = try adopt(["*.example"])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try adoption(answer)["parameters"]?["package"] == "com.example.anna")
    #expect(try running.serve("anna.example", "assetlinks.json").body == links)
    #expect(try adoption(answer, 1)["own"] == ["dynamicAppLinks"])
    let without = try adopt(
      ["anna.example"], parameters: ["anna.example": ["package": "com.example.other"]])
    #expect(try without.json["code"] == "not-adoptable", "it uses the template already")
  }

  @Test func aSelectionWithoutDomainsIsNamed() throws {
    for (target, body) in [
      ("\(path)/adopt", ["domains": ["*.none.example"]]),
      ("/v1/routes", ["filter": ["label": "none"], "edits": [["add": ["path": "/a"]]]]),
    ] as [(String, JSON)] {
      let answer = try admin.send("POST", target, json: body)
      #expect(answer.status == 404, "\(answer.text)")
      #expect(answer.text.contains("there is no domain that the request chooses"))
    }
  }

  @Test func aDomainOfAnotherTemplateIsRefused() throws {
    let put = try admin.send("PUT", "/v1/templates/other", json: ["cacheSeconds": 600])
    #expect(put.status == 201)
    try running.put("anna.example", ["template": "other"])
    let refused = try adopt(["anna.example"])
    #expect(try refused.json["code"] == "not-adoptable", "\(refused.text)")
    #expect(refused.text.contains("/v1/domains/anna.example/detach"))
  }

  @Test func aDomainThatIsBehindItsTemplateIsNotPublishedByTheWay() throws {
    try running.put("anna.example", alike("anna", shop: "shop"))
    #expect(try adopt(["anna.example"]).status == 200)
    let own: JSON = [
      "expectations": [
        ["url": "https://anna.example/help/1", "app": .string(app("anna")), "resolution": "match"]
      ]
    ]
    #expect(
      try admin.send("PUT", "/v1/domains/anna.example/expectations", json: own).status == 200)
    var less = Self.template.objectValue ?? [:]
    less["entries"] = [
      ["apps": ["{app}"], "androidApps": ["{package}"], "routes": [["path": "/{shop}/*"]]]
    ]
    let edited = try admin.send("PUT", path + "?skip=refused", json: .object(less))
    #expect(try edited.json["skipped"] == ["anna.example"], "\(edited.text)")
    let answer = try adopt(["anna.example"])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["domains"]?[0]?["action"] == "unchanged")
    #expect(try admin.send("GET", "/v1/domains?behindTemplate=true").json["total"] == 1)
  }

  @Test(
    arguments: [
      ([:], "choice-needed", "/"), (["domains": ["a b"]], "domain-malformed", "/domains/0"),
      (["domains": ["anna.example"], "parameters": []], "wrong-type", "/parameters"),
      (
        ["domains": ["anna.example"], "parameters": ["anna.example": "x"]], "wrong-type",
        "/parameters/anna.example"
      ),
      (
        ["domains": ["anna.example"], "parameters": ["other.example": [:]]], "domain-differs",
        "/parameters/other.example"
      ),
      (
        ["domains": ["anna.example"], "parameters": ["anna.example": [:], "ANNA.example": [:]]],
        "repeated", "/parameters/ANNA.example"
      ),
      (
        ["domains": ["anna.example"], "parameters": ["anna.example": ["none": "x"]]],
        "unknown-parameter", "/parameters/none"
      ),
      (
        ["domains": ["anna.example"], "parameters": ["anna.example": ["shop": "a*"]]],
        "malformed-value", "/parameters/shop"
      ),
      (["domains": ["anna.example"], "more": 1], "unknown-member", "/more"),
    ] as [(JSON, String, String)])
  func badInputIsNamedAndChangesNothing(_ body: JSON, _ code: String, _ pointer: String) throws {
    try running.put("anna.example", alike("anna", shop: "shop"))
    let answer = try admin.send("POST", path + "/adopt", json: body)
    #expect(answer.status == 422, "\(answer.text)")
    let fault = try answer.json["errors"]?[0]
    #expect(fault?["code"]?.stringValue == code, "\(answer.text)")
    let found = fault?["pointer"]?.stringValue ?? ""
    #expect(found == pointer || pointer == "/" && found.isEmpty, "\(found)")
    #expect(try domain("anna")["template"] == nil)
  }

  @Test func aLimitedTokenAdoptsItsDomainsOnly() throws {
    for name in ["anna", "bruno"] { try running.put("\(name).example", alike(name, shop: "shop")) }
    let limited = try running.client(.editor, domains: ["anna.example"])
    #expect(try adopt(["bruno.example"], by: limited).status == 403)
    let answer = try adopt(["*.example"], by: limited)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["domains"]?.arrayValue?.map { $0["domain"] } == ["anna.example"])
    #expect(try domain("bruno")["template"] == nil)
    let viewer = try running.client(.viewer)
    #expect(try adopt(["bruno.example"], by: viewer).status == 403)
    #expect(try adopt(["bruno.example"], "?dryRun=true", by: viewer).status == 200)
    #expect(
      try admin.send("POST", "/v1/templates/none/adopt", json: ["domains": ["anna.example"]]).status
        == 404)
    #expect(try adopt(["none.example"]).status == 404)
  }

  // MARK: Whatever domains have

  /// Domains that are alike in some ways and different in others. Whichever are adopted, no URL opens another app, no app
  /// shares something else, and nothing else is served differently.
  @Test(arguments: 0..<6 as Range<UInt64>) func whateverIsAdoptedOpensTheSame(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let words = ["shop", "help", "gift", "shop2", "a"]
    var names: [String] = []
    for index in 0..<12 {
      let name = "d\(index)"
      names.append(name)
      let shop = generator.pick(words)
      try running.put(
        "\(name).example",
        alike(name, shop: shop) { json in
          var entry = json["entries"]?[0]?.objectValue ?? [:]
          var routes = entry["routes"]?.arrayValue ?? []
          for _ in 0..<generator.pick([0, 0, 1, 2]) {
            let word = generator.pick(words)
            let path = generator.pick([
              "/\(word)/*", "/\(word)/c*", "/\(word)/cart", "/*", "/new/?",
            ])
            let route: JSON = [
              "path": .string(path), "exclude": generator.once(in: 3) ? true : .null,
            ]
            routes.insert(route, at: generator.pick(Array(0...routes.count)))
          }
          if generator.once(in: 6) { routes.shuffle(using: &generator) }
          if generator.once(in: 8) { routes.removeFirst() }
          entry["routes"] = .array(routes)
          var entries = [JSON.object(entry)]
          if generator.once(in: 4) {
            let other: JSON = [
              "apps": [.string(app(generator.pick([name, "other"])))],
              "routes": [["path": .string("/\(generator.pick(words))/*")]],
            ]
            entries.insert(other, at: generator.pick([0, 1]))
          }
          json["entries"] = .array(entries)
          if generator.once(in: 4) {
            json["webcredentials"] = [.string(app("x")), .string(app(name))]
          }
          if generator.once(in: 4) { json["cacheSeconds"] = 5 }
        })
    }
    let before = try names.map { try running.served("\($0).example") }
    let keys = try names.map { try running.served("\($0).example", "passkey-endpoints") }
    let fresh = try names.map { try running.serve("\($0).example")["Cache-Control"] }
    let answer = try adopt(["*.example"], "?skip=refused")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["domains"]?.arrayValue?.isEmpty == false)
    for (index, name) in names.enumerated() {
      let after = try running.served("\(name).example")
      #expect(try running.served("\(name).example", "passkey-endpoints") == keys[index])
      #expect(try running.serve("\(name).example")["Cache-Control"] == fresh[index])
      #expect(after["webcredentials"] == before[index]["webcredentials"])
      let (old, new) = (try Matcher(document: before[index]), try Matcher(document: after))
      for app in [app(name), app("other")] {
        for first in words + ["new", "x"] {
          for rest in ["", "/", "/cart", "/c", "/car", "/1", "/1/2"] {
            let url = "https://\(name).example/\(first)\(rest)"
            let (one, two) = (
              try old.resolution(of: url, for: app), try new.resolution(of: url, for: app)
            )
            #expect(one == two, "\(url) for \(app): \(before[index].text) \(after.text)")
          }
        }
      }
    }
  }
}

extension Matcher {
  fileprivate func resolution(of url: String, for app: String) throws -> Resolution {
    var budget = MatchingBudget(steps: 1_000_000)
    return try DocumentMatcher.apple(self).decision(on: url.utf8.span, for: app, budget: &budget)
      .resolution
  }
}
