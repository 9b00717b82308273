@testable import Association
import Testing

/// What the reading of a file finds that devices do not read.
@Suite struct ReadingTests {
  private func unread(_ json: JSON) -> [String] {
    ReadDocument(json).allUnread.map { value in
      switch value.reason {
      case .unknownKey: "\(value.pointer) unknown"
      case .wrongType(let expected): "\(value.pointer) must be \(expected)"
      case .noEffect: "\(value.pointer) no effect"
      case .malformed, .missing: "\(value.pointer) is only in assetlinks.json"
      }
    }.sorted()
  }

  private func unread(applinks: JSON) -> [String] {
    unread(["applinks": applinks]).map { String($0.dropFirst("/applinks/".count)) }
  }

  private func unread(entry: JSON) -> [String] {
    unread(applinks: ["details": [entry]]).map { String($0.dropFirst("details/0/".count)) }
  }

  @Test func theFileAndItsServices() {
    #expect(unread([]) == [" must be an object"])
    #expect(
      unread([
        "applinks": 1, "appclips": [], "webcredentials": ["apps": ["a", 1], "x": 1],
        "authsrv": ["apps": "a"], "y": 1,
      ]) == [
        "/appclips must be an object", "/applinks must be an object",
        "/authsrv/apps must be an array", "/webcredentials/apps/1 must be a string",
        "/webcredentials/x unknown", "/y unknown",
      ])
  }

  @Test func applinks() {
    #expect(
      unread(applinks: [
        "apps": ["a"], "details": ["x"], "defaults": ["comment": "c", "exclude": "true", "x": 1],
        "substitutionVariables": ["a": 1, "b": ["", 2, "c"]], "x": 1,
      ]) == [
        "apps no effect", "defaults/comment no effect", "defaults/exclude must be true or false",
        "defaults/x unknown", "details/0 must be an object",
        "substitutionVariables/a must be an array", "substitutionVariables/b/0 no effect",
        "substitutionVariables/b/1 must be a string", "x unknown",
      ])
    #expect(unread(applinks: ["details": "x"]) == ["details must be an array"])
    #expect(unread(applinks: ["apps": [], "details": []]) == [])
  }

  @Test func entries() {
    #expect(
      unread(entry: [
        "appIDs": ["a", 1], "appID": "b", "components": [["/": "/x"], 1], "paths": ["/x", 1],
        "defaults": [], "x": 1,
      ]) == [
        "appID no effect", "appIDs/1 must be a string", "components/1 must be an object",
        "defaults must be an object", "paths no effect", "paths/1 must be a string", "x unknown",
      ])
    #expect(unread(entry: ["appIDs": ["a"], "appID": "a", "paths": ["/x"]]) == [])
    #expect(
      unread(entry: ["appID": 1, "components": 1]) == [
        "appID must be a string", "components must be an array",
      ])
  }

  @Test func theObsoleteFormHasNoAppKeys() {
    #expect(
      unread(applinks: ["details": ["a": ["appID": "a", "paths": ["/x"]], "b": 1]]) == [
        "details/a/appID unknown", "details/b must be an object",
      ])
  }

  @Test func routes() {
    let route: JSON = [
      "/": 1, "?": [], "#": .null, "exclude": "true", "comment": 1, "caseSensitive": 0, "x": 1,
    ]
    #expect(
      unread(entry: ["appIDs": ["a"], "components": [route]]).map {
        String($0.dropFirst("components/0/".count))
      } == [
        "# must be a string", "? must be a string or an object",
        "caseSensitive must be true or false", "comment must be a string",
        "exclude must be true or false", "x unknown", "~1 must be a string",
      ])
    #expect(
      unread(entry: ["appIDs": ["a"], "components": [["?": ["a": 1], "comment": "c"]]]) == [])
  }

  @Test func routesAreAtTheirPlacesInTheFile() {
    let links = AppLinks(document: [
      "applinks": [
        "details": [1, ["appID": "a", "components": [1, ["/": "/x"]], "paths": ["/y"]]]
      ]
    ])
    #expect(links.entries.map(\.pointer.description) == ["/applinks/details/1"])
    #expect(
      links.entries.flatMap(\.routes).map(\.pointer.description) == [
        "/applinks/details/1/components/1"
      ])
    #expect(
      links.entries.flatMap { $0.paths ?? [] }.map(\.pointer.description) == [
        "/applinks/details/1/paths/0"
      ])
  }
}
