import Association
import Testing

@Suite struct ShadowingTests {
  /// The verdicts on routes of one entry, given as the elements of `components`.
  private func routes(
    _ components: String, variables: String = "{}", budget: Int = 14_000_000
  ) throws -> [Shadowing.Route] {
    let file = #"""
      {"applinks":{"substitutionVariables":\#(variables),
       "details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[\#(components)]}]}}
      """#
    let document = try JSON.parse(Array(file.utf8)).value
    return Shadowing(AppLinks(document: document), budget: budget).routes
  }

  /// The numbers of the routes that shadow the last one; empty if it decides.
  private func shadowing(_ components: String, variables: String = "{}") throws -> [Int]? {
    let verdict = try #require(try routes(components, variables: variables).last?.verdict)
    let number = { (pointer: JSONPointer) in
      Int(pointer.description.split(separator: "/").last ?? "") ?? -1
    }
    return switch verdict {
    case .decides: []
    case .shadowed(let by): by.map(number)
    case .repeats(let other): [number(other)]
    case .matchesNothing, .notDecided: nil
    }
  }

  @Test(arguments: [
    (#"{"/":"/a/*"},{"/":"/a/b"}"#, [0]),
    // Slashes at the end do not count, and `/a/*` covers `/a`.
    (#"{"/":"/a/*"},{"/":"/a/"}"#, [0]),
    (#"{"/":"/a/?*"},{"/":"/a"}"#, []),
    // Neither a pair of conditions nor its order matters.
    (##"{"/":"/a","?":"b"},{"/":"/a","?":{"b":""},"#":"c"},{"/":"/a"}"##, []),
    // Two routes that suffice only together.
    (##"{"/":"/x/*"},{"/":"/b/*","#":""},{"/":"/b/*","#":"?*"},{"/":"/b/c"}"##, [1, 2]),
    (#"{"?":{"a":"?*"}},{"/":"/y"},{"?":{"a":""}},{"/":"/c"}"#, []),
    // One is named where one suffices, whatever comes before.
    (##"{"/":"/b/*","#":""},{"/":"/b/*","#":"?*"},{"/":"/*"},{"/":"/b/c"}"##, [2]),
    // A repeated item may have a value of each kind.
    (#"{"?":{"a":"x*"}},{"?":{"a":"*y"}},{"?":{"a":"?"}}"#, []),
    (#"{"?":{"a":"?*"}},{"?":{"a":"??"}}"#, [0]),
    (#"{"?":"*a=b*"},{"?":{"a":"b"}}"#, [0]),
    // Case.
    (#"{"/":"/A","caseSensitive":false},{"/":"/a"}"#, [0]),
    (#"{"/":"/A"},{"/":"/a","caseSensitive":false}"#, []),
    // A route that compares everything differently but matches all.
    (#"{"percentEncoded":false},{"/":"/a"}"#, [0]),
    (#"{"/":"/ü*","percentEncoded":false},{"/":"/üb","percentEncoded":false}"#, [0]),
    // What decides the other way is named before what would decide in the same way.
    (#"{"/":"/a/*","exclude":true},{"/":"/*"},{"/":"/a/b"}"#, [0]),
    (#"{"/":"/a/*","exclude":true},{"/":"/*"},{"/":"/a/*"}"#, [0]),
    (#"{"/":"/c/*","exclude":true},{"/":"/*"},{"/":"/a/b"}"#, [1]),
  ])
  func aRouteIsShadowedByTheFewestThatSuffice(components: String, by expected: [Int]) throws {
    #expect(try shadowing(components) == expected)
  }

  /// Where the starts of paths suffice to tell routes apart, and where they only seem to.
  @Test(arguments: [
    (#"{"/":"/b"},{"/":"/a/*/c"}"#, []), (#"{"/":"/a/x/c"},{"/":"/a/*/c"}"#, []),
    // Slashes at the start are one, and those at the end do not count.
    (#"{"/":"a/*"},{"/":"//a"}"#, [0]), (#"{"/":"/a//"},{"/":"/a"}"#, [0]),
    (#"{"/":"/a/*"},{"/":"/a"}"#, [0]), (#"{"/":"/a/?*"},{"/":"/a/*"}"#, []),
    (#"{"/":"/a/b*"},{"/":"/a/*/"}"#, []), (#"{"/":"/ab/*"},{"/":"/a*"}"#, []),
    // A star at the start takes the slash, or all of it.
    (#"{"/":"*a"},{"/":"/xa"}"#, [0]), (#"{"/":"/"},{"/":"*"}"#, []),
    (#"{"/":"*"},{"/":"/"}"#, [0]),
    (#"{"/":"/"},{"/":"/*"}"#, []), (#"{"/":"?a"},{"/":"/xa"}"#, [0]),
    // Case and encoding.
    (#"{"/":"/AB/*","caseSensitive":false},{"/":"/ab/c"}"#, [0]),
    (#"{"/":"/ab"},{"/":"/AB","caseSensitive":false}"#, []),
    (
      "{\"/\":\"/\u{212A}\",\"caseSensitive\":false,\"percentEncoded\":false},"
        + #"{"/":"/k","percentEncoded":false}"#, [0]
    ),
    (#"{"/":"/a b","percentEncoded":false},{"/":"/ab"}"#, []),
    // Conditions on the query and the fragment leave the rest of a path.
    (##"{"/":"/a","?":"*"},{"/":"/a"}"##, [0]), (##"{"/":"/a","#":"?*"},{"/":"/a"}"##, []),
    (##"{"/":"/a"},{"/":"/a","#":"b"}"##, [0]), (#"{"/":"/a","?":{"b":1}},{"/":"/a"}"#, [0]),
    // What begins with a variable may begin with anything.
    (#"{"/":"$(v)"},{"/":"/a/b"}"#, [0]), (#"{"/":"/$(v)c"},{"/":"/dc"}"#, [0]),
  ])
  func startsOfPathsTellApartOnlyWhatCannotMeet(components: String, by expected: [Int]) throws {
    #expect(try shadowing(components, variables: #"{"v":["/a/*","d"]}"#) == expected)
  }

  @Test(arguments: [
    (#"{"/":"/a/*"}"#, "/a"), (#"{"/":"/a/?"}"#, "/a/x"), (#"{"/":"*"}"#, "/"), (#"{}"#, "/"),
    (#"{"/":"/a*/","caseSensitive":false}"#, "/a"), (#"{"/":"/a/*/b"}"#, "/a/x/b"),
    (#"{"/":"/.a"}"#, "/.a"), (#"{"/":"/a//b"}"#, "/a//b"),
  ])
  func theExampleForPlainTextIsThatText(component: String, path: String) throws {
    let route = try routes(component)[0]
    #expect(route.verdict == .decides(example: "https://example.com\(path)"))
  }

  @Test(arguments: [
    (#"{"/":"/$(lang)/*"},{"/":"/de/a"}"#, [0]), (#"{"/":"/$(lang)/*"},{"/":"/xyzzy/a"}"#, []),
    (#"{"/":"/$(v)"},{"/":"/ab"}"#, [0]), (#"{"/":"/$(v)"},{"/":"/a"}"#, []),
    (#"{"/":"/a?"},{"/":"/c"},{"/":"/$(v)"}"#, [0, 1]),
    (#"{"/":"/$(digit)"},{"/":"/7"}"#, [0]), (#"{"/":"/$(digit)"},{"/":"/$(xdigit)"}"#, []),
  ])
  func theValuesOfVariablesCount(components: String, by expected: [Int]) throws {
    #expect(try shadowing(components, variables: #"{"v":["a?","c"]}"#) == expected)
  }

  @Test func theExampleIsAShortURLThatTheRouteDecides() throws {
    let verdicts = try routes(
      #"{"/":"/buy/*"},{"/":"/help/website/*","exclude":true},{"/":"/help/*","?":{"n":"??"}}"#
    ).map(\.verdict)
    #expect(
      verdicts == [
        .decides(example: "https://example.com/buy"),
        .decides(example: "https://example.com/help/website"),
        .decides(example: "https://example.com/help?n=xx"),
      ])
  }

  @Test func theExampleForADecodedRouteIsEncoded() throws {
    let verdict = try routes(#"{"/":"/ü b","?":{"a":"&"},"percentEncoded":false}"#)[0].verdict
    #expect(verdict == .decides(example: "https://example.com/%C3%BC%20b?a=%26"))
  }

  @Test func anExclusionIsNeededIfALaterEntryOfTheAppMatchesWhatItExcludes() throws {
    func isUnneeded(laterApp: String) -> Bool {
      let document: JSON = [
        "applinks": [
          "details": [
            ["appIDs": ["A.b", "A.c"], "components": [["/": "/a", "exclude": true]]],
            ["appIDs": [.string(laterApp)], "components": [["/": "/*"]]],
          ]
        ]
      ]
      return Shadowing(AppLinks(document: document)).routes[0].isUnneededExclusion
    }
    #expect(!isUnneeded(laterApp: "A.c"))
    #expect(isUnneeded(laterApp: "A.d"))
  }

  @Test func whatRoutesOfDifferentEncodingDoIsNotGuessed() throws {
    let routes = try routes(#"{"/":"/a*","percentEncoded":false},{"/":"/ab"},{"/":"/c"}"#)
    #expect(routes[1].verdict == .notDecided(.mixedPercentEncoding))
    #expect(routes[2].verdict == .decides(example: "https://example.com/c"))
  }

  @Test func aThousandRoutesAreDecidedWithoutGivingUp() throws {
    let paths = (0..<1000).map { #"{"/":"/section\#($0 % 10)/topic\#($0 / 10)/*"}"# }
    let routes = try routes((paths + [#"{"/":"/section3/*"}"#]).joined(separator: ","))
    #expect(routes.allSatisfy { if case .decides = $0.verdict { true } else { false } })
  }

  @Test(arguments: [
    (0..<200).map { #"{"/":"*\#($0)*a*\#($0)b*\#($0 % 7)*"}"# }.joined(separator: ","),
    (0..<200).map { #"{"/":"/$(lang)$(region)$(lang)*\#($0)$(lang)"}"# }.joined(separator: ","),
    (0..<200).map { #"{"?":{"a\#($0)":"*b*","b\#($0)":"?*"}}"# }.joined(separator: ","),
  ])
  func hostileRoutesAreGivenUpAndNeverShadowedWithoutProof(components: String) throws {
    let routes = try routes(components, budget: 300_000)
    #expect(routes.contains { $0.verdict == .notDecided(.tooComplex) })
    for route in routes {
      if case .shadowed = route.verdict { Issue.record("\(route.pointer) is not shadowed") }
    }
  }
}
