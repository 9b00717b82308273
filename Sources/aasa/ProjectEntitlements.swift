import Association

/// Associated domains where they are not yet, or no longer, an XML property list: in the project of a .NET app, in the
/// config.xml of Cordova, and in what `plutil -p` prints.
enum ProjectEntitlements {
  /// The same as an XML property list; `nil` if the text is none of them.
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
    for element in text.split(separator: "<CustomEntitlements", omittingEmptySubsequences: false)
      .dropFirst()
    {
      let tag = element.prefix { $0 != ">" }
      guard attribute("Include", of: tag) == Entitlements.key,
        let value = attribute("Value", of: tag)
      else { continue }
      let separator = attribute("ArraySeparator", of: tag).flatMap { $0.isEmpty ? nil : $0 }
      return member(value.split(separator: separator ?? ";").map { "<string>\($0)</string>" })
    }
    return nil
  }

  /// `<config-file parent="…" target="*-Release.plist"><array>…</array></config-file>`; the entries of a release count.
  private static func entriesOfCordova(_ text: String) -> String? {
    let elements = text.split(separator: "<config-file", omittingEmptySubsequences: false)
      .dropFirst().compactMap { element -> (isForDebugging: Bool, array: Substring)? in
        let tag = element.prefix { $0 != ">" }
        guard attribute("parent", of: tag) == Entitlements.key,
          let start = element.firstRange(of: "<array>"),
          let end = element[start.upperBound...].firstRange(of: "</array>")
        else { return nil }
        let target = attribute("target", of: tag) ?? ""
        return (target.contains("Debug"), element[start.upperBound..<end.lowerBound])
      }
    return (elements.first { !$0.isForDebugging } ?? elements.first).map {
      member([String($0.array)])
    }
  }

  /// `"application-identifier" => "…"`, and `0 => "applinks:example.com"` in brackets.
  private static func printedMembers(_ text: String) -> String? {
    guard let start = text.firstRange(of: "\"\(Entitlements.key)\" => [") else { return nil }
    let list = text[start.upperBound...].prefix { $0 != "]" }
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

  private static func member(_ entries: [String]) -> String {
    "<key>\(Entitlements.key)</key><array>\(entries.joined())</array>"
  }

  private static func attribute(_ name: String, of tag: Substring) -> String? {
    tag.firstRange(of: " \(name)=\"").map { String(tag[$0.upperBound...].prefix { $0 != "\"" }) }
  }
}
