@testable import Association
import Testing

/// What a comparison takes over from one document for the other.
@Suite struct ReuseTests {
  /// What a route was found to be, without its place among all meanings.
  private static func parts(_ document: ComparedDocument) -> [[String]] {
    document.routes.flatMap(\.self).map { route in
      [
        route.route.pointer.description, route.meaning.text, "\(route.identity)",
        route.comment?.text ?? "",
        "\(route.variables.map { String(decoding: $0, as: UTF8.self) }.sorted())",
        "\(route.layers.map { $0.map { JSON.object($0.json).sorted.text } ?? "" })",
        "\(route.route.patterns.flatMap(\.tokens))",
      ]
    }
  }

  private static func isSameWithReuse(_ from: JSON, _ to: JSON) throws -> Bool {
    let interning = Interning()
    let before = try ComparedDocument(ReadDocument(from), interning)
    let after = try ComparedDocument(ReadDocument(to), like: before, interning)
    return try parts(after) == parts(ComparedDocument(ReadDocument(to), interning))
  }

  @Test func reusedRoutesEqualNewlyExaminedOnes() throws {
    var generator = SeededGenerator(seed: 77)
    for trial in 0..<500 {
      let document = RandomDocument(&generator)
      let edited = document.edited(&generator)
      // Written with the same choices, so that much of it is alike.
      var same = generator
      let (from, to) = (document.json(&generator), edited.json(&same))
      let isSame = try Self.isSameWithReuse(from, to)
      #expect(isSame, "trial \(trial): \(from.text) \(to.text)")
      if !isSame { return }
    }
  }

  private static func document(
    variable: JSON = ["a"], defaults: JSON = [:], of entry: JSON = [:], path: JSON = "/$(v)"
  ) -> JSON {
    [
      "applinks": [
        "substitutionVariables": ["v": variable], "defaults": defaults,
        "details": [
          ["appIDs": ["A.b"], "defaults": entry, "components": [["/": path], ["/": "/$(v)/*"]]]
        ],
      ]
    ]
  }

  @Test(arguments: [
    document(), document(variable: ["b"]), document(variable: ["a", "b"]),
    document(defaults: ["caseSensitive": false]), document(defaults: ["?": "x=*"]),
    document(of: ["#": "top"]), document(of: ["percentEncoded": false]), document(path: "/b"),
  ])
  func anEqualRouteIsNotReusedIfDefaultsOrVariablesDiffer(_ to: JSON) throws {
    #expect(try Self.isSameWithReuse(Self.document(), to))
    #expect(try Self.isSameWithReuse(to, Self.document()))
  }
}
