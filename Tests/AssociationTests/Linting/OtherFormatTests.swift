import Association
import Testing

/// Texts that are not JSON, as people paste and serve them.
@Suite struct OtherFormatTests {
  private static func help(_ text: String) -> String? {
    Linter.report(onFile: Array(text.utf8)).findings.first { $0.code == .notJSON }?.help
  }

  @Test(arguments: [
    ("```json\n{\"applinks\":{}}\n```", "block of code"),
    ("{&quot;applinks&quot;:{}}", "`&quot;`"),
    ("module.exports = {\"applinks\":{}}", "source of a program"),
    ("const file = {\"applinks\":{}};", "source of a program"),
    ("<?php header('a'); ?>\n{\"applinks\":{}}", "source of a PHP program"),
    ("<br />\n<b>Fatal error</b>:  Uncaught Error in <b>/a.php</b>", "message of PHP"),
    (
      "<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"-//X\">\n<plist><dict/></plist>",
      "property list"
    ),
    ("<plist version=\"1.0\"><dict/></plist>", "`aasa entitlements`"),
    ("<manifest package=\"com.example.shop\"/>", "`aasa manifest`"),
    ("<configuration><system.webServer/></configuration>", "configuration of a server"),
    ("<Files \"apple-app-site-association\">\n</Files>", "configuration of a server"),
    ("server {\n  listen 443 ssl;\n}", "configuration of a server"),
    ("/.well-known/assetlinks.json\n  Content-Type: application/json", "configuration of a server"),
    ("applinks:\n  details: []\n", "It is YAML."),
  ])
  func anotherFormatIsNamed(text: String, words: String) {
    let help = Self.help(text) ?? ""
    #expect(help.contains(words) && !help.contains("like a page"), "\(help)")
  }

  @Test(arguments: ["<!doctype html><title>a</title>", "<html><b>Warnings</b></html>"])
  func aPageIsAPage(text: String) {
    #expect(Self.help(text)?.hasPrefix("It begins like a page.") == true)
    #expect(Linter.remedy(forTextInPlaceOfFile: Array(text.utf8)) == nil)
  }

  @Test(arguments: [
    ("[*, \"/a\"]", "Write `\"*\"` in line 1"),
    ("{\"paths\": [\"/a\",\n /b/*]}", "Write `\"/b/*\"` in line 2"),
    ("{\"appID\": ABCDE12345.com.example.app }", "Write `\"ABCDE12345.com.example.app\"`"),
    ("[/a\", \"/b\"]", "Write `\"/a\"` in line 1"),
    ("[\"/a/*\", NOT \"/a/b\"]", "Write `NOT ` within the quotation marks in line 1"),
    ("{'a': 1}", "Write straight double quotation marks (`\"`) in line 1, in place of '."),
    ("{\"a\": `b`}", "Write straight double quotation marks (`\"`) in line 1, in place of `."),
    ("// for iOS\n{}", "Remove the comment in line 1"),
    ("{\n  \"a\": 1, /* b */ \"c\": 2}", "Remove the comment in line 2"),
    ("{\"a\": 1 # b\n}", "Remove the comment in line 1"),
    ("{\n\u{A0}\"a\": 1}", "Line 2, column 1 has the character U+00A0"),
    ("{\"a\": 1,\u{200B}\n\"b\": 2}", "Line 1, column 9 has the character U+200B"),
    ("{\"a\": 1}\u{FEFF}", "Line 1, column 9 has the character U+FEFF"),
    ("[\"/a\t\"]", "Remove the tab in line 1, column 5"),
    ("[\"/a,\n\"/b\"]", "Write a quotation mark at the end of the text in line 1"),
    ("[{\"relation\":[]}],[{\"relation\":[]}]", "Remove the `]` before the comma in line 1"),
  ])
  func theFaultInALineIsNamed(text: String, start: String) {
    let help = Self.help(text) ?? ""
    #expect(help.hasPrefix(start), "\(help)")
  }

  @Test(arguments: [
    "{\"a\": nope}", "[tru]", "{\"a\" 1}", "[1 2]", "[\"\\q\"]", "[-]", "{\"a\": 1.}",
  ])
  func anotherFaultIsNotTakenForATextWithoutQuotes(text: String) {
    let help = Self.help(text) ?? ""
    #expect(!help.contains("each text needs") && !help.contains("comment in line"), "\(help)")
  }

  @Test(arguments: [
    ("{\"expo\":{\"ios\":{}}}", "app.json of an Expo project"),
    ("{\"hosting\":{\"public\":\"dist\"}}", "configuration of a host"),
    ("{\"rewrites\":[],\"headers\":[]}", "configuration of a host"),
    ("{\"name\":\"a\",\"start_url\":\"/\"}", "manifest of a web app"),
    ("{\"project_info\":{},\"client\":[]}", "google-services.json"),
  ])
  func aFileOfAnotherPurposeIsNamed(text: String, words: String) {
    let finding = Linter.report(onFile: Array(text.utf8)).findings.first { $0.code == .noService }
    #expect(finding?.message.contains(words) == true, "\(finding?.message ?? "")")
    #expect(finding?.help.contains("Give the file that the domain serves.") == true)
  }

  @Test(arguments: ["{}", "{\"a\":1}", "{\"version\":1,\"b\":2}"])
  func anotherObjectIsNoKnownFile(text: String) {
    let finding = Linter.report(onFile: Array(text.utf8)).findings.first { $0.code == .noService }
    #expect(finding?.help.hasPrefix("Add `applinks`") == true, "\(finding?.help ?? "")")
  }
}
