import Association
import Store
import TestSupport
import Testing

/// Undoing edits of templates, rolling back, and leaving a template.
extension TemplateTests {
  func edit(_ json: JSON, _ query: String = "") throws -> Int {
    let answer = try admin.send("PUT", path + query, json: json)
    return try #require(try answer.json["change"]?.integerValue, "\(answer.text)")
  }

  private func revert(_ change: Int, _ query: String = "", by client: Client? = nil) throws
    -> RawResponse
  {
    try (client ?? admin).send("POST", "/v1/changes/\(change)/revert\(query)")
  }

  @Test func undoingTheChangeOfATemplatePutsItBackWithItsDomains() throws {
    let change = try edit(with(paths: ["/new/*"]))
    let record = try admin.send("GET", "/v1/changes/\(change)").json
    #expect(record["templates"] == [["template": "white-label", "before": 1, "after": 2]])
    let dry = try revert(change, "?dryRun=true")
    #expect(dry.status == 200, "\(dry.text)")
    #expect(try paths(1) == ["/new/*"] && admin.send("GET", path).json["revision"] == 2)
    let undone = try revert(change)
    #expect(undone.status == 200, "\(undone.text)")
    for json in [try dry.json, try undone.json] {
      #expect(json["templates"] == [["template": "white-label", "action": "update"]])
      #expect(json["domains"]?.arrayValue?.count == 3)
    }
    for index in 1...3 { #expect(try paths(index) == ["/gift/*"]) }
    let template = try admin.send("GET", path).json
    #expect(template["revision"] == 3 && template["entries"] == Self.template["entries"])
    // And once more: it is a change itself.
    let again = try revert(try #require(try undone.json["change"]?.integerValue))
    #expect(again.status == 200, "\(again.text)")
    #expect(try paths(2) == ["/new/*"])
  }

  @Test func whatADomainHasBesidesItsTemplateStaysWithAnEditAndItsUndo() throws {
    let text = "Contact: mailto:a@b.example\nExpires: 2099-01-01T00:00:00Z\n"
    var own = use(1).objectValue ?? [:]
    own["webcredentials"] = [.string(app(1))]
    own["serviceExtra"] = ["webcredentials": ["unknown": "kept"]]
    try put(domain(1), .object(own))
    let named = try admin.send(
      "PUT", domain(1) + "/documents/security.txt", body: Array(text.utf8), "If-Match: *",
      "Content-Type: text/plain")
    #expect(named.status < 300, "\(named.text)")
    let service: JSON = ["unknown": "kept", "apps": [.string(app(1))]]
    let undone = try revert(edit(with(paths: ["/new/*"])), "?dryRun=true")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try paths(1) == ["/new/*"])
    #expect(try running.serve("city1.example").json["webcredentials"] == service)
    let current = try admin.send("GET", domain(1)).json["revision"]?.integerValue ?? 0
    let restored = try admin.send(
      "POST", domain(1) + "/revisions/\(current - 1)/restore?detach=true", body: [], "If-Match: *")
    #expect(restored.status == 200, "\(restored.text)")
    #expect(try running.serve("city1.example").json["webcredentials"] == service)
  }

  @Test func aTemplateThatWasDeletedAndMadeAgainKeepsNumbersAndUndoApart() throws {
    let change = try edit(with(paths: ["/new/*"]))
    for index in 1...3 {
      let target = domain(index) + "?accept=opens-nothing"
      #expect(try admin.send("DELETE", target, "If-Match: *").status == 200)
    }
    #expect(try admin.send("DELETE", path).status == 204)
    let made = try admin.send("PUT", path, json: with(paths: ["/one/*"]))
    #expect(try made.status == 201 && made.json["template"]?["revision"] == 3, "\(made.text)")
    let stale = try admin.send(
      "PUT", path, body: with(paths: ["/two/*"]).serialized(), "If-Match: \"2\"")
    #expect(stale.status == 412, "\(stale.text)")
    let undone = try revert(change)
    #expect(undone.status == 409, "\(undone.text)")
    #expect(try admin.send("GET", path).json["entries"] == with(paths: ["/one/*"])["entries"])
  }

  @Test func aTemplateThatChangedSinceIsNotUndone() throws {
    let first = try edit(with(paths: ["/new/*"]))
    // It changes no domain.
    var again = with(paths: ["/new/*"]).objectValue ?? [:]
    again["strict"] = false
    let later = try edit(.object(again))
    let refused = try revert(first)
    #expect(
      refused.status == 409 && refused.text.contains("in change \(later)."), "\(refused.text)")
    #expect(refused.text.contains("POST /v1/changes/\(later)/revert"))
    #expect(try paths(1) == ["/new/*"])
    #expect(try revert(later).status == 200)
    let other = try edit(changed { $0["cacheSeconds"] = 5 })
    let several = try revert(first)
    #expect(
      several.text.contains("in changes \(other), \(later + 1), \(later). "), "\(several.text)")
  }

  @Test func aDomainThatChangedSinceIsNamedWithItsLaterChange() throws {
    let change = try edit(with(paths: ["/new/*"]))
    let patch = try admin.send("PATCH", domain(1), json: ["cacheSeconds": 5])
    let later = try #require(try patch.json["change"]?.integerValue)
    let refused = try revert(change)
    #expect(refused.text.contains("city1.example (in change \(later)) changed"), "\(refused.text)")
  }

  @Test func anEditOfATemplateWithoutDomainsIsAChange() throws {
    let path = "/v1/templates/empty"
    let added = try admin.send("PUT", path, json: ["cacheSeconds": 60])
    #expect(try added.status == 201 && added.json["change"] == nil, "there is nothing to undo")
    let before = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue?.count ?? 0
    let edited = try admin.send("PUT", path + "?reason=faster", json: ["cacheSeconds": 5])
    let change = try #require(try edited.json["change"]?.integerValue, "\(edited.text)")
    let listed = try admin.send("GET", "/v1/changes").json["items"]?[0]
    #expect(
      listed?["id"] == .integer(change) && listed?["domainCount"] == 0, "\(listed?.text ?? "")")
    let audit = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(audit.count == before + 1, "one line")
    #expect(audit.first?["template"] == "empty" && audit.first?["change"] == .integer(change))
    #expect(audit.first?["reason"] == "faster")
    let undone = try revert(change)
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try undone.json["templates"] == [["template": "empty", "action": "update"]])
    #expect(try admin.send("GET", path).json["cacheSeconds"] == 60)
  }

  @Test func aDomainThatChangedSinceIsNamedOrFollowsItsTemplate() throws {
    let change = try edit(with(paths: ["/new/*"]))
    #expect(try admin.send("PATCH", domain(1), json: ["cacheSeconds": 5]).status == 200)
    let refused = try revert(change)
    #expect(refused.status == 409 && refused.text.contains("city1.example"), "\(refused.text)")
    #expect(try paths(2) == ["/new/*"])
    let skipped = try revert(change, "?skip=changed")
    #expect(skipped.status == 200, "\(skipped.text)")
    for index in 1...3 { #expect(try paths(index) == ["/gift/*"], "none is behind its template") }
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=5")
    #expect(try skipped.json["skipped"] == nil)
  }

  @Test func undoingATemplateNeedsATokenForAllDomains() throws {
    let change = try edit(with(paths: ["/new/*"]))
    let limited = try running.client(.editor, domains: ["*.example"])
    let refused = try revert(change, by: limited)
    #expect(refused.status == 403 && refused.text.contains("white-label"), "\(refused.text)")
    #expect(try paths(1) == ["/new/*"])
  }

  @Test func anEditOfATemplateIsOneLineInTheAudit() throws {
    let before = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue?.count ?? 0
    let change = try edit(with(paths: ["/new/*"]), "?reason=spring")
    let lines = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(lines.count == before + 1)
    #expect(lines.first?["action"] == "put template white-label", "\(lines.first?.text ?? "")")
    #expect(lines.first?["template"] == "white-label" && lines.first?["domainCount"] == 3)
    #expect(lines.first?["reason"] == "spring" && lines.first?["change"] == .integer(change))
    let parts = try admin.send("GET", "/v1/audit?change=\(change)").json["items"]?.arrayValue ?? []
    #expect(parts.count == 4, "the template and its domains")
  }

  @Test func aDetachedDomainServesTheSameBytesAndChangesNoMore() throws {
    let before = try running.serve("city1.example").body
    let answer = try admin.send("POST", domain(1) + "/detach")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["domain"]?["template"] == nil)
    #expect(try answer.json["domain"]?["cacheSeconds"] == 600)
    #expect(try running.serve("city1.example").body == before)
    try put(path, with(paths: ["/new/*"]), 200)
    #expect(try running.serve("city1.example").body == before)
    #expect(try admin.send("POST", domain(1) + "/detach").json["code"] == "no-template")
  }

  @Test func aRollBackSaysWhatAChangedTemplateLeavesDifferent() throws {
    _ = try admin.send(
      "POST", domain(1) + "/entries",
      json: ["apps": [.string(app(1))], "routes": [["path": "/own/*"]]])
    let same = try admin.send("POST", domain(1) + "/revisions/1/restore")
    #expect(same.status == 200, "the template is as it was: \(same.text)")
    let old = try running.serve("city1.example").body
    try put(path, with(paths: ["/new/*"]), 200)
    let refused = try admin.send("POST", domain(1) + "/revisions/1/restore")
    #expect(refused.status == 409)
    #expect(try refused.json["code"] == "template-changed")
    #expect(try refused.json["differences"]?.text.contains("/new/*") == true, "\(refused.text)")
    let detached = try admin.send("POST", domain(1) + "/revisions/1/restore?detach=true")
    #expect(detached.status == 200, "\(detached.text)")
    #expect(try running.serve("city1.example").body == old)
    #expect(try detached.json["domain"]?["template"] == nil)
  }

  @Test func aTemplateIsRolledBackWithItsDomains() throws {
    try put(path, with(paths: ["/new/*"]), 200)
    let answer = try admin.send("POST", path + "/revisions/1/restore")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try paths(1) == ["/gift/*"])
    let revisions = try admin.send("GET", path + "/revisions").json["items"]?.arrayValue ?? []
    #expect(revisions.map { $0["revision"] } == [3, 2, 1])
    #expect(try admin.send("GET", path + "/revisions/9").status == 404)
  }

  @Test func aDeletedDomainComesBackWithItsTemplate() throws {
    for index in 1...2 {
      #expect(try admin.send("DELETE", domain(index) + "?accept=opens-nothing").status == 200)
    }
    let restored = try admin.send("POST", domain(1) + "/restore")
    #expect(restored.status == 201, "\(restored.text)")
    #expect(try restored.json["domain"]?["template"] == "white-label")
    try put(path, changed { $0["cacheSeconds"] = 60 }, 200)
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=60")
    let refused = try admin.send("POST", domain(2) + "/restore")
    #expect(try refused.json["code"] == "template-changed")
    #expect(try admin.send("POST", domain(2) + "/restore?detach=true").status == 201)
    #expect(try running.serve("city2.example")["Cache-Control"] == "public, max-age=600")
  }
}
