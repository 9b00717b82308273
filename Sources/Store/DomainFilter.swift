package import Association

/// Conditions on domains in a list.
package struct DomainFilter: Sendable {
  /// A text in the name or in an alias.
  package var text: String?
  /// A host that belongs to the domain.
  package var host: DomainName?
  /// An app that the domain uses.
  package var app: AppIdentifier?
  /// An Android app that the domain uses.
  package var androidApp: PackageName?
  package var environment: App.Environment?
  /// Whether the domain is served.
  package var isEnabled: Bool?
  /// A kind of document that it publishes.
  package var kind: DocumentKind?
  /// The code of a finding in a document.
  package var finding: String?
  /// Whether Apple's CDN has the bytes that the domain serves; only enabled domains with an Apple file.
  package var isCollected: Bool?
  /// How the last check of the domain ended.
  package var check: CheckOutcome?
  package var label: Label?
  /// The template that the domain uses.
  package var template: TemplateName?
  /// Whether an edit of the domain's template was not published for it, because that was refused.
  package var isBehind: Bool?
  /// Whether to list deleted domains instead of those that exist.
  package var isDeleted: Bool
  /// The domains that a token is limited to.
  package var within: Scope

  /// Conditions; none of them by default.
  package init(
    text: String? = nil, host: DomainName? = nil, app: AppIdentifier? = nil,
    androidApp: PackageName? = nil, environment: App.Environment? = nil,
    isEnabled: Bool? = nil, kind: DocumentKind? = nil, finding: String? = nil,
    isCollected: Bool? = nil, check: CheckOutcome? = nil, label: Label? = nil,
    isDeleted: Bool = false, within: Scope = Scope()
  ) {
    self.text = text
    self.host = host
    self.app = app
    self.androidApp = androidApp
    self.environment = environment
    self.isEnabled = isEnabled
    self.kind = kind
    self.finding = finding
    self.isCollected = isCollected
    self.check = check
    self.label = label
    self.isDeleted = isDeleted
    self.within = within
  }

  /// SQL for conditions, each after an AND, and the values of their parameters.
  struct Conditions {
    private(set) var sql = ""
    private(set) var values: [Value] = []

    /// SQL for a parameter beyond those of the conditions.
    func parameter(_ number: Int) -> String { "?\(values.count + number)" }

    mutating func add(_ value: Value?, _ condition: (String) -> String) {
      guard let value else { return }
      let parameter = parameter(1)
      values.append(value)
      sql += "\n  AND (\(condition(parameter)))"
    }
  }

  /// How a condition on rows of other tables is evaluated: for one domain, or once for all of them.
  enum Evaluation: Equatable {
    case each
    case all(Dialect)

    /// SQL for whether `domain` is among the rows of `select`, whose last condition is followed by one on the domain.
    func has(_ select: String) -> String {
      self == .each ? "EXISTS (\(select) AND domain_id = domain.id)" : has(all: select)
    }

    /// SQL for whether `domain` is among the rows of `select`. As an array, PostgreSQL takes them to be few.
    func has(all select: String) -> String {
      self == .all(.postgreSQL)
        ? "domain.id = ANY (ARRAY(\(select)))" : "domain.id IN (\(select))"
    }
  }

  /// SQL for the names of the domains, as `own`.
  var names: String {
    isDeleted
      ? """
      (SELECT id AS domain_id, deleted_name AS name, 0 AS position FROM domain
        WHERE deleted_name IS NOT NULL) AS own
      """ : "domain_name AS own"
  }

  /// SQL that adds the last check of a domain.
  static let checks = """
    LEFT JOIN check_schedule ON check_schedule.domain_id = domain.id
    LEFT JOIN domain_check ON domain_check.id = check_id
    """

  /// - Parameter named: The domains with a name that contains the text, if SQL cannot compare it.
  func conditions(_ evaluation: Evaluation, named: Set<Int64>?) -> Conditions {
    var conditions = Conditions()
    if let named {
      let ids = JSON.array(named.sorted().map { .integer($0) }).text
      conditions.add(.text(ids)) {
        "domain.id IN (SELECT CAST(each.value AS BIGINT) FROM json_each(\($0)) AS each)"
      }
    } else {
      conditions.add((text?.lowercased()).map(Value.text)) { text in
        let names =
          "SELECT domain_id FROM domain_name AS other WHERE instr(other.name, \(text)) > 0"
        let own = "instr(own.name, \(text)) > 0"
        return evaluation != .each && !isDeleted
          ? evaluation.has(names) : "\(own) OR \(Evaluation.each.has(names))"
      }
    }
    conditions.add(host.map(Self.names(covering:))) {
      "own.domain_id = (\(Self.domain(serving: $0)))"
    }
    conditions.add((app?.text).map(Value.text)) { Self.uses(AppIdentifier.self, $0, evaluation) }
    conditions.add((androidApp?.text).map(Value.text)) {
      Self.uses(PackageName.self, $0, evaluation)
    }
    conditions.add((environment?.rawValue).map(Value.text)) { "environment = \($0)" }
    conditions.add(isEnabled.map(Value.bool)) { "is_enabled = \($0)" }
    // Looking at one domain needs no index of all that have something, hence the `||`.
    conditions.add((template?.text).map(Value.text)) {
      evaluation != .each ? "domain.template = \($0)" : "domain.template || '' = \($0)"
    }
    conditions.add(isBehind.map(Value.bool)) { "\(Self.isBehind) = \($0)" }
    conditions.add((label?.text).map(Value.text)) {
      evaluation.has("SELECT domain_id FROM domain_label WHERE label = \($0)")
    }
    conditions.add(finding.map(Value.text)) { code in
      evaluation != .each
        ? evaluation.has("SELECT domain_id FROM finding WHERE code = \(code)")
        : evaluation.has("SELECT domain_id FROM finding WHERE code || '' = \(code)")
    }
    conditions.add(check.map { .text($0.rawValue) }) { outcome in
      let isOutcome = "coalesce(domain_check.status, 'unchecked') = \(outcome)"
      // Found in `check_schedule` alone, and those without a check by an index.
      let rows =
        switch check {
        case .failing where evaluation != .each: "failures > 0"
        case .unchecked where evaluation != .each && !isDeleted: "check_id IS NULL"
        default: String?.none
        }
      guard let rows else { return isOutcome }
      let found = evaluation.has(all: "SELECT domain_id FROM check_schedule WHERE \(rows)")
      return "\(found) AND \(isOutcome)"
    }
    conditions.add((kind?.rawValue).map(Value.text)) { parameter in
      let isPublished = """
        EXISTS (SELECT 1 FROM document
          WHERE document.domain_id = domain.id AND document.revision = domain.revision
            AND kind = \(parameter))
        """
      // The index leaves out Apple's file, which nearly all domains have.
      guard kind != .apple, evaluation != .each else { return isPublished }
      let found = evaluation.has(
        all: """
          SELECT domain_id FROM document WHERE kind = \(parameter)
            AND kind <> '\(DocumentKind.apple.rawValue)'
          """)
      return "\(found) AND \(isPublished)"
    }
    conditions.add(isCollected.map(Value.bool)) { isCollected in
      // Of most domains, this alone tells, and at the least cost.
      let isFetched = self.isCollected == false ? "NOT \(FetchRows.isFetched) AND" : ""
      return """
        is_enabled = 1 AND \(isFetched)
        CASE WHEN \(FetchRows.isCollected) THEN 1 ELSE 0 END = \(isCollected)
        AND \(FetchRows.hasApplesFile)
        """
    }
    conditions.add(within.isEverything ? nil : within.list) { Self.within($0) }
    return conditions
  }

  /// SQL for whether the domain is behind its template.
  static let isBehind =
    "CASE WHEN coalesce(template_use, '') LIKE '\(TemplateRows.behindPattern)' THEN 1 ELSE 0 END"

  /// SQL for the ID of the domain that a host belongs to: the one with this name or alias, otherwise the one
  /// with the longest wildcard above it.
  ///
  /// - Parameter names: SQL for the names that cover the host.
  static func domain(serving names: String) -> String {
    """
    SELECT domain_id FROM domain_name WHERE name IN (SELECT each.value FROM json_each(\(names)) AS each)
    ORDER BY name LIKE '*.%', length(name) DESC LIMIT 1
    """
  }

  /// The names that cover a host, as a JSON array.
  static func names(covering host: DomainName) -> Value {
    .text(JSON.strings(coveringNames(of: host)).text)
  }

  /// The names that cover a host, the one that decides first.
  static func coveringNames(of host: DomainName) -> [String] {
    let labels = host.text.split(separator: ".")
    return labels.indices.map { index in
      (index == 0 ? "" : "*.") + labels[index...].joined(separator: ".")
    }
  }

  /// SQL for whether `domain` uses an app, given SQL for its identifier.
  private static func uses<Key: AppKey>(
    _: Key.Type, _ identifier: String, _ evaluation: Evaluation
  ) -> String {
    let rows = Key.rows
    let row = rows.row(of: identifier)
    return switch evaluation {
    case .each: "EXISTS (\(rows.uses(row, identifier, "domain.id")))"
    case .all: evaluation.has(all: rows.uses(row, identifier, nil))
    }
  }

  /// SQL for whether the domain `own` is one of those that a token is limited to.
  ///
  /// - Parameter list: SQL for `Scope.list`.
  static func within(_ list: String) -> String {
    """
    (json_array_length(\(list)) = 0 OR EXISTS (
      SELECT 1 FROM json_each(\(list)) AS each WHERE \(covers("each.value"))
        OR (each.value LIKE 'label:%' AND EXISTS (
          SELECT 1 FROM domain_label WHERE domain_label.domain_id = own.domain_id
            AND (each.value = 'label:' || label
              OR (substr(each.value, 1, length(label) + 7) = 'label:' || label || ' '
                AND \(covers("substr(each.value, length(label) + 8)"))))))))
    """
  }

  /// SQL for whether a glob covers the name of the domain `own`, given SQL for the glob.
  static func covers(_ glob: String) -> String {
    """
    (\(glob) = own.name OR (\(glob) LIKE '*%'
      AND own.name LIKE '%' || replace(substr(\(glob), 2), '_', '\\_') ESCAPE '\\'))
    """
  }

  /// SQL for whether the domain `own` has a label, given SQL for that; `NULL` for any domain.
  static func labelled(_ label: String) -> String {
    "(\(label) IS NULL OR own.domain_id IN (SELECT domain_id FROM domain_label WHERE label = \(label)))"
  }

  /// The domains with a name or an alias that contains `text` in Unicode; `nil` if SQL can compare it, since it is
  /// ASCII.
  func domainsByUnicodeName(_ connection: any Connection) throws -> Set<Int64>? {
    guard let text = unicodeText else { return nil }
    var found: Set<Int64> = []
    try connection.run(
      """
      SELECT domain_id, name FROM domain_name WHERE instr(name, 'xn--') > 0
      UNION ALL SELECT id, deleted_name FROM domain WHERE instr(deleted_name, 'xn--') > 0
      """, []
    ) { row in
      if Alias(stored: row.text(1)).name.unicode.contains(text) {
        found.insert(row.integer(0))
      }
    }
    return found
  }

  private var unicodeText: String? {
    text.flatMap { $0.utf8.allSatisfy { $0 < 0x80 } ? nil : $0.lowercased() }
  }
}

extension Scope {
  /// The JSON array that `DomainFilter.within` takes; empty for all domains.
  var list: Value { texts.stored }
}
