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

  @Test func aSchemeInCapitalsIsReportedBesideOtherFilters() throws {
    let other = "<data android:scheme=\"HTTPS\" android:host=\"b.example\"/>"
    let found = try findings(Self.manifest(Self.filter(Self.host) + Self.filter(other)))
    #expect(found.map(\.0) == ["error https-missing b.example"])
    #expect(found.first?.1.contains("case-sensitively") == true, "\(found)")
  }

  @Test(arguments: ["autoVerify", "android:autoverify"])
  func aMisnamedAutoVerifyIsNamed(attribute: String) throws {
    let filter = "<intent-filter \(attribute)=\"true\">\(Self.view)\(Self.host)</intent-filter>"
    #expect(
      try findings(Self.manifest(filter)).map(\.0) == [
        "error misnamed-attribute \(attribute)", "error no-auto-verify shop.example",
      ])
    #expect(try findings(Self.manifest(Self.filter(Self.host))).isEmpty)
    let both = filter.replacing(
      "<intent-filter", with: "<intent-filter android:autoVerify=\"true\"")
    #expect(try findings(Self.manifest(both)).isEmpty)
  }

  @Test func aHostInAGroupIsReportedAsMisplaced() throws {
    let data = "<data android:scheme=\"https\" android:host=\"shop.example\" android:path=\"/a\"/>"
    let group = "<uri-relative-filter-group>\(data)</uri-relative-filter-group>"
    #expect(
      try findings(Self.manifest(Self.filter(group))).map(\.0) == [
        "error misplaced-data android:host"
      ])
    let path = "<uri-relative-filter-group><data android:path=\"/a\"/></uri-relative-filter-group>"
    #expect(try findings(Self.manifest(Self.filter(Self.host + path))).isEmpty)
  }

  @Test(arguments: [
    (
      "<widget><universal-links><host name=\"shop.example\"/></universal-links></widget>", "Cordova"
    ),
    ("[IntentFilter(new[] { Intent.ActionView }, DataHost = \"shop.example\")]", "C#"),
    ("export default { android: { intentFilters: [] } };", "JavaScript"),
    ("<manifest><!-- intentFilters --><application></manifest>", "is not XML"),
  ])
  func whatABuildMakesAManifestFromLeadsToTheManifest(file: String, words: String) throws {
    let path = try scratch.write(file, to: "source")
    let result = try Program.aasa("manifest", path, in: scratch)
    #expect(result.status == 1 && result.errors.contains(words), "\(result.errors)")
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

  @Test func dataInACommentIsPointedAt() throws {
    let commented = try findings(Self.manifest(Self.filter("<!-- \(Self.host) -->")))
    #expect(
      commented.first?.1.hasSuffix("stands in a comment, which Android does not read.") == true)
    let other = try findings(Self.manifest(Self.filter("<!-- hosts follow -->")))
    #expect(other.first?.1.contains("comment") == false, "\(other)")
  }

  @Test(arguments: ["", " "])
  func anEmptySchemeIsToBeRemoved(scheme: String) throws {
    let data = "<data android:scheme=\"\(scheme)\" android:host=\"www.shop.example\"/>"
    let found = try findings(Self.manifest(Self.filter(Self.host + data)))
    #expect(found.map(\.0).contains("error custom-scheme shop.example"), "\(found)")
    let message = found.first { $0.0.contains("custom-scheme") }?.1 ?? ""
    #expect(
      message.contains("the scheme \"\(scheme)\",") && message.contains("Remove"), "\(message)")
  }

  // MARK: - android:exported

  @Test(
    arguments: [(nil, "warning"), (30, nil), (31, "error"), (35, "error")] as [(Int?, String?)])
  func anActivityWithLinksSaysWhetherItIsExported(version: Int?, severity: String?) throws {
    let target = version.map { "<uses-sdk android:targetSdkVersion=\"\($0)\"/><application>" }
    let manifest = Self.manifest(Self.filter(Self.host))
      .replacing("<application>", with: target ?? "<application>")
    #expect(try findings(manifest).isEmpty)
    let found = try findings(manifest.replacing(" android:exported=\"true\"", with: ""))
    #expect(
      found.map(\.0) == [severity].compactMap { $0.map { "\($0) exported-missing shop.example" } })
  }

  @Test func anAppThatWasBuiltTargetsAtLeastItsOldestVersion() throws {
    let manifest = Self.manifest(Self.filter(Self.host))
      .replacing(" android:exported=\"true\"", with: "")
      .replacing("<application>", with: "<uses-sdk android:minSdkVersion=\"30\"/><application>")
    #expect(try !findings(manifest).isEmpty)
    let built = manifest.replacing("<manifest", with: "<manifest platformBuildVersionCode=\"30\"")
    #expect(try findings(built).isEmpty)
  }

  @Test func aSnippetDoesNotLackWhatOnlyAnActivityHas() throws {
    let snippet = Self.filter(Self.host).replacing(
      "<intent-filter",
      with: "<intent-filter xmlns:android=\"http://schemas.android.com/apk/res/android\"")
    #expect(try findings(snippet).isEmpty)
  }

  // MARK: - The manifest merger

  @Test func whatTheMergerRemovesIsNotInTheManifest() throws {
    let tools = "xmlns:t=\"http://schemas.android.com/tools\""
    let other = Self.filter("<data android:scheme=\"shop\"/>\(Self.host)")
      .replacing("shop.example", with: "old.example")
    #expect(try findings(Self.manifest(Self.filter(Self.host) + other)).count > 0)
    for node in ["remove", "removeAll"] {
      let removed = other.replacing(
        "<intent-filter", with: "<intent-filter \(tools) t:node=\"\(node)\"")
      #expect(try findings(Self.manifest(removed + Self.filter(Self.host))).isEmpty)
    }
    let merged = other.replacing("<intent-filter", with: "<intent-filter \(tools) t:node=\"merge\"")
    #expect(try findings(Self.manifest(Self.filter(Self.host) + merged)).count > 0)
  }

  // MARK: - asset_statements

  private static func resources(_ text: String) -> String {
    "<resources><string name=\"app_name\">a \"b\"</string><string name=\"asset_statements\">\(text)</string></resources>"
  }

  @Test(arguments: [
    "[{\\\"include\\\": \\\"https://shop.example/.well-known/assetlinks.json\\\"}]",
    "\n  [{\n \\\"relation\\\": [\\\"a/b\\\"], \\\"target\\\": {\\\"namespace\\\": \\\"web\\\"}}]\n",
  ])
  func statementsOfAnAppAreFine(text: String) throws {
    #expect(try findings(Self.resources(text), as: "strings.xml").isEmpty)
  }

  @Test(arguments: [
    ("[{\\\"https://shop.example/.well-known/assetlinks.json\\\"}]", "It is not JSON"),
    ("[{\"include\": \"https://shop.example/\"}]", "It is not JSON"),
    ("{\\\"include\\\": \\\"https://shop.example/\\\"}", "no array"),
    ("[{\\\"include\\\": \\\"shop.example\\\"}]", "https://"), ("[{}]", "neither"),
  ])
  func statementsThatNobodyReadsAreNamed(text: String, words: String) throws {
    let found = try findings(Self.resources(text), as: "strings.xml")
    #expect(found.map(\.0) == ["warning malformed-statements asset_statements"])
    #expect(found.first?.1.contains(words) == true, "\(found)")
  }

  @Test func statementsInTheManifestAreReadToo() throws {
    func manifest(_ value: String) -> String {
      Self.manifest(Self.filter(Self.host)).replacing(
        "<application>",
        with: "<application><meta-data android:name=\"asset_statements\" \(value)/>")
    }
    #expect(try findings(manifest("android:resource=\"@string/asset_statements\"")).isEmpty)
    #expect(try findings(manifest("android:value=\"@string/asset_statements\"")).isEmpty)
    #expect(try findings(manifest("android:value=\"${statements}\"")).isEmpty)
    #expect(try findings(Self.resources("@string/other"), as: "strings.xml").isEmpty)
    let include = "[{&quot;include&quot;: &quot;https://shop.example/a.json&quot;}]"
    #expect(try findings(manifest("android:value=\"\(include)\"")).isEmpty)
    let found = try findings(manifest("android:value=\"[{&quot;https://shop.example&quot;}]\""))
    #expect(found.map(\.0) == ["warning malformed-statements asset_statements"])
  }

  @Test func otherTextsAreNoManifest() throws {
    let path = try scratch.write(
      "<resources><string name=\"app_name\">a</string></resources>", to: "strings.xml")
    let result = try Program.aasa("manifest", path, in: scratch)
    #expect(result.status == 1 && result.errors.contains("is not a manifest"), "\(result.errors)")
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
