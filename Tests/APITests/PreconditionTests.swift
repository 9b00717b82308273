import Association
import TestSupport
import Testing

@Suite struct PreconditionTests {
  let running: RunningService
  var admin: Client { running.admin }
  let target = "/v1/domains/example.com"

  init() throws {
    running = try RunningService()
    try running.put("example.com", ["cacheSeconds": 1])
    try running.put("example.com", ["cacheSeconds": 2])
  }

  @Test(arguments: ["\"1\"", "W/\"2\"", "\"1\", \"3\"", "\"x\"", "\"99999999999999999999\""])
  func anEditOfAnotherRevisionIsRefusedWithTheCurrentOne(tags: String) throws {
    let edits: [(String, String, JSON)] = [
      ("PUT", target, [:]), ("PATCH", target, ["cacheSeconds": 9]), ("DELETE", target, [:]),
      ("PUT", target + "/file", ["webcredentials": ["apps": [.string(app)]]]),
      ("POST", target + "/entries", ["apps": [.string(app)]]),
    ]
    for (method, target, json) in edits {
      let response = try admin.send(method, target, json: json, "If-Match: \(tags)")
      #expect(response.status == 412, "\(method) \(target)")
      #expect(response["ETag"] == "\"2\"")
      #expect(try response.code == "stale-revision")
    }
    #expect(try admin.send("GET", target)["ETag"] == "\"2\"")
  }

  @Test(arguments: ["\"2\"", "\"1\", \"2\"", "\"1\",\"2\"", "\"2\",", "*"])
  func anEditOfTheCurrentRevisionIsMade(tags: String) throws {
    let response = try admin.send(
      "PATCH", target, json: ["cacheSeconds": 9], "If-Match: \(tags)")
    #expect(response.status == 200 && response["ETag"] == "\"3\"")
  }

  @Test(arguments: ["2", "\"2", "", "\"", "2\"", ", "])
  func anIfMatchThatIsNotAListOfTagsIsRefused(tags: String) throws {
    let response = try admin.send(
      "PATCH", target, json: ["cacheSeconds": 9], "If-Match: \(tags)")
    #expect(try response.status == 400 && response.code == "malformed-if-match", "\(tags)")
    #expect(try admin.send("GET", target)["ETag"] == "\"2\"")
  }

  @Test func ifNoneMatchStarOnlyAddsNewDomains() throws {
    let taken = try admin.send("PUT", target, json: [:], "If-None-Match: *")
    #expect(try taken.status == 412 && taken.code == "already-exists" && taken["ETag"] == "\"2\"")
    let new = try admin.send("PUT", "/v1/domains/new.example", json: [:], "If-None-Match: *")
    #expect(new.status == 201)
    let odd = try admin.send("PUT", target, json: [:], "If-None-Match: \"2\"")
    #expect(odd.status == 400)
  }

  @Test func theDescriptionSaysWhichRefusalsNameTheCurrentRevision() throws {
    let description = Description(try admin.send("GET", "/openapi.json").json)
    func tag(_ method: String, _ target: String, _ status: Int) -> JSON? {
      let operation = description.operation(method, target)
      let response = description.resolve(operation?.json["responses"]?["\(status)"])
      return description.resolve(response?["headers"]?["ETag"])
    }
    for (method, target, status, field) in [
      ("PUT", target, 428, "Accept: */*"), ("PUT", target, 412, "If-None-Match: *"),
      ("PATCH", target, 412, "If-Match: \"1\""), ("POST", target + "/restore", 409, "Accept: */*"),
    ] {
      let refused = try admin.send(method, target, json: [:], field)
      #expect(refused.status == status && refused["ETag"] == "\"2\"", "\(refused.text)")
      #expect(tag(method, target, status)?["required"] == false, "\(method) \(status)")
    }
    #expect(tag("PUT", "/v1/apps/x", 412) == nil, "nothing there has a revision")
    #expect(tag("GET", target, 200)?["required"] == true)
  }

  @Test func ifMatchNeverAddsADomain() throws {
    for tags in ["*", "\"1\""] {
      let put = try admin.send("PUT", "/v1/domains/new.example", json: [:], "If-Match: \(tags)")
      #expect(put.status == 412)
      let file: JSON = ["webcredentials": ["apps": [.string(app)]]]
      let adopt = try admin.send(
        "PUT", "/v1/domains/new.example/file", json: file, "If-Match: \(tags)")
      #expect(adopt.status == 412)
    }
    #expect(try admin.send("GET", "/v1/domains/new.example").status == 404)
  }
}
