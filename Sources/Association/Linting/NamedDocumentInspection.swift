/// Finds what is certainly wrong with a document that is published as bytes.
struct NamedDocumentInspection {
  private let document: NamedDocument
  private let names: [Alias]
  private let now: UnixTime
  private var found = FindingList()

  private init(_ document: NamedDocument, _ names: [Alias], _ now: UnixTime) {
    (self.document, self.names, self.now) = (document, names, now)
  }

  static func findings(
    in document: NamedDocument, of names: [Alias], at now: UnixTime
  ) -> [Finding] {
    var inspection = NamedDocumentInspection(document, names, now)
    inspection.inspectName()
    inspection.inspectContent()
    return inspection.found.listed.about(.named(document.name))
  }

  /// Readers ask for one spelling, and people write others: with a suffix, in capitals, in the singular.
  private mutating func inspectName() {
    let text = document.name.text
    let wanted = DocumentName.known.map(\.name.text) + DocumentKind.allCases.map(\.rawValue)
    let stem = Self.stem(of: text)
    if !wanted.contains(text),
      let meant = wanted.first(where: { [stem, "\(stem)s"].contains(Self.stem(of: $0)) })
    {
      found.add(
        .wrongName, at: .root, "Nobody asks for \(text): the name is \(meant).",
        help: "Publish it as \(meant), and remove this one.")
    }
    if text == "windows-web-app-link" {
      found.add(
        .wrongName, at: .root,
        "Windows does not ask for \(text): the name is windows-app-web-link.",
        help: "Publish it as windows-app-web-link, and remove this one.")
    }
  }

  /// What spellings of a name have in common.
  private static func stem(of name: String) -> String {
    let name = name.lowercased()
    let suffix = [".txt", ".json"].first(where: name.hasSuffix) ?? ""
    return String(name.dropLast(suffix.count))
  }

  private mutating func inspectContent() {
    let name = document.name.text
    if name == "security.txt" { return inspectSecurity(SecurityText(document.bytes)) }
    guard document.mediaType.isJSON || name.hasSuffix(".json") else { return }
    do throws(JSON.SyntaxError) {
      let json = try JSON.parse(document.bytes, limits: ReadDocument.limits).value
      switch name {
      case "microsoft-identity-association.json": inspectMicrosoft(json)
      case "web-app-origin-association": inspectWebApps(json)
      case "applinking.json": inspectHuawei(json)
      case "windows-app-web-link": inspectWindows(json)
      case "com.apple.remotemanagement": inspectEnrollment(json)
      default: break
      }
    } catch {
      found.add(
        .notJSON, at: .root, "\(name) is not JSON (\(error)). Its readers ignore it.",
        help: "Fix line \(error.line), or publish the file as another media type if it is none.")
    }
  }

  private mutating func expect(
    _ isRight: Bool, at pointer: JSONPointer, _ message: @autoclosure () -> String,
    help: @autoclosure () -> String
  ) {
    if !isRight { found.add(.wrongType, severity: .warning, at: pointer, message(), help: help()) }
  }
}

// MARK: security.txt

extension NamedDocumentInspection {
  private mutating func inspectSecurity(_ text: SecurityText) {
    let contacts = text.values("contact")
    if contacts.isEmpty {
      found.add(
        .missingField, at: .root, "security.txt has no Contact, which RFC 9116 requires.",
        help: "Add a line such as: Contact: mailto:security@example.com")
    }
    for contact in contacts where contact.lowercased().hasPrefix("http:") {
      found.add(
        .insecureLink, at: .root,
        "The Contact \(contact.quoted) is not https (RFC 9116 section 2.5.3).",
        help: "Write an https URL, or mailto: or tel:.")
    }
    let canonical = text.values("canonical")
    let hosts = Set(canonical.map { Matcher.storedHost(of: $0) })
    let missing = names.filter { !$0.isWildcard && !hosts.contains($0.name.text) }
    if !canonical.isEmpty, let first = missing.first {
      let more = missing.count - 1
      found.add(
        .notCanonical, at: .root,
        "No Canonical names \(first)\(more > 0 ? " and \(more.counted("more name"))" : ""), for which the file is "
          + "served. Readers then do not trust it there (RFC 9116 section 2.5.2).",
        help: "Add a line for each name: Canonical: https://\(first)/.well-known/security.txt")
    }
    let expires = text.values("expires")
    guard expires.count == 1 else {
      found.add(
        .missingField, at: .root,
        "security.txt has \(expires.isEmpty ? "no Expires" : "\(expires.count) Expires"), and RFC 9116 requires exactly "
          + "one.",
        help: "Write one line such as: Expires: \((now + 330 * 86_400).text)")
      return
    }
    guard let end = text.expiresAt else {
      found.add(
        .missingField, at: .root, "Expires is \(expires[0].quoted), which is no time of RFC 3339.",
        help: "Write a line such as: Expires: \((now + 330 * 86_400).text)")
      return
    }
    if let finding = Self.expiry(of: document.name, end, at: now) { found.add(finding) }
  }

  /// What to say about the end of a document; `nil` if that is far away.
  static func expiry(
    of name: DocumentName, _ end: UnixTime, at now: UnixTime
  ) -> Finding? {
    let left = end.seconds(since: now)
    let help = "Check its contacts, and publish it again with a later Expires."
    if left <= 0 {
      return Finding(
        .documentExpired, at: .root,
        "\(name) expired on \(end.text). Researchers must not rely on it any more (RFC 9116 section 2.5.5).",
        help: help)
    }
    if left >= NamedDocument.expiryWarning { return nil }
    let days = Int(left / 86_400)
    return Finding(
      .documentExpiring, at: .root,
      "\(name) expires on \(end.text), in \(days == 0 ? "less than a day" : days.counted("day")).",
      help: help)
  }
}

// MARK: JSON

extension NamedDocumentInspection {
  private mutating func inspectMicrosoft(_ json: JSON) {
    let form =
      #"Write {"associatedApplications": [{"applicationId": "00000000-0000-0000-0000-000000000000"}]}."#
    guard let apps = json["associatedApplications"]?.arrayValue else {
      return expect(
        false, at: .root,
        "\"associatedApplications\" is no list. Entra does not verify the domain.", help: form)
    }
    for (index, app) in apps.enumerated() {
      expect(
        app["applicationId"]?.stringValue.map(Self.isGUID) == true,
        at: .root.appending("associatedApplications").appending(index),
        "This element has no \"applicationId\" that is a GUID. Entra ignores it.", help: form)
    }
    let mediaType = document.mediaType
    if mediaType != .json {
      expect(
        mediaType.essence == "application/json", at: .root,
        "The media type is \(mediaType). Entra accepts application/json only.",
        help: "Publish it as application/json.")
    }
  }

  private static func isGUID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit } }
  }

  private mutating func inspectWebApps(_ json: JSON) {
    let form =
      #"Write {"https://app.example.com/": {"scope": "/"}}, with the manifest id of the app as the key."#
    guard let apps = json.objectValue else {
      return expect(
        false, at: .root, "The file is \(json.kind), not an object. Chrome associates nothing.",
        help: form)
    }
    if json["web_apps"] != nil {
      return found.add(
        .outdatedForm, at: .root.appending("web_apps"),
        "\"web_apps\" is a form of earlier drafts, which no browser reads any more.", help: form)
    }
    for app in apps.members {
      let pointer = JSONPointer.root.appending(app.key)
      expect(
        app.key.hasPrefix("https://") && Matcher.host(of: app.key) != nil, at: pointer,
        "The key \(app.key.quoted) is not an https URL. Chrome skips the app.", help: form)
      expect(
        app.value.objectValue != nil, at: pointer,
        "The value is \(app.value.kind), not an object. Chrome skips the app.", help: form)
    }
  }

  private mutating func inspectHuawei(_ json: JSON) {
    let form = #"Write {"applinking": {"apps": [{"appIdentifier": "1234567"}]}}."#
    let lists = ["apps", "atomicServices"].compactMap { key in
      json["applinking"]?[key]?.arrayValue.map { (key, $0) }
    }
    expect(
      !lists.isEmpty, at: .root,
      "\"applinking\" has no list \"apps\" or \"atomicServices\". AppGallery Connect refuses the file.",
      help: form)
    for (key, apps) in lists {
      var seen: Set<String> = []
      for (index, app) in apps.enumerated() {
        let pointer = JSONPointer.root.appending("applinking").appending(key).appending(index)
        guard let identifier = app["appIdentifier"]?.stringValue else {
          expect(
            false, at: pointer,
            "\"appIdentifier\" is not a string. AppGallery Connect does not find the app.",
            help: form)
          continue
        }
        expect(
          identifier.utf8.allSatisfy(\.isASCIIDigit) && !identifier.isEmpty, at: pointer,
          "\(identifier.quoted) is not an APP ID of digits.", help: form)
        expect(
          seen.insert(identifier).inserted, at: pointer,
          "The app \(identifier.quoted) is there twice.", help: form)
        if let place = app["index"] {
          expect(
            place.integerValue.map((-100...100).contains) == true,
            at: pointer.appending("index"),
            "\"index\" is not an integer from -100 to 100. AppGallery Connect refuses it.",
            help: form)
        }
      }
    }
  }

  private mutating func inspectWindows(_ json: JSON) {
    let form = #"Write [{"packageFamilyName": "Name_1234567890abc", "paths": ["*"]}]."#
    guard let apps = json.arrayValue else {
      return expect(
        false, at: .root, "The file is \(json.kind), not a list. Windows opens no app.", help: form)
    }
    for (index, app) in apps.enumerated() {
      let pointer = JSONPointer.root.appending(index)
      expect(
        app["packageFamilyName"]?.stringValue.map(Self.isFamilyName) == true, at: pointer,
        "\"packageFamilyName\" does not look like Name_ and 13 lower-case letters and digits. Windows opens no app for it.",
        help: form)
      expect(
        app["paths"]?.arrayValue.map { !$0.isEmpty && $0.allSatisfy { $0.stringValue != nil } }
          == true,
        at: pointer, "\"paths\" is not a list of strings with at least one. The app opens nothing.",
        help: form)
    }
  }

  private static func isFamilyName(_ text: String) -> Bool {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    return parts.count == 2 && (3...50).contains(parts[0].utf8.count) && parts[1].utf8.count == 13
      && parts[0].utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-".utf8.contains($0) }
      && parts[1].utf8.allSatisfy { $0.isASCIILetterOrDigit && $0.asciiLowercased == $0 }
  }

  private mutating func inspectEnrollment(_ json: JSON) {
    let form =
      #"Write {"Servers": [{"Version": "mdm-byod", "BaseURL": "https://mdm.example.com/enroll"}]}."#
    let servers = json["Servers"]?.arrayValue ?? []
    expect(
      servers.count == 1, at: .root,
      "\"Servers\" must be a list of one element; it has \(servers.count). Devices do not enroll.",
      help: form)
    for (index, server) in servers.enumerated() {
      expect(
        ["mdm-byod", "mdm-adde"].contains(server["Version"]?.stringValue)
          && server["BaseURL"]?.stringValue?.hasPrefix("https://") == true,
        at: .root.appending("Servers").appending(index),
        "This element needs a \"Version\" (mdm-byod or mdm-adde) and an https \"BaseURL\".",
        help: form)
    }
  }
}

extension Domain {
  /// The findings about the documents that are published as bytes.
  package func namedFindings(at now: UnixTime) -> [Finding] {
    namedDocuments.flatMap { NamedDocumentInspection.findings(in: $0, of: names, at: now) }
  }
}

extension NamedDocument {
  /// The findings about the document, published for names.
  package func findings(of names: [Alias], at now: UnixTime) -> [Finding] {
    NamedDocumentInspection.findings(in: self, of: names, at: now)
  }

  /// How long before its end a document is reported, in seconds.
  package static let expiryWarning: Int64 = 30 * 86_400

  /// Whether the document has ended, or ends soon, at a time.
  package func expiry(at now: UnixTime) -> Finding? {
    expiresAt.flatMap { NamedDocumentInspection.expiry(of: name, $0, at: now) }
  }

  /// When the document ends; `nil` if that is unknown.
  package var expiresAt: UnixTime? {
    name.text == "security.txt" ? SecurityText(bytes).expiresAt : nil
  }
}
