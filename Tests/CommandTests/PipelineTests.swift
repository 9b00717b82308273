import Foundation
import Association
import TestSupport
import Testing

/// A repository with a state, a pipeline that applies it, and people who edit in the dashboard.
@Suite(SystemProgram.need("git")) struct PipelineTests {
  let trial: StateTrial

  init() throws {
    trial = try StateTrial()
    let cities = (5...7).map { StateTrial.domain("city\($0).example", ["/a"]) }
    let answer = try trial.server.client().send(
      "POST", "/v1/apply", json: ["domains": .array(cities)])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try trial.exportDirectory(at: .server).status == 0)
    try git("init", "--quiet", "--initial-branch", "main")
    try commit("Export")
  }

  @discardableResult private func git(_ words: String...) throws -> String {
    let path = try #require(SystemProgram("git").path)
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    let result = try Program.run(path, ["-C", trial.directory] + identity + words)
    #expect(result.status == 0, "git \(words.joined(separator: " ")): \(result.errors)")
    return result.output
  }

  private func commit(_ message: String) throws {
    try git("add", "--all")
    try git("commit", "--quiet", "--message", message)
  }

  /// Somebody adds a route in the dashboard.
  private func addRoute(_ path: String, to domain: String) throws {
    let answer = try trial.server.client().send(
      "POST", "/v1/domains/\(domain)/entries/1/routes", json: ["path": .string(path)])
    #expect(answer.status == 201, "\(answer.text)")
  }

  @Test func othersMayEditWhatAPullRequestDoesNotTouch() throws {
    try git("switch", "--quiet", "--create", "gift")
    try trial.replace("/a", with: "/gift", in: "city6.example.json")
    try commit("Open gifts in city 6")
    try addRoute("/sale", to: "city5.example")

    let diff = try trial.run("diff", at: .server, trial.directory)
    #expect(diff.status == 2, "\(diff.errors)")
    #expect(diff.lines.contains { $0.hasPrefix("~ city6.example  revision 2, ") })
    #expect(diff.lines.contains("= city5.example  others have changed it; its file has not"))
    #expect(
      diff.lines.last
        == "Domains: 1 to update, 4 unchanged. Apps: 1 unchanged. Left to others: 1 domain; "
        + "'aasa export DIR' brings their changes. Nothing was changed.")
    try git("switch", "--quiet", "main")
    try git("merge", "--quiet", "gift")
    let applied = try trial.run("apply", at: .server, trial.directory)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try trial.isServed(["/gift"], for: "city6.example"))
    #expect(try trial.isServed(["/a", "/sale"], for: "city5.example"), "nothing is lost")

    let others = try trial.names().filter { $0 != "city5.example.json" }
    let before = try others.map {
      (try trial.number(of: $0), try trial.scratch.text("state/\($0)"))
    }
    let exported = try trial.exportDirectory(at: .server)
    #expect(exported.output == "1 file written, 0 removed, 5 unchanged\n", "\(exported.errors)")
    #expect(exported.errors.isEmpty)
    #expect(try trial.scratch.text("state/city5.example.json").contains("/sale"))
    for (name, before) in zip(others, before) {
      #expect(try trial.number(of: name) == before.0, "\(name) was written")
      #expect(try trial.scratch.text("state/\(name)") == before.1)
    }
    let changed = try git("status", "--porcelain").split(separator: "\n").map { $0.dropFirst(3) }
    #expect(changed == [".aasa-export.json", "city5.example.json"])
    #expect(try trial.run("diff", at: .server, trial.directory).status == 0)
  }

  @Test func aConflictIsShownWithBothSides() throws {
    try trial.replace("/a", with: "/gift", in: "city6.example.json")
    try trial.replace("/a", with: "/new", in: "city7.example.json")
    try commit("Open gifts in city 6")
    try addRoute("/sale", to: "city6.example")
    let refused = try trial.run("apply", at: .server, trial.directory)
    #expect(refused.status == 1)
    let lines = refused.errors.split(separator: "\n").map(String.init)
    #expect(lines.count == 7, "\(refused.errors)")
    #expect(lines[1].hasPrefix("  city6.example: ") && lines[1].hasSuffix("would undo:"))
    #expect(
      lines.dropFirst(2) == [
        "    route \"/sale\" removed",
        "    The state changes since revision 1:",
        "      route \"/a\" changed: path from \"/a\" to \"/gift\"",
        "    Others have changed since revision 1:", "      route \"/sale\" added",
      ], "\(refused.errors)")
    #expect(try trial.isServed(["/a", "/sale"], for: "city6.example"))

    let diff = try trial.run("diff", at: .server, trial.directory)
    #expect(diff.status == 1)
    #expect(diff.lines.contains { $0.hasPrefix("~ city6.example  revision 3, ") }, "the whole plan")
    #expect(diff.lines.contains { $0.hasPrefix("~ city7.example  revision 2, ") })
    #expect(diff.errors == refused.errors)

    // Its author keeps both.
    let exported = try trial.exportDirectory(at: .server)
    #expect(exported.output == "1 file written, 0 removed, 4 unchanged, 1 left as edited\n")
    #expect(exported.errors.contains("changes since the last export: city6.example.json"))
    try trial.replace("/a", with: "/gift", in: "city6.example.json")
    #expect(try trial.run("apply", at: .server, trial.directory).status == 0)
    #expect(try trial.isServed(["/gift", "/sale"], for: "city6.example"))
    #expect(try trial.isServed(["/new"], for: "city7.example"))
  }

  @Test func aRevertInGitIsARevertOfWhatIsPublished() throws {
    try trial.replace("/a", with: "/gift", in: "city6.example.json")
    try commit("Open gifts in city 6")
    #expect(try trial.run("apply", at: .server, trial.directory).status == 0)
    try git("revert", "--no-edit", "HEAD")
    #expect(try trial.run("apply", at: .server, trial.directory).status == 0)
    #expect(try trial.isServed(["/a"], for: "city6.example"))
  }

  @Test func theFileOfADomainThatOthersDeletedGoes() throws {
    let path = "/v1/domains/city5.example?accept=opens-nothing"
    #expect(try trial.server.client().send("DELETE", path).status == 200)
    let applied = try trial.run("apply", at: .server, trial.directory)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(applied.lines.first == "= city5.example  others have changed it; its file has not")
    let exported = try trial.exportDirectory(at: .server)
    #expect(exported.output == "0 files written, 1 removed, 5 unchanged\n")
  }

  // MARK: Comments

  @Test func aCommentForAPullRequestIsMarkdown() throws {
    try trial.replace("/a", with: "/gift```*", in: "city6.example.json")
    try addRoute("/sale", to: "city5.example")
    let comment = try trial.run("diff", at: .server, "--format", "markdown", trial.directory)
    #expect(comment.status == 2, "\(comment.errors)")
    let lines = comment.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "### `aasa apply` would change this")
    #expect(lines[2].hasPrefix("Domains: 1 to update, 4 unchanged. "))
    #expect(lines[4] == "````diff" && lines.suffix(2) == ["````", ""])
    #expect(lines[5] == "  = city5.example: others have changed it; its file has not")
    #expect(lines[6].hasPrefix("@@ update city6.example, revision 2, "))
    #expect(lines.contains { $0.hasPrefix("~ ") || $0.hasPrefix("+ route \"/gift```*\"") })

    try addRoute("/sale", to: "city6.example")
    let refused = try trial.run("diff", at: .server, "--format", "markdown", trial.directory)
    #expect(refused.status == 1)
    #expect(refused.output.hasPrefix("### `aasa apply` would be refused\n"))
    #expect(refused.output.contains("\n@@ update city6.example, "))
    #expect(refused.output.contains("\n    Others have changed since revision 1:\n"))

    try trial.replace("\"/gift```*\"", with: "7", in: "city6.example.json")
    let invalid = try trial.run("diff", at: .server, "--format", "markdown", trial.directory)
    #expect(invalid.status == 1 && invalid.output.contains("The state has 1 invalid value."))
    #expect(invalid.output.contains("city6.example.json city6.example /entries/0/routes/0/path"))

    for words in [["--format", "html"], ["--format", "markdown", "--json"]] {
      let wrong = try trial.run("diff", at: .server, words: words + [trial.directory])
      #expect(wrong.status == 64, "\(wrong.errors)")
    }
  }

  @Test func aCommentFitsIntoAPullRequest() throws {
    let domains = (0..<900).map {
      StateTrial.domain("\(String(repeating: "d", count: 40))\($0).example", ["/a"])
    }
    let state: JSON = ["domains": .array(domains)]
    let comment = try trial.run(
      "diff", at: .server, words: ["--format", "markdown", "-"], input: state.serialized())
    #expect(comment.status == 2, "\(comment.errors)")
    #expect(comment.bytes.count < 65_536)
    #expect(comment.output.contains("Domains: 900 to create"))
    let shown = comment.lines.count { $0.hasPrefix("@@ create ") }
    #expect(comment.output.contains("\nand \(900 - shown) more; run 'aasa diff'"))
  }

  // MARK: Several paths

  @Test func severalPathsAreOneState() throws {
    let second = try trial.run("export", at: .server, trial.scratch.path("second"))
    #expect(second.status == 0)
    for name in ["a.example", "b.example", "city5.example", "city6.example"] {
      try FileManager.default.removeItem(atPath: trial.scratch.path("second/\(name).json"))
    }
    try trial.remove("city7.example.json")
    let paths = [trial.directory, trial.scratch.path("second")]
    let same = try trial.run("diff", at: .server, words: ["--prune"] + paths)
    #expect(same.status == 0, "\(same.errors)")
    #expect(same.output == "No changes: 5 domains and 1 app are up to date.\n")
    let file = trial.scratch.path("second/city7.example.json")
    try trial.scratch.write(
      trial.scratch.text("second/city7.example.json").replacingOccurrences(
        of: "\"/a\"", with: "\"/z\""), to: "second/city7.example.json")
    try trial.replace("/a", with: "/y", in: "city6.example.json")
    let applied = try trial.run("apply", at: .server, trial.directory, file)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try trial.isServed(["/y"], for: "city6.example"))
    #expect(try trial.isServed(["/z"], for: "city7.example"))
    let pruning = try trial.run("diff", at: .server, "--prune", file, file + "x")
    #expect(pruning.status == 1, "a file is missing")
    let files = try trial.run(
      "diff", at: .server, "--prune", file, trial.directory + "/city6.example.json")
    #expect(files.status == 64 && files.errors.contains("none is a list of all domains"))
  }

  @Test func whatSeveralPathsHaveTwiceIsNamedWithBoth() throws {
    let file = trial.directory + "/city6.example.json"
    let twice = try trial.run("apply", at: .server, trial.directory, file)
    #expect(twice.status == 1)
    #expect(
      twice.errors.contains(
        "\(trial.directory)\" and \"\(file)\" both have the domain \"city6.example\""),
      "\(twice.errors)")
    let app: JSON = ["apps": [["app": .string(AssociationFile.app), "name": "Other"]]]
    let other = try trial.scratch.write(app.text, to: "other.json")
    let differing = try trial.run("diff", at: .server, trial.directory, other)
    #expect(differing.status == 1 && differing.errors.contains("differ in the app"))
    // An error names the file.
    try trial.scratch.write("{\"apps\": [{\"app\": \"x\"}]}", to: "other.json")
    let wrong = try trial.run("diff", at: .server, trial.directory, other)
    #expect(wrong.errors.contains("\(other) /apps/0/app: "), "\(wrong.errors)")
  }
}
