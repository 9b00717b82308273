/// The linting of one assetlinks.json file, with the findings so far.
struct StatementInspection {
  let links: AssetLinks
  /// The registrable names that the file is published for; empty if they are not known.
  let names: Set<String>
  private var found: FindingList
  /// The places that have warnings or errors.
  private(set) var places: Set<JSONPointer> = []
  /// The places of values that are to be removed or moved, whatever they are.
  var misplaced: Set<JSONPointer> = []

  init(_ links: AssetLinks, _ context: Linter.Context?, findings: [Finding]) {
    self.links = links
    names = context?.registrableNames ?? []
    found = FindingList(findings)
  }

  mutating func add(
    _ code: Finding.Code, severity: Finding.Severity? = nil, at pointer: JSONPointer,
    _ message: @autoclosure () -> String, help: @autoclosure () -> String
  ) {
    if severity ?? code.severity > .note { places.insert(pointer) }
    found.add(code, severity: severity, at: pointer, message(), help: help())
  }

  func inFileOrder() -> [Finding] { found.inOrder(of: links.json) }

  /// What a fault means for AOSP's verifier.
  static let refusal = " AOSP's verifier then refuses the whole file."

  mutating func inspect() {
    guard case .array(let list) = links.json else {
      let kind = links.json.kind
      let isEncodedTwice = links.json.isEncodedTwice
      let service = AssociationFile.documentedServices.first { links.json[$0] != nil }
      let inner = links.json.keyOfStatements
      let answer = links.json.errorAnswer
      return add(
        .notList, at: .root,
        "The file is \(kind) but must be an array of statements. Android ignores it, and no link"
          + " opens an app." + (service.map { " It has `\($0)`, as Apple's file has." } ?? "")
          + (answer.map { " \($0.sentence)" } ?? ""),
        help: answer?.help
          ?? inner.map { "Publish the list that `\($0)` has, without the object around it." }
          ?? (service != nil
            ? "Serve it as apple-app-site-association, and Android's file here."
            : isEncodedTwice
              ? "It is JSON in a string, so it was encoded twice. Publish the text of the string."
              : "Write the statement between `[` and `]`."))
    }
    if let tooComplex = links.complexity { return found.add(tooComplex.finding) }
    if list.isEmpty {
      add(
        .emptyList, at: .root, "The list is empty, so it permits nothing.",
        help: "Add a statement, or stop serving the file.")
    }
    for element in links.elements { inspect(element) }
    inspectIncludes()
    inspectRepetitions()
    inspectCredentials()
    inspectSingleFingerprints()
    inspectRules()
    inspectValues(of: links.json, at: .root)
  }

  private mutating func inspect(_ element: AssetLinks.Element) {
    guard case .object(let json) = element.json else {
      return add(
        .statementNotObject, at: element.pointer,
        "The element is \(element.json.kind) but must be an object. Google skips it."
          + Self.refusal,
        help: element.json.arrayValue?.contains { $0.objectValue != nil } == true
          ? "Remove the inner `[` and `]`: its objects are statements of the file's own list."
          : "Write a statement, or remove the element.")
    }
    for value in element.unread { addUnread(value) }
    switch element.meaning {
    case .statement(let statement): inspect(statement, json)
    case .include(let url):
      add(
        .includeUnverified, at: element.pointer.appending("include"),
        "What the file at \(url.quoted) permits is not checked here. AOSP's verifier refuses this file, too,"
          + " if that one is not JSON, and follows no includes in it.",
        help: "Check that file with `aasa validate`.")
    case .nothing: break
    }
  }

  private mutating func inspectIncludes() {
    let includes = links.includes
    guard includes.count > AssetLinks.mostIncludes else { return }
    add(
      .tooManyIncludes, at: includes[AssetLinks.mostIncludes].pointer,
      "The file includes \(includes.count) files. Google reads at most \(AssetLinks.mostIncludes).",
      help: "Merge the included files.")
  }

  // MARK: - Statements

  private mutating func inspect(_ statement: AssetLinks.Statement, _ json: JSON.Object) {
    let place = statement.pointer.appending("relation")
    for (index, relation) in statement.relations.enumerated()
    where !Relation.known.contains(relation) {
      let meant = Relation.known(like: relation.description)
      add(
        .unknownRelation, at: place.appending(index),
        "No reader of the relation \(relation.description.quoted) is known"
          + (meant == nil ? "." : ", so it links nothing."),
        help: meant.map { "Write `\($0)`." }
          ?? "Compare it with \(Relation.handleAllURLs), for links, and \(Relation.getLoginCredentials), for shared"
          + " passwords. Passkeys need both.")
    }
    if case .app(let package, let fingerprints) = statement.target {
      inspect(package, fingerprints, at: statement.pointer.appending("target"))
    }
    inspectExtensions(of: statement, json["relation_extensions"]?.objectValue ?? [:])
  }

  private mutating func inspect(
    _ package: PackageName, _ fingerprints: [Fingerprint], at target: JSONPointer
  ) {
    let words = ["yourcompany", "your_company", "yourapp", "your_app", "yourpackage", "mycompany"]
    let name = package.text.lowercased()
    if words.contains(where: { name.contains($0) }) || name.hasPrefix("your.")
      || "\(name).".hasPrefix("com.placeholder.") || name == "com.example"
    {
      addPlaceholder(package.text, at: target.appending("package_name"))
    }
    let place = target.appending("sha256_cert_fingerprints")
    for (index, fingerprint) in fingerprints.enumerated() {
      let pointer = place.appending(index)
      if let owner = Fingerprint.published[fingerprint] {
        add(
          .debugCertificate, at: pointer,
          "This is the certificate of \(owner), whose private key anybody can download. Every app that is"
            + " signed with it and has this package name may do what the statement permits.",
          help: "Sign the app with a key of your own, and list its certificate.")
      } else if fingerprint.isInvented {
        addPlaceholder(fingerprint.description, at: pointer)
      } else if fingerprints[..<index].contains(fingerprint) {
        add(
          .duplicateFingerprint, at: pointer, "The list has this fingerprint twice.",
          help: "Remove one of them.")
      }
    }
  }

  mutating func addPlaceholder(_ text: String, at pointer: JSONPointer) {
    add(
      .placeholderValue, at: pointer,
      "\(text.quoted) looks like a placeholder from a guide, so it names no app of yours.",
      help: "Write the app's own value. The Play Console shows both under App integrity.")
  }

  private mutating func inspectExtensions(
    of statement: AssetLinks.Statement, _ extensions: JSON.Object
  ) {
    let place = statement.pointer.appending("relation_extensions")
    let relations = Set(statement.relations.map(\.description))
    for key in extensions.keys where !relations.contains(key) {
      add(
        .extensionWithoutRelation, at: place.appending(key),
        "The statement does not have the relation \(key.quoted), so this extension has no effect.",
        help: key == AssetLinks.Rules.key
          ? "Write the rules below their relation: `{\"\(Relation.handleAllURLs)\": {\"\(key)\": […]}}`."
          : "Add the relation to `relation`, or correct the key.")
    }
    if case .site = statement.target, extensions[Relation.handleAllURLs.description] != nil {
      add(
        .extensionTargetNotApp, at: place, "Dynamic rules have an effect only for apps.",
        help: "Remove the rules, or name an app in `target`.")
    }
  }

  /// Looks for statements that concern the same app and relation.
  private mutating func inspectRepetitions() {
    var earlier: [String: AssetLinks.Statement] = [:]
    for statement in links.statements {
      guard case .app(let package, _) = statement.target else { continue }
      var isReported = false
      for relation in statement.relations.uniqued() {
        let key = "\(relation) \(package)"
        guard let first = earlier[key] else {
          earlier[key] = statement
          continue
        }
        if relation == .handleAllURLs,
          statement.rules.pointer != nil || first.rules.pointer != nil
        {
          addRepeatedRules(statement, first)
        } else if !isReported {
          isReported = true
          add(
            .duplicateStatement, at: statement.pointer,
            "\(first.pointer) has the same app and the relation \(relation), too.",
            help: "Merge the statements: one list can have several fingerprints.")
        }
      }
    }
  }

  private mutating func addRepeatedRules(
    _ statement: AssetLinks.Statement, _ first: AssetLinks.Statement
  ) {
    let pointer = statement.rules.pointer ?? statement.pointer
    if first.rules.pointer == nil {
      add(
        .rulesNotFirst, at: pointer,
        "\(first.pointer) states the same app without rules. AOSP's verifier reads that statement only, so"
          + " these rules have no effect.",
        help: "Merge the statements.")
    } else {
      let difference =
        statement.rules.pointer == nil ? ", and this statement has none" : ", too"
      add(
        .rulesDeclaredTwice, at: pointer,
        "\(first.pointer) has dynamic rules for the same app\(difference). Google asks for one list per app, and"
          + " does not say which applies.",
        help: "Merge the statements.")
    }
  }

  /// Looks for apps that share passwords without the relation that passkeys need besides. An included list may
  /// have it.
  private mutating func inspectCredentials() {
    if !links.includes.isEmpty { return }
    var linked: [PackageName: Set<Fingerprint>] = [:]
    /// The statement of each app that has the relation for links, or first has to get it.
    var places: [PackageName: JSONPointer] = [:]
    /// A relation that was probably meant to be that for links.
    var misspelled: [PackageName: JSONPointer] = [:]
    for statement in links.statements {
      guard case .app(let package, let fingerprints) = statement.target else { continue }
      if statement.relations.contains(.handleAllURLs) {
        linked[package, default: []].formUnion(fingerprints)
        places[package] = places[package] ?? statement.pointer
      } else if let index = statement.relations.firstIndex(where: {
        !Relation.known.contains($0) && Relation.known(like: $0.description) == .handleAllURLs
      }) {
        misspelled[package] =
          misspelled[package] ?? statement.pointer.appending("relation").appending(index)
      }
    }
    for statement in links.statements where statement.relations.contains(.getLoginCredentials) {
      guard case .app(let package, let fingerprints) = statement.target else { continue }
      let missed = fingerprints.filter { linked[package]?.contains($0) != true }
      guard let first = missed.first else { continue }
      let more = missed.count == 1 ? "" : " and \((missed.count - 1).counted("other certificate"))"
      let certificates = missed.count == 1 ? "the certificate" : "these certificates"
      let help =
        if linked[package] != nil, let place = places[package] {
          "Add \(certificates) to the list of \(place), which has \(Relation.handleAllURLs)."
        } else if let place = misspelled[package] {
          "Correct \(place): write `\(Relation.handleAllURLs)`."
        } else if let place = places[package] {
          "Merge this statement into \(place): add \(certificates) to the list there."
        } else {
          "Add \(Relation.handleAllURLs) to `relation`. So that Android 15 and later open no link because of"
            + " it, add to the statement: \(Self.closedExtension)."
        }
      places[package] = places[package] ?? statement.pointer
      add(
        .credentialsWithoutLinks, at: statement.pointer.appending("relation"),
        (linked[package] != nil
          ? "The certificate \(first)\(more) of \(package) has \(Relation.getLoginCredentials) without"
            + " \(Relation.handleAllURLs)."
          : "\(package) has \(Relation.getLoginCredentials) without \(Relation.handleAllURLs).")
          + " Google asks for both for passkeys: without the second, they fail with \"RP ID cannot be validated\"."
          + " Passwords need only the first.",
        help: help)
    }
  }

  /// What a statement needs so that no link opens its app.
  private static let closedExtension =
    #""relation_extensions": {"\#(Relation.handleAllURLs)": "#
    + #"{"\#(AssetLinks.Rules.key)": [{"/": "*", "exclude": true}]}}"#

  /// Looks for apps with one certificate, which is often the upload key that no user's device sees.
  private mutating func inspectSingleFingerprints() {
    var known: [PackageName: Set<Fingerprint>] = [:]
    for case .app(let package, let fingerprints) in links.statements.map(\.target) {
      known[package, default: []].formUnion(fingerprints)
    }
    for statement in links.statements {
      guard case .app(let package, let fingerprints) = statement.target,
        known.removeValue(forKey: package)?.count == 1,
        let fingerprint = fingerprints.first, !fingerprint.isKnownNotToBeOwn
      else { continue }
      add(
        .singleFingerprint,
        at: statement.pointer.appending("target").appending("sha256_cert_fingerprints").appending(
          0),
        "This is the only certificate of \(package). If it is that of the upload key, nothing works for people who"
          + " install the app from Google Play, which signs what it delivers with a key of its own.",
        help:
          "Compare it with the SHA-256 fingerprint under \"App signing key certificate\" in the Play Console:"
          + " https://play.google.com/console/developers/app/keymanagement. If they differ, add that one."
      )
    }
  }
}

extension AssetLinks.Rules {
  /// Where a rule, or what dropped the rules, is; `nil` without rules.
  var pointer: JSONPointer? {
    switch self {
    case .none: nil
    case .dropped(let pointer, _): pointer
    case .list(let rules): rules.first?.pointer
    }
  }
}
