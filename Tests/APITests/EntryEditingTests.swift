import Association
import TestSupport
import Testing

@Suite struct EntryEditingTests {
  let running: RunningService
  var admin: Client { running.admin }
  let domain = "/v1/domains/example.com"
  let entries = "/v1/domains/example.com/entries"
  /// The path of the routes of the domain's first entry, which has `/a`, `/b` and `/c`.
  let routes: String
  let ids: [Int]

  init() throws {
    running = try RunningService()
    let entry: JSON = [
      "apps": [.string(app)], "routes": [["path": "/a"], ["path": "/b"], ["path": "/c"]],
    ]
    let stored = try running.put("example.com", ["entries": [entry]])["entries"]?[0]
    routes = "\(entries)/\(stored?["id"]?.integerValue ?? 0)/routes"
    ids = stored?["routes"]?.arrayValue?.compactMap { $0["id"]?.integerValue } ?? []
  }

  /// The paths of the routes that are served, of all entries.
  private var served: [String] {
    get throws {
      let details = try running.served("example.com")["applinks"]?["details"]?.arrayValue ?? []
      return details.flatMap { $0["components"]?.arrayValue ?? [] }.map(Self.summary)
    }
  }

  /// The path of an element of `components`, with `!` before an exclusion's.
  private static func summary(_ component: JSON) -> String {
    let path = component["/"]?.stringValue ?? "?"
    return component["exclude"] == true ? "!\(path)" : path
  }

  /// Makes an edit, and expects it to be served once it is answered with this status.
  @discardableResult
  private func edit(
    _ method: String, _ target: String, _ json: JSON = [:], _ status: Int? = nil
  ) throws -> JSON {
    let before = try running.serve("example.com")["ETag"]
    let response = try admin.send(method, target, json: json)
    #expect(response.status == status ?? (method == "POST" ? 201 : 200), "\(response.text)")
    #expect(try running.serve("example.com")["ETag"] != before)
    #expect(try admin.send("GET", domain)["ETag"] == response["ETag"])
    return try response.json
  }

  @Test func anEntryIsAddedAtItsPositionOrAtTheEnd() throws {
    try edit("POST", entries, ["apps": [.string(app)], "routes": [["path": "/last"]]])
    let first = try edit(
      "POST", entries, ["position": 0, "apps": [.string(app)], "routes": [["path": "/first"]]])
    #expect(try served == ["/first", "/a", "/b", "/c", "/last"])
    #expect(first["entry"]?["routes"]?[0]?["path"] == "/first")
    try edit(
      "POST", entries, ["position": 1, "apps": [.string(app)], "routes": [["path": "/second"]]])
    #expect(try served == ["/first", "/second", "/a", "/b", "/c", "/last"])
    let list = try admin.send("GET", entries).json["entries"]?.arrayValue ?? []
    #expect(list.count == 4)
    let id = list[1]["id"]?.integerValue ?? 0
    #expect(try admin.send("GET", "\(entries)/\(id)").json == list[1])
  }

  @Test(arguments: [-1, 2, 1_000_000]) func aPositionBeyondTheListIsRefused(position: Int) throws {
    let json: JSON = ["position": .integer(position), "apps": [.string(app)]]
    let response = try admin.send("POST", entries, json: json)
    #expect(response.status == 422)
    #expect(try response.faults == ["/position: out-of-range"])
  }

  @Test func anEntryIsReplacedInPlaceAndDeleted() throws {
    let other = try edit("POST", entries, ["apps": [.string(app)], "routes": [["path": "/z"]]])
    let id = other["entry"]?["id"]?.integerValue ?? 0
    let target = "\(entries)/\(id)"
    let json: JSON = ["apps": [.string(otherApp)], "routes": [["path": "/y"]]]
    let replaced = try edit("PUT", target, json)
    #expect(replaced["entry"]?["id"] == .integer(id))
    #expect(try served == ["/a", "/b", "/c", "/y"])
    let again = try admin.send("PUT", target, json: json)
    #expect(try again.json["changed"] == false && again.json["entry"] == replaced["entry"])
    try edit("DELETE", target + "?accept=opens-nothing")
    #expect(try served == ["/a", "/b", "/c"])
    #expect(try admin.send("DELETE", target).code == "entry-not-found")
  }

  /// Adds an entry of the other app, and returns the numbers of both.
  private func addOther() throws -> (first: JSON, other: JSON) {
    let other = try edit(
      "POST", entries, ["apps": [.string(otherApp)], "routes": [["path": "/z"]]])
    let first = try #require(try admin.send("GET", entries).json["entries"]?[0]?["id"])
    return (first, try #require(other["entry"]?["id"]))
  }

  @Test func entriesAreReorderedByIDAndKeepTheirRoutes() throws {
    let (first, other) = try addOther()
    let before = try admin.send("GET", entries).json["entries"]?.arrayValue ?? []
    let list: JSON = ["entries": [other, first]]
    let answer = try edit("PUT", entries, list)
    #expect(try served == ["/z", "/a", "/b", "/c"])
    #expect(answer["entries"] == .array(before.reversed()))
    #expect(try admin.send("PUT", entries, json: list).json["changed"] == false)
  }

  @Test func aListOfEntriesCanMixIDsChangedEntriesAndNewOnes() throws {
    let (first, other) = try addOther()
    let changed: JSON = ["id": first, "apps": [.string(app)], "routes": [["path": "/changed"]]]
    let new: JSON = ["apps": [.string(otherApp)], "routes": [["path": "/new"]]]
    let answer = try edit("PUT", entries, ["entries": [new, other, changed]])
    #expect(try served == ["/new", "/z", "/changed"])
    let numbers = answer["entries"]?.arrayValue?.map { $0["id"] } ?? []
    #expect(numbers.dropFirst() == [other, first] && ![other, first].contains(numbers[0]))
    try edit("PUT", entries + "?accept=opens-nothing", ["entries": [other]])
    #expect(try served == ["/z"])
  }

  @Test func aListOfEntriesWithInvalidIDsIsRefused() throws {
    let (first, _) = try addOther()
    let response = try admin.send(
      "PUT", entries, json: ["entries": [first, 999_999, .number("1.5"), "x", first]])
    #expect(response.status == 422)
    #expect(
      try response.faults == [
        "/entries/1: entry-not-found", "/entries/2: wrong-type", "/entries/3: wrong-type",
        "/entries/4: duplicate-entry",
      ])
    #expect(try admin.send("PUT", entries, json: [:]).faults == [": missing-member"])
    #expect(try served == ["/a", "/b", "/c", "/z"])
  }

  @Test func aPatchedEntryKeepsWhatThePatchDoesNotName() throws {
    let (first, _) = try addOther()
    let target = "\(entries)/\(first.integerValue ?? 0)"
    let before = try admin.send("GET", target).json
    let patched = try edit("PATCH", target, ["apps": [.string(app), .string(otherApp)]])
    #expect(patched["entry"]?["routes"] == before["routes"])
    #expect(patched["entry"]?["id"] == first)
    let insensitive = try edit("PATCH", target, ["defaults": ["caseSensitive": false]])
    #expect(insensitive["entry"]?["apps"] == [.string(app), .string(otherApp)])
    try edit("PATCH", target, ["defaults": .null, "apps": [.string(app)]])
    #expect(try admin.send("GET", target).json == before)
    #expect(
      try admin.send("PATCH", target, json: ["apps": [.string(app)]]).json["changed"] == false)
    #expect(try admin.send("PATCH", target, json: []).status == 422)
    #expect(try admin.send("PATCH", target, json: ["app": "x"]).faults == ["/app: unknown-member"])
    #expect(
      try admin.send("PATCH", "\(entries)/999", json: ["routes": []]).code == "entry-not-found")
  }

  @Test func aRouteIsAddedAtItsPositionOrAtTheEnd() throws {
    try edit("POST", routes, ["path": "/last"])
    let first = try edit("POST", routes, ["path": "/first", "exclude": true, "position": 0])
    #expect(try served == ["!/first", "/a", "/b", "/c", "/last"])
    #expect(first["route"]?["path"] == "/first")
    let same = try edit("POST", routes, ["path": "/a", "position": 2])
    #expect(try served == ["!/first", "/a", "/a", "/b", "/c", "/last"])
    #expect(same["route"]?["id"] != .integer(ids[0]))
  }

  @Test func routesAreReorderedByID() throws {
    let list: JSON = ["routes": [.integer(ids[2]), .integer(ids[0]), .integer(ids[1])]]
    let answer = try edit("PUT", routes, list)
    #expect(try served == ["/c", "/a", "/b"])
    #expect(
      answer["routes"]?.arrayValue?.map { $0["id"] }
        == [ids[2], ids[0], ids[1]].map { .integer($0) })
    #expect(try admin.send("PUT", routes, json: list).json["changed"] == false)
  }

  @Test func aListOfRoutesCanMixIDsChangedRoutesAndNewOnes() throws {
    try edit(
      "PUT", routes,
      [
        "routes": [
          ["path": "/new"], .integer(ids[1]), ["id": .integer(ids[0]), "path": "/changed"],
        ]
      ])
    #expect(try served == ["/new", "/b", "/changed"])
    #expect(try admin.send("GET", "\(routes)/\(ids[0])").json["path"] == "/changed")
    #expect(try admin.send("GET", "\(routes)/\(ids[2])").code == "route-not-found")
  }

  @Test func aListOfRoutesWithInvalidIDsIsRefused() throws {
    let response = try admin.send(
      "PUT", routes, json: ["routes": [.integer(ids[0]), 999_999, .number("1.5"), "x"]])
    #expect(response.status == 422)
    #expect(
      try response.faults == [
        "/routes/1: route-not-found", "/routes/2: wrong-type", "/routes/3: wrong-type",
      ])
    let twice = try admin.send(
      "PUT", routes, json: ["routes": [.integer(ids[0]), 999_999, .integer(ids[0])]])
    #expect(try twice.faults == ["/routes/1: route-not-found", "/routes/2: duplicate-route"])
    #expect(try admin.send("PUT", routes, json: [:]).faults == [": missing-member"])
    #expect(try served == ["/a", "/b", "/c"])
  }

  @Test func aPatchedRouteKeepsItsID() throws {
    let target = "\(routes)/\(ids[1])"
    try edit("PATCH", target, ["exclude": true, "query": ["q": "1", "r": "2"], "comment": "why"])
    #expect(try served == ["/a", "!/b", "/c"])
    let merged = try edit("PATCH", target, ["comment": .null, "query": ["q": .null, "s": "3"]])
    #expect(
      merged["route"] == [
        "id": .integer(ids[1]), "path": "/b", "exclude": true, "query": ["r": "2", "s": "3"],
      ])
    #expect(try admin.send("PATCH", target, json: ["exclude": true]).json["changed"] == false)
    #expect(try admin.send("PATCH", target, json: []).status == 422)
    #expect(
      try admin.send("PATCH", target, json: ["pfad": "/x"]).faults == ["/pfad: unknown-member"])
  }

  @Test func aRouteIsDeleted() throws {
    try edit("DELETE", "\(routes)/\(ids[1])")
    #expect(try served == ["/a", "/c"])
    #expect(try admin.send("DELETE", "\(routes)/\(ids[1])").code == "route-not-found")
  }

  @Test func anEntryOfADictionaryCannotBecomeOneThatItCannotExpress() throws {
    let file: JSON = ["applinks": ["details": [app: ["paths": ["/a"]]]]]
    let adopted = try admin.send(
      "PUT", "/v1/domains/old.example/file?accept=details-dictionary", json: file)
    #expect(adopted.status == 201, "\(adopted.text)")
    let target = "/v1/domains/old.example/entries"
    for json: JSON in [
      ["apps": [.string(app)], "keys": ["appID", "paths"], "routes": [["path": "/b"]]],
      ["apps": [.string(otherApp)], "routes": [["path": "/b"]]],
    ] {
      let response = try admin.send("POST", target, json: json)
      #expect(response.status == 422, "\(response.text)")
      #expect(try response.faults == [": dictionary-cannot-say"])
    }
    #expect(try running.served("old.example") == file)
  }
}
