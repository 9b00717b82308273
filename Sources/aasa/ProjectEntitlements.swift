import Association

/// Associated domains where they are not yet, or no longer, an XML property list: in the project of a .NET app, in the
/// config.xml of Cordova, and in what `plutil -p` prints.
enum ProjectEntitlements {
  /// The same as an XML property list; `nil` if the text is none of them, or has other lists for other builds.
  static func propertyList(_ text: String) -> String? {
    guard text.contains(Entitlements.key) else { return nil }
    let plain = withoutComments(text)
    let members = entriesOfDotNet(plain) ?? entriesOfCordova(plain) ?? printedMembers(text)
    return members.map { "<plist><dict>\($0)</dict></plist>" }
  }

  private static func withoutComments(_ text: String) -> String {
    let parts = text.split(separator: "<!--", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      index == 0 ? part : part.firstRange(of: "-->").map { part[$0.upperBound...] } ?? ""
    }.joined()
  }

  /// `<CustomEntitlements Include="…" Type="StringArray" Value="applinks:example.com;…" />`
  private static func entriesOfDotNet(_ text: String) -> String? {
    let lists = tags("<CustomEntitlements", in: text).compactMap { tag, _ -> [String]? in
      guard attribute("Include", of: tag) == Entitlements.key,
        let value = attribute("Value", of: tag)
      else { return nil }
      let separator = attribute("ArraySeparator", of: tag).flatMap { $0.isEmpty ? nil : $0 }
      return value.split(separator: separator ?? ";").map(trimmed).filter { !$0.isEmpty }
        .map { "<string>\($0)</string>" }
    }
    return onlyOne(lists).map(member)
  }

  /// `<config-file parent="…" target="*-Release.plist"><array>…</array></config-file>`; the entries of a release count.
  private static func entriesOfCordova(_ text: String) -> String? {
    let lists = tags("<config-file", in: text).compactMap { tag, rest -> [String]? in
      guard attribute("parent", of: tag) == Entitlements.key,
        attribute("target", of: tag)?.lowercased().contains("debug") != true
      else { return nil }
      let content = rest.firstRange(of: "</config-file>").map { rest[..<$0.lowerBound] } ?? rest
      return content.split(separator: "<string>", omittingEmptySubsequences: false).dropFirst()
        .map { part in "<string>\(trimmed(part.prefix { $0 != "<" }))</string>" }
    }
    return onlyOne(lists).map(member)
  }

  /// `"application-identifier" => "…"`, and `0 => "applinks:example.com"` in brackets.
  private static func printedMembers(_ text: String) -> String? {
    let lists = text.split(
      separator: "\"\(Entitlements.key)\" => [", omittingEmptySubsequences: false)
    // A provisioning profile has "*" there.
    if lists.count == 1, let value = text.firstRange(of: "\"\(Entitlements.key)\" => \"") {
      let value = text[value.upperBound...].prefix { $0 != "\"" }
      return "<key>\(Entitlements.key)</key><string>\(CodesignText.escaped(value))</string>"
    }
    guard lists.count == 2 else { return nil }
    let list = lists[1].drop(while: \.isWhitespace).prefix { $0 != "]" }
    guard list.isEmpty || list.hasPrefix("0 => \"") else { return nil }
    let entries = list.split(separator: "=> \"").dropFirst().map { part in
      part.prefix { $0 != "\"" }
    }
    let app = text.firstRange(of: "\"application-identifier\" => \"").map {
      text[$0.upperBound...].prefix { $0 != "\"" }
    }
    return member(entries.map { "<string>\(CodesignText.escaped($0))</string>" })
      + (app.map {
        "<key>application-identifier</key><string>\(CodesignText.escaped($0))</string>"
      } ?? "")
  }

  /// The list, if all are the same: which of several a build takes, only the build knows.
  private static func onlyOne(_ lists: [[String]]) -> [String]? {
    lists.allSatisfy { $0 == lists[0] } ? lists.first : nil
  }

  /// The elements that begin with some words: what stands in the tag, and what follows it.
  private static func tags(
    _ words: String, in text: String
  ) -> [(tag: Substring, rest: Substring)] {
    text.split(separator: words, omittingEmptySubsequences: false).dropFirst().map { element in
      let tag = element.prefix { $0 != ">" }
      return (tag, element[tag.endIndex...])
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  private static func member(_ entries: [String]) -> String {
    "<key>\(Entitlements.key)</key><array>\(entries.joined())</array>"
  }

  private static func attribute(_ name: String, of tag: Substring) -> String? {
    [" ", "\t", "\n", "\r\n"].lazy.compactMap { tag.firstRange(of: "\($0)\(name)=\"") }.first.map {
      String(tag[$0.upperBound...].prefix { $0 != "\"" })
    }
  }
}
