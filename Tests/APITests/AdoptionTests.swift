import Association
import TestSupport
import Testing

@Suite struct AdoptionTests {
  let running: RunningService
  let old: JSON = [
    "applinks": ["details": [["appIDs": [.string(app)], "components": [["/": "/old"]]]]]
  ]

  init() throws { running = try RunningService() }

  private func adopt(_ file: [UInt8], _ domain: String, _ query: String = "") throws -> RawResponse
  {
    try running.admin.send("PUT", "/v1/domains/\(domain)/file\(query)", body: file)
  }

  @Test(.enabled(if: CorpusFile.isThere, CorpusFile.missing))
  func everyRealFileIsServedUnchangedOrRefusedWithItsFaults() throws {
    let files = try CorpusFile.all()
    var refused: [String] = []
    for (index, file) in files.enumerated() {
      let name = "corpus-\(index).example"
      let response = try adopt(file.bytes, name)
      if response.status == 201 {
        let given = try JSON.parse(file.bytes).value
        #expect(try running.served(name) == given, "\(file.testDescription)")
        continue
      }
      refused.append("\(file.testDescription): \(response.status) \(try response.faults)")
      #expect([400, 422].contains(response.status), "\(file.testDescription): \(response.text)")
      #expect(try !response.faults.isEmpty && response.faults.allSatisfy { !$0.contains("?") })
      #expect(try running.serve(name).status == 404)
      #expect(try running.admin.send("GET", "/v1/domains/\(name)").status == 404)
      try expectRefusalKeepsWhatIsServed(file)
    }
    print("corpus: \(files.count - refused.count) adopted, \(refused.count) refused")
    for line in refused { print("corpus: refused \(line)") }
    #expect(files.count == 124 && refused.count == 5)
  }

  private func expectRefusalKeepsWhatIsServed(_ file: CorpusFile) throws {
    #expect([200, 201].contains(try adopt(old.serialized(), "kept.example").status))
    let before = try running.serve("kept.example")
    #expect(try [400, 422].contains(adopt(file.bytes, "kept.example").status))
    let after = try running.serve("kept.example")
    #expect(after.body == before.body && after["ETag"] == before["ETag"])
  }

  /// The query that accepts all errors of a file, if they can be accepted.
  private func acceptance(of response: RawResponse) throws -> String {
    guard response.status == 422 else { return "" }
    let errors = try response.json["errors"]?.arrayValue ?? []
    let codes = Set(errors.compactMap { $0["code"]?.stringValue })
    #expect(codes.allSatisfy { Finding.Code(rawValue: $0)?.isAcceptable == true }, "\(codes)")
    return "?accept=" + codes.sorted().joined(separator: ",")
  }

  @Test(arguments: Shape.all)
  func aFileOfAnyShapeIsServedUnchangedAndSoIsItsDomainPutBackOrCopied(shape: Shape) throws {
    let (file, admin) = (shape.file.serialized(), running.admin)
    let accept = try acceptance(of: adopt(file, "example.com"))
    let first = try adopt(file, "example.com", accept)
    #expect([200, 201].contains(first.status), "\(first.text)")
    let served = try running.serve("example.com")
    #expect(try served.json == shape.file)
    let second = try adopt(file, "example.com", accept)
    #expect(try second.status == 200 && second.json["changed"] == false)
    let domain = try admin.send("GET", "/v1/domains/example.com")
    let put = try admin.send("PUT", "/v1/domains/example.com", body: domain.body, "If-Match: *")
    #expect(try put.status == 200 && put.json["changed"] == false, "\(put.text)")
    #expect(try put["ETag"] == "\"1\"" && put.json["domain"] == domain.json)
    #expect(try running.serve("example.com").body == served.body)
    var copy = try domain.json.objectValue ?? [:]
    copy["domain"] = nil
    let target = "/v1/domains/copy.example\(accept)"
    let copied = try admin.send("PUT", target, json: .object(copy))
    #expect(copied.status == 201, "\(copied.text)")
    #expect(try running.served("copy.example") == shape.file)
    let again = try admin.send("PUT", target, json: .object(copy), "If-Match: *")
    #expect(try again.json["changed"] == false)
  }

  @Test func adoptingAFileKeepsTheIDsOfUnchangedRoutes() throws {
    let first = try adopt(
      #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a"},{"/":"/b"}]}]}}"#
        .utf8.map { $0 }, "example.com"
    ).json["domain"]?["entries"]?[0]
    let second = try adopt(
      #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/new"},{"/":"/b"}]}]}}"#
        .utf8.map { $0 }, "example.com"
    ).json["domain"]?["entries"]?[0]
    #expect(first?["id"] != nil && first?["id"] == second?["id"])
    #expect(first?["routes"]?[1] == second?["routes"]?[1])
    #expect(first?["routes"]?[0]?["id"] != second?["routes"]?[0]?["id"])
  }

  @Test func adoptingKeepsTheDomainsOwnSettings() throws {
    try running.put("example.com", ["aliases": ["www.example.com"], "cacheSeconds": 60])
    _ = try adopt(old.serialized(), "example.com")
    #expect(try running.served("www.example.com") == old)
    #expect(try running.serve("example.com")["Cache-Control"]?.contains("max-age=60") == true)
  }

  @Test func acceptedErrorsStayAcceptedWhileTheDomainIsEdited() throws {
    let file: JSON = [
      "applinks": ["details": [["appIDs": [], "components": [["/": "/a"]]]]]
    ]
    #expect(try adopt(file.serialized(), "example.com").status == 422)
    let first = try adopt(file.serialized(), "example.com", "?accept=entry-without-app")
    #expect(first.status == 201, "\(first.text)")
    #expect(try first.json["accepted"] == ["entry-without-app"])
    let patch = try running.admin.send(
      "PATCH", "/v1/domains/example.com", json: ["cacheSeconds": 5])
    #expect(patch.status == 200, "\(patch.text)")
  }

  @Test func aFileWithAnAppThatIsNoneIsAdoptedIfItsErrorIsAccepted() throws {
    let file: JSON = [
      "applinks": [
        "details": [["appIDs": [.string(app), "com"], "components": [["/": "/a"]]]]
      ]
    ]
    let refused = try adopt(file.serialized(), "example.com")
    #expect(try refused.status == 422 && refused.code == "malformed-app-identifier")
    let adopted = try adopt(file.serialized(), "example.com", "?accept=malformed-app-identifier")
    #expect(adopted.status == 201, "\(adopted.text)")
    #expect(try running.served("example.com") == file)
    let entry = try adopted.json["domain"]?["entries"]?[0]
    #expect(entry?["apps"] == [.string(app)])
    #expect(entry?["extra"] == ["appIDs": ["1": "com"]])
    #expect(try running.admin.send("GET", "/v1/apps").json["items"]?.arrayValue?.count == 1)
    // Renaming its app leaves it in its place.
    let renamed = try running.admin.send(
      "POST", "/v1/apps/\(app)/rename", json: ["to": "FGHIJ67890.com.example.new"])
    #expect(renamed.status == 200, "\(renamed.text)")
    #expect(
      try running.served("example.com")["applinks"]?["details"]?[0]?["appIDs"]
        == ["FGHIJ67890.com.example.new", "com"])
  }

  @Test func aTemplateBesideAnAppIsAdoptedWithAWarning() throws {
    let file: JSON = ["webcredentials": ["apps": ["$(PREFIX)com.x", .string(app)]]]
    let adopted = try adopt(file.serialized(), "example.com")
    #expect(adopted.status == 201, "\(adopted.text)")
    #expect(
      try adopted.json["findings"]?.arrayValue?.compactMap { $0["code"]?.stringValue }
        .contains("placeholder-app-identifier") == true)
    #expect(try running.served("example.com") == file)
  }

  @Test func onlyTextsThatAreNoAppsCanBeInExtra() throws {
    for extra: JSON in [
      ["appIDs": ["0": .string(app)]], ["appIDs": ["com"]], ["appIDs": ["x": "com"]],
      ["appIDs": ["-1": "com"]], ["appID": .string(app)],
    ] {
      let entry: JSON = ["apps": [.string(app)], "routes": [["path": "/a"]], "extra": extra]
      let response = try running.admin.send(
        "PUT", "/v1/domains/example.com", json: ["entries": [entry]])
      #expect(try response.faults.map { $0.split(separator: " ").last } == ["reserved-member"])
    }
  }

  @Test func aSignedFileIsServedAsItsContent() throws {
    func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }
    let oid: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]
    let content = element(0x30, oid + [1] + element(0xA0, element(0x04, old.serialized())))
    let signedData = element(0x30, [0x02, 1, 1] + element(0x31, []) + content)
    let file = element(0x30, oid + [2] + element(0xA0, signedData))
    let adopted = try adopt(file, "example.com")
    #expect(adopted.status == 201, "\(adopted.text)")
    #expect(
      try adopted.json["findings"]?.arrayValue?.contains {
        $0["code"] == "cms-signed" && $0["severity"] == "warning"
      } == true)
    #expect(try running.served("example.com") == old)
    #expect(try running.serve("example.com")["Content-Type"] == "application/json")
    let report = try running.admin.send("POST", "/v1/validate", body: file)
    #expect(try report.json["valid"] == true)
  }

  @Test func aCodeThatCannotBeAcceptedIsRefused() throws {
    for code in ["duplicate-key", "nonsense", "too-large"] {
      let response = try adopt(old.serialized(), "example.com", "?accept=\(code)")
      #expect(try response.status == 400 && response.code == "unknown-code")
    }
    #expect(try running.serve("example.com").status == 404)
  }
}
