import Service
import Association
import Store
import TestSupport
import Testing

/// The schemas, and the resources that are made from the same fields.
@Suite struct SchemaTests {
  /// A domain with every member that a request can have.
  private static let full: JSON = [
    "domain": "xn--bcher-kva.example", "aliases": ["www.example.com"], "enabled": false,
    "format": "legacy", "cacheSeconds": 60, "environment": "staging", "strict": true,
    "apps": ["x"], "details": "dictionary", "defaults": ["caseSensitive": false, "/": "*"],
    "substitutionVariables": ["v": ["a", "b"]],
    "androidCredentials": ["com.example.shop"], "dynamicAppLinks": false,
    "assetlinksExtra": [["include": "https://example.com/x.json"]],
    "webauthnOrigins": ["https://example.org"], "webauthnExtra": ["w": 4],
    "passkeyEndpoints": ["enroll": "https://example.com/passkeys", "x": 5],
    "changePassword": "https://example.com/password",
    "documents": ["trust.txt": ["mediaType": "text/plain", "text": "x"]],
    "entries": [
      [
        "apps": ["A.b"], "androidApps": ["com.example.shop"], "keys": ["appID", "paths"],
        "routes": [["path": "/a"]],
      ]
    ],
    "webcredentials": ["A.b"], "appclips": [], "activitycontinuation": [],
    "labels": ["brand-a"], "managedBy": "git: links-repo", "protected": true,
    "fallback": ["web": "https://shop.example.org{path}"],
    "extra": ["x": 1], "applinksExtra": ["y": 2],
    "serviceExtra": ["webcredentials": ["z": 3]],
    "expectations": [
      ["url": "https://www.example.com/a", "app": "A.b", "resolution": "match"]
    ],
  ]

  /// What only domains with a template have; `TemplateTests` writes and reads them.
  private static let ofTemplates = ["template", "parameters"]

  private func schema(_ name: String) throws -> JSON.Object {
    try #require(ResourceSchemas.all[name]?.objectValue)
  }

  private func properties(_ name: String) throws -> Set<String> {
    Set(try #require(schema(name)["properties"]?.objectValue).keys)
  }

  private func required(_ name: String) throws -> Set<String> {
    Set(try schema(name)["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
  }

  @Test func everyReferenceLeadsToASchema() {
    var open = ResourceSchemas.all.members.map(\.value)
    while let next = open.popLast() {
      if let reference = next["$ref"]?.stringValue {
        let name = reference.split(separator: "/").last.map(String.init) ?? ""
        #expect(ResourceSchemas.all[name] != nil, "\(reference)")
      }
      open += next.objectValue?.members.map(\.value) ?? next.arrayValue ?? []
    }
  }

  @Test func aFullDomainHasEveryMemberOfItsSchemasAndIsReadBackUnchanged() throws {
    let given = Self.full
    let domain = try Faults.collecting(in: given, Self.read)
    let written = DomainResource.exported(StoredDomain(domain, revision: 1))
    #expect(try Set(written.keys) == properties("ExportedDomain").subtracting(Self.ofTemplates))
    #expect(
      try Set(given.objectValue?.keys ?? [])
        == properties("DomainInput")
        .subtracting(["unicode", "revision", "updatedAt", "behindTemplate"]).subtracting(
          Self.ofTemplates))
    let again = try Faults.collecting(in: .object(written), Self.read)
    #expect(again == domain && again.associationFile == domain.associationFile)
    #expect(
      DomainResource.exported(StoredDomain(again, revision: 1)) == written)
  }

  private static func read(_ body: BodyValue) -> Domain? {
    DomainResource.read(body, over: nil)?.domain
  }

  @Test func anEmptyDomainHasOnlyTheRequiredMembers() throws {
    let domain = Domain(name: try DomainName("example.com"))
    let written = DomainResource.exported(StoredDomain(domain, revision: 1))
    #expect(try required("ExportedDomain").isSubset(of: written.keys))
    #expect(
      try Set(written.keys).subtracting(required("ExportedDomain")) == [
        "format", "cacheSeconds", "strict", "defaults", "substitutionVariables", "entries",
        "webcredentials", "appclips", "activitycontinuation", "expectations",
      ], "a domain with a template leaves these out")
    let read = try Faults.collecting(in: ["domain": "example.com"], Self.read)
    #expect(read == domain)
  }

  /// Where one required member is wrong, the others are read and their faults named all the same.
  @Test func everyFaultBesideAMissingMemberIsNamed() throws {
    let error = #expect(throws: InvalidInput.self) {
      try Faults.collecting(
        in: ["cacheSeconds": -1, "entries": [["apps": [1]]]], Self.read)
    }
    #expect(
      error?.faults.map { "\($0.pointer): \($0.code)" } == [
        ": missing-member", "/cacheSeconds: out-of-range", "/entries/0/apps/0: wrong-type",
      ])
    let expectation = #expect(throws: InvalidInput.self) {
      try Faults.collecting(
        in: ["url": "nowhere", "app": "x", "resolution": "maybe"], ExpectationResource.read)
    }
    #expect(expectation?.faults.count == 3)
  }

  @Test func aLongValueIsCutInAMessage() {
    let text = String(repeating: "x", count: 1000)
    let error = #expect(throws: InvalidInput.self) {
      try Faults.collecting(in: [text: 1], TokenResource.read)
    }
    #expect(error?.faults.contains { $0.message.count > 300 } == false)
  }
}
