import Association
import TestSupport
import Testing

/// Regressions that schemathesis found.
@Suite struct DescriptionRefusalTests {
  let running: RunningService

  init() throws { running = try RunningService() }

  @Test(arguments: ["\u{0}name", "two\nlines", "\u{85}"])
  func aTokenNameWithControlCharactersIsRefused(name: String) throws {
    let response = try running.admin.send(
      "POST", "/v1/tokens", json: ["name": .string(name), "role": "viewer"])
    #expect(try response.status == 422 && response.faults == ["/name: control-character"])
  }

  @Test(arguments: [" anna", "anna\u{3000}", "an\u{200B}na", "anna\u{3164}", "..", "."])
  func aTokenNameThatLooksLikeAnotherOrLikeAPathIsRefused(name: String) throws {
    let response = try running.admin.send(
      "POST", "/v1/tokens", json: ["name": .string(name), "role": "viewer"])
    #expect(try response.status == 422 && response.faults == ["/name: malformed-name"])
  }

  @Test(arguments: [("0.0", 201), ("0e0", 201), ("0.5", 422), ("9e18", 422)])
  func aWholeNumberMayBeWrittenWithAFraction(position: String, status: Int) throws {
    try running.put("example.com", ["entries": [["apps": [.string(app)]]]])
    let body = "{\"path\": \"/*\", \"position\": \(position)}"
    let response = try running.admin.send(
      "POST", "/v1/domains/example.com/entries/1/routes", body: Array(body.utf8))
    #expect(response.status == status, "\(response.text)")
  }

  @Test(arguments: [["x": 1], [1]] as [JSON])
  func extraMembersOfAServiceWithoutAppsAreRefused(members: JSON) throws {
    let response = try running.admin.send(
      "PUT", "/v1/domains/example.com", json: ["serviceExtra": ["appclips": members]])
    let code = members.arrayValue == nil ? "service-without-apps" : "wrong-type"
    #expect(try response.faults == ["/serviceExtra/appclips: \(code)"])
  }
}
