import Association
import Store
import TestSupport
import Testing

/// Domains that an edit of their template leaves behind, and lists of the domains of a template.
extension TemplateTests {
  private func behind(_ word: String = "true") throws -> [JSON?] {
    try (admin.send("GET", "/v1/domains?behindTemplate=\(word)").json["items"]?.arrayValue ?? [])
      .map { $0["domain"] }
  }

  @Test(arguments: ["the template", "the domain"])
  func aDomainThatWasSkippedIsFoundUntilItFollows(what: String) throws {
    let set = try admin.send(
      "PUT", domain(2) + "/expectations",
      json: [
        "expectations": [
          ["url": "https://city2.example/gift/1", "app": .string(app(2)), "resolution": "match"]
        ]
      ])
    #expect(set.status == 200)
    #expect(try behind() == [] && behind("false").count == 3)
    let new = with(paths: ["/other/*"])
    #expect(try admin.send("PUT", path + "?skip=refused&dryRun=true", json: new).status == 200)
    #expect(try behind() == [])
    #expect(try admin.send("PUT", path + "?skip=refused", json: new).status == 200)
    #expect(try behind() == ["city2.example"] && behind("false").count == 2)
    let item = try admin.send("GET", "/v1/domains?behindTemplate=true").json["items"]?[0]
    #expect(item?["behindTemplate"] == true)
    #expect(try admin.send("PATCH", domain(2), json: ["environment": "staging"]).status != 200)
    if what == "the template" {
      #expect(try admin.send("PUT", path, json: Self.template).status == 200)
    } else {
      let other: JSON = [
        "expectations": [
          ["url": "https://city2.example/other/1", "app": .string(app(2)), "resolution": "match"]
        ]
      ]
      let freed = try admin.send("PUT", domain(2) + "/expectations", json: other)
      #expect(freed.status == 200, "\(freed.text)")
    }
    #expect(try behind() == [], "\(what)")
  }

  @Test func domainsAreChosenByTheirTemplate() throws {
    try put("/v1/domains/other.example", ["entries": []])
    #expect(try admin.send("GET", "/v1/domains?template=white-label").json["total"] == 3)
    #expect(try admin.send("GET", "/v1/domains?template=none").json["total"] == 0)
    let edited = try admin.send(
      "POST", "/v1/routes?dryRun=true&skip=refused",
      json: ["filter": ["template": "white-label"], "edits": [["add": ["path": "/x"]]]])
    #expect(edited.status == 200, "\(edited.text)")
    #expect(try edited.json["skipped"]?.arrayValue?.count == 3, "they have no entries of their own")
  }

  @Test func aListOfDomainsHasTheirTemplateAndValues() throws {
    try put("/v1/domains/other.example", ["entries": []])
    let items = try admin.send("GET", "/v1/domains").json["items"]?.arrayValue ?? []
    #expect(items.map { $0["template"] } == ["white-label", "white-label", "white-label", nil])
    #expect(
      items.map { $0["parameters"]?["app"] } == [
        .string(app(1)), .string(app(2)), .string(app(3)), nil,
      ])
  }

  @Test func domainsKeepTheirValuesWhenAParameterGetsAnotherName() throws {
    try put(domain(3), changedUse(3, ["slug": "promo"]), 200)
    let new: JSON = [
      "parameters": [
        ["name": "owner", "type": "app"], ["name": "app", "type": "path", "default": "gift"],
      ],
      "cacheSeconds": 600,
      "entries": [["apps": ["{owner}"], "routes": [["path": "/{app}/*"]]]],
    ]
    #expect(try admin.send("PUT", path, json: new).status == 422, "the values have the old names")
    let renamed = try admin.send("PUT", path + "?rename=app:owner,slug:app", json: new)
    #expect(renamed.status == 200, "\(renamed.text)")
    #expect(
      try admin.send("GET", domain(3)).json["parameters"] == [
        "owner": .string(app(3)), "app": "promo",
      ])
    #expect(try paths(3) == ["/promo/*"])
    #expect(try paths(1) == ["/gift/*"])
    for rename in [
      "none:owner", "owner:none", "owner", "owner:app", "owner:app,app:app", "owner:app,", "",
    ] {
      let refused = try admin.send("PUT", path + "?rename=\(rename)", json: new)
      #expect(refused.status == 422, "\(rename): \(refused.text)")
    }
  }

  @Test func aDomainThatWasSkippedFollowsOnceItCan() throws {
    let set = try admin.send(
      "PUT", domain(2) + "/expectations",
      json: [
        "expectations": [
          ["url": "https://city2.example/gift/1", "app": .string(app(2)), "resolution": "match"]
        ]
      ])
    #expect(set.status == 200)
    let new = with(paths: ["/other/*"])
    #expect(try admin.send("PUT", path + "?skip=refused", json: new).status == 200)
    #expect(try paths(2) == ["/gift/*"])
    let freed = try admin.send("PUT", domain(2) + "/expectations", json: ["expectations": []])
    #expect(freed.status == 200, "\(freed.text)")
    #expect(try admin.send("PUT", path, json: new).status == 200)
    #expect(try paths(2) == ["/other/*"])
  }

  @Test func shortValuesDoNotKeepEffectsApart() throws {
    for (index, slug) in ["a", "de", "x1"].enumerated() {
      try put(domain(index + 1), changedUse(index + 1, ["slug": .string(slug)]), 200)
    }
    let answer = try admin.send(
      "PUT", path + "?dryRun=true", json: with(paths: ["/{slug}/*", "/{slug}/route/*"]))
    let effects = try answer.json["effects"]?.arrayValue ?? []
    #expect(effects.map { $0["count"] } == [3], "\(answer.text)")
    #expect(effects.first?["summary"]?.stringValue?.contains("/{slug}/") == true, "\(answer.text)")
    #expect(effects.first?["summary"]?.stringValue?.contains("route") == true)
  }

  @Test func aPatchGivesAParameterBackToItsDefault() throws {
    let set = try admin.send("PATCH", domain(1), json: ["parameters": ["slug": "promo"]])
    #expect(set.status == 200)
    #expect(try paths(1) == ["/promo/*"])
    let back = try admin.send("PATCH", domain(1), json: ["parameters": ["slug": .null]])
    #expect(back.status == 200, "\(back.text)")
    #expect(try paths(1) == ["/gift/*"])
    let missing = try admin.send("PATCH", domain(1), json: ["parameters": ["app": .null]])
    #expect(try missing.json["errors"]?[0]?["code"] == "missing-parameter", "\(missing.text)")
  }
}
