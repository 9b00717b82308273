import Association
import TestSupport
import Testing

/// A converted document says the same to current systems, or says what it does not.
@Suite struct ModernFormTests {
  private func modern(_ applinks: JSON) throws -> (json: JSON, remarks: [String]) {
    let form = ModernForm(try AssociationFile(adopting: ["applinks": applinks]))
    return (
      form.document.json["applinks"] ?? .null, form.remarks.map(\.pointer.description)
    )
  }

  @Test func pathsBecomeComponentsAndNOTBecomesExclude() throws {
    let (json, remarks) = try modern([
      "apps": [], "details": [["appID": "A.b", "paths": ["NOT /a/*", "/b", "*"]]],
    ])
    #expect(
      json == [
        "details": [
          [
            "appIDs": ["A.b"],
            "components": [["/": "/a/*", "exclude": true], ["/": "/b"], ["/": "*"]],
          ]
        ]
      ])
    #expect(remarks.isEmpty)
  }

  @Test func theObsoleteFormBecomesAnArray() throws {
    let (json, remarks) = try modern([
      "details": ["A.b": ["paths": ["/a"], "appIDs": ["A.c"]], "A.c": ["paths": ["/b"]]]
    ])
    #expect(
      json == [
        "details": [
          ["appIDs": ["A.b"], "components": [["/": "/a"]]],
          ["appIDs": ["A.c"], "components": [["/": "/b"]]],
        ]
      ])
    #expect(remarks == ["/applinks/details/A.b/appIDs"])
  }

  @Test func whatOnlyOlderSystemsReadIsRemovedWithARemark() throws {
    let (json, remarks) = try modern([
      "apps": ["A.z"],
      "details": [
        ["appID": "A.b", "paths": ["/a"]],
        ["appID": "A.c", "appIDs": ["A.d"], "components": [["/": "/a"]], "paths": ["/b"]],
      ],
    ])
    #expect(
      json == [
        "details": [
          ["appIDs": ["A.b"], "components": [["/": "/a"]]],
          ["appIDs": ["A.d"], "components": [["/": "/a"]]],
        ]
      ])
    #expect(
      remarks == ["/applinks/apps", "/applinks/details/1/appID", "/applinks/details/1/paths"])
  }

  @Test func defaultsThatDidNotApplyToPathsDoNotApplyAfterwards() throws {
    let legacy: JSON = [
      "defaults": ["caseSensitive": false, "?": ["a": "b"], "exclude": true],
      "details": [
        ["appID": "A.b", "defaults": ["percentEncoded": false, "#": "x"], "paths": ["/A", "/é"]],
        ["appIDs": ["A.c"], "components": [["/": "/B"]]],
      ],
    ]
    let document: JSON = ["applinks": legacy]
    let form = ModernForm(try AssociationFile(adopting: document))
    let comparison = try DocumentComparison(from: document, to: form.document.json)
    #expect(comparison.affectsLinks == false)
    let matcher = try Matcher(document: form.document.json)
    func resolve(_ rest: String, _ app: String) throws -> Resolution {
      try matcher.resolve("https://example.com" + rest, in: matcher.scope(of: app)).resolution
    }
    #expect(try resolve("/A?c=d#y", "A.b") == .match)
    #expect(try resolve("/a", "A.b") == .noMatch)
    #expect(try resolve("/b?a=b", "A.c") == .blocked)
  }

  @Test func aPathThatNamesAVariableIsToldWithTheURLsThatChange() throws {
    let legacy: JSON = ["details": [["appID": "A.b", "paths": ["/$(digit)/x"]]]]
    let form = ModernForm(try AssociationFile(adopting: ["applinks": legacy]))
    #expect(form.remarks.map(\.pointer.description) == ["/applinks/details/0/paths/0"])
    let comparison = try DocumentComparison(
      from: ["applinks": legacy], to: form.document.json)
    #expect(comparison.affectsLinks == true)
    #expect(comparison.changes.flatMap(\.examples).first?.app == "A.b")
  }

  @Test func theOrderOfEntriesAndRowsIsKept() throws {
    var document = try AssociationFile(adopting: [
      "applinks": [
        "details": [
          ["appID": "A.b", "paths": ["/a", "/b"]], ["appIDs": ["A.b"], "components": [["/": "*"]]],
        ]
      ]
    ])
    document.entries[0].id = 7
    document.entries[0].routes[1].id = 9
    let entries = ModernForm(document).document.entries
    #expect(entries.map(\.id) == [7, nil])
    #expect(entries[0].routes.map(\.id) == [nil, 9])
    #expect(entries.allSatisfy { $0.keys == .modern })
  }

  @Test(arguments: Shape.all)
  func noURLOfAFileOfAnyShapeChangesWithoutARemark(shape: Shape) throws {
    let form = ModernForm(try AssociationFile(adopting: shape.file))
    let comparison = try DocumentComparison(from: shape.file, to: form.document.json)
    let links = comparison.changes.filter { $0.what != .legacyPaths }
    #expect(links.allSatisfy { $0.examples.isEmpty } || !form.remarks.isEmpty)
    #expect(try AssociationFile(adopting: form.document.json).json == form.document.json)
    #expect(ModernForm(form.document).document == form.document)
    #expect(Domain.Format(of: form.document) == .modern)
  }

  @Test func noURLOfARandomFileChangesWithoutARemark() throws {
    var generator = SeededGenerator(seed: 13)
    var converted = 0
    for trial in 0..<300 {
      let file = RandomDocument(&generator).json(&generator)
      let named = try AssociationFile(adopting: JSON.parse(Self.named(file)).value)
      let form = ModernForm(named)
      if form.document == named { continue }
      converted += 1
      let affects = try DocumentComparison(from: named.json, to: form.document.json).affectsLinks
      #expect(affects == false || !form.remarks.isEmpty, "trial \(trial): \(named.json.text)")
    }
    #expect(converted > 50)
  }

  /// The file with apps that can be stored.
  private static func named(_ file: JSON) -> [UInt8] {
    Array(
      file.text.replacing(#""appID":""#, with: #""appID":"A."#)
        .replacing(#""appIDs":[""#, with: #""appIDs":["A."#)
        .replacing(#"["A.a","b"]"#, with: #"["A.a","A.b"]"#).utf8)
  }

  @Test func aLargeLegacyFileIsComparedExactly() throws {
    let paths = (0..<5_000).map { "\($0 % 4 == 0 ? "NOT " : "")/section\($0 % 70)/*/\($0)*" }
    let file: JSON = [
      "applinks": ["apps": [], "details": [["appID": "A.b", "paths": .strings(paths)]]]
    ]
    let form = ModernForm(try AssociationFile(adopting: file))
    #expect(try DocumentComparison(from: file, to: form.document.json).affectsLinks == false)
  }
}
