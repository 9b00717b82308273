import Foundation
import Association
import TestSupport
import Testing

/// The scripts of `Config/ci`, as they are, in clones of a repository, with a real server. Only the installation
/// of the program is left out.
@Suite(SystemProgram.need("git", "jq", "curl")) struct ContinuousIntegrationTests {
  enum Host: String, CaseIterable {
    case github, gitlab

    /// The file.
    var text: String {
      get throws {
        let file = URL(filePath: #filePath).appending(path: "../../../Config/ci/\(rawValue).yaml")
          .standardized
        return try String(contentsOf: file, encoding: .utf8)
      }
    }

    /// The scripts of a job, in their order.
    func scripts(of job: String) throws -> [String] {
      var lines =
        try text
        .split(separator: "\n", omittingEmptySubsequences: false)[...]
      let indent = self == .github ? "  " : ""
      lines = lines.drop { $0 != "\(indent)\(job):" }.dropFirst()
      lines = lines.prefix { $0.hasPrefix("\(indent)  ") }
      if self == .gitlab { lines = lines.drop { $0 != "  script:" }.dropFirst() }
      let key = self == .github ? "run: " : "- "
      var scripts: [String] = []
      while let line = lines.popFirst() {
        let margin = line.prefix { $0 == " " }
        let item = line.dropFirst(margin.count)
        guard item.hasPrefix(key) else { continue }
        if item != "\(key)|" {
          scripts.append(String(item.dropFirst(key.count)))
          continue
        }
        let block = lines.prefix { $0.hasPrefix("\(margin)  ") }
        lines = lines.dropFirst(block.count)
        scripts.append(block.map { $0.dropFirst(margin.count + 2) }.joined(separator: "\n"))
      }
      return scripts.filter { !$0.contains("apt-get") }
    }
  }

  private let trial: StateTrial
  private let host: Target
  private var origin: String { trial.scratch.path("origin.git") }

  /// The main branch has an export.
  init() throws {
    trial = try StateTrial()
    host = try Target()
    try git("init", "--quiet", "--bare", "--initial-branch", "main", origin)
    try git("-C", origin, "config", "receive.advertisePushOptions", "true")
    try git("clone", "--quiet", origin, trial.scratch.path("work"))
    #expect(try trial.run("export", at: .server, trial.scratch.path("work/state")).status == 0)
    try commit("Export")
    try git("-C", trial.scratch.path("work"), "push", "--quiet", "origin", "HEAD:main")
  }

  @discardableResult private func git(_ words: String...) throws -> String {
    let path = try #require(SystemProgram("git").path)
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    let result = try Program.run(path, identity + words)
    #expect(result.status == 0, "git \(words.joined(separator: " ")): \(result.errors)")
    return result.output
  }

  private func commit(_ message: String) throws {
    try git("-C", trial.scratch.path("work"), "add", "--all")
    try git("-C", trial.scratch.path("work"), "commit", "--quiet", "--message", message)
  }

  private func token(_ role: String) throws -> String {
    let answer = try trial.server.client().send(
      "POST", "/v1/tokens", json: ["name": .string("ci \(role)"), "role": .string(role)])
    return try #require(try answer.json["token"]?.stringValue, "\(answer.text)")
  }

  /// Runs the scripts of a job in the working tree, until one fails.
  private func run(
    _ job: String, on host: Host, token: String, in directory: String = "work",
    accepting codes: String = ""
  ) throws -> Program.Result {
    let target = self.host
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let environment = [
      "PATH": "\(trial.scratch.path("bin")):\(Program.directory):\(path)",
      "ACCEPT_CODES": codes, "HOME": trial.scratch.path("home"),
      "AASA_SERVER": "http://127.0.0.1:\(trial.server.adminPort)", "AASA_TOKEN": token,
      "GH_TOKEN": "secret", "GITLAB_TOKEN": "secret", "REMOTE": origin, "PULL_REQUEST": "7",
      "GITHUB_API_URL": target.url, "GITHUB_REPOSITORY": "owner/links", "GITHUB_SHA": "abc",
      "CI_API_V4_URL": "\(target.url)/api/v4", "CI_PROJECT_ID": "5",
      "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_PATH": "owner/links", "CI_COMMIT_SHA": "abc",
    ]
    try FileManager.default.createDirectory(
      atPath: trial.scratch.path("home"), withIntermediateDirectories: true)
    let scripts = try host.scripts(of: job)
    #expect(!scripts.isEmpty)
    var last: Program.Result?
    for script in scripts {
      let result = try Program.run(
        "/bin/sh", ["-c", "cd \"$0\" && set -e\n\(script)", trial.scratch.path(directory)],
        environment: environment)
      last = result
      if result.status != 0 { break }
    }
    return try #require(last)
  }

  private func replace(_ old: String, with new: String, in name: String) throws {
    let text = try trial.scratch.text("work/state/\(name)")
    try trial.scratch.write(
      text.replacingOccurrences(of: old, with: new), to: "work/state/\(name)")
  }

  private func addRoute(_ path: String, to domain: String) throws {
    let answer = try trial.server.client().send(
      "POST", "/v1/domains/\(domain)/entries/1/routes", json: ["path": .string(path)])
    #expect(answer.status == 201, "\(answer.text)")
  }

  /// The text of the last comment on the pull request.
  private func comment(on host: Host) throws -> String {
    let received = try #require(self.host.received.last)
    switch host {
    case .github:
      #expect(received.line == "POST /repos/owner/links/issues/7/comments HTTP/1.1")
      #expect(received.fields["authorization"] == "Bearer secret")
      return try received.json["body"]?.stringValue ?? ""
    case .gitlab:
      #expect(received.line == "POST /api/v4/projects/5/merge_requests/7/notes HTTP/1.1")
      #expect(received.fields["private-token"] == "secret")
      let form = String(decoding: received.body, as: UTF8.self)
        .replacingOccurrences(of: "+", with: " ")
      return String(form.dropFirst(5)).removingPercentEncoding ?? ""
    }
  }

  @Test(arguments: Host.allCases)
  func aPullRequestIsPlannedThenAppliedAndDriftComesBack(host: Host) throws {
    let (viewer, editor) = (try token("viewer"), try token("editor"))
    try replace("/a", with: "/gift", in: "a.example.json")
    try commit("Gifts")
    let plan = try run("plan", on: host, token: viewer)
    #expect(plan.status == 0, "\(plan.output)\(plan.errors)")
    let text = try comment(on: host)
    #expect(text.hasPrefix("### `aasa apply` would change this\n"), "\(text)")
    #expect(text.contains("@@ update a.example, ") && text.contains("/gift"))
    #expect(try trial.isServed(["/a"], for: "a.example"))

    // Somebody edits another domain; a viewer must not apply.
    try addRoute("/sale", to: "b.example")
    #expect(try run("apply", on: host, token: viewer).status == 77)
    let applied = try run("apply", on: host, token: editor)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try trial.isServed(["/gift"], for: "a.example"))
    #expect(try trial.isServed(["/b", "/c/*", "/sale"], for: "b.example"))
    let revisions = try trial.server.client().send("GET", "/v1/domains/a.example/revisions").json
    #expect(revisions["items"]?.arrayValue?.first?["reason"] == "owner/links abc")
    try git("-C", trial.scratch.path("work"), "push", "--quiet", "origin", "HEAD:main")

    self.host.answer { request in
      request.line.hasPrefix("GET ") ? .status(200, body: "[]") : .status(201, body: "{}")
    }
    try git("clone", "--quiet", origin, trial.scratch.path("night"))
    let drift = try run("drift", on: host, token: viewer, in: "night")
    #expect(drift.status == 0, "\(drift.output)\(drift.errors)")
    let changed = try git("-C", origin, "diff", "--name-only", "main", "aasa-drift")
    #expect(changed == "state/.aasa-export.json\nstate/b.example.json\n")
    #expect(try git("-C", origin, "show", "aasa-drift:state/b.example.json").contains("/sale"))
    if host == .github {
      let request = try #require(self.host.received.last)
      #expect(request.line == "POST /repos/owner/links/pulls HTTP/1.1")
      #expect(try request.json["head"] == "aasa-drift")
    }
    // Once that is merged, nothing is left to bring back.
    try git("-C", origin, "update-ref", "refs/heads/main", "refs/heads/aasa-drift")
    try git("clone", "--quiet", origin, trial.scratch.path("later"))
    let none = try run("drift", on: host, token: viewer, in: "later")
    #expect(none.status == 0 && !none.output.contains("1 file written"), "\(none.output)")
    let same = try git("-C", origin, "rev-parse", "main", "aasa-drift").split(separator: "\n")
    #expect(Set(same).count == 1)
  }

  /// Makes the first `diff` or `apply` of a job end as if the server were busy, and pauses end at once.
  private func makeServerSeemBusyOnce() throws {
    let aasa = """
      case $1 in diff|apply) [ -e "$HOME/$1" ] || { touch "$HOME/$1"; exit 69; } ;; esac
      exec \(Program.aasa) "$@"
      """
    for (name, script) in [("aasa", aasa), ("sleep", "echo paused >&2")] {
      let path = try trial.scratch.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
  }

  /// GitLab starts the job again, as the file says; GitHub has nothing like it, so the script does.
  @Test(arguments: Host.allCases)
  func jobsGoOnWhenTheServerIsNoLongerBusy(host: Host) throws {
    let (viewer, editor) = (try token("viewer"), try token("editor"))
    try replace("/a", with: "/gift", in: "a.example.json")
    try makeServerSeemBusyOnce()
    for (job, token) in [("plan", viewer), ("apply", editor)] {
      var result = try run(job, on: host, token: token)
      if host == .gitlab {
        #expect(result.status == 69 && self.host.received.count <= 1, "no comment")
        result = try run(job, on: host, token: token)
      }
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.errors.contains("paused") == (host == .github))
    }
    #expect(try trial.isServed(["/gift"], for: "a.example"))
    #expect(try self.host.received.count == 1 && comment(on: host).contains("/gift"))
    #expect(try host.text.contains("exit_codes: 69") == (host == .gitlab))
  }

  @Test(arguments: Host.allCases)
  func aServerThatStaysDownEndsTheJobsWithoutAComment(host: Host) throws {
    let viewer = try token("viewer")
    try makeServerSeemBusyOnce()
    #expect(try trial.server.end() == .exited(0))
    for job in ["plan", "apply"] {
      let result = try run(job, on: host, token: viewer)
      #expect(result.status == 69, "\(result.errors)")
      #expect(self.host.received.isEmpty)
    }
  }

  @Test(arguments: Host.allCases)
  func anErrorIsPublishedOnceItsCodeIsInTheFile(host: Host) throws {
    let (viewer, editor) = (try token("viewer"), try token("editor"))
    #expect(try host.text.contains("  ACCEPT_CODES: \"\"\n"))
    try replace("\"enabled\": true", with: "\"enabled\": false", in: "a.example.json")
    for (job, token) in [("plan", viewer), ("apply", editor)] {
      let refused = try run(job, on: host, token: token)
      #expect(refused.status == 1, "\(refused.output)\(refused.errors)")
      let accepted = try run(job, on: host, token: token, accepting: "opens-nothing")
      #expect(accepted.status == 0, "\(accepted.output)\(accepted.errors)")
    }
    #expect(try trial.server.file(of: "a.example").status == 404)
  }

  @Test(arguments: Host.allCases)
  func aPullRequestThatWouldBeRefusedFailsWithAComment(host: Host) throws {
    let viewer = try token("viewer")
    try replace("/a", with: "/gift", in: "a.example.json")
    try addRoute("/sale", to: "a.example")
    let plan = try run("plan", on: host, token: viewer)
    #expect(plan.status == 1)
    let text = try comment(on: host)
    #expect(text.hasPrefix("### `aasa apply` would be refused\n"), "\(text)")
    #expect(text.contains("    Others have changed since revision 1:\n"))
    // A file that is invalid by itself does not reach the server.
    try replace("\"/gift\"", with: "7", in: "a.example.json")
    #expect(try run("plan", on: host, token: viewer).status == 1)
    #expect(self.host.received.count == 1)
  }
}
