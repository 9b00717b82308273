// Values of an assetlinks.json that readers do not read, or refuse.

extension StatementInspection {
  /// Reports numbers, nulls and booleans in arrays that no other finding is about.
  mutating func inspectValues(of json: JSON, at pointer: JSONPointer) {
    if misplaced.contains(pointer) { return }
    switch json {
    case .number, .null: addNumberOrNull(json, at: pointer)
    case .bool, .string: break
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        let place = pointer.appending(index)
        if case .bool = element { addNumberOrNull(element, at: place) }
        inspectValues(of: element, at: place)
      }
    case .object(let object):
      for member in object.members {
        inspectValues(of: member.value, at: pointer.appending(member.key))
      }
    }
  }

  private mutating func addNumberOrNull(_ json: JSON, at pointer: JSONPointer) {
    if places.contains(pointer) { return }
    let value =
      switch json {
      case .bool: "a boolean in an array"
      default: json.kind
      }
    add(
      .numberOrNull, at: pointer,
      "This is \(value). AOSP's verifier refuses a file that has one anywhere.",
      help: "Remove it, or write a string.")
  }

  mutating func addUnread(_ unread: UnreadValue) {
    let json = links.json
    switch unread.reason {
    case .unknownKey where AssetLinks.Rule.appleOnly.contains(unread.key) && unread.part == .rule:
      add(
        .appleOnlyKey, at: unread.pointer,
        "`\(unread.key)` has a meaning for Apple only. Android compares decoded URLs, and case matters.",
        help: "Remove it, and write a rule for each spelling.")
    case .unknownKey:
      // Removing or moving the key mends its value, too.
      let isRefused = unread.value.hasRefusedValue && unread.knownAdvice(in: json) != nil
      if isRefused { misplaced.insert(unread.pointer) }
      let isLoss = unread.meansRules && !hasRules(beside: unread)
      add(
        .unknownKey, severity: isRefused ? .warning : .note, at: unread.pointer,
        "\(unread.key.quoted) has no meaning in \(unread.part.name). Android ignores it."
          + (isRefused
            ? " AOSP's verifier refuses the whole file, because of a number, a null or a boolean there."
            : "")
          + (isLoss
            ? " So there are no rules: Android opens every link that the app's manifest names."
            : ""),
        help: unread.meansRules && unread.part != .ruleList
          ? "Write it in the statement as `\"relation_extensions\": {\"\(Relation.handleAllURLs)\":"
            + " {\"\(AssetLinks.Rules.key)\": […]}}`."
          : unread.advice(in: json))
    case .wrongType, .noEffect, .malformed, .missing: addFault(unread)
    }
  }

  private func statement(of unread: UnreadValue) -> JSON? {
    let index = unread.pointer.keys.first.flatMap { Int($0) } ?? 0
    return links.elements.indices.contains(index) ? links.elements[index].json : nil
  }

  private func hasRelation(_ relation: Relation, beside unread: UnreadValue) -> Bool {
    statement(of: unread)?["relation"]?.arrayValue?.contains(.string(relation.description)) == true
  }

  /// Whether a statement has rules where they belong, or opens no links.
  private func hasRules(beside unread: UnreadValue) -> Bool {
    let statement = statement(of: unread)
    let extensions = statement?["relation_extensions"]?[Relation.handleAllURLs.description]
    let relations = statement?["relation"]?.arrayValue ?? []
    return extensions?[AssetLinks.Rules.key] != nil || statement?["target"]?["namespace"] == "web"
      || !relations.contains(.string(Relation.handleAllURLs.description))
  }

  /// Reports a value that keeps readers from reading the statement, or the rules.
  private mutating func addFault(_ unread: UnreadValue) {
    let (pointer, value) = (unread.pointer, unread.value)
    let remedy = unread.remedy(in: links.json)
    let meant = unread.misspelling(in: links.json)?.help ?? unread.remedyForFields(in: links.json)
    let skipped = "Google skips the statement."
    switch unread.key {
    case "relation" where unread.isElement:
      add(
        .malformedRelation, at: pointer,
        "\(value.shown) is no relation: two parts of lower-case letters, digits, dots and underscores, with a"
          + " slash between them. \(skipped)" + Self.refusal,
        help: value.stringValue.flatMap(Relation.joined(in:)).map {
          "Write each as a string of its own: \($0.map { "`\"\($0)\"`" }.joined(separator: ", "))."
        } ?? value.stringValue.flatMap(Relation.known(like:)).map { "Write `\($0)`." }
          ?? "Write \(Relation.handleAllURLs) for links.")
    case "relation":
      let statement = pointer.keys.first.flatMap { Int($0) }.flatMap { index in
        links.json.arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      }
      let service = AssociationFile.documentedServices.first { statement?[$0] != nil }
      add(
        .missingRelation, at: pointer,
        "The statement has no array `relation` with a relation, so it permits nothing."
          + (service.map { " It has `\($0)`, as Apple's file has." } ?? ""),
        help: service.map { _ in
          "Apple's file is one object: remove `[` and `]`, and serve it as apple-app-site-association."
        } ?? remedy ?? meant
          ?? "Write `\"relation\": [\"\(Relation.handleAllURLs)\"]`.")
    case "target":
      add(
        .missingTarget, at: pointer, "The statement has no object `target`. \(skipped)",
        help: unread.remedyForList("target") ?? meant
          ?? "Add `target` with the `namespace` `android_app` or `web`.")
    case "include": addInclude(unread)
    case "namespace":
      let name = value.stringValue?.lowercased() ?? ""
      add(
        .unknownNamespace, at: pointer,
        "`namespace` must be `android_app` or `web`, in lower case. \(skipped)" + Self.refusal,
        help: meant
          ?? (["ios", "iphone", "apple"].contains(where: name.hasPrefix)
            ? "Remove the statement: apple-app-site-association names apps for Apple's systems."
            : "Write `android_app` for an app, `web` for a site."))
    case "package_name":
      add(
        .malformedPackageName, at: pointer,
        "`package_name` must be the package of an app, such as com.example.shop. "
          + (value.stringValue.flatMap(PackageName.fault(of:)).map { "\($0) " } ?? "") + skipped
          + (unread.isText ? "" : Self.refusal),
        help: unread.remedyForList("package_name") ?? meant
          ?? value.stringValue.flatMap(PackageName.meant(by:)).map { "Write `\($0)`." }
          ?? "Write the `applicationId` of the app, without wildcards.")
    case "sha256_cert_fingerprints" where unread.isElement: addFingerprint(unread)
    case "sha256_cert_fingerprints":
      add(
        .missingFingerprints, at: pointer,
        "`sha256_cert_fingerprints` must be an array with a fingerprint. \(skipped)" + Self.refusal,
        help: remedy ?? meant
          ?? "Copy the SHA-256 fingerprint of the app signing key from the Play Console.")
    case "site": addSite(unread)
    default: addRuleFault(unread)
    }
  }

  private mutating func addInclude(_ unread: UnreadValue) {
    if case .noEffect = unread.reason {
      return add(
        .includeWithStatement, at: unread.pointer,
        "`include` stands beside `relation` or `target`. Google skips such an element; AOSP's verifier reads"
          + " only the include.", help: "Write two elements.")
    }
    if !unread.isText {
      return add(
        .insecureInclude, at: unread.pointer,
        "`include` is \(unread.value.kind) but must be a string, an https URL. Google skips it."
          + (unread.value.isAccepted ? "" : Self.refusal),
        help: unread.value.arrayValue.map { _ in
          "Write one element for each list: `{\"include\": \"https://…\"}`."
        } ?? "Write the https URL of the list: `\"include\": \"https://…\"`.")
    }
    add(
      .insecureInclude, at: unread.pointer,
      "`include` must be an https URL. Google skips it; AOSP's verifier refuses the whole file for one with"
        + " http.", help: "Write the https URL of the list, or remove the element.")
  }

  private mutating func addSite(_ unread: UnreadValue) {
    let meant = unread.misspelling(in: links.json)?.help
    let text = unread.value.stringValue ?? ""
    let site = WebSite(readIn: text)
    let advice =
      site.map { "Write \"\($0)\"." } ?? "Write the site, such as \"https://www.example.com\"."
    if case .missing = unread.reason {
      return add(
        .malformedSite, at: unread.pointer,
        "The `target` has no `site`, so it names no site. Google skips the statement."
          + Self.refusal,
        help: meant ?? "Add `site`, such as \"https://www.example.com\".")
    }
    let isForWebAPK = site.map { text.hasPrefix("\($0)/") } ?? false
    if let site, isForWebAPK {
      if text != "\(site)/", hasRelation(.queryWebAPK, beside: unread) {
        return add(
          .webTargetWithPath, at: unread.pointer,
          "The site \(text.quoted) has a path, as Chrome wants it for `\(Relation.queryWebAPK)`. Google skips the statement."
            + Self.refusal,
          help:
            "Keep it for Chrome, unless the file also names Android apps for devices without Google's services."
        )
      }
      return add(
        .webTargetWithPath, at: unread.pointer,
        "The site \(text.quoted) has a path. Google skips the statement."
          + (text == "\(site)/"
            ? "" : Self.refusal + " Only Chrome reads such a site, to look for a WebAPK."),
        help: advice)
    }
    add(
      .malformedSite, at: unread.pointer,
      "\(unread.isText ? text.quoted : "`site` is \(unread.value.kind), which") is no site: a scheme, a host and maybe"
        + " a port, such as \"https://www.example.com\". Google skips the statement."
        + (Self.isRead(text) ? "" : Self.refusal),
      help: advice)
  }

  /// Whether AOSP's verifier reads a site nevertheless: it tolerates a fragment, and any number as a port.
  private static func isRead(_ site: String) -> Bool {
    let site = site.prefix { $0 != "#" }
    guard let colon = site.lastIndex(of: ":") else { return WebSite(String(site)) != nil }
    let port = site[colon...].dropFirst()
    let hasPort = !port.isEmpty && port.utf8.allSatisfy(\.isASCIIDigit)
    return WebSite(String(hasPort ? site[..<colon] : site)) != nil
  }

  private mutating func addFingerprint(_ unread: UnreadValue) {
    let text = unread.value.stringValue ?? ""
    let words = ["your", "<", "{", "$", "...", "…", "replace", "placeholder", "todo"]
    if words.contains(where: { text.lowercased().contains($0) }) {
      return addPlaceholder(text, at: unread.pointer)
    }
    if Fingerprint.octets(text)?.count == 20 {
      return add(
        .sha1Fingerprint, at: unread.pointer,
        "This is a SHA-1 fingerprint: it has 20 octets, SHA-256 has 32. Google skips the statement.",
        help:
          "Copy the SHA-256 fingerprint, which the Play Console and `keytool -list -v` show beside it."
      )
    }
    let advice = Fingerprint(written: text).map { "Write \"\($0)\"." }
    if let advice, text.utf8.contains(UInt8(ascii: ":")) {
      return add(
        .lowerCaseFingerprint, at: unread.pointer,
        "The fingerprint has lower-case letters. Google skips the statement.", help: advice)
    }
    let fault = FingerprintFault(of: text)
    add(
      .malformedFingerprint, at: unread.pointer,
      "\(unread.value.shown) is no fingerprint: 32 pairs of upper-case hexadecimal digits with colons between"
        + " them. \(fault.map { "\($0.sentence) " } ?? "")Google skips the statement."
        + (unread.isText ? "" : Self.refusal),
      help: advice ?? fault?.help
        ?? "Copy the SHA-256 fingerprint of the app signing key from the Play Console.")
  }
}

extension JSON {
  /// Whether AOSP's verifier refuses a file with this value: a number or a null anywhere, or a boolean in an array.
  fileprivate var hasRefusedValue: Bool {
    switch self {
    case .number, .null: true
    case .bool, .string: false
    case .array(let elements):
      elements.contains { element in
        if case .bool = element { true } else { element.hasRefusedValue }
      }
    case .object(let object): object.members.contains { $0.value.hasRefusedValue }
    }
  }
}

extension UnreadValue {
  /// Whether it is an unknown key for dynamic rules.
  fileprivate var meansRules: Bool {
    ["dynamic_app_link", "dynamic_app_deep_link"].contains { stem in
      ["", "s", "_component", "_components"].contains { key.lowercased() == stem + $0 }
    }
  }

  /// The key that was probably meant to be the missing one.
  fileprivate func misspelling(in file: JSON) -> MisspelledKey? {
    guard case .missing = reason else { return nil }
    return file.value(at: pointer)?.objectValue?.misspelling(of: [key])
  }

  /// How to write the members of a target that stand in the statement itself; `nil` for anything else.
  fileprivate func remedyForFields(in file: JSON) -> String? {
    guard case .missing = reason, key == "target",
      let statement = file.value(at: pointer)?.objectValue
    else {
      return nil
    }
    let fields = DocumentPart.target.members.map(\.key).filter { statement[$0] != nil }
    if fields.isEmpty { return nil }
    return "Write `\"target\": {…}` around \(fields.map { "`\($0)`" }.joined(separator: ", "))."
  }

  /// How to write what is a list and must be one value; `nil` for anything else.
  fileprivate func remedyForList(_ key: String) -> String? {
    guard let list = value.arrayValue, !list.isEmpty else { return nil }
    return list.count == 1
      ? "Remove the `[` and `]` around the value of `\(key)`."
      : "Write one statement for each: `\(key)` takes one value, not a list."
  }

  fileprivate var isText: Bool { value.stringValue != nil }
}
