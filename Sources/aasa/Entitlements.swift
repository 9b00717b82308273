import Association
import FoundationEssentials
import Service

/// What an app's `.entitlements` file says about associated domains.
struct Entitlements {
  /// An entry of `com.apple.developer.associated-domains`: `<service>:<domain>[?mode=<mode>]` (Apple's page
  /// "Associated Domains Entitlement").
  struct Entry: Hashable {
    /// Who reads an entry, if not everybody.
    enum Mode: String {
      case developer, managed
      case developerOrManaged = "developer+managed"
    }

    let service: String
    let name: Alias
    let mode: Mode?

    init(_ text: String) throws(Malformed) {
      if text.isEmpty { throw Malformed("It is empty. Remove it.") }
      if text == "*" { throw Malformed(Entitlements.star) }
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, Self.services.contains(String(parts[0])) else {
        let address = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let host = address.prefix { !"/?".contains($0) }
        let word = parts[0].lowercased()
        let isAddress = host.contains(".") && DomainName(usable: String(host)) != nil
        let similar = Self.services.first { $0 == word || $0 == "\(word)s" || "\($0)s" == word }
        throw Malformed(
          "An entry is a service, a colon and a domain. The services are \(Self.services.joined(separator: ", "))."
            + (isAddress
              ? " For links, write applinks:\(host)."
              : parts.count == 2 ? similar.map { " Write \($0):\(parts[1])." } ?? "" : "")
        )
      }
      let isSeveral = parts[1].split(whereSeparator: \.isWhitespace).dropFirst().contains { word in
        Self.services.contains { word.hasPrefix("\($0):") }
      }
      if parts[1].contains(",") || isSeveral {
        throw Malformed("It has several entries. Write a string of its own for each.")
      }
      let address = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      service = String(parts[0])
      do throws(ValidationError) {
        name = try Alias(String(address[0]))
      } catch {
        throw Malformed(error.message)
      }
      guard address.count == 2 else {
        // With a mode, Apple's CDN may be left out.
        guard name.name.isPublic else { throw Malformed(name.name.notPublic) }
        mode = nil
        return
      }
      guard let mode = Mode(rawValue: String(address[1].trimmingPrefix("mode="))),
        address[1].hasPrefix("mode=")
      else {
        throw Malformed(
          "Only ?mode=developer, ?mode=managed or ?mode=developer+managed may follow the domain.")
      }
      self.mode = mode
    }

    /// The services that a domain's file can have.
    static let services = AssociationFile.documentedServices

    /// The entry without its mode.
    var text: String { "\(service):\(name)" }
  }

  /// Why a text is no entry, for people.
  struct Malformed: Error {
    let message: String

    init(_ message: String) { self.message = message }
  }

  /// The entries as they are written.
  let entries: [String]
  /// The text that stands in place of the list of entries; `noText` for another value.
  let textInPlaceOfList: String?
  /// What stands for an entry that is empty.
  static let emptyText = "(empty)"
  /// What to do about a star in place of entries.
  static let star =
    "Provisioning profiles have it, and re-signing with one copies it. Sign the app with the entitlements of its project."
  /// What stands for an entry, or for the list, that is no text.
  static let noText = "(no text)"
  /// A key that is almost that of the entries, which the file lacks.
  let almostKey: String?
  /// That key.
  private(set) var properKey = Self.key
  /// Where an Expo project has the entries, if not in `ios`.
  private(set) var misplacedEntries: String?
  /// How often the file has the key of the entries.
  private(set) var keyCount = 1
  /// Whether a comment has it.
  private(set) var isInComment = false
  /// The app; `nil` if the file does not say, or has a build variable.
  let app: String?
  /// Whether only developers can run the app; `nil` if the file does not say.
  let isForDevelopers: Bool?

  /// Whether the build puts a value into a text: Xcode knows `$(NAME)` and `${NAME}`, Cordova `$NAME`.
  static func hasVariable(_ text: some StringProtocol) -> Bool {
    text.contains("$")
  }

  /// The largest file that is read, in bytes.
  private static let limit = 1_048_576

  /// The most dictionaries and arrays, which the parser handles with a call inside a call for each level.
  private static let mostContainers = 1000

  private static func containers(in bytes: ArraySlice<UInt8>) -> Int {
    bytes.split(separator: UInt8(ascii: "<")).count { element in
      ["array", "dict", "plist"].contains { element.starts(with: $0.utf8) }
    }
  }

  /// Whether a text has a `&` that begins no name of a character.
  private static func hasBareAmpersand(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.indices.contains { index in
      bytes[index] == UInt8(ascii: "&")
        && !bytes[(index + 1)...].prefix(10).contains(UInt8(ascii: ";"))
    }
  }

  /// Those of an app without entries.
  init() {
    (entries, textInPlaceOfList, almostKey, app, isForDevelopers) = ([], nil, nil, nil, nil)
  }

  /// Those of an Expo project: `ios` in its `app.json`, from which the build makes the file.
  private init(expo json: JSON, _ name: String) throws(Failure) {
    let expo = json["expo"] ?? json
    let places = [
      ("\"expo\"", expo), ("\"expo.android\"", expo["android"] ?? [:]), ("the root", json),
      ("\"expo.ios.infoPlist\"", expo["ios"]?["infoPlist"] ?? [:]),
    ]
    let misplaced = places.first {
      $0.1["associatedDomains"] != nil || $0.1[Self.key] != nil
    }?.0
    guard let ios = expo["ios"] ?? misplaced.map({ _ in [:] }), ios.objectValue != nil else {
      throw Failure(
        "\(name) is JSON without \"ios\", which the app.json of an Expo project has within \"expo\". An .entitlements file"
          + " is an XML property list.")
    }
    let list = ios["associatedDomains"] ?? ios["entitlements"]?[Self.key]
    // What is no text is no entry, as its finding says.
    entries = list?.arrayValue?.map { $0.stringValue ?? $0.text } ?? []
    textInPlaceOfList = list?.arrayValue == nil ? list.map { $0.stringValue ?? $0.text } : nil
    let keys = [ios, ios["entitlements"]].flatMap { $0?.objectValue?.members.map(\.key) ?? [] }
    almostKey =
      list != nil
      ? nil
      : keys.first { $0.lowercased().filter(\.isLetter).contains("associateddomain") }
    properKey = "associatedDomains"
    misplacedEntries = list == nil ? misplaced : nil
    let parts = [ios["appleTeamId"], ios["bundleIdentifier"]].compactMap { $0?.stringValue }
    app = parts.count == 2 ? parts.joined(separator: ".") : nil
    isForDevelopers = nil
  }

  /// Reads a file; `-` is stdin.
  init(path: String) throws(Failure) {
    var bytes = try InputFile.bytes(of: path, atMost: Self.limit)[...]
    // `codesign -d --entitlements -` of older systems prints a header before the XML.
    let magic: [UInt8] = [0xFA, 0xDE, 0x71, 0x71]
    if bytes.starts(with: magic) { bytes = bytes.dropFirst(8) }
    let name = path == "-" ? "stdin" : path.quotedPath
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if bytes.starts(with: mark) { bytes = bytes.dropFirst(mark.count) }
    let written = String(decoding: bytes, as: UTF8.self)
    if let list = CodesignText.propertyList(written) ?? ProjectEntitlements.propertyList(written) {
      bytes = Array(list.utf8)[...]
    }
    // A terminal also shows what `codesign` says beside it.
    if bytes.starts(with: "Executable=".utf8) { bytes = bytes.drop { $0 != UInt8(ascii: "<") } }
    let content = bytes.drop { " \t\r\n".utf8.contains($0) }
    // The part of the file that is about domains.
    if content.starts(with: "<key>".utf8) {
      bytes = Array("<plist><dict>".utf8) + content + Array("</dict></plist>".utf8)
    }
    if bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
      let json: JSON
      do throws(JSON.SyntaxError) {
        json = try JSON.parse(Array(bytes)).value
      } catch {
        throw Failure(
          "\(name) is neither an XML property list nor the app.json of an Expo project: \(error)")
      }
      self = try Entitlements(expo: json, name)
      return
    }
    if bytes.starts(with: "bplist".utf8) {
      throw Failure(
        "\(name) is a binary property list. Convert it: plutil -convert xml1 -o - FILE | aasa entitlements -"
      )
    }
    guard Self.containers(in: bytes) <= Self.mostContainers else {
      throw Failure(
        "\(name) is not an .entitlements file: it has more than \(Self.mostContainers) lists and dictionaries."
      )
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let list: PropertyList
    let keys: [String]
    do {
      list = try PropertyListDecoder().decode(PropertyList.self, from: Data(bytes))
      keys = try PropertyListDecoder().decode([String: Unread].self, from: Data(bytes)).keys
        .sorted()
    } catch {
      throw Failure(
        "\(name) is not an .entitlements file: it must be an XML property list with a dictionary. "
          + (Self.hasBareAmpersand(bytes) ? "In XML, `&` is written `&amp;`. " : "")
          + "For a built app, use the output of: codesign -d --entitlements - --xml App.app"
          + (text.contains("associatedDomains")
            ? ". For an Expo project, use that of: npx expo config --json" : ""))
    }
    guard bytes.contains(UInt8(ascii: "<")) else {
      throw Failure(
        "\(name) is not an XML property list."
          + (text.contains("PRODUCT_BUNDLE_IDENTIFIER")
            ? " Give the .entitlements file that the project names in CODE_SIGN_ENTITLEMENTS." : "")
      )
    }
    if keys.contains(where: { $0.hasPrefix("Payload") }) {
      let addsDomains = text.contains("com.apple.associated-domains")
      throw Failure(
        "\(name) is a configuration profile"
          + (addsDomains
            ? " of a management server, which adds domains to apps that allow it in their entitlements"
            : "") + ". Give the .entitlements file of the app.")
    }
    if keys.contains(where: { $0.hasPrefix("CFBundle") }) {
      throw Failure(
        "\(name) is an Info.plist, in which the system does not look for entitlements. Give the .entitlements file that the "
          + "project names in CODE_SIGN_ENTITLEMENTS.")
    }
    if ["Attributes", "AssociatedDomains"].allSatisfy({ text.contains("<key>\($0)</key>") }) {
      throw Failure(
        "\(name) is for a management server, which adds domains to apps that allow it in their entitlements. Give the "
          + ".entitlements file of the app.")
    }
    if list.isProfile {
      throw Failure(
        "\(name) is a provisioning profile, which says what an app may have, not what it has. Use the output of: "
          + "codesign -d --entitlements - --xml App.app")
    }
    (keyCount, isInComment) = Self.keys(in: text)
    entries = list.domains?.entries ?? []
    textInPlaceOfList = list.domains?.text
    let key = Self.key
    almostKey =
      list.domains != nil
      ? nil
      : keys.first {
        $0.lowercased().filter(\.isLetter).contains("associateddomain") && !$0.hasPrefix("\(key).")
      }
    app = [list.app, list.appOnMac].compactMap { $0?.value }.first { !Self.hasVariable($0) }
    isForDevelopers = list.debuggable?.value
  }

  /// The key of the entries.
  static var key: String { PropertyList.CodingKeys.domains.rawValue }

  /// How often XML has the key of the entries in its outermost dictionary, and whether a comment has it.
  private static func keys(in text: String) -> (count: Int, isInComment: Bool) {
    let element = "key>\(key)</key>"
    var (count, depth, isInComment) = (0, 0, false)
    let parts = text.split(separator: "<!--", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let comment = index == 0 ? nil : part.firstRange(of: "-->")
      let read = part[(comment?.upperBound ?? part.startIndex)...]
      isInComment = isInComment || part[..<read.startIndex].contains("<\(element)")
      for tag in read.split(separator: "<") {
        let rest = read[tag.startIndex...]
        if tag.hasPrefix("dict>") { depth += 1 }
        if tag.hasPrefix("/dict>") { depth -= 1 }
        if depth == 1 && rest.hasPrefix(element) { count += 1 }
      }
    }
    return (count, isInComment)
  }

  private struct Unread: Decodable {}

  /// The members that matter here.
  private struct PropertyList: Decodable {
    let domains: Domains?
    let app: Lenient<String>?
    let appOnMac: Lenient<String>?
    let debuggable: Lenient<Bool>?
    /// What a provisioning profile has instead.
    private let entitlements: Nested?

    var isProfile: Bool { entitlements != nil && domains == nil }

    enum CodingKeys: String, CodingKey {
      case domains = "com.apple.developer.associated-domains"
      case app = "application-identifier"
      case appOnMac = "com.apple.application-identifier"
      case debuggable = "get-task-allow"
      case entitlements = "Entitlements"
    }

    private struct Nested: Decodable {}
  }

  /// A value, or `nil` for one of another type.
  private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        value = try container.decode(Value.self)
      } catch DecodingError.typeMismatch {
        value = nil
      }
    }
  }

  /// A list of entries, or what stands in its place, such as the text of provisioning profiles.
  private struct Domains: Decodable {
    let entries: [String]
    let text: String?

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      do {
        // What is no text is no entry, as its finding says.
        let items = try value.decode([Lenient<String>].self)
        (entries, text) = (items.map { $0.value ?? Entitlements.noText }, nil)
      } catch DecodingError.typeMismatch {
        (entries, text) = ([], try value.decode(Lenient<String>.self).value ?? Entitlements.noText)
      }
    }
  }
}
