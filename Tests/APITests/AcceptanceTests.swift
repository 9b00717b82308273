import Association
import TestSupport
import Testing

/// A file with errors that runs in production can be adopted, and edited, without new ones slipping in.
@Suite struct AcceptanceTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    let file: JSON = [
      "applinks": [
        "details": [
          ["appIDs": ["ABCDE12345.com.example.app"], "components": [["/": "/$(nowhere)"]]]
        ]
      ]
    ]
    #expect(try admin.send("PUT", "\(target)/file", json: file).status == 422)
    let accepted = try admin.send("PUT", "\(target)/file?accept=undefined-variable", json: file)
    #expect(accepted.status == 201)
    #expect(try accepted.json["accepted"] == ["undefined-variable"])
  }

  @Test func theRevisionListsTheAcceptedCodes() throws {
    let revision = try admin.send("GET", "\(target)/revisions/1").json
    #expect(revision["accepted"] == ["undefined-variable"])
  }

  @Test func anEditThatLeavesAnAcceptedErrorAloneNeedsNoCode() throws {
    let response = try admin.send("POST", "\(target)/entries/1/routes", json: ["path": "/a"])
    #expect(response.status == 201)
    #expect(try response.json["accepted"] == ["undefined-variable"])
  }

  @Test func anotherErrorOfTheSameKindIsRefused() throws {
    let route: JSON = ["path": "/$(elsewhere)"]
    let refused = try admin.send("POST", "\(target)/entries/1/routes", json: route)
    #expect(try refused.status == 422 && refused.code == "undefined-variable")
    #expect(try refused.json["acceptable"] == ["undefined-variable"])
    let accepted = try admin.send(
      "POST", "\(target)/entries/1/routes?accept=undefined-variable", json: route)
    #expect(accepted.status == 201)
  }

  @Test func theRefusalNamesTheCodesThatCanBeAccepted() throws {
    let response = try admin.send("PUT", "\(target)/file?accept=not-json", json: [:])
    #expect(try response.status == 400 && response.code == "unknown-code")
  }
}
