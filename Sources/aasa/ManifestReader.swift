import Association
import CExpat

/// Collects the intent filters of a manifest, element by element.
final class ManifestReader {
  private(set) var package: String?
  /// Those of activities.
  private(set) var filters: [AndroidManifest.IntentFilter] = []
  /// The navigation graphs of activities, from which a build makes intent filters.
  private(set) var navigationGraphs: [String] = []
  /// Whether there was something that only manifests have.
  private(set) var isManifest = false
  private(set) var fault: String?
  /// Whether a `<data>` element stands beside the intent filters, where Android ignores it.
  private(set) var hasStrayData = false
  /// Where an Expo project has `intentFilters`, if not in `android`.
  private(set) var misplacedFilters: String?
  /// Whether values have the escapes that `aapt2` resolves when it builds the app.
  private var isSource: Bool
  /// The `asset_statements` of the app, if the file has them and not a reference to them.
  private(set) var statements: String?
  /// Whether they are among the resources of an app.
  private(set) var isResources = false
  /// Whether the file is what Cordova makes a manifest from.
  private(set) var isCordova = false
  /// The `asset_statements` among the resources that are being read.
  private var resource: String?
  /// The version of Android that the app is built for; `nil` if the file does not say.
  private(set) var targetVersion: Int?
  /// What is stopped at a fault.
  private let parser: XML_Parser?

  private var open: [String] = []
  /// How many elements are open where one begins that `tools:node` takes out of the manifest.
  private var removedDepth: Int?
  /// The prefixes of Android's attributes, and of those for the build.
  private var (prefixes, toolPrefixes): (Set<String>, Set<String>) = (["android"], ["tools"])
  private var filter: AndroidManifest.IntentFilter?
  private var group: AndroidManifest.Group?
  /// Whether the component that is being read is an activity.
  private var isActivity = true
  /// Whether other apps may start it, and whether the file says so.
  private var (isExported, saysExported) = (true, true)
  /// Whether the system may start it, and any component of the app.
  private var (isEnabled, isAppEnabled) = (true, true)
  private var dataCount = 0

  /// The deepest element; manifests need eight.
  private static let deepest = 100
  /// The most `<data>` elements.
  private static let mostData = 5000

  /// - Parameter parser: What reads XML; `nil` for other formats.
  init(parser: XML_Parser? = nil) {
    self.parser = parser
    isSource = parser != nil
  }

  /// The reader that Expat passes to a handler.
  static func behind(_ context: UnsafeMutableRawPointer?) -> ManifestReader? {
    // Sound: `AndroidManifest` passes the reader, and keeps it longer than the parser.
    context.map { Unmanaged<ManifestReader>.fromOpaque($0).takeUnretainedValue() }
  }

  func stop(_ fault: String) {
    self.fault = self.fault ?? fault
    if let parser { XML_StopParser(parser, XML_Bool(XML_FALSE)) }
  }

  // MARK: - Elements

  /// Takes a start tag of XML, with prefixes as they are written.
  func begin(_ name: String, _ attributes: [(name: String, value: String)]) {
    if fault != nil { return }
    if open.count == Self.deepest {
      return stop("its elements are nested more than \(Self.deepest) levels deep.")
    }
    open.append(name)
    for (name, value) in attributes where name.hasPrefix("xmlns:") {
      let prefix = String(name.dropFirst(6))
      if value == "http://schemas.android.com/apk/res/android" { prefixes.insert(prefix) }
      if value == "http://schemas.android.com/tools" { toolPrefixes.insert(prefix) }
    }
    if removedDepth == nil && isRemoved(attributes) { removedDepth = open.count }
    if removedDepth != nil { return }
    if name == "manifest" {
      isManifest = true
      let own = attributes.map(\.name)
      // A build adds them.
      isSource =
        parser != nil
        && !own.contains { ["platformBuildVersionCode", "android:compileSdkVersion"].contains($0) }
      package = attributes.first { $0.name == "package" }?.value
    }
    if name == "widget", open.count == 1 { isCordova = true }
    if name == "string", open.first == "resources", attributes.contains(where: Self.namesStatements)
    {
      (resource, isResources, isManifest) = ("", true, true)
    }
    var values: AndroidManifest.DataElement = [:]
    for (name, value) in attributes {
      let parts = name.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, prefixes.contains(String(parts[0])) else { continue }
      values[String(parts[1])] = isSource ? Self.unescaped(value) : value
    }
    if name == "data" {
      filter?.misnamed += attributes.map(\.name).filter(PatternMatcher.isDataAttribute)
      let places = ["manifest", "application", "activity", "activity-alias"]
      hasStrayData =
        hasStrayData
        || filter == nil && !attributes.isEmpty && places.contains(open.dropLast().last ?? "")
    }
    take(name, values)
    if name == "intent-filter" {
      filter?.misnamedAutoVerify = attributes.map(\.name).first {
        let local = $0.split(separator: ":").last ?? ""
        return local.lowercased() == "autoverify" && (local == $0 || local != "autoVerify")
      }
    }
  }

  /// Whether the manifest merger takes the element away: `tools:node="remove"` or `"removeAll"`.
  private func isRemoved(_ attributes: [(name: String, value: String)]) -> Bool {
    attributes.contains { name, value in
      let parts = name.split(separator: ":", maxSplits: 1)
      return parts.count == 2 && parts[1] == "node" && toolPrefixes.contains(String(parts[0]))
        && ["remove", "removeAll"].contains(value)
    }
  }

  private static func namesStatements(_ attribute: (name: String, value: String)) -> Bool {
    attribute.name == "name"
      && attribute.value.filter { $0 != "_" }.lowercased() == "assetstatements"
  }

  /// Whether text between tags is of use.
  var isReadingText: Bool { resource != nil }

  /// Takes text between tags.
  func take(text: String) { resource?.append(text) }

  /// Takes a comment.
  func take(comment: String) {
    if comment.contains("<data") { filter?.hasDataInComment = true }
  }

  private func take(_ name: String, _ values: AndroidManifest.DataElement) {
    switch name {
    case "uses-sdk":
      // In source files, Gradle may say it.
      let version = values["targetSdkVersion"] ?? (isSource ? nil : values["minSdkVersion"])
      targetVersion = version.flatMap(Self.number)
    case "meta-data" where values["name"] == "asset_statements":
      if let value = values["value"], !AndroidManifest.isPlaceholder(value) { statements = value }
    case "application": isAppEnabled = Self.boolean(values["enabled"]) ?? true
    case "activity", "activity-alias":
      (isActivity, isExported) = (true, Self.boolean(values["exported"]) ?? true)
      saysExported = values["exported"] != nil
      isEnabled = Self.boolean(values["enabled"]) ?? true
    case "service", "receiver", "provider": isActivity = false
    case "intent-filter":
      isManifest = true
      filter = AndroidManifest.IntentFilter()
      let autoVerify = values["autoVerify"]
      let placeholder = autoVerify.flatMap { AndroidManifest.isPlaceholder($0) ? $0 : nil }
      filter?.autoVerifyPlaceholder = placeholder
      filter?.isAutoVerified = Self.boolean(autoVerify) ?? (placeholder != nil)
      filter?.isExported = isExported
      filter?.saysExported = saysExported
      filter?.isEnabled = isEnabled && isAppEnabled
    case "nav-graph" where isActivity:
      isManifest = true
      navigationGraphs.append(values["value"] ?? "")
    case "action": if let name = values["name"] { filter?.actions.insert(name) }
    case "category": if let name = values["name"] { filter?.categories.insert(name) }
    case "uri-relative-filter-group":
      group = AndroidManifest.Group(isAllowed: Self.boolean(values["allow"]) ?? true)
    case "data" where filter != nil:
      dataCount += 1
      if dataCount > Self.mostData {
        return stop("it has more than \(Self.mostData) <data> elements.")
      }
      if group != nil { group?.data.append(values) } else { filter?.data.append(values) }
    default: break
    }
  }

  func end() {
    if fault != nil { return }
    let name = open.popLast()
    if let depth = removedDepth {
      if open.count < depth { removedDepth = nil }
      return
    }
    switch name {
    case "string":
      let text = resource.map(Self.unquoted)
      if let text, !AndroidManifest.isPlaceholder(text) { statements = text }
      resource = nil
    case "uri-relative-filter-group":
      if let group { filter?.groups.append(group) }
      group = nil
    case "intent-filter":
      if let filter, isActivity { filters.append(filter) }
      filter = nil
    case "activity", "activity-alias", "service", "receiver", "provider":
      (isActivity, isExported, saysExported, isEnabled) = (true, true, true, true)
    default: break
    }
  }

  /// A value of a boolean attribute, as the tools print it; `nil` for anything else.
  private static func boolean(_ text: String?) -> Bool? {
    switch text {
    case "true", "TRUE", "True", "-1", "0xffffffff": true
    case "false", "FALSE", "False", "0", "0x0": false
    default: nil
    }
  }

  /// A number, as the tools print it; `nil` for anything else.
  private static func number(_ text: String) -> Int? {
    text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }

  /// A text of a resource as an app gets it: `aapt2` removes quotation marks without a backslash.
  private static func unquoted(_ text: String) -> String {
    let parts = text.split(separator: "\\\"", omittingEmptySubsequences: false)
    return unescaped(parts.map { $0.filter { $0 != "\"" } }.joined(separator: "\\\""))
  }

  /// Resolves the escapes of a value as `aapt2` does. A backslash of a pattern is written twice.
  private static func unescaped(_ text: String) -> String {
    if !text.utf8.contains(UInt8(ascii: "\\")) { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        result.append(scalar)
        continue
      }
      switch next {
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "u":
        let digits = rest.prefix(4)
        if digits.count == 4, let value = UInt32(String(digits), radix: 16),
          let scalar = Unicode.Scalar(value)
        {
          result.append(scalar)
          rest = rest.dropFirst(4)
        }
      default: result.append(next)
      }
    }
    return String(result)
  }

  // MARK: - aapt2 dump xmltree

  /// Reads what `aapt2 dump xmltree` or `aapt dump xmltree` prints: a line for each element and attribute, which
  /// belongs to the last line that is less indented.
  func readTree(_ text: ArraySlice<UInt8>) {
    var indents: [Int] = []
    var pending: (name: String, attributes: [(name: String, value: String)])?
    func begin() {
      if let element = pending { self.begin(element.name, element.attributes) }
      pending = nil
    }
    for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
    {
      if fault != nil { return }
      let content = line.drop { $0 == UInt8(ascii: " ") }
      let indent = line.count - content.count
      if content.starts(with: "E: ".utf8) {
        begin()
        while let last = indents.last, last >= indent {
          indents.removeLast()
          end()
        }
        indents.append(indent)
        let name = content.dropFirst(3).prefix { $0 != UInt8(ascii: " ") }
        pending = (String(decoding: name, as: UTF8.self), [])
      } else if content.starts(with: "A: ".utf8) {
        if let attribute = Self.attribute(String(decoding: content.dropFirst(3), as: UTF8.self)) {
          pending?.attributes.append(attribute)
        }
      }
    }
    begin()
    for _ in indents { end() }
  }

  /// Reads `android:host(0x01010028)="example.com" (Raw: "example.com")`.
  private static func attribute(_ line: String) -> (name: String, value: String)? {
    guard let sign = line.firstIndex(of: "=") else { return nil }
    let written = line[..<sign].prefix { $0 != "(" }
    let local = written.split(separator: ":").last.map(String.init) ?? ""
    let name = written.contains(":") ? "android:\(local)" : local
    var value = line[line.index(after: sign)...]
    if value.hasPrefix("\"") {
      value = value.dropFirst()
      let end = value.firstRange(of: "\" (Raw: \"")?.lowerBound ?? value.lastIndex(of: "\"")
      value = value[..<(end ?? value.endIndex)]
    } else if value.hasPrefix("(type ") {
      value = value.drop { $0 != ")" }.dropFirst()
    }
    return (name, String(value))
  }

  // MARK: - app.json

  /// Reads the configuration of an Expo project, from whose `android` its build makes the manifest.
  func readExpo(_ json: JSON) {
    let expo = json["expo"] ?? json
    let places = [("\"expo\"", expo), ("\"expo.ios\"", expo["ios"] ?? [:]), ("the root", json)]
    let isElsewhere = expo["android"]?["intentFilters"] == nil
    misplacedFilters =
      isElsewhere ? places.first { $0.1["intentFilters"] != nil }?.0 : nil
    isManifest = true
    isSource = true
    guard let android = expo["android"], case .object = android else {
      if misplacedFilters != nil { return }
      return stop("it has no \"android\". An Expo project has it in app.json, within \"expo\".")
    }
    package = android["package"]?.stringValue
    for item in Self.list(android["intentFilters"]) {
      var filter = AndroidManifest.IntentFilter()
      filter.isOfExpo = true
      // The build writes `true` for any text.
      filter.isAutoVerified =
        item["autoVerify"].map { $0.boolValue ?? ($0.stringValue?.isEmpty == false) } ?? false
      filter.actions = Set(
        Self.list(item["action"]).compactMap(\.stringValue).map {
          "android.intent.action.\($0)"
        })
      filter.categories = Set(
        Self.list(item["category"]).compactMap(\.stringValue).map {
          "android.intent.category.\($0)"
        })
      for data in Self.list(item["data"]) {
        dataCount += 1
        if dataCount > Self.mostData {
          return stop("it has more than \(Self.mostData) \"data\" objects.")
        }
        var values: AndroidManifest.DataElement = [:]
        for member in data.objectValue?.members ?? [] {
          if member.value.arrayValue != nil || member.value.objectValue != nil {
            return stop(
              "\"\(member.key.shown)\" in the \"data\" of an intent filter must be one text. Write one object in \"data\" for "
                + "each value."
            )
          }
          if member.key.hasPrefix("android:") { filter.misnamed.append(member.key) }
          values[member.key] = Self.unescaped(member.value.stringValue ?? member.value.text)
        }
        filter.data.append(values)
      }
      filters.append(filter)
    }
  }

  /// The elements of a list, or the one value that stands for it.
  private static func list(_ json: JSON?) -> [JSON] {
    json.map { $0.arrayValue ?? [$0] } ?? []
  }
}
