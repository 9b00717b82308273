import Association
import Store
import TestSupport
import Testing

/// A template is suggested for domains that are alike, and takes them without a change to any URL.
@Suite struct TemplateSuggestionTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws { running = try RunningService() }

  private func app(_ name: String) -> JSON { .string("ABCDE12345.com.example.\(name)") }

  private func entry(_ apps: [JSON], _ routes: [JSON]) -> JSON {
    ["apps": .array(apps), "routes": .array(routes)]
  }

  private func suggest(_ domains: [String], by client: Client? = nil) throws -> RawResponse {
    try (client ?? admin).send(
      "POST", "/v1/template-suggestion",
      json: ["domains": .strings(domains), "template": "brand"])
  }

  /// Puts the suggested template, and takes all domains under it.
  private func take(_ suggestion: JSON, _ domains: [String]) throws -> RawResponse {
    let put = try admin.send("PUT", "/v1/templates/brand", json: suggestion["template"] ?? .null)
    #expect(put.status == 201, "\(put.text)")
    let values = (suggestion["domains"]?.arrayValue ?? []).reduce(into: JSON.Object()) {
      $0[$1["domain"]?.stringValue ?? ""] = $1["parameters"]
    }
    return try admin.send(
      "POST", "/v1/templates/brand/adopt",
      json: ["domains": .strings(domains), "parameters": .object(values)])
  }

  @Test func aParameterHasNoNameThatAFallbackHasBetweenBraces() throws {
    for (name, path) in [("one", "eins"), ("two", "zwei")] {
      try running.put(
        "\(name).shop.example",
        [
          "fallback": ["web": "https://shop.test{path}{query}"],
          "entries": [
            entry([app("x")], [["path": .string("/\(path)/*")]])
          ],
        ])
    }
    let answer = try suggest(["one.shop.example", "two.shop.example"])
    let template = try answer.json["template"]
    #expect(template?["parameters"] == [["name": "path2", "type": "path"]], "\(answer.text)")
    #expect(template?["fallback"] == ["web": "https://shop.test{path}{query}"])
  }

  @Test func fallbacksOfDomainsAndOfRoutesArePartOfIt() throws {
    let names = ["anna.example", "bruno.example"]
    for name in names {
      let shop = name.prefix { $0 != "." }
      try running.put(
        name,
        [
          "fallback": [
            "web": .string("https://\(shop).test{path}"), "apple": "https://apple.test/",
          ],
          "entries": [
            entry(
              [app(String(shop))],
              [["path": "/help/*", "fallback": "https://help.test{path}?{query}"]])
          ],
        ])
    }
    let suggestion = try suggest(names).json
    let template = suggestion["template"]
    #expect(
      template?["fallback"] == ["web": "https://{web}.test{path}", "apple": "https://apple.test/"])
    #expect(
      template?["entries"]?[0]?["routes"]?[0]?["fallback"] == "https://help.test{path}?{query}")
    #expect(try take(suggestion, names).status == 200)
  }

  @Test func whatDiffersBecomesParametersOfItsType() throws {
    for (name, city, clips) in [("anna", "bern", 1), ("bruno", "rome", 2)] {
      try running.put(
        "\(name).example",
        [
          "cacheSeconds": 600,
          "entries": [
            entry(
              [app(name)],
              [
                ["path": .string("/gift-\(city)/*"), "comment": .string("for \(name)")],
                ["path": .string("/\(city)/map"), "query": ["q": .string("\(city)-?")]],
                ["path": "/help/*"],
              ]),
            entry([app("shared")], [["path": .string("/x/\(name).example/*")]]),
          ],
          "webcredentials": [app("shared"), app(name)],
          "appclips": .array((0..<clips).map { app("\(name).Clip\($0)") }),
          "webauthnOrigins": [
            .string("https://login.\(name).example"), .string("https://\(city).test"),
          ],
          "passkeyEndpoints": ["enroll": .string("https://\(name).example/\(city)/keys")],
          "expectations": [
            [
              "url": .string("https://\(name).example/\(city)/map?q=\(city)-1"), "app": app(name),
              "resolution": "match",
            ]
          ],
        ])
    }
    let before = try ["anna", "bruno"].map { try running.serve("\($0).example").body }
    let answer = try suggest(["*.example"])
    #expect(answer.status == 200, "\(answer.text)")
    let template = try #require(try answer.json["template"])
    #expect(
      template["parameters"] == [
        ["name": "app", "type": "app"], ["name": "path", "type": "path"],
        ["name": "comment", "type": "text"], ["name": "clips", "type": "apps"],
        ["name": "origins", "type": "origins"],
      ], "\(template.text)")
    #expect(
      template["entries"]?[0]?["routes"] == [
        ["path": "/gift-{path}/*", "comment": "for {comment}"],
        ["path": "/{path}/map", "query": ["q": "{path}-?"]], ["path": "/help/*"],
      ], "\(template.text)")
    #expect(template["entries"]?[1]?["routes"]?[0]?["path"] == "/x/{domain}/*")
    #expect(template["passkeyEndpoints"] == ["enroll": "https://{domain}/{path}/keys"])
    #expect(template["cacheSeconds"] == 600)
    #expect(try answer.json["refused"] == nil, "\(answer.text)")
    #expect(try answer.json["domains"]?[1]?["own"] == [], "\(answer.text)")
    let taken = try take(try answer.json, ["*.example"])
    #expect(taken.status == 200, "\(taken.text)")
    #expect(try ["anna", "bruno"].map { try running.serve("\($0).example").body } == before)
    let one = try admin.send("GET", "/v1/domains/anna.example").json
    #expect(one["entries"] == nil && one["webcredentials"] == nil && one["expectations"] == nil)
  }

  @Test func whatATemplateCannotSayStaysOwn() throws {
    for (name, more) in [("anna", ["path": "/{shop}/*"]), ("bruno", ["path": "/{other}/x"])]
      as [(String, JSON)]
    {
      try running.put(
        "\(name).example",
        [
          "cacheSeconds": name == "anna" ? 5 : 6,
          "entries": [entry([app(name)], [more, ["path": "/help/*"], ["path": "/news/*"]])],
        ])
    }
    try running.put(
      "carla.example",
      ["entries": [entry([app("carla")], [["path": "/a"], ["path": "/help/*"]])]])
    let answer = try suggest(["anna.example", "bruno.example"])
    let template = try answer.json["template"]
    #expect(
      template?["entries"]?[0]?["routes"] == [["path": "/help/*"], ["path": "/news/*"]],
      "\(answer.text)")
    #expect(template?["cacheSeconds"] == nil)
    #expect(try answer.json["domains"]?[0]?["own"] == ["entries", "cacheSeconds"])
    let taken = try take(try answer.json, ["anna.example", "bruno.example"])
    #expect(taken.status == 200, "\(taken.text)")
    #expect(try running.serve("anna.example")["Cache-Control"] == "public, max-age=5")
  }

  @Test func aRouteThatMostDomainsHaveIsPartOfItAndLeftOutOfTheOthers() throws {
    let names = ["anna", "bruno", "carla"].map { "\($0).example" }
    for name in names {
      var routes: [JSON] = [["path": "/gift/*", "comment": "gifts"], ["path": "/help/*"]]
      if name == "carla.example" { routes.removeFirst() }
      try running.put(name, ["entries": [entry([app("x")], routes)]])
    }
    let before = try names.map { try running.serve($0).body }
    let answer = try suggest(["*.example"])
    let template = try answer.json["template"]
    #expect(
      template?["entries"]?[0]?["routes"] == [
        ["path": "{pattern}", "comment": "gifts"], ["path": "/help/*"],
      ], "\(answer.text)")
    #expect(
      template?["parameters"] == [["name": "pattern", "type": "pattern", "default": .null]])
    let values = try answer.json["domains"]?.arrayValue?.map { $0["parameters"] ?? .null }
    #expect(values == [["pattern": "/gift/*"], ["pattern": "/gift/*"], [:]], "\(answer.text)")
    let own = try answer.json["domains"]?.arrayValue?.map { $0["own"] ?? .null }
    #expect(own == [[], [], []])
    #expect(try take(try answer.json, names).status == 200)
    #expect(try names.map { try running.serve($0).body } == before)
  }

  @Test func aDomainWhoseRoutesWouldComeTooEarlyIsNamed() throws {
    for name in ["anna", "bruno", "carla"] {
      var routes: [JSON] = [["path": "/shop/cart", "exclude": true], ["path": "/shop/*"]]
      if name == "carla" { routes.insert(["path": "/shop/c*"], at: 1) }
      try running.put("\(name).example", ["entries": [entry([app(name)], routes)]])
    }
    let answer = try suggest(["*.example"])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["refused"]?[0]?["domain"] == "carla.example", "\(answer.text)")
    #expect(
      try answer.json["domains"]?.arrayValue?.map { $0["domain"] } == [
        "anna.example", "bruno.example",
      ])
    #expect(try admin.send("GET", "/v1/templates").json["items"] == [], "nothing is stored")
  }

  @Test func domainsThatAreNotAlikeGetNoTemplate() throws {
    try running.put("anna.example", ["entries": [entry([app("a")], [["path": "/a"]])]])
    try running.put("bruno.example", ["entries": [entry([app("b")], [["query": "x=1"]])]])
    for (domains, reason) in [
      (["anna.example", "bruno.example"], "nothing in common"), (["anna.example"], "at least 2"),
    ] {
      let answer = try suggest(domains)
      #expect(answer.status == 422, "\(answer.text)")
      #expect(try answer.json["code"] == "not-alike")
      #expect(answer.text.contains(reason), "\(answer.text)")
    }
    #expect(try suggest(["none.example"]).status == 404)
    #expect(try admin.send("POST", "/v1/template-suggestion", json: [:]).status == 422)
    let limited = try running.client(.viewer, domains: ["anna.example"])
    #expect(try suggest(["anna.example", "bruno.example"], by: limited).status == 403)
  }

  /// Whatever domains have: the suggestion is a valid template, and those that it does not refuse join without a change.
  @Test(arguments: 0..<5 as Range<UInt64>) func whatIsSuggestedCanBeTaken(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let odd = [
      "*", "?", "{domain}", "{a}", "$(lang)", "é", "e\u{301}", "%2F", "a b", "", "/", "shop",
    ]
    var names: [String] = []
    for index in 0..<6 {
      let name = "d\(index).example"
      names.append(name)
      let word = generator.pick(odd)
      var routes: [JSON] = [
        ["path": .string("/\(word)/*")], ["path": .string("/x\(generator.pick(odd))")],
        ["path": "/help/*"],
        ["path": .string("/\(name)/y"), "comment": .string(generator.pick(odd))],
      ]
      if generator.once(in: 3) { routes.append(["query": .string("a=\(word)")]) }
      if generator.once(in: 4) { routes.remove(at: generator.pick([0, 1])) }
      let put = try admin.send(
        "PUT", "/v1/domains/\(name)",
        json: [
          "entries": [entry([app("a\(index)")], routes)],
          "webcredentials": .array(generator.some(of: [app("x"), app("a\(index)")], atLeast: 0)),
          "substitutionVariables": generator.once(in: 2) ? [:] : ["lang": ["de", .string(word)]],
        ])
      if put.status != 201 { names.removeLast() }
    }
    try #require(names.count > 1)
    let answer = try suggest(names)
    guard answer.status == 200 else {
      #expect(try answer.json["code"] == "not-alike", "\(answer.text)")
      return
    }
    let taken =
      try answer.json["domains"]?.arrayValue?.compactMap { $0["domain"]?.stringValue } ?? []
    let before = try taken.map { try running.served($0) }
    let adopted = try take(try answer.json, taken)
    #expect(adopted.status == 200, "\(adopted.text)")
    for (name, old) in zip(taken, before) {
      let new = try running.served(name)
      let (one, two) = (try Matcher(document: old), try Matcher(document: new))
      for first in odd + [name, "x", "xshop", "help", "de"] {
        for rest in ["", "/", "/y", "/1"] {
          guard let path = "\(first)\(rest)".addingPercentEncoding() else { continue }
          let url = "https://\(name)/\(path)"
          for app in one.scopes.compactMap(\.app) {
            var budget = MatchingBudget(steps: 1_000_000)
            let before = try DocumentMatcher.apple(one).decision(
              on: url.utf8.span, for: app, budget: &budget
            ).resolution
            let after = try DocumentMatcher.apple(two).decision(
              on: url.utf8.span, for: app, budget: &budget
            ).resolution
            #expect(before == after, "\(url): \(old.text) \(new.text)")
          }
        }
      }
    }
  }
}

extension String {
  /// The text as a part of a URL.
  fileprivate func addingPercentEncoding() -> String? {
    utf8.map { byte in
      let isPlain =
        byte < 0x80
        && (Unicode.Scalar(byte).properties.isAlphabetic || "0123456789/.-".utf8.contains(byte))
      return isPlain
        ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
