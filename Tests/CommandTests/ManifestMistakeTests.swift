import Association
import TestSupport
import Testing

/// What people write in a manifest that Android does not read as they mean it. Without a database.
@Suite struct ManifestMistakeTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// The findings without the notes that nothing was compared: "severity code entry", and the message.
  private func findings(_ file: String, as name: String = "m.xml") throws -> [(String, String)] {
    let path = try scratch.write(file, to: name)
    let result = try Program.aasa("manifest", "--json", path, in: scratch)
    #expect(result.errors.isEmpty, "\(result.errors)")
    let report = try JSON.parse(result.bytes).value
    return (report["findings"]?.arrayValue ?? []).compactMap { finding in
      let text = { finding[$0]?.stringValue ?? "" }
      if ["not-compared", "app-unknown"].contains(text("code")) { return nil }
      return ("\(text("severity")) \(text("code")) \(text("entry"))", text("message"))
    }
  }

  private static let view = """
    <action android:name="android.intent.action.VIEW"/>\
    <category android:name="android.intent.category.DEFAULT"/>\
    <category android:name="android.intent.category.BROWSABLE"/>
    """
  private static let host =
    "<data android:scheme=\"https\"/><data android:host=\"shop.example\"/>"

  private static func filter(_ content: String, view: String = view) -> String {
    "<intent-filter android:autoVerify=\"true\">\(view)\(content)</intent-filter>"
  }

  private static func manifest(_ content: String) -> String {
    """
    <manifest xmlns:android="http://schemas.android.com/apk/res/android"><application>
    <activity android:name=".Main" android:exported="true">\(content)</activity>
    </application></manifest>
    """
  }

  @Test(arguments: [
    (".*/edit", "/edit", "/a/edit"), (".*/a/.*", "/a/.*", "/b/a/b"),
  ])
  func aStarBeforeTheFirstSlashTakesNothing(
    pattern: String, same: String, missed: String
  ) throws {
    let data = "<data android:pathPattern=\"\(pattern)\"/>"
    let found = try findings(Self.manifest(Self.filter(Self.host + data)))
    #expect(found.map(\.0) == ["warning inner-star pathPattern=\(pattern)"])
    #expect(found.first?.1.contains("only what \(same) does") == true, "\(found)")
    #expect(found.first?.1.contains("not \(missed)") == true, "\(found)")
  }

  @Test(arguments: [".*/.*", ".*", "/.*/edit"])
  func aStarThatTakesSomethingIsNoSuchMistake(pattern: String) throws {
    let data = "<data android:pathPattern=\"\(pattern)\"/>"
    let found = try findings(Self.manifest(Self.filter(Self.host + data)))
    #expect(!found.contains { $0.0.hasPrefix("warning") }, "\(found)")
  }

  @Test func queriesBelongInAGroup() throws {
    let data = "<data android:queryPrefix=\"id=\"/><data android:fragment=\"top\"/>"
    let found = try findings(Self.manifest(Self.filter(Self.host + data)))
    #expect(
      found.map(\.0) == [
        "warning outside-group queryPrefix=id=", "warning outside-group fragment=top",
      ])
    let group =
      "<uri-relative-filter-group><data android:queryPrefix=\"id=\"/></uri-relative-filter-group>"
    #expect(try findings(Self.manifest(Self.filter(Self.host + group))).isEmpty)
    let lines = try Program.aasa(
      "manifest",
      scratch.write(
        Self.manifest(Self.filter(Self.host + data)), to: "m.xml"), in: scratch
    ).lines
    #expect(lines.contains("  shop.example: autoVerify"), "They are no conditions: \(lines)")
  }

  // MARK: - The launcher

  private static let launcher = """
    <action android:name="android.intent.action.MAIN"/>\
    <category android:name="android.intent.category.LAUNCHER"/>
    """

  @Test(arguments: ["shop.example", ""])
  func theLauncherNeedsAFilterWithoutLinks(host: String) throws {
    let content =
      host.isEmpty ? "<data android:scheme=\"shop\"/>" : Self.host
    let both = Self.filter(content, view: Self.view + Self.launcher)
      .replacing(
        " android:autoVerify=\"true\"", with: host.isEmpty ? "" : " android:autoVerify=\"true\"")
    let found = try findings(Self.manifest(both + (host.isEmpty ? Self.filter(Self.host) : "")))
    #expect(
      found.map(\.0) == ["warning launcher-with-data \(host.isEmpty ? "shop" : host)"])
    let own = "<intent-filter>\(Self.launcher)</intent-filter>"
    #expect(try findings(Self.manifest(own + Self.filter(Self.host))).isEmpty)
    #expect(
      try !findings(Self.manifest(own + both)).contains { $0.0.contains("launcher-with-data") })
  }

  // MARK: - Places and names

  @Test(arguments: [
    (filter("<!-- \(host) -->"), "error no-host "),
    (filter("") + host, "error misplaced-data "),
    (
      filter("<data scheme=\"https\" host=\"shop.example\"/>"),
      "error misnamed-attribute scheme, host"
    ),
  ])
  func aFilterWithoutDataHasOneFinding(content: String, finding: String) throws {
    let found = try findings(Self.manifest(content))
    #expect(found.map(\.0) == [finding])
  }

  @Test func dataOfQueriesIsNotMisplaced() throws {
    let queries = """
      <queries><intent><action android:name="android.intent.action.VIEW"/>\
      <data android:scheme="https"/></intent></queries><application>
      """
    let manifest = Self.manifest(Self.filter(Self.host)).replacing("<application>", with: queries)
    #expect(try findings(manifest).isEmpty)
  }

  @Test func aCurlyQuotationMarkInXMLIsNamed() throws {
    let manifest = Self.manifest(Self.filter(Self.host))
      .replacing("android:host=\"shop.example\"", with: "android:host=“shop.example”")
    let path = try scratch.write(manifest, to: "curly.xml")
    let result = try Program.aasa("manifest", path, in: scratch)
    #expect(result.errors.contains("the quotation mark “"), "\(result.errors)")
  }

  // MARK: - Expo

  private static func filters(_ key: String = "host", verify: Bool = true) -> JSON {
    [
      [
        "action": "VIEW", "autoVerify": .bool(verify), "category": ["BROWSABLE", "DEFAULT"],
        "data": [["scheme": "https", "\(key)": "shop.example"]],
      ]
    ]
  }

  @Test(
    arguments: [
      (
        ["expo": ["intentFilters": filters(), "android": ["package": "com.example.app"]]],
        "\"expo\""
      ),
      (["expo": ["intentFilters": filters()]], "\"expo\""),
      (["intentFilters": filters(), "expo": ["android": [:]]], "the root"),
      (["expo": ["ios": ["intentFilters": filters()], "android": [:]]], "\"expo.ios\""),
    ] as [(JSON, String)])
  func filtersInTheWrongPlaceOfAnExpoProjectAreFound(project: JSON, place: String) throws {
    let found = try findings(project.text, as: "app.json")
    #expect(found.map(\.0) == ["error misplaced-key intentFilters"])
    #expect(found.first?.1.contains("stands in \(place),") == true, "\(found)")
    #expect(found.first?.1.contains("\"expo.android\"") == true)
  }

  @Test func anExpoProjectIsToldInItsWords() throws {
    func project(_ filters: JSON) -> String {
      (["expo": ["android": ["intentFilters": filters]]] as JSON).text
    }
    let prefixed = try findings(project(Self.filters("android:host")), as: "app.json")
    #expect(prefixed.map(\.0) == ["error misnamed-attribute android:host"])
    #expect(prefixed.first?.1.contains("Write \"host\".") == true)
    let unverified = try findings(project(Self.filters(verify: false)), as: "app.json")
    #expect(unverified.first?.1.contains("add \"autoVerify\": true") == true, "\(unverified)")
    #expect(try findings(project(Self.filters()), as: "app.json").isEmpty)
  }
}
