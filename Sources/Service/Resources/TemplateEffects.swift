import Association
import Publishing
import Store

/// What publishing a template does to its domains: each distinct effect once.
final class TemplateEffects {
  /// The number of domains that an effect names.
  fileprivate static let mostNamed = 10

  fileprivate struct Effect {
    let change: DocumentChange.Kind
    let summary: String
    var count = 0
    var domains: [DomainName] = []
    var example: JSON?
  }

  /// The maximum number of distinct effects in an answer.
  private static let mostEffects = 10_000

  private var effects: [Effect] = []
  private var places: [String: Int] = [:]
  /// The places of the effects of each domain, which may be reported again.
  private var effectsByDomain: [DomainName: Set<Int>] = [:]
  /// The number of changes of each domain that are none of the effects, because there are too many.
  private var ungrouped: [DomainName: Int] = [:]
  private var findings: [String: (finding: ReportedFinding, domains: Set<DomainName>)] = [:]
  /// Where changed domains are managed.
  private var managed: [DomainName: String] = [:]

  init() {}

  /// Adds what publishing one domain does.
  func add(_ publication: Publication, of domain: DomainName) {
    // It may have been planned before.
    if effectsByDomain[domain] != nil { remove(domain) }
    effectsByDomain[domain] = []
    ungrouped[domain] = nil
    managed[domain] = publication.managedBy
    let values = publication.edited.stored.domain.template.map(Self.values(of:)) ?? []
    // Values are different in every domain, and the request says what becomes of them.
    for change in publication.comparison?.changes ?? [] where change.what != .parameter {
      let summary = Self.generalizing(change.summary, of: domain, values)
      let key = "\(change.kind.rawValue) \(summary)"
      if places[key] == nil {
        if effects.count == Self.mostEffects {
          ungrouped[domain, default: 0] += 1
          continue
        }
        places[key] = effects.count
        effects.append(Effect(change: change.kind, summary: summary))
      }
      guard let place = places[key], effectsByDomain[domain]?.insert(place).inserted == true else {
        continue
      }
      effects[place].add(domain, change.json["example"])
    }
    for finding in publication.findings.map(publication.reported) where finding.suppression == nil {
      let key = "\(finding.code) \(finding.pointer)"
      findings[key, default: (finding, [])].domains.insert(domain)
    }
  }

  /// The values of parameters, the longest first.
  private static func values(of use: TemplateUse) -> [(name: String, value: String)] {
    var values: [(name: String, value: String)] = []
    for member in use.parameters.members {
      let texts = member.value.arrayValue?.map(\.stringValue) ?? [member.value.stringValue]
      for case let text? in texts where !text.isEmpty { values.append((member.key, text)) }
    }
    return values.sorted { $0.value.utf8.count > $1.value.utf8.count }
  }

  /// A text with `{domain}` and `{name}` in place of what is different in every domain.
  private static func generalizing(
    _ text: String, of domain: DomainName, _ values: [(name: String, value: String)]
  ) -> String {
    values.reduce(text.replacing(domain.text, with: "{domain}")) { text, value in
      let name = "{\(value.name)}"
      return value.value.utf8.count > 2
        ? text.replacing(value.value, with: name) : replacing(value.value, with: name, in: text)
    }
  }

  /// Replaces a short value only where it is all between two other characters of a path or an identifier: "a" is also
  /// a word, and a part of many.
  private static func replacing(
    _ value: String, with name: String, in text: String
  ) -> String {
    let isWord = { (character: Character?) in character.map { $0.isLetter || $0.isNumber } ?? false
    }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      if !word.contains("/") && !word.contains(".") { return String(word) }
      var result = ""
      var rest = word
      while let found = rest.firstRange(of: value) {
        let before = rest[..<found.lowerBound].last ?? result.last
        let after = found.upperBound < rest.endIndex ? rest[found.upperBound] : nil
        result += rest[..<found.lowerBound]
        result += isWord(before) || isWord(after) || before == "{" ? value : name
        rest = rest[found.upperBound...]
      }
      return result + rest
    }.joined(separator: " ")
  }

  /// Removes what publishing one domain would have done, which is planned no more.
  private func remove(_ domain: DomainName) {
    for place in effectsByDomain[domain] ?? [] { effects[place].remove(domain) }
    for key in findings.keys { findings[key]?.domains.remove(domain) }
  }

  func json(of applied: AppliedState, domainCount: Int) -> JSON.Object {
    // Somebody may have deleted a domain between two plans, or detached it.
    for domain in Set(effectsByDomain.keys).subtracting(applied.dependents) {
      remove(domain)
      (effectsByDomain[domain], ungrouped[domain], managed[domain]) = (nil, nil, nil)
    }
    var json: JSON.Object = [
      "domains": .integer(domainCount), "published": .integer(applied.dependents.count),
    ]
    let sorted = effects.filter { $0.count > 0 }.sorted {
      ($1.count, $0.summary) < ($0.count, $1.summary)
    }
    json.set("effects", more: "moreEffects", Excerpt(of: sorted, \.json))
    let ungrouped = ungrouped.values.reduce(0, +)
    if ungrouped > 0 { json["ungroupedChanges"] = .integer(ungrouped) }
    let found = findings.values.sorted {
      ($1.domains.count, $0.finding.code, $0.finding.pointer)
        < ($0.domains.count, $1.finding.code, $1.finding.pointer)
    }
    json.set(
      "findings", more: "moreFindings",
      Excerpt(of: found) { finding, domains in
        var json = ReportedFinding.fields.json(of: finding)
        json["count"] = .integer(domains.count)
        json["domains"] = .strings(domains.sorted().prefix(Self.mostNamed).map(\.text))
        return .object(json)
      })
    ManagedDomains.add(managed, to: &json)
    if !applied.refused.isEmpty {
      json.set("skipped", more: "moreSkipped", Excerpt(of: applied.refused) { .string($0.text) })
    }
    json["change"] = applied.change.map { .integer($0) }
    return json
  }

  static let schemas: JSON.Object = [
    "TemplateInput": TemplateResource.members.schema("A template.", for: .request),
    "TemplateOfState":
      (TemplateResource.members.requiring("template") + [
        Member(
          "revision", .revision, "The revision that the state is based on, as in an export.",
          .optional)
      ]).schema(
        "A template. All domains that use it are published with it.", for: .request),
    "StoredTemplate": StoredTemplateResource.members.schema(
      "What several domains share, with `{name}` for the values that each gives."),
    "PublishedTemplate":
      ([
        Member("domains", .count, "How many domains use the template."),
        Member("published", .count, "How many of them are published anew."),
        Member(
          "effects",
          .list(
            of: .named(
              "TemplateEffect",
              .object([
                Member("kind", .words(DocumentChange.Kind.self, "ChangeKind")),
                Member(
                  "summary", .string,
                  "The change in words, with `{name}` in place of the values of parameters."),
                Member("count", .count, "The number of domains that it concerns."),
                Member("domains", .list(of: .domain), "The first ten of them."),
                Member("example", .shared("ChangedResolution"), "A URL of one of them.", .optional),
              ]))),
          "Each distinct effect, the most frequent first."),
        Member("moreEffects", .count, "The number of effects that are left out.", .optional),
        Member(
          "ungroupedChanges", .count,
          "The number of changes of domains that are in no effect, because there are more than \(mostEffects) distinct ones; "
            + "left out if there are none.", .optional),
        Member(
          "findings",
          .list(
            of: .named(
              "TemplateFinding",
              .object(
                ReportedFinding.fields.members() + [
                  Member("count", .count, "The number of domains that have it."),
                  Member("domains", .list(of: .domain), "The first ten of them."),
                ]))), "Each finding once, the most frequent first."),
        Member("moreFindings", .count, "The number of findings that are left out.", .optional),
      ] + ManagedDomains.members + [
        Member(
          "skipped", .list(of: .domain), "With `skip=refused`: the domains that stay as they are.",
          .optional),
        Member("moreSkipped", .count, "The number of domains that are left out.", .optional),
        Member(
          "change", .revision, "The change; left out for a dry run, and if no domain changed.",
          .optional),
        Member("template", .shared("StoredTemplate")),
        Member("changed", .bool, "Whether anything changed in the template."),
      ] + .dryRun).schema(),
  ]
}

extension TemplateEffects.Effect {
  fileprivate mutating func add(_ domain: DomainName, _ example: @autoclosure () -> JSON?) {
    count += 1
    if domains.count < TemplateEffects.mostNamed { domains.append(domain) }
    if self.example == nil { self.example = example() }
  }

  fileprivate mutating func remove(_ domain: DomainName) {
    count -= 1
    domains.removeAll { $0 == domain }
  }

  fileprivate var json: JSON {
    var json: JSON.Object = [
      "kind": .string(change.rawValue), "summary": .string(summary), "count": .integer(count),
      "domains": .strings(domains.map(\.text)),
    ]
    json["example"] = example
    return .object(json)
  }
}

enum StoredTemplateResource {
  private static let stored: [Field<StoredTemplate>] = [
    Field("revision", .revision, get: \.revision, "The revision. It is also the `ETag`."),
    Field("publishedAt", .time, get: \.publishedAt, "When it was published."),
    Field("author", .string, get: \.author, "Who published it."),
    Field("reason", .string, get: \.reason, "Why, or what was done."),
    Field(
      "domains", .count, get: \.domainCount,
      "How many domains use the template now, of those that the token may see."),
  ]

  static let members = TemplateResource.members + stored.members()

  /// A template as it is exported, with the revision that a state is made from.
  static func exported(_ template: StoredTemplate) -> JSON {
    var json = TemplateResource.json(template.template)
    json.appendNew("revision", .integer(template.revision))
    return .object(json)
  }

  static func json(_ template: StoredTemplate) -> JSON {
    var json = TemplateResource.json(template.template)
    for member in stored.json(of: template).members { json.appendNew(member.key, member.value) }
    return .object(json)
  }
}
