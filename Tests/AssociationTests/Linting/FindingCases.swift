import Association
import Testing

/// A file that raises one finding.
struct FindingCase: Sendable, CustomTestStringConvertible {
  let code: Finding.Code
  let pointer: String
  let file: String
  var severity: Finding.Severity?
  var context: Linter.Context?
  var kind = DocumentKind.apple

  init(
    _ code: Finding.Code, _ pointer: String, _ file: String, severity: Finding.Severity? = nil,
    context: Linter.Context? = nil
  ) {
    (self.code, self.pointer, self.file) = (code, pointer, file)
    (self.severity, self.context) = (severity, context)
  }

  var testDescription: String { "\(code.rawValue) at \(pointer.isEmpty ? "the root" : pointer)" }

  static let app = "ABCDE12345.com.example.app"

  /// A file with one entry of one app.
  static func entry(_ rest: String, applinks: String = "") -> String {
    #"{"applinks":{\#(applinks)"details":[{"appIDs":["\#(app)"],\#(rest)}]}}"#
  }

  static func components(_ components: String, applinks: String = "") -> String {
    entry(#""components":[\#(components)]"#, applinks: applinks)
  }

  static func path(_ path: String) -> String { components(#"{"/":"\#(path)"}"#) }

  static func variables(_ variables: String, used: String = "$(v)") -> String {
    components(
      #"{"/":"/\#(used)"}"#, applinks: #""substitutionVariables":{\#(variables)},"#)
  }

  static func legacy(_ path: String) -> String {
    #"{"applinks":{"details":[{"appID":"\#(app)","paths":["\#(path)"]}]}}"#
  }

  static func apps(_ apps: String) -> String { #"{"webcredentials":{"apps":[\#(apps)]}}"# }
}

extension FindingCase {
  private static let route = "/applinks/details/0/components/0"
  private static let second = "/applinks/details/0/components/1"
  private static let legacyRoute = "/applinks/details/0/paths/0"
  private static let details = #"{"applinks":{"details":"#

  static let ofFiles: [FindingCase] = [
    FindingCase(.notJSON, "", #"{"applinks":}"#),
    FindingCase(.notJSON, "", ""),
    FindingCase(.notObject, "", "[]"),
    FindingCase(.byteOrderMark, "", "\u{FEFF}" + path("/a")),
    FindingCase(.duplicateKey, "/applinks", path("/a").dropLast() + #","applinks":1}"#),
    FindingCase(.tooLarge, "", path("/a") + String(repeating: " ", count: 131_072)),
    FindingCase(
      .tooComplex, "",
      String(repeating: "[", count: 101) + String(repeating: "]", count: 101)),
    FindingCase(.nearSizeLimit, "", path("/a") + String(repeating: " ", count: 104_858)),
    FindingCase(.noService, "", "{}"),
    FindingCase(.unknownKey, "/webCredentials", path("/a").dropLast() + #","webCredentials":{}}"#),
    FindingCase(.wrongType, "/appclips", #"{"appclips":[]}"#),
    FindingCase(.wrongType, "/appclips/apps", #"{"appclips":{"apps":"a"}}"#),
    FindingCase(.wrongType, "/authsrv/apps/0", #"{"authsrv":{"apps":[1]}}"#),
    FindingCase(.entryWithoutApp, "/appclips", #"{"appclips":{}}"#, severity: .warning),
    FindingCase(
      .entryWithoutApp, "/webcredentials", #"{"webcredentials":{"apps":[]}}"#, severity: .warning),
    FindingCase(
      .wwwSiblingMissing, "", path("/a"), context: Linter.Context(domain: "example.com")),
    FindingCase(
      .apexSiblingMissing, "", path("/a"), context: Linter.Context(domain: "www.example.com")),
    FindingCase(
      .internationalizedName, "", path("/a"),
      context: Linter.Context(
        domain: "xn--mller-kva.example", aliases: ["www.xn--mller-kva.example"])),
    FindingCase(
      .internationalizedName, "", path("/a"),
      context: Linter.Context(domain: "go.example.com", aliases: ["*.xn--mller-kva.example"])),
  ]

  static let ofApps: [FindingCase] = [
    FindingCase(.malformedAppIdentifier, "/webcredentials/apps/0", apps(#""com""#)),
    FindingCase(.malformedAppIdentifier, "/webcredentials/apps/0", apps(#""""#)),
    FindingCase(.malformedAppIdentifier, "/webcredentials/apps/0", apps(#""ABCDE12345.a..b""#)),
    FindingCase(.malformedAppIdentifier, "/webcredentials/apps/0", apps(#""ABCDE12345.*""#)),
    FindingCase(.placeholderAppIdentifier, "/webcredentials/apps/0", apps(#""TEAM_ID.com.x""#)),
    FindingCase(.placeholderAppIdentifier, "/webcredentials/apps/0", apps(#""<TEAM_ID>.com.x""#)),
    FindingCase(.placeholderAppIdentifier, "/webcredentials/apps/0", apps(#""$(PREFIX)com.x""#)),
    FindingCase(.placeholderAppIdentifier, "/webcredentials/apps/0", apps(#""{{team}}.com.x""#)),
    FindingCase(.unusualAppIdentifierPrefix, "/webcredentials/apps/0", apps(#""abc.com.x""#)),
    FindingCase(
      .numericAppIdentifierPrefix, "/webcredentials/apps/0", apps(#""1576693742.com.example.app""#)),
    FindingCase(
      .numericAppIdentifierPrefix, "/webcredentials/apps/0", apps(#""576693742.com.example.app""#)),
    FindingCase(.unusualBundleIdentifier, "/webcredentials/apps/0", apps(#""ABCDE12345.a_b""#)),
    FindingCase(
      .repeatedApp, "/webcredentials/apps/1", apps(#""ABCDE12345.a","ABCDE12345.a""#)),
  ]

  static let ofEntries: [FindingCase] = [
    FindingCase(.noDetails, "/applinks", #"{"applinks":{}}"#),
    FindingCase(.emptyDetails, "/applinks/details", details + "[]}}"),
    FindingCase(.wrongType, "/applinks", #"{"applinks":[]}"#),
    FindingCase(.wrongType, "/applinks/details", details + "1}}"),
    FindingCase(.wrongType, "/applinks/details/0", details + "[[]]}}"),
    FindingCase(.wrongType, "/applinks/apps", components(#"{"/":"/a"}"#, applinks: #""apps":"","#)),
    FindingCase(
      .detailsDictionary, "/applinks/details", details + #"{"\#(app)":{"paths":["/a"]}}}}"#),
    FindingCase(
      .appsNotEmpty, "/applinks/apps", components(#"{"/":"/a"}"#, applinks: #""apps":["a"],"#)),
    FindingCase(
      .entryWithoutApp, "/applinks/details/0", details + #"[{"components":[{"/":"/a"}]}]}}"#),
    FindingCase(
      .appIDAndAppIDs, "/applinks/details/0/appID",
      entry(#""appID":"\#(app)","components":[{"/":"/a"}]"#), severity: .note),
    FindingCase(
      .appIDAndAppIDs, "/applinks/details/0/appID",
      entry(#""appID":"\#(app)2","components":[{"/":"/a"}]"#)),
    FindingCase(.appIDsWithPaths, "/applinks/details/0/paths", entry(#""paths":["/a"]"#)),
    FindingCase(
      .componentsAndPaths, "/applinks/details/0/paths",
      entry(#""components":[{"/":"/a"}],"paths":["/a"]"#)),
    FindingCase(.noRoutes, "/applinks/details/0", components("")),
    FindingCase(.wrongType, "/applinks/details/0/components", entry(#""components":{}"#)),
    FindingCase(.wrongType, route, components("1")),
    FindingCase(
      .wrongType, "/applinks/details/0/paths/0", legacy("/a").replacing("\"/a\"", with: "1")),
    FindingCase(
      .wrongType, "/applinks/defaults",
      components(#"{"/":"/a"}"#, applinks: #""defaults":[],"#)),
  ]

  static let ofRoutes: [FindingCase] = [
    FindingCase(.unknownKey, route + "/excluded", components(#"{"/":"/a","excluded":true}"#)),
    FindingCase(.wrongValueType, route + "/exclude", components(#"{"/":"/a","exclude":"true"}"#)),
    FindingCase(.wrongValueType, route + "/#", components(##"{"/":"/a","#":null}"##)),
    FindingCase(.wrongValueType, route + "/?", components(#"{"/":"/a","?":[]}"#)),
    FindingCase(
      .wrongValueType, "/applinks/defaults/caseSensitive",
      components(#"{"/":"/a"}"#, applinks: #""defaults":{"caseSensitive":0},"#)),
    FindingCase(
      .queryValueNotString, route + "/?/a", components(#"{"/":"/a","?":{"a":true,"b":"c"}}"#)),
    FindingCase(.takesSignInPages, route, components(#"{"/":"*"}"#)),
    FindingCase(.takesSignInPages, legacyRoute, legacy("/*")),
    FindingCase(.matchesEverything, route, components("{}")),
    FindingCase(.matchesEverything, route, components(#"{"?":{}}"#)),
    FindingCase(
      .publicComment, route + "/comment", components(#"{"/":"/a","comment":"a secret"}"#)),
    FindingCase(.neverMatches, route, components(#"{"/":"/a","?":{"b&c":"?*"}}"#)),
    FindingCase(
      .shadowedRoute, second,
      components(#"{"/":"/a/*","exclude":true},{"/":"/a/b"},{"/":"/c"}"#)),
    FindingCase(
      .shadowedRoute, second, components(#"{"/":"/a/*"},{"/":"/a/b"}"#), severity: .note),
    FindingCase(.duplicateRoute, second, components(#"{"/":"/a"},{"/":"a/"}"#), severity: .note),
    FindingCase(
      .duplicateRoute, second, components(#"{"/":"/a"},{"/":"/a/","exclude":true}"#)),
    FindingCase(
      .exclusionsOnly, legacyRoute, legacy("NOT /admin/*")),
    FindingCase(
      .exclusionsOnly, second,
      components(#"{"/":"/a","exclude":true},{"/":"/b","exclude":true}"#)),
    FindingCase(
      .unneededExclusion, second, components(#"{"/":"/a"},{"/":"/b","exclude":true}"#)),
    FindingCase(
      .shadowingNotDecided, "/applinks/details/0",
      components(#"{"/":"/a/*","percentEncoded":false},{"/":"/a/b"}"#)),
  ]

  static let ofPatterns: [FindingCase] = [
    FindingCase(.nonASCIIPattern, route + "/~1", path("/münchen")),
    FindingCase(.nonASCIIPattern, route + "/?/ü", components(#"{"/":"/a","?":{"ü":"*"}}"#)),
    FindingCase(.spaceInPattern, route + "/~1", path("/a b")),
    FindingCase(.lowerCaseEscape, route + "/~1", path("/m%c3%bcnchen")),
    FindingCase(
      .escapeInDecodedPattern, route + "/~1",
      components(#"{"/":"/a%20b","percentEncoded":false}"#)),
    FindingCase(.urlAsPath, route + "/~1", path("https://example.com/a")),
    FindingCase(.hostAsPath, route + "/~1", path("example.com/a")),
    FindingCase(.hostAsPath, legacyRoute, legacy("*.example.com/a")),
    FindingCase(.hostAsPath, route + "/~1", path("/sub.example.com/*")),
    FindingCase(.hostAsPath, route + "/~1", path("/example.com")),
    FindingCase(.hostAsPath, route + "/~1", path("/sub.example.com:443/*")),
    FindingCase(.hostAsPath, route + "/~1", path("/https://sub.example.com/*")),
    FindingCase(.hostAsPath, route + "/~1", path("/$(lang).example.com/*")),
    FindingCase(.hostAsPath, route + "/~1", path("/about.us"), severity: .note),
    FindingCase(.hostAsPath, route + "/~1", path("/*.example.co.uk/a")),
    FindingCase(.hostAsPath, legacyRoute, legacy("/www.example.io/a")),
    FindingCase(.queryInPath, route + "/~1", path("/a?id=*")),
    FindingCase(.fragmentInPath, route + "/~1", path("/a#b")),
    FindingCase(.leadingDelimiter, route + "/?", components(#"{"/":"/a","?":"?id=*"}"#)),
    FindingCase(.leadingDelimiter, route + "/#", components(##"{"/":"/a","#":"#b"}"##)),
    FindingCase(.noLeadingSlash, legacyRoute, legacy("a/*")),
    FindingCase(.regularExpression, route + "/~1", path("^/a")),
    FindingCase(.regularExpression, route + "/~1", path("/a/\\\\d+")),
    FindingCase(.regularExpression, route + "/~1", path("/(a|b)")),
    FindingCase(.routeParameter, route + "/~1", path("/a/:id")),
    FindingCase(.routeParameter, route + "/~1", path("/a/{id}/b")),
    FindingCase(.misspelledNot, legacyRoute, legacy("not /a")),
    FindingCase(.misspelledNot, legacyRoute, legacy("NOT/a")),
    FindingCase(.misspelledNot, route + "/~1", path("NOT /a")),
  ]

  static let ofVariables: [FindingCase] = [
    FindingCase(.undefinedVariable, route + "/~1", path("/$(Lang)")),
    FindingCase(.undefinedVariable, route + "/?/a", components(#"{"/":"/a","?":{"a":"$(v)"}}"#)),
    FindingCase(.unterminatedVariable, route + "/~1", path("/$(lang")),
    FindingCase(.unterminatedVariable, route + "/~1", path("/a$b")),
    FindingCase(.variableInPaths, legacyRoute, legacy("/$(lang)")),
    FindingCase(
      .nestedVariable, "/applinks/substitutionVariables/v/0", variables(#""v":["$(lang)"]"#)),
    FindingCase(.emptyVariable, "/applinks/substitutionVariables/v", variables(#""v":[]"#)),
    FindingCase(
      .emptyVariableValue, "/applinks/substitutionVariables/v/1", variables(#""v":["a",""]"#)),
    FindingCase(
      .variableName, "/applinks/substitutionVariables/a$b", variables(#""v":["a"],"a$b":["a"]"#)),
    FindingCase(
      .redefinedVariable, "/applinks/substitutionVariables/lang",
      variables(#""lang":["a"]"#, used: "$(lang)")),
    FindingCase(
      .unusedVariable, "/applinks/substitutionVariables/w", variables(#""v":["a"],"w":["a"]"#)),
    FindingCase(
      .wrongType, "/applinks/substitutionVariables/w/1",
      variables(#""v":["a"],"w":["a",1]"#, used: "$(v)$(w)")),
    FindingCase(
      .wrongType, "/applinks/substitutionVariables",
      components(#"{"/":"/a"}"#, applinks: #""substitutionVariables":[],"#)),
  ]

  /// Notes that also good files have, such as the examples of Apple and Google.
  static let common: Set<Finding.Code> = [.takesSignInPages, .singleFingerprint]

  static let all = ofFiles + ofApps + ofEntries + ofRoutes + ofPatterns + ofVariables
  static let ofAllKinds = all + ofAssetLinks + ofOrigins + ofEndpoints
}
