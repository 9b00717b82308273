import Association
import TestSupport
import Testing

/// Entries are numbered from 1 in each domain, and routes from 1 in each entry.
@Suite struct NumberTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    for domain in ["first.example", "second.example"] {
      let entry: JSON = ["apps": [.string(app)], "routes": [["path": "/a"], ["path": "/b"]]]
      try running.put(domain, ["entries": [entry, entry]])
    }
  }

  private func numbers(_ list: JSON?) -> [Int] {
    list?.arrayValue?.compactMap { $0["id"]?.integerValue } ?? []
  }

  @Test(arguments: ["first.example", "second.example"])
  func theNumbersOfADomainDoNotDependOnOtherDomains(domain: String) throws {
    let entries = try admin.send("GET", "/v1/domains/\(domain)/entries").json["entries"]
    #expect(numbers(entries) == [1, 2])
    #expect(
      numbers(entries?[0]?["routes"]) == [1, 2] && numbers(entries?[1]?["routes"]) == [1, 2])
    let second = try admin.send("GET", "/v1/domains/\(domain)/entries/2/routes/1").json
    #expect(second == ["id": 1, "path": "/a"])
  }

  @Test func aNumberIsNeverGivenToAnotherEntryOrRoute() throws {
    let entries = "/v1/domains/second.example/entries"
    #expect(try admin.send("DELETE", "\(entries)/1/routes/2").status == 200)
    let route = try admin.send("POST", "\(entries)/1/routes", json: ["path": "/c", "position": 0])
    #expect(try route.json["route"]?["id"] == 3)
    #expect(route["Location"] == "\(entries)/1/routes/3")
    #expect(try admin.send("DELETE", "\(entries)/2").status == 200)
    let entry = try admin.send(
      "POST", entries,
      json: ["id": 2, "apps": [.string(app)], "routes": [["id": 9, "path": "/d"]]])
    #expect(try entry.json["entry"]?["id"] == 3 && entry["Location"] == "\(entries)/3")
    #expect(try numbers(entry.json["entry"]?["routes"]) == [1])
    let swapped = try admin.send("PUT", "\(entries)/1/routes", json: ["routes": [1, 3]])
    #expect(try numbers(swapped.json["routes"]) == [1, 3])
  }

  @Test func aMissingNumberIsToldWithThoseThereAre() throws {
    let entries = "/v1/domains/second.example/entries"
    #expect(try admin.send("DELETE", "\(entries)/1").status == 200)
    let entry = try admin.send("POST", "\(entries)/1/routes", json: ["path": "/c"]).json
    #expect(entry["code"] == "entry-not-found")
    #expect(entry["detail"] == "This domain has no entry 1. It only has 2.")
    let route = try admin.send("GET", "\(entries)/2/routes/7").json
    #expect(route["detail"] == "This entry has no route 7. It has 1 and 2.")
    #expect(try admin.send("DELETE", "\(entries)/2?accept=opens-nothing").status == 200)
    let none = try admin.send("GET", "\(entries)/2").json["detail"]
    #expect(none == "This domain has no entry 2. It has none.")
  }
}
