import Foundation
import Association
import TestSupport
import Testing

/// What a release engineer does on a day when an app gets another bundle identifier.
@Suite struct ReleaseStoryTests {
  private static let count = 100
  private let trial: StateTrial
  private let new = "ABCDE12345.com.example.renamed"

  init() throws {
    trial = try StateTrial()
    let domains = (0..<Self.count).map { index in
      let url = index == 42 ? "https://d42.example/p/1" : nil
      return StateTrial.domain("d\(index).example", ["/p/*", "/q\(index)"], expecting: url)
    }
    let answer = try trial.server.client().send(
      "POST", "/v1/apply", json: ["domains": .array(domains)])
    guard answer.status == 200 else { throw StateTrial.NotSetUp(problem: answer.text) }
  }

  /// Writes the new identifier into the files, in expectations or everywhere else.
  private func rewrite(_ change: (JSON.Object) throws -> JSON.Object) throws {
    for index in 0..<Self.count {
      let name = "state/d\(index).example.json"
      let file = try JSON.parse(trial.scratch.text(name).utf8).value.objectValue ?? [:]
      try trial.scratch.write(JSON.object(try change(file)).prettyPrinted(), to: name)
    }
  }

  private func renamed(_ json: JSON?) throws -> JSON {
    let text = (json ?? .null).text.replacingOccurrences(of: AssociationFile.app, with: new)
    return try JSON.parse(text.utf8).value
  }

  @Test func anAppGetsAnotherIdentifierOnAHundredDomains() throws {
    // She exports what is served into files, and changes the app in their entries.
    #expect(try trial.exportDirectory(at: .server).status == 0)
    try rewrite { file in
      var file = file
      let routes = file["entries"]?[0]?["routes"] ?? []
      file["entries"] = [["apps": [.string(new)], "routes": routes]]
      return file
    }
    // The plan is refused: no link would open the old app any more.
    let closed = try trial.run("diff", at: .server, trial.directory)
    #expect(closed.status == 1 && closed.errors.contains("opens-nothing"), "\(closed.errors)")
    // She accepts that. It is refused again: one domain expects a link to open the old app.
    let accept = ["--accept", "opens-nothing", trial.directory]
    let refused = try trial.run("diff", at: .server, words: accept)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("https://d42.example/p/1"), "\(refused.errors)")
    #expect(try trial.run("apply", at: .server, words: accept).status == 1)
    #expect(try trial.server.file(of: "d7.example").text.contains(AssociationFile.app))
    // She corrects the expectation, sees the plan, and applies it.
    try rewrite { file in
      var file = file
      file["expectations"] = try renamed(file["expectations"])
      return file
    }
    let plan = try trial.run("diff", at: .server, words: accept)
    #expect(plan.status == 2)
    #expect(plan.lines.last?.contains("\(Self.count) to update") == true)
    #expect(try trial.run("apply", at: .server, words: accept).status == 0)
    #expect(try trial.run("diff", at: .server, trial.directory).status == 0)
    for index in [0, 42, 99] {
      let served = try trial.server.file(of: "d\(index).example").text
      #expect(served.contains(new) && !served.contains(AssociationFile.app))
    }
    // One domain has to go back, and only that one does.
    let back = try trial.server.client().send(
      "POST", "/v1/domains/d7.example/revisions/1/restore?accept=opens-nothing", body: [])
    #expect(back.status == 200, "\(back.text)")
    #expect(try trial.server.file(of: "d7.example").text.contains(AssociationFile.app))
    #expect(try trial.server.file(of: "d8.example").text.contains(new))
  }
}

extension JSON {
  fileprivate subscript(index: Int) -> JSON? {
    arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
  }
}
