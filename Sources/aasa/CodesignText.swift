import Association

/// What `codesign -d --entitlements -` prints without `--xml`: a line for each key and value, indented by its depth.
enum CodesignText {
  /// The same as an XML property list; `nil` if the text does not begin like this.
  static func propertyList(_ text: String) -> String? {
    let lines = text.split(whereSeparator: \.isNewline).drop { !$0.contains("[Dict]") }
    guard let first = lines.first, first.drop(while: \.isWhitespace).hasPrefix("[Dict]") else {
      return nil
    }
    var xml = "<plist>"
    var open: [(depth: Int, name: String)] = []
    for line in lines {
      let depth = line.prefix(while: \.isWhitespace).count
      let content = line.dropFirst(depth)
      guard content.hasPrefix("["), let end = content.firstIndex(of: "]") else { continue }
      let kind = content[content.index(after: content.startIndex)..<end]
      while let last = open.last, last.depth >= depth {
        xml += "</\(last.name)>"
        open.removeLast()
      }
      let value = content[content.index(after: end)...].drop(while: \.isWhitespace)
      switch kind {
      case "Dict", "Array":
        xml += "<\(kind.lowercased())>"
        open.append((depth, kind.lowercased()))
      case "Key": xml += "<key>\(escaped(value))</key>"
      case "String": xml += "<string>\(escaped(value))</string>"
      case "Bool": xml += value == "true" ? "<true/>" : "<false/>"
      case "Value": break
      // Another type is of no use here, and stands for a value.
      default: xml += "<string></string>"
      }
    }
    return xml + open.reversed().map { "</\($0.name)>" }.joined() + "</plist>"
  }

  static func escaped(_ text: Substring) -> String {
    text.map { ["&": "&amp;", "<": "&lt;"][$0] ?? String($0) }.joined()
  }
}
