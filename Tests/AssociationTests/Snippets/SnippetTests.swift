import Association
import Foundation
import Testing

@Suite struct SnippetTests {
  private static let app = "ABCDE12345.com.example.app"
  private static let clip = "ABCDE12345.com.example.app.Clip"

  private func domain(_ aliases: String...) throws -> Domain {
    var domain = Domain(
      name: try DomainName("example.com"), aliases: try aliases.map { try Alias($0) })
    domain.associationFile.entries = [
      Entry(apps: [try AppIdentifier(Self.app)], routes: [Route(path: "/buy/*")])
    ]
    return domain
  }

  @Test func anAdoptedStatementThatOpensLinksNeedsAnIntentFilter() throws {
    var domain = try domain()
    #expect(Snippets(of: domain).intentFilter == nil)
    let target: JSON = [
      "namespace": "android_app", "package_name": "com.example.shop",
      "sha256_cert_fingerprints": [
        .string(Array(repeating: "AB", count: 32).joined(separator: ":"))
      ],
    ]
    let relation: JSON = ["delegate_permission/common.handle_all_urls"]
    domain.assetLinksExtra = [["relation": relation, "target": target]]
    #expect(Snippets(of: domain).intentFilter?.contains("example.com") == true)
    #expect(Snippets(of: domain).intentFilterFromAndroid15 == nil)
    domain.assetLinksExtra = [
      ["relation": ["delegate_permission/common.get_login_creds"], "target": target]
    ]
    #expect(Snippets(of: domain).intentFilter == nil)
  }

  private func plist(_ fragment: String) throws -> NSDictionary {
    let text =
      fragment.hasPrefix("<?xml")
      ? fragment : "<plist version=\"1.0\"><dict>\(fragment)</dict></plist>"
    let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
    return try #require(list as? NSDictionary)
  }

  private func texts(_ value: Any?) throws -> [String] { try #require(value as? [String]) }

  @Test func anEntitlementNamesEachServiceOfTheAppForEachName() throws {
    var domain = try domain("www.example.com", "*.go.example.com", "go.example.com")
    domain.associationFile.services = [
      .webcredentials: .init(apps: [try AppIdentifier(Self.app)]),
      .activitycontinuation: .init(apps: [try AppIdentifier(Self.app)]),
    ]
    let entitlement = try #require(Snippets(of: domain).entitlements.first)
    let names = ["example.com", "www.example.com", "*.go.example.com", "go.example.com"]
    let entries = ["applinks", "webcredentials", "activitycontinuation"].flatMap { service in
      names.map { "\(service):\($0)" }
    }
    #expect(entitlement.app.text == Self.app)
    #expect(entitlement.entries == entries)
    let list = try plist(entitlement.plist)
    #expect(try texts(list["com.apple.developer.associated-domains"]) == entries)
  }

  /// Apple supports no wildcards for App Clips.
  @Test func anAppClipGetsNoWildcard() throws {
    var domain = try domain("*.example.com")
    domain.associationFile.services[.appclips] = .init(apps: [try AppIdentifier(Self.clip)])
    let entitlements = Snippets(of: domain).entitlements
    #expect(entitlements.map(\.app.text) == [Self.app, Self.clip])
    #expect(entitlements.last?.entries == ["appclips:example.com"])
  }

  @Test func aProfileAssociatesEachAppWithItsDomains() throws {
    let snippets = Snippets(of: try domain("www.example.com", "*.example.com"))
    let profile = try plist(try #require(snippets.mobileConfig))
    #expect(profile["PayloadType"] as? String == "Configuration")
    let payload = try #require((profile["PayloadContent"] as? [NSDictionary])?.first)
    #expect(payload["PayloadType"] as? String == "com.apple.associated-domains")
    let item = try #require((payload["Configuration"] as? [NSDictionary])?.first)
    #expect(item["ApplicationIdentifier"] as? String == Self.app)
    #expect(
      try texts(item["AssociatedDomains"]) == ["applinks:example.com", "applinks:www.example.com"])
    let identifiers = try [profile, payload].map {
      try #require(UUID(uuidString: $0["PayloadUUID"] as? String ?? ""))
    }
    #expect(Set(identifiers).count == 2)
    #expect(payload["PayloadIdentifier"] as? String == "com.example.associated-domains.payload")
  }

  /// A device replaces a profile by one with the same identifiers.
  @Test func aProfileKeepsItsIdentifiers() throws {
    let first = try plist(try #require(Snippets(of: try domain()).mobileConfig))
    let second = try plist(try #require(Snippets(of: try domain("www.example.com")).mobileConfig))
    #expect(first["PayloadUUID"] as? String == second["PayloadUUID"] as? String)
    var other = try domain()
    other.name = try DomainName("example.org")
    let third = try plist(try #require(Snippets(of: other).mobileConfig))
    #expect(first["PayloadUUID"] as? String != third["PayloadUUID"] as? String)
  }

  @Test func anIntentFilterVerifiesEachHost() throws {
    var domain = try domain("www.example.com", "*.example.com")
    domain.associationFile.entries[0].androidApps = ["com.example.shop"].compactMap {
      PackageName($0)
    }
    domain.associationFile.entries[0].routes = [Route()]
    let snippets = Snippets(of: domain)
    #expect(
      snippets.intentFilter == """
        <intent-filter android:autoVerify="true">
            <action android:name="android.intent.action.VIEW" />
            <category android:name="android.intent.category.DEFAULT" />
            <category android:name="android.intent.category.BROWSABLE" />
            <data android:scheme="http" />
            <data android:scheme="https" />
            <data android:host="example.com" />
            <data android:host="www.example.com" />
            <data android:host="*.example.com" />
        </intent-filter>

        """)
    #expect(snippets.intentFilterFromAndroid15 == nil)
  }

  /// Android 14 and lower would open every URL, because they ignore rules.
  @Test func routesThatNarrowComeWithAFilterForAndroid15() throws {
    var domain = try domain()
    domain.associationFile.entries[0].androidApps = ["com.example.shop"].compactMap {
      PackageName($0)
    }
    let filter = try #require(Snippets(of: domain).intentFilterFromAndroid15)
    for line in [
      #"    <data android:path="/.no-links-before-android-15" />"#,
      #"    <uri-relative-filter-group android:allow="true">"#,
      #"        <data android:pathPrefix="/" />"#,
    ] {
      #expect(filter.split(separator: "\n").contains { $0 == line })
    }
    domain.hasDynamicAppLinks = false
    #expect(Snippets(of: domain).intentFilterFromAndroid15 == nil)
    #expect(Snippets(of: domain).intentFilter != nil)
  }

  @Test func aDomainWithoutAppsHasNoSnippets() throws {
    let snippets = Snippets(of: Domain(name: try DomainName("example.com"), aliases: []))
    #expect(snippets.entitlements.isEmpty && snippets.mobileConfig == nil)
    #expect(snippets.intentFilter == nil && snippets.intentFilterFromAndroid15 == nil)
  }

  /// Both platforms look for the file of a wildcard at the name behind it.
  @Test func aWildcardWhoseParentHasNoFileIsNoted() throws {
    #expect(Snippets(of: try domain("*.example.com")).notes.isEmpty)
    #expect(Snippets(of: try domain("*.go.example.com", "*.example.com")).notes.isEmpty)
    let notes = Snippets(of: try domain("*.go.example.com")).notes
    #expect(notes.count == 1 && notes[0].contains("at go.example.com"))
  }
}
