import Association
import Dispatch
import Store
import Synchronization
import TestSupport
import Testing

/// What templates refuse, to whom, and edits at the same time.
extension TemplateTests {
  @Test func aTemplateInUseIsNotDeleted() throws {
    let refused = try admin.send("DELETE", path)
    #expect(refused.status == 409)
    #expect(try refused.json["count"] == 3)
    for index in 1...3 { _ = try admin.send("POST", domain(index) + "/detach") }
    #expect(try admin.send("DELETE", path).status == 204)
    #expect(try admin.send("GET", path).status == 404)
  }

  @Test(
    arguments: [
      (["template": "none"], "template-not-found"),
      (["template": "white-label"], "missing-parameter"),
      (["template": "white-label", "parameters": ["app": ["A"]]], "wrong-type"),
      (
        ["template": "white-label", "parameters": ["app": "ABCDE12345.a", "more": "x"]],
        "unknown-parameter"
      ),
      (
        ["template": "white-label", "parameters": ["app": "ABCDE12345.a", "slug": "a*"]],
        "malformed-value"
      ),
      (["parameters": ["app": "ABCDE12345.a"]], "reserved-member"),
      (["template": "White Label"], "malformed-template-name"),
      (["template": ["a", "b"]], "wrong-type"),
    ] as [(JSON, String)])
  func valuesThatDoNotFitAreRefusedAndChangeNothing(_ json: JSON, _ code: String) throws {
    for target in [domain(1), "/v1/domains/new.example"] {
      let answer = try admin.send(
        "PUT", target, body: json.serialized(), target == domain(1) ? "If-Match: *" : "X-None: 1")
      #expect(answer.status == 422, "\(answer.text)")
      #expect(try answer.json["errors"]?[0]?["code"]?.stringValue == code, "\(answer.text)")
    }
    let state: JSON = [
      "domains": [.object((json.objectValue ?? [:]).adding("domain", "new.example"))]
    ]
    let applied = try admin.send("POST", "/v1/apply", json: state)
    #expect(applied.status == 422, "\(applied.text)")
    #expect(try revision(1) == 1)
    #expect(try admin.send("GET", "/v1/domains/new.example").status == 404)
  }

  @Test func theNameInATemplateIsThatOfItsPath() throws {
    let answer = try admin.send("PUT", path, json: changed { $0["template"] = "other" })
    #expect(answer.status == 422)
    #expect(try answer.json["errors"]?[0]?["code"] == "template-differs")
  }

  @Test func aTokenThatIsLimitedUsesTemplatesAndChangesNone() throws {
    let limited = try running.client(.editor, domains: ["city1.example"])
    #expect(try limited.send("GET", path).status == 200)
    #expect(try limited.send("PUT", path, json: with(paths: ["/x/*"])).status == 403)
    #expect(try limited.send("POST", path + "/revisions/1/restore").status == 403)
    #expect(try limited.send("DELETE", path).status == 403)
    let own = try limited.send(
      "PATCH", domain(1), json: ["parameters": ["slug": "promo"]])
    #expect(own.status == 200, "\(own.text)")
    #expect(try paths(1) == ["/promo/*"])
    let viewer = try running.client(.viewer)
    #expect(try viewer.send("PUT", path, json: with(paths: ["/x/*"])).status == 403)
    #expect(
      try viewer.send("PUT", path + "?dryRun=true", json: with(paths: ["/x/*"])).status == 200)
  }

  @Test func aDocumentOfADomainWithATemplateIsNotRemoved() throws {
    for kind in ["apple-app-site-association", "assetlinks.json", "webauthn"] {
      let answer = try admin.send("DELETE", "\(domain(1))/documents/\(kind)")
      #expect(try answer.status == 409 && answer.code == "uses-template", "\(answer.text)")
    }
  }

  @Test func aParameterThatATemplateNoLongerHasIsRemovedFromItsDomains() throws {
    try put(domain(1), changedUse(1, ["slug": "promo"]), 200)
    try put(path, with(paths: ["/new/*"]), 200)
    #expect(try admin.send("GET", domain(1)).json["parameters"]?["slug"] == nil)
    #expect(try paths(1) == ["/new/*"])
  }

  @Test func anEditOfADomainAndOneOfItsTemplateDoNotPassEachOther() throws {
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { worker in
      do {
        var round = 0
        while round < 10 {
          let answer =
            worker == 0
            ? try admin.send("PUT", path, json: with(paths: ["/t\(round)/*"]))
            : try admin.send(
              "PATCH", domain(1), json: ["environment": round % 2 == 0 ? "staging" : "production"])
          // The other one was faster too often.
          if answer.status == 503 { continue }
          round += 1
          if answer.status != 200 { failures.withLock { $0.append(answer.text) } }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock(\.self) == [])
    for index in 1...3 { #expect(try paths(index) == ["/t9/*"]) }
  }
}
