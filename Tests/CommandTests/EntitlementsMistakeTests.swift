import Association
import TestSupport
import Testing

/// What people write in entitlements that the system does not read as they mean it. Without a database.
@Suite struct EntitlementsMistakeTests {
  private let scratch: TemporaryDirectory
  private static let name = "com.apple.developer.associated-domains"
  private static let key = "<key>\(name)</key>"

  init() throws { scratch = try TemporaryDirectory() }

  /// "severity code entry: message" of each finding, without the note that nothing was compared.
  private func findings(_ file: String, as name: String = "App.entitlements") throws -> [String] {
    let path = try scratch.write(file, to: name)
    let result = try Program.aasa("entitlements", "--json", path, in: scratch)
    #expect(result.errors.isEmpty, "\(result.errors)")
    let report = try JSON.parse(result.bytes).value
    return (report["findings"]?.arrayValue ?? []).compactMap { finding in
      let text = { finding[$0]?.stringValue ?? "" }
      if text("code") == "not-compared" { return nil }
      return "\(text("severity")) \(text("code")) \(text("entry")): \(text("message"))"
    }
  }

  private static func plist(_ content: String) -> String {
    "<plist version=\"1.0\"><dict>\(content)</dict></plist>"
  }

  private static func list(_ entries: String...) -> String {
    "\(key)<array>\(entries.map { "<string>\($0)</string>" }.joined())</array>"
  }

  @Test func aStarAmongTheEntriesComesFromAProfile() throws {
    let found = try findings(Self.plist(Self.list("*")))
    #expect(found.count == 1 && found[0].hasPrefix("error malformed-entry *: "), "\(found)")
    #expect(found[0].contains("re-signing"))
  }

  @Test(arguments: [
    """
    <Project Sdk="Microsoft.NET.Sdk"><ItemGroup>
      <CustomEntitlements Include="com.apple.a" Type="String" Value="b" />
      <CustomEntitlements Include="com.apple.developer.associated-domains" Type="StringArray"
        Value="applinks:https://a.example;webcredentials:b.example" />
    </ItemGroup></Project>
    """,
    """
    <CustomEntitlements Include="com.apple.developer.associated-domains" ArraySeparator="|" Value="applinks:https://a.example|x" />
    """,
    """
    <widget id="com.example.app"><platform name="ios">
      <!-- <config-file parent="com.apple.developer.associated-domains"><array><string>a</string></array></config-file> -->
      <config-file parent="com.apple.developer.associated-domains" target="*-Debug.plist">
        <array><string>applinks:debug.example</string></array>
      </config-file>
      <config-file target="*-Release.plist" parent="com.apple.developer.associated-domains">
        <array><string>applinks:https://a.example</string></array>
      </config-file>
    </platform></widget>
    """,
    """
    {
      "application-identifier" => "ABCDE12345.com.example.app"
      "com.apple.developer.associated-domains" => [
        0 => "applinks:https://a.example"
      ]
      "other" => [ 0 => "applinks:b" ]
    }
    """,
    """
    { "\(name)" => "*" }
    { "\(name)" => [ 0 => "applinks:https://a.example" ] }
    """,
  ])
  func theEntriesOfOtherProjectsAreRead(file: String) throws {
    let found = try findings(file).filter { $0.contains("a.example") || $0.contains("debug") }
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.hasPrefix("error malformed-entry applinks:https://a.example: ") == true)
  }

  @Test func aProvisioningProfileThatPlutilPrintedIsRecognized() throws {
    #expect(
      try findings("{\n  \"\(Self.name)\" => \"*\"\n}").contains {
        $0.contains("Provisioning profiles")
      })
  }

  @Test(arguments: [
    """
    <CustomEntitlements Include="\(name)" Condition="Debug" Value="applinks:debug.example" />
    <CustomEntitlements Include="\(name)" Condition="Release" Value="applinks:a.example" />
    """,
    """
    <platform name="osx"><config-file parent="\(name)"><array><string>applinks:b.example</string></array></config-file></platform>
    <platform name="ios"><config-file parent="\(name)"><array><string>applinks:a.example</string></array></config-file></platform>
    """,
    "entitlements = { \"\(name)\" => [\"applinks:a.example\"] }",
    "{ \"\(name)\" => [ 0 => \"applinks:a.example\" ] }\n{ \"\(name)\" => [ 0 => \"applinks:b.example\" ] }",
  ])
  func listsOfSeveralBuildsAreNotGuessed(file: String) throws {
    let path = try scratch.write(file, to: "several.txt")
    let result = try Program.aasa("entitlements", path, in: scratch)
    #expect(result.status == 1 && result.output.isEmpty, "\(result.output)")
    #expect(result.errors.contains(" is n"), "\(result.errors)")
  }

  @Test(arguments: [
    "<CustomEntitlements\n\tInclude=\"\(name)\"\n\tValue=\"\n  applinks:$HOST;\n  \" />",
    """
    <config-file parent="\(name)" target="App/entitlements-debug.plist"><array><string>b</string></array></config-file>
    <config-file parent="\(name)" target="*-Release.plist"><array>
      <string>applinks:$HOST</string></array></config-file>
    """,
  ])
  func aVariableOfAnotherProjectIsNoMistake(file: String) throws {
    let found = try findings(file)
    #expect(found.contains { $0.hasPrefix("warning placeholder applinks:$HOST: ") }, "\(found)")
    #expect(!found.contains { $0.hasPrefix("error") }, "\(found)")
  }

  @Test func whatCodesignPrintsWithoutXMLIsRead() throws {
    let text = """
      Executable=/tmp/Shop.app/Shop
      [Dict]
      \t[Key] application-identifier
      \t[Value]
      \t\t[String] ABCDE12345.example.shop
      \t[Key] com.apple.developer.associated-domains
      \t[Value]
      \t\t[Array]
      \t\t\t[String] applinks:shop.example?mode=developer
      \t\t\t[String] applinks:shop&<.example
      \t[Key] get-task-allow
      \t[Value]
      \t\t[Bool] false

      """
    let found = try findings(text)
    #expect(
      found.map { $0.prefix { $0 != ":" } } == [
        "error malformed-entry applinks", "error mode-developer applinks",
      ])
    #expect(found[0].contains("shop&<.example"), "\(found)")
  }

  @Test func theFileOfAWildcardIsNamed() throws {
    let found = try findings(
      Self.plist(Self.list("applinks:*.shop.example", "applinks:shop.example")))
    #expect(
      found == [
        "note wildcard-file applinks:*.shop.example: For *.shop.example, devices use the file of shop.example, and not those "
          + "of the names below it."
      ])
  }

  @Test func anEmptyEntryIsCalledEmpty() throws {
    let found = try findings(Self.plist(Self.list("applinks:shop.example", "")))
    #expect(
      found == [
        "error malformed-entry (empty): The system ignores the entry. It is empty. Remove it."
      ])
  }

  @Test func twoListsAreNotTakenForOne() throws {
    let (one, other) = (
      Self.list("applinks:shop.example"), Self.list("webcredentials:shop.example")
    )
    let found = try findings(Self.plist(one + other))
    #expect(found.count == 1 && found[0].hasPrefix("warning duplicate-key "), "\(found)")
    #expect(try findings(Self.plist("<!-- \(other) -->" + one)).isEmpty)
    #expect(try findings(Self.plist(one + "<!-- \(other) -->")).isEmpty)
  }

  @Test(
    arguments: [
      (["expo": ["associatedDomains": ["applinks:shop.example"], "ios": [:]]], "\"expo\""),
      (["expo": ["associatedDomains": ["applinks:shop.example"]]], "\"expo\""),
      (["associatedDomains": ["applinks:shop.example"], "expo": ["ios": [:]]], "the root"),
      (["expo": ["android": ["associatedDomains": []], "ios": [:]]], "\"expo.android\""),
    ] as [(JSON, String)])
  func entriesInTheWrongPlaceOfAnExpoProjectAreFound(project: JSON, place: String) throws {
    let found = try findings(project.text, as: "app.json")
    #expect(
      found == [
        "error misplaced-key associatedDomains: It stands in \(place), where the build does not look for it. Move it into"
          + " \"expo.ios\"."
      ])
  }
}
