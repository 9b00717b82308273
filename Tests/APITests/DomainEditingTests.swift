import Association
import TestSupport
import Testing

@Suite struct DomainEditingTests {
  let running: RunningService
  var admin: Client { running.admin }
  let target = "/v1/domains/example.com"
  let entries: JSON = [["apps": [.string(app)], "routes": [["path": "/a"], ["path": "/b"]]]]
  let rendered: JSON = [
    "applinks": [
      "details": [["appIDs": [.string(app)], "components": [["/": "/a"], ["/": "/b"]]]]
    ]
  ]

  init() throws { running = try RunningService() }

  @Test func aNewDomainIsServedBeforeItsCreationIsAcknowledged() throws {
    let response = try admin.send("PUT", target, json: ["entries": entries])
    #expect(response.status == 201)
    #expect(response["ETag"] == "\"1\"")
    let served = try running.serve("example.com")
    #expect(try served.json == rendered)
    #expect(try response.json["bytes"] == .integer(served.body.count))
    #expect(try response.json["revision"] == 1)
    #expect(try response.json["findings"]?.arrayValue != nil)
    let file = try admin.send("GET", target + "/file")
    #expect(file.body == served.body && file["ETag"] == "\"1\"")
  }

  @Test(
    arguments: [
      (["routes": [["path": "/a", "query": ["x": "1", "y": "2"]]]], #""x":"1","y":"2""#),
      (["routes": [["path": "/a", "extra": ["x": 1, "y": 2]]]], #""x":1,"y":2"#),
      (["routes": [["path": "/a"]], "extra": ["x": 1, "y": 2]], #""x":1,"y":2"#),
    ] as [(JSON.Object, String)], [false, true])
  func membersInAnotherOrderStayInItWithTheNextEdit(
    of entry: (JSON.Object, String), withNumbers: Bool
  ) throws {
    let order = { try running.serve("example.com").text }
    var first = entry.0
    first["apps"] = [.string(app)]
    try running.put("example.com", ["entries": [.object(first)]])
    #expect(try order().contains(entry.1))
    let turned = entry.1.split(separator: ",").reversed().joined(separator: ",")
    var text = JSON.object(first).text.replacing(entry.1, with: turned)
    if withNumbers {
      text = text.replacing(#"{"path""#, with: #"{"id":1,"path""#)
      text = #"{"id":1,"# + text.dropFirst()
    }
    try running.put("example.com", ["entries": [JSON.parse(Array(text.utf8)).value]])
    #expect(try order().contains(turned))
    #expect(try admin.send("PATCH", target, json: ["cacheSeconds": 600]).status == 200)
    #expect(try order().contains(turned))
  }

  @Test func puttingTheSameStateAgainPublishesNothing() throws {
    let json: JSON = ["aliases": ["www.example.com"], "entries": entries]
    let first = try admin.send("PUT", target, json: json)
    let tag = try running.serve("example.com")["ETag"]
    let second = try admin.send("PUT", target, json: json, "If-Match: *")
    #expect(first.status == 201 && second.status == 200)
    #expect(try second.json["changed"] == false && second["ETag"] == "\"1\"")
    #expect(try second.json["domain"] == first.json["domain"])
    #expect(try running.serve("example.com")["ETag"] == tag)
  }

  @Test(
    arguments: [
      ("/v1/domains/example.com", ["managedBy": "git: {}"]),
      (
        "/v1/domains/example.com",
        [
          "fallback": [
            "web": "https://www.example.com/",
            "page": ["title": "{}", "text": "{}", "button": "b"],
          ]
        ]
      ),
      ("/v1/apps/\(app)", ["name": "{}"]),
      (
        "/v1/android-apps/com.example.shop",
        [
          "name": "{}",
          "fingerprints": [
            ["sha256": .string("0A" + String(repeating: ":0A", count: 31)), "label": "upload"]
          ],
        ]
      ),
    ] as [(String, JSON)])
  func textWithTheSameLettersInOtherScalarsIsAnEdit(target: String, body: JSON) throws {
    for (index, letter) in ["\u{E9}", "e\u{301}", "\u{E9}"].enumerated() {
      let json = try JSON.parse(Array(body.text.replacing("{}", with: letter).utf8)).value
      let put =
        try index == 0 || target != self.target
        ? admin.send("PUT", target, json: json)
        : admin.send("PUT", target, json: json, "If-Match: *")
      #expect(put.status < 300, "\(put.text)")
      let stored = try admin.send("GET", target).json
      for member in json.objectValue?.members ?? [] { #expect(stored[member.key] == member.value) }
    }
  }

  @Test func anEntryOrRouteSentTwiceIsKeptTwice() throws {
    let entry = try running.put("example.com", ["entries": entries])["entries"]?[0] ?? .null
    let twice = try running.put("example.com", ["entries": [entry, entry]])
    let ids = Set(twice["entries"]?.arrayValue?.compactMap { $0["id"]?.integerValue } ?? [])
    #expect(ids.count == 2)
    #expect(try running.served("example.com")["applinks"]?["details"]?.arrayValue?.count == 2)
    let route = entry["routes"]?[0] ?? .null
    let routes: JSON = ["apps": [.string(app)], "routes": [route, route]]
    try running.put("example.com", ["entries": [routes]])
    let components = try running.served("example.com")["applinks"]?["details"]?[0]?["components"]
    #expect(components == [["/": "/a"], ["/": "/a"]])
    #expect(
      try admin.send("GET", target + "/file").body == running.serve("example.com").body)
  }

  @Test func aPatchChangesOnlyWhatItNamesAndNullResets() throws {
    try running.put(
      "example.com", ["entries": entries, "cacheSeconds": 60, "defaults": ["caseSensitive": false]])
    let response = try admin.send(
      "PATCH", target,
      json: [
        "cacheSeconds": .null, "defaults": ["percentEncoded": false],
        "webcredentials": [.string(app)],
      ])
    #expect(response.status == 200)
    let domain = try response.json["domain"]
    #expect(domain?["cacheSeconds"] == 3600)
    #expect(domain?["defaults"] == ["caseSensitive": false, "percentEncoded": false])
    let served = try running.served("example.com")
    #expect(served["webcredentials"] == ["apps": [.string(app)]])
    #expect(served["applinks"]?["details"] == rendered["applinks"]?["details"])
  }

  @Test func aPatchOfSubstitutionVariablesMergesThemByName() throws {
    try running.put(
      "example.com", ["substitutionVariables": ["a": ["1"], "b": ["2"]], "entries": entries])
    let response = try admin.send(
      "PATCH", target, json: ["substitutionVariables": ["a": .null, "c": ["3"]]])
    #expect(try response.json["domain"]?["substitutionVariables"] == ["b": ["2"], "c": ["3"]])
  }

  @Test func aDomainCanSwitchToTheLegacyFormatAndBackWithoutLoss() throws {
    try running.put(
      "example.com",
      [
        "entries": [
          ["apps": [.string(app)], "routes": [["path": "/a", "exclude": true], ["path": "*"]]]
        ]
      ])
    let before = try running.served("example.com")
    #expect(try admin.send("PATCH", target, json: ["format": "legacy"]).status == 200)
    let legacy: JSON = [
      "applinks": ["apps": [], "details": [["appID": .string(app), "paths": ["NOT /a", "*"]]]]
    ]
    #expect(try running.served("example.com") == legacy)
    #expect(try admin.send("PATCH", target, json: ["format": "modern"]).status == 200)
    #expect(try running.served("example.com") == before)
  }

  @Test func theLegacyFormatRefusesEachRouteItCannotExpress() throws {
    try running.put(
      "example.com",
      [
        "entries": [
          [
            "apps": [.string(app)],
            "routes": [
              ["path": "/a"], ["query": "x=1"], ["path": "/b", "fragment": "top"],
              ["path": "/c", "caseSensitive": false], ["path": "/d", "comment": "why"],
            ],
          ]
        ]
      ])
    let before = try running.serve("example.com").body
    let response = try admin.send("PATCH", target, json: ["format": "legacy"])
    #expect(response.status == 422)
    #expect(
      try response.faults == (1...4).map { "/entries/0/routes/\($0): legacy-cannot-say" })
    #expect(try running.serve("example.com").body == before)
  }

  @Test func eachAppOfALegacyEntryGetsAnElementOfItsOwn() throws {
    try running.put(
      "example.com",
      [
        "format": "legacy",
        "entries": [["apps": [.string(app), .string(otherApp)], "routes": [["path": "/a"]]]],
      ])
    #expect(
      try running.served("example.com")["applinks"]?["details"]
        == [
          ["appID": .string(app), "paths": ["/a"]], ["appID": .string(otherApp), "paths": ["/a"]],
        ])
  }

  @Test func anAliasOfAnotherDomainIsRefusedUntilItIsRemovedThere() throws {
    try running.put(
      "a.example", ["aliases": ["shared.example", "*.a.example"], "entries": entries])
    let document = try running.served("a.example")
    let other: JSON = ["aliases": ["shared.example"], "webcredentials": [.string(app)]]
    let taken = try admin.send("PUT", "/v1/domains/b.example", json: other)
    #expect(try taken.status == 409 && taken.code == "name-taken")
    #expect(try taken.json["domain"] == "a.example")
    #expect(try running.serve("b.example").status == 404)
    #expect(try running.served("shared.example") == document)
    #expect(try admin.send("PUT", "/v1/domains/shared.example", json: [:]).status == 409)
    try running.put("a.example", ["aliases": ["*.a.example"], "entries": entries])
    #expect(try running.serve("shared.example").status == 404)
    try running.put("b.example", other)
    #expect(try running.served("shared.example")["webcredentials"] != nil)
    #expect(try running.served("x.y.a.example") == document)
  }

  @Test func aDisabledDomainIsNotAnsweredByTheWildcardOfAnother() throws {
    try running.put("example.com", ["aliases": ["*.example.com"], "entries": entries])
    let own: JSON = ["aliases": ["*.b.example.com"], "webcredentials": [.string(app)]]
    try running.put("a.example.com", own)
    #expect(try running.served("x.b.example.com")["webcredentials"] != nil)
    let response = try admin.send(
      "PATCH", "/v1/domains/a.example.com?accept=opens-nothing", json: ["enabled": false])
    #expect(response.status == 200)
    #expect(try admin.send("GET", "/v1/domains/a.example.com/file").status == 200)
    for name in ["a.example.com", "b.example.com", "x.b.example.com", "c.example.com"] {
      let isServed = name == "b.example.com" || name == "c.example.com"
      #expect(try running.serve(name).status == (isServed ? 200 : 404), "\(name)")
      #expect(
        try admin.send("GET", "/tls/ask?domain=\(name)").status == (isServed ? 200 : 404))
    }
    try running.put("a.example.com", own)
    #expect(try running.served("x.b.example.com")["webcredentials"] != nil)
    #expect(try admin.send("DELETE", "/v1/domains/a.example.com").status == 200)
    #expect(try running.served("a.example.com")["applinks"] != nil)
  }

  @Test func aNameInUnicodeIsKeptAndServedAsItsALabel() throws {
    let domain = try running.put("b%C3%BCcher.example", ["entries": entries])
    #expect(domain["domain"] == "xn--bcher-kva.example")
    #expect(domain["unicode"] == "bücher.example")
    #expect(try running.served("xn--bcher-kva.example") == rendered)
  }

  @Test func domainsAreListedInPages() throws {
    for index in 1...5 { try running.put("d\(index).example", [:]) }
    var names: [String] = []
    var cursor: String? = ""
    while let at = cursor {
      let page = try admin.send("GET", "/v1/domains?limit=2" + (at.isEmpty ? "" : "&cursor=\(at)"))
      let items = try page.json["items"]?.arrayValue ?? []
      names += items.compactMap { $0["domain"]?.stringValue }
      #expect(try page.json["total"] == 5)
      #expect(items.count <= 2)
      cursor = try page.json["next"]?.stringValue
    }
    #expect(names == (1...5).map { "d\($0).example" })
    for limit in ["0", "1001", "x", "-1"] {
      #expect(try admin.send("GET", "/v1/domains?limit=\(limit)").status == 400)
    }
  }
}
