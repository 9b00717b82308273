import Association
import Service

/// A domain for people: its settings, its routes in the order in which they decide, and its expectations.
struct DomainText {
  private let domain: JSON
  private let template: JSON
  private let fetches: JSON
  private let style: TextStyle

  /// - Parameters:
  ///   - domain: The domain as the API answers it, with what is in force.
  ///   - template: Its template; `null` if it uses none.
  ///   - fetches: Its fetches as the API answers them.
  init(_ domain: JSON, of template: JSON, fetches: JSON, _ style: TextStyle) {
    self.domain = domain
    self.template = template
    self.fetches = fetches
    self.style = style
  }

  var text: String {
    let entries = list(domain, "entries").enumerated().flatMap {
      lines(of: $1, number: $0 + 1, source("entries", at: $0))
    }
    return (settings + entries + others + expectations).joined(separator: "\n")
  }

  private func list(_ json: JSON, _ key: String) -> [JSON] { json[key]?.arrayValue ?? [] }
  private func text(_ json: JSON, _ key: String) -> String {
    let value = json[key] ?? .null
    return (value.stringValue ?? (value == .null ? "" : value.text)).harmless
  }

  // MARK: - Settings

  private var settings: [String] {
    let name = text(domain, "domain")
    let unicode = text(domain, "unicode")
    let isEnabled = domain["enabled"]?.boolValue != false
    let aliases = list(domain, "aliases").compactMap(\.stringValue).joined(separator: ", ")
    let strict = domain["strict"] == true ? ", strict\(source("strict"))" : ""
    let facts = [
      ("template", templateUse), ("names", aliases),
      ("served", isEnabled ? "yes" : "no: the domain is disabled"),
      ("revision", "\(text(domain, "revision")), changed \(text(domain, "updatedAt"))"),
      ("Apple", collection),
      ("cache", "\(text(domain, "cacheSeconds")) seconds\(source("cacheSeconds"))"),
      ("environment", text(domain, "environment") + strict),
      ("format", text(domain, "format") + source("format")),
      ("defaults", sourced(defaults(of: domain), "defaults")),
      ("variables", sourced(variables, "substitutionVariables")),
    ]
    return [unicode.isEmpty ? name : "\(name) (\(unicode))"]
      + facts.filter { !$0.1.isEmpty }.flatMap { fact($0.0, $0.1) }
  }

  /// A name and a value, which is wrapped.
  private func fact(_ name: String, _ value: String) -> [String] {
    let column = 14
    let width = max(40, (Terminal.width ?? 100) - column)
    return value.wrapped(to: width).enumerated().map { index, line in
      style.paint("  " + (index == 0 ? name : "").padded(to: column - 2), .faint) + line
    }
  }

  /// `white-label: app=ABCDE12345.a, shop=boutique`
  private var templateUse: String {
    let name = text(domain, "template")
    if name.isEmpty { return "" }
    let values = PlanText.words(of: domain["parameters"]?.objectValue ?? [:])
    let isBehind = domain["behindTemplate"] == true
    return name + (values.isEmpty ? "" : ": \(values)")
      + (isBehind
        ? "; its last edit was refused for this domain, which still has what the template gave it before"
        : "")
  }

  /// Where a member, or an item of a list, comes from if not from the domain itself.
  private func source(_ member: String, at index: Int? = nil) -> String {
    let sources = domain["sources"]?[member]
    if let index { return sources?.arrayValue?[index] == "template" ? ", from the template" : "" }
    // What neither of them sets has its default.
    return sources == "template" && template[member] != nil ? ", from the template" : ""
  }

  private func sourced(_ text: String, _ member: String) -> String {
    text.isEmpty ? "" : text + source(member)
  }

  private var collection: String {
    guard let current = fetches["current"] else { return "" }
    if current["collected"] == true {
      return
        "has fetched this revision; most devices have it by \(text(current, "devicesExpectedBy"))"
    }
    return "has not fetched this revision yet"
  }

  private var variables: String {
    (domain["substitutionVariables"]?.objectValue?.members ?? []).map { member in
      let values = (member.value.arrayValue ?? []).compactMap(\.stringValue)
      return "\(member.key): \(values.joined(separator: " "))".harmless
    }.joined(separator: "; ")
  }

  private func defaults(of json: JSON) -> String {
    (json["defaults"]?.objectValue?.members ?? []).map { "\($0.key) \($0.value.text)".harmless }
      .joined(separator: ", ")
  }

  // MARK: - Routes

  private func lines(of entry: JSON, number: Int, _ source: String) -> [String] {
    let apps = (list(entry, "apps") + list(entry, "androidApps")).compactMap(\.stringValue)
    let defaults = defaults(of: entry)
    let head =
      "Entry \(number): \(apps.isEmpty ? "no apps" : apps.joined(separator: ", "))"
      + (defaults.isEmpty ? "" : " (\(defaults))") + source
    let routes = list(entry, "routes").map { "  " + line(of: $0) }
    return ["", head.harmless] + (routes.isEmpty ? ["  no routes"] : routes)
  }

  /// `exclude  /help/website/*  ?articleNumber=????`
  private func line(of route: JSON) -> String {
    let isExcluded = route["exclude"] == true
    var words = [route["path"]?.stringValue ?? "any path"]
    switch route["query"] {
    case .string(let pattern): words.append("?\(pattern)")
    case .object(let items):
      words.append(
        "?" + items.members.map { "\($0.key)=\($0.value.stringValue ?? "")" }.joined(separator: "&")
      )
    default: break
    }
    if let fragment = route["fragment"]?.stringValue { words.append("#\(fragment)") }
    for key in ["caseSensitive", "percentEncoded"] {
      if let value = route[key]?.boolValue { words.append("\(key) \(value)") }
    }
    if let target = route["fallback"]?.stringValue { words.append("without the app: \(target)") }
    let sign = style.paint(
      (isExcluded ? "exclude" : "open").padded(to: 9), isExcluded ? .red : .green)
    let comment = route["comment"]?.stringValue.map { style.paint("  \($0)", .faint) } ?? ""
    return sign + words.joined(separator: "  ").harmless + comment
  }

  // MARK: - The rest

  /// What other functions show.
  private static let shown: Set<String> = [
    "domain", "unicode", "aliases", "enabled", "revision", "updatedAt", "cacheSeconds",
    "environment",
    "strict", "format", "details", "defaults", "substitutionVariables", "entries", "expectations",
    "template", "parameters", "behindTemplate", "sources", "documents",
  ]

  /// Every other member that says something, such as services and what other kinds of documents have.
  private var others: [String] {
    let members = domain.objectValue?.members ?? []
    let lines = members.filter { !Self.shown.contains($0.key) }.compactMap { member in
      let value = Self.words(member.value)
      return value.isEmpty ? nil : "\(member.key): \(value)\(source(member.key))".harmless
    }
    return lines + documents == [] ? [] : [""] + lines + documents
  }

  /// The documents that are published as bytes, without their content.
  private var documents: [String] {
    let names = (domain["documents"]?.objectValue?.members ?? []).map {
      "\($0.key) (\($0.value["mediaType"]?.stringValue ?? ""))"
    }
    return names.isEmpty ? [] : ["documents: \(names.joined(separator: ", "))".harmless]
  }

  private static func words(_ value: JSON) -> String {
    switch value {
    case .object(let object):
      object.members.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
    case .array(let elements): elements.map { $0.stringValue ?? $0.text }.joined(separator: ", ")
    default: value.stringValue ?? value.text
    }
  }

  private var expectations: [String] {
    let lines = list(domain, "expectations").enumerated().map { index, expectation in
      "  \(text(expectation, "resolution").padded(to: 9))\(text(expectation, "url"))"
        + style.paint(
          "  \(text(expectation, "app"))\(source("expectations", at: index))", .faint)
    }
    return lines.isEmpty ? [] : ["", "Expectations:"] + lines
  }
}
