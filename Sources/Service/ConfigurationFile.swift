import FoundationEssentials
import Glibc
import JSONValue

/// The settings that a JSON5 file has, with their lines.
struct ConfigurationFile {
  struct Item {
    let setting: Setting
    /// The text of the value; nil for one of the wrong kind, such as an object.
    let text: String?
    /// The value as the file has it, in one line for people.
    let written: String
    let line: Int
  }

  let items: [Item]

  /// Reads a file.
  ///
  /// - Throws: `Configuration.Invalid` if it cannot be read, is not JSON5, or has a name twice or one
  ///   that no setting has.
  init(path: String) throws(Configuration.Invalid) {
    var items: [Item] = []
    for member in try Self.members(of: Self.contents(of: path), in: path) {
      do throws(Fault) {
        items.append(try Self.item(member, after: items))
      } catch {
        throw Configuration.Invalid(description: "\(path):\(member.line): \(error.sentence)")
      }
    }
    self.items = items
  }

  /// What is wrong in a line.
  private struct Fault: Error {
    let sentence: String
  }

  private static func contents(of path: String) throws(Configuration.Invalid) -> String {
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      if let text = String(validating: data, as: UTF8.self) { return text }
    } catch {
      throw Configuration.Invalid(description: "\(path) cannot be read\(reason(error)).")
    }
    throw Configuration.Invalid(description: "\(path) is not UTF-8.")
  }

  /// The operating system's words for an error of Foundation.
  private static func reason(_ error: any Error) -> String {
    guard let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code else { return "" }
    return ": \(String(cString: strerror(code.rawValue)))"
  }

  private static func members(
    of text: String, in path: String
  ) throws(Configuration.Invalid) -> [JSON5Members.Member] {
    do throws(JSON5Members.SyntaxError) {
      return try JSON5Members(text).members
    } catch {
      throw Configuration.Invalid(
        description: "\(path):\(error.line): This is not JSON5. \(error.message)")
    }
  }

  private static func item(
    _ member: JSON5Members.Member, after items: [Item]
  ) throws(Fault) -> Item {
    let isQuoted = member.key.hasPrefix("\"") || member.key.hasPrefix("'")
    let name = isQuoted ? decode(String.self, member.key) ?? member.key : member.key
    guard let setting = Configuration.settings.first(where: { $0.name == name }) else {
      throw Fault(sentence: UnknownName(name, among: Configuration.settings.map(\.name)).sentence)
    }
    if let first = items.first(where: { $0.setting.name == name }) {
      throw Fault(sentence: "“\(name)” is there already, in line \(first.line).")
    }
    return Item(
      setting: setting, text: text(of: member.value, for: setting.kind),
      written: member.value.split(whereSeparator: \.isWhitespace).joined(separator: " "),
      line: member.line)
  }

  /// The text of a value; nil for one that is not JSON5 or of the wrong kind. A string is right for
  /// every setting: its text is as in the environment.
  private static func text(of value: String, for kind: Setting.Kind) -> String? {
    switch (value.first, kind) {
    case ("\"", _), ("'", _): decode(String.self, value)
    case ("[", .list): decode([String].self, value)?.joined(separator: ",")
    case (_, .flag): value
    case (_, .number): decode(Double.self, value).map(number)
    default: nil
    }
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? String(value)
  }

  /// Reads a value by itself; nil where Foundation finds that it is something else. Its words are
  /// about Swift's types; the value says more to people.
  private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      let values = try decoder.decode([Value].self, from: Data("[\(text)\n]".utf8))
      return values.count == 1 ? values.first : nil
    } catch {
      return nil
    }
  }
}
