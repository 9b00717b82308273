import Association
import Testing

/// Passwords and passkeys should be shared with the apps of both platforms.
@Suite struct CredentialsTests {
  private static let links: JSON = ["applinks": ["details": [["appIDs": ["ABCDE12345.com.x"]]]]]
  private static let sharing: JSON = ["webcredentials": ["apps": ["ABCDE12345.com.x"]]]
  private static let handling = "delegate_permission/common.handle_all_urls"
  private static let credentials = "delegate_permission/common.get_login_creds"

  private func statements(_ relations: String..., target: JSON = StatementList.target) -> JSON {
    .array(relations.map { ["relation": [.string($0)], "target": target] })
  }

  private func findings(_ apple: JSON, _ android: JSON) -> [DocumentKind: [Finding]] {
    Linter.findings(comparing: ReadDocument(apple), with: AssetLinks(android))
  }

  @Test func sharingOnlyOnAppleIsANoteAboutAndroidsFile() throws {
    let found = findings(Self.sharing, statements(Self.handling))
    let finding = try #require(found[.assetLinks]?.first)
    #expect(found.count == 1 && found[.assetLinks]?.count == 1)
    #expect(finding.code == .credentialsOnOnePlatform && finding.severity == .note)
    #expect(finding.pointer.description == "/0/relation")
  }

  @Test func sharingOnlyOnAndroidIsANoteAboutApplesFile() throws {
    let found = findings(Self.links, statements(Self.handling, Self.credentials))
    let finding = try #require(found[.apple]?.first)
    #expect(found.count == 1 && found[.apple]?.count == 1)
    #expect(finding.code == .credentialsOnOnePlatform && finding.pointer == .root)
  }

  @Test func anEmptyListOfAppsSharesNothing() {
    let apple: JSON = ["webcredentials": ["apps": []]]
    #expect(findings(apple, statements(Self.credentials))[.apple]?.count == 1)
  }

  @Test func sharingOnBothOrOnNoneIsFine() {
    #expect(findings(Self.sharing, statements(Self.handling, Self.credentials)).isEmpty)
    #expect(findings(Self.links, statements(Self.handling)).isEmpty)
  }

  /// A domain without apps on a platform has nothing to share there.
  @Test func aPlatformWithoutAppsIsNotMissed() {
    let site: JSON = ["namespace": "web", "site": "https://example.com"]
    #expect(findings(Self.sharing, []).isEmpty)
    #expect(findings(Self.sharing, statements(Self.credentials, target: site)).isEmpty)
    #expect(findings([:], statements(Self.credentials)).isEmpty)
  }
}
