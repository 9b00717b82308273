import Association
import Checking

enum EntitlementsCommand {
  private static let app = Option(
    "--app", "APP",
    "The app identifier, such as ABCDE12345.com.example.app, if the file does not say it. Files in Xcode "
      + "projects do not; those of built apps do.")

  private static let plist = Option(
    "--plist", nil,
    "Print only the property list of all that the app needs, with what the file has already. Without FILE, "
      + "for --app.")

  static let command = Command(
    name: "entitlements", group: .look,
    summary: "compare an app's associated domains with what is published",
    details:
      "Reads .entitlements files (XML), what 'codesign -d --entitlements - --xml' prints, the app.json of an Expo project, the "
      + "project of a .NET app and Cordova's config.xml. Reports the associated domains that are not published here, are published without the app, or are disabled, and "
      + "the published domains that name the app although the app does not name them. What repeats for other "
      + "domains is printed once. Without a database, only the file itself is read. Use - for stdin.",
    options: [app, .severity, plist, .json] + Option.installation,
    operands: Command.Operands(name: "FILE", count: 0...Int.max),
    examples: [
      (
        "Compare a project with a server",
        "aasa entitlements App.entitlements --app ABCDE12345.com.example.app --server https://aasa.internal:8081"
      ),
      (
        "Compare a built app with a database",
        "codesign -d --entitlements - --xml App.app | aasa entitlements -"
      ),
    ],
    success: "nothing keeps links and passwords from reaching the app",
    failure: "something does, or a file cannot be read", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let asked = try arguments.value(app).map { try AppIdentifier($0) }
    if let asked, asked.lacksPrefix {
      throw UsageError(
        "\(asked.text.shown) has no prefix. Write the App ID Prefix of the developer account, usually the Team ID, and a dot"
          + " before it, such as ABCDE12345.\(asked.text.shown).")
    }
    let severity = try arguments.leastSeverity()
    let onlyList = arguments.has(plist)
    if onlyList && arguments.has(.json) {
      throw UsageError("--json has the property list already. Leave out --plist.")
    }
    if arguments.operands.isEmpty && (!onlyList || asked == nil) {
      throw UsageError("FILE is required, or --plist with --app APP.")
    }
    let published = try PublishedNames.chosen(arguments, .apple)
    if arguments.operands.isEmpty {
      if published == nil {
        throw Failure(
          "There is no database that says what the app needs. Use --server or --database.")
      }
      var check = EntitlementsCheck(Entitlements(), app: asked?.text, published)
      try check.run()
      try Terminal.write(check.plist)
      return .success
    }
    var isFine = true
    for path in arguments.operands {
      let entitlements: Entitlements
      do throws(Failure) {
        entitlements = try Entitlements(path: path)
      } catch {
        isFine = false
        Terminal.complain(error.description)
        continue
      }
      var check = EntitlementsCheck(entitlements, app: asked?.text ?? entitlements.app, published)
      try check.run()
      isFine = isFine && check.isFine
      if onlyList {
        try Terminal.write(check.plist)
      } else {
        try print(check, path, from: severity, asJSON: arguments.has(.json))
      }
    }
    return isFine ? .success : .failure
  }

  private static func print(
    _ check: EntitlementsCheck, _ path: String, from severity: Finding.Severity, asJSON: Bool
  ) throws {
    let findings = check.findings.filter { $0.severity >= severity }
    if asJSON {
      let report: JSON = [
        "valid": .bool(check.isFine), "file": .string(path), "app": .optional(check.app),
        "entries": .strings(check.entitlements.entries),
        "findings": .array(findings.map(\.json)),
        "plist": .string(check.plist),
      ]
      return try Terminal.print(report.text)
    }
    let count = check.entitlements.entries.count
    let lines =
      [
        "\(path): \(check.isFine ? "valid" : "not valid"), \(count) associated domain\(count == 1 ? "" : "s")"
          + (check.app.map { ", app \($0)" } ?? "")
      ]
      + findings.lines
    try Terminal.print(lines.map(\.harmless).joined(separator: "\n"))
  }
}

/// The comparison of an app's entitlements with what is published.
private struct EntitlementsCheck {
  let entitlements: Entitlements
  let app: String?
  private(set) var findings: [ProjectFinding] = []
  /// `nil` if nothing is known of what is published.
  private let published: PublishedNames?
  /// The services that have an entry with a build variable, which may stand for any entry that seems to be missing.
  private var openServices: Set<String> = []

  init(_ entitlements: Entitlements, app: String?, _ published: PublishedNames?) {
    (self.entitlements, self.app, self.published) = (entitlements, app, published)
  }

  var isFine: Bool { !findings.contains { $0.severity == .error } }

  /// - Parameter domain: The domain that the message names besides the entry's name.
  private mutating func add(
    _ code: String, _ severity: Finding.Severity, _ entry: String, _ message: String,
    of domain: String = ""
  ) {
    let name = String(entry.drop { $0 != ":" }.dropFirst().prefix { $0 != "?" })
    findings.append(
      ProjectFinding(
        code: code, severity: severity, entry: entry, message: message,
        names: [entry, name, name.hasPrefix("*.") ? String(name.dropFirst(2)) : "", domain]))
  }

  /// A property list with the entries of the app, and those that it lacks.
  var plist: String {
    let missing = findings.filter { $0.code == "not-in-entitlements" && $0.severity == .error }
    return Snippets.plist(of: entitlements.entries + missing.map(\.entry))
  }

  mutating func run() throws {
    if app == nil && published != nil {
      add(
        "app-unknown", .note, "",
        "The file does not say which app it is for, so only domains were compared. Name it with --app."
      )
    }
    if published == nil {
      add(
        "not-compared", .note, "",
        "There is no database, so only the file itself was read. To compare it with what is published, use --server or"
          + " --database.")
    }
    if let text = entitlements.textInPlaceOfList {
      add(
        "no-list", .error, "",
        (text == Entitlements.noText
          ? "The entitlement is no list"
          : "The entitlement is the text \(text.shown.quoted) in place of a list")
          + ", so the app has no associated domains. "
          + (text == "*" ? Entitlements.star : "Write an array with a string for each entry."))
    }
    if entitlements.keyCount > 1 {
      add(
        "duplicate-key", .warning, Entitlements.key,
        "The file has the key \(entitlements.keyCount) times, and only one of its lists applies. Write one list."
      )
    }
    if let place = entitlements.misplacedEntries {
      add(
        "misplaced-key", .error, entitlements.properKey,
        "It stands in \(place), where the build does not look for it. Move it into \"expo.ios\".")
    } else if let key = entitlements.almostKey {
      add(
        "unknown-key", .error, key,
        "The system does not read this key. Write \(entitlements.properKey).")
    } else if entitlements.entries.isEmpty && entitlements.textInPlaceOfList == nil {
      add(
        "no-entries", .warning, "",
        "The app has no associated domains, so no link, password or App Clip of the web reaches it."
          + (entitlements.isInComment && entitlements.keyCount == 0
            ? " The key stands in a comment, which nobody reads." : ""))
    }
    var entries: [Entitlements.Entry] = []
    for text in entitlements.entries {
      if Entitlements.hasVariable(text) {
        let service = text.prefix { $0 != ":" }
        openServices.formUnion(
          Entitlements.hasVariable(service) ? Entitlements.Entry.services : [String(service)])
        add(
          "placeholder", .warning, text,
          "The build puts a value here, which the file does not say, so the entry was not compared. Check the app that"
            + " was built instead, with the output of codesign -d --entitlements - --xml App.app.")
        continue
      }
      do throws(Entitlements.Malformed) {
        let entry = try Entitlements.Entry(text)
        if DomainName.isOfDynamicLinks(entry.name.name.text) {
          add(
            "dynamic-links", .warning, text,
            "This is a name of Firebase Dynamic Links. \(DomainName.dynamicLinksEnded) \(DomainName.dynamicLinksHelp)"
          )
          continue
        }
        entries.append(entry)
        checkLetters(of: entry, text)
      } catch {
        add(
          "malformed-entry", .error, text.isEmpty ? Entitlements.emptyText : text,
          "The system ignores the entry. \(error.message)")
      }
    }
    for entry in entries { try check(entry) }
    checkModes(of: entries)
    try checkNames(against: entries)
  }

  // MARK: - What the app names

  private mutating func checkLetters(of entry: Entitlements.Entry, _ text: String) {
    guard entry.name.name.isInternationalized else { return }
    let isWrittenOut = text.utf8.contains { $0 >= 0x80 }
    add(
      "internationalized-name", .note, text,
      DomainName.internationalizedReport + " \(DomainName.internationalizedHelp)"
        + (isWrittenOut
          ? " Apple wants such names in their ASCII form in the app: write \(entry.text)." : ""))
  }

  private mutating func check(_ entry: Entitlements.Entry) throws {
    if entry.name.isWildcard && entry.service == "appclips" {
      return add(
        "wildcard-app-clip", .error, entry.text,
        "Apple does not support wildcards for App Clips. Name each domain.")
    }
    // The file for a wildcard is that of the name behind it (Apple's Technote 3155).
    let host = entry.name.name
    guard let published else {
      if entry.name.isWildcard {
        add(
          "wildcard-file", .note, entry.text,
          "For \(entry.name), devices use the file of \(host), and not those of the names below it."
        )
      }
      return
    }
    guard let domain = try published.domain(serving: host) else {
      return add(
        "not-hosted", .error, entry.text,
        (entry.name.isWildcard
          ? "For \(entry.name), devices use the file of \(host), and no domain is published here for it."
          : "No domain is published here for \(host).")
          + " Add it as a domain or as an alias, or remove the entry.")
    }
    if !domain.isEnabled {
      return add(
        "disabled", .error, entry.text,
        "The domain \(domain.name) is disabled, so devices get no file. Enable it: aasa domains shows its state.",
        of: domain.name)
    }
    guard let app else { return }
    let named = domain.apps(of: entry.service)
    // The app has the entry of its App Clip, too, and the file names the App Clip alone (Apple's page "Associating your
    // App Clip with your website").
    if entry.service == "appclips", named.contains(where: { $0.hasPrefix("\(app).") }) { return }
    if !named.contains(app) {
      let elsewhere = Entitlements.Entry.services.filter { domain.apps(of: $0).contains(app) }
      let others =
        elsewhere.isEmpty ? AppIdentifier(stored: app).sentence(onOthersIn: named) : ""
      add(
        "app-not-named", .error, entry.text,
        (elsewhere.isEmpty
          ? "The file of \(domain.name) does not name \(app) for \(entry.service).\(others)"
          : "The file of \(domain.name) names \(app) only for \(elsewhere.joined(separator: " and ")), not for"
            + " \(entry.service).")
          + (others.isEmpty
            ? " Add it there, or remove the entry."
            : " Add \(app) there, or correct the one that the file names."),
        of: domain.name)
    }
  }

  /// Says what modes mean, and where an entry with one is the only one for its domain.
  private mutating func checkModes(of entries: [Entitlements.Entry]) {
    let plain = Set(entries.filter { $0.mode == nil }.map(\.text))
    for entry in entries {
      guard let mode = entry.mode else { continue }
      let meaning =
        switch mode {
        case .developer:
          "only devices in developer mode read it, for an app that is signed for development. They ask the "
            + "domain itself instead of Apple's CDN."
        case .managed:
          "only devices read it whose management server associates the domain with the app. They may ask the "
            + "domain itself instead of Apple's CDN."
        case .developerOrManaged:
          "only devices in developer mode, with an app that is signed for development, or managed devices read "
            + "it. They may ask the domain itself instead of Apple's CDN."
        }
      let isOnly = !plain.contains(entry.text)
      let isRelease = entitlements.isForDevelopers == false && mode != .managed
      add(
        "mode-\(mode.rawValue.replacing("+", with: "-"))", isOnly && isRelease ? .error : .note,
        "\(entry.text)?mode=\(mode.rawValue)",
        "With this mode, \(meaning)"
          + (!isOnly
            ? " \(entry.text) covers everybody else."
            : " For everybody else, the app is not associated with \(entry.name)"
              + (entry.name.name.isPublic ? ": add \(entry.text) for a release." : ".")))
    }
  }

  // MARK: - What names the app

  private mutating func checkNames(against entries: [Entitlements.Entry]) throws {
    guard let app, let published else { return }
    let environment = try published.environment(of: app)
    for domain in try published.domains(using: app) where domain.isEnabled {
      for service in Entitlements.Entry.services where domain.apps(of: service).contains(app) {
        let named = entries.filter { $0.service == service }.map(\.name)
        for name in domain.names where !named.contains(name) {
          if service == "appclips" && name.isWildcard { continue }
          let entry = "\(service):\(name)"
          if let wildcard = named.first(where: { $0.covers(name) }) {
            try checkFile(of: domain, for: name, service, coveredBy: wildcard)
            continue
          }
          if !name.isWildcard,
            let below = named.first(where: { $0.isWildcard && $0.name == name.name })
          {
            // Only its file is asked for.
            add(
              "not-in-entitlements", .note, entry,
              "The app names \(below), for which devices use the file of \(name), so the app must stay in that file."
                + " That does not include \(name) itself: add \(entry) to the app if it should work there, too."
            )
            continue
          }
          if name.isWildcard, try published.domain(serving: name.name) == nil {
            add(
              "not-in-entitlements", .note, entry,
              "The app does not name \(name), and the entry would have no effect: devices look for its file at"
                + " \(name.name), which is not published here. To use it, add \(name.name) as an alias of"
                + " \(domain.name) and the entry to the app.")
            continue
          }
          let below = named.filter { name.covers($0) }
          if name.isWildcard, let first = below.first {
            add(
              "not-in-entitlements", .note, entry,
              "The file of \(domain.name) names the app for \(service), and the app names some of \(name), such as"
                + " \(first), so the app must stay in it. If the app should work for all of them, add \(entry) to the app."
            )
            continue
          }
          // An app for customers need not name domains for tests.
          let isOpen = openServices.contains(service)
          let isMeant = !isOpen && environment.map { $0 == domain.environment } ?? true
          let isUsed = named.contains { other in
            domain.names.contains { $0.covers(Alias(other.name)) }
          }
          add(
            "not-in-entitlements", isMeant ? .error : .note, entry,
            "The file of \(domain.name) names the app for \(service), but the app does not name \(name)"
              + (isOpen
                ? ", unless an entry with a build variable does"
                : isMeant ? "" : ", which is for \(domain.environment)")
              + ". Add the entry to the app"
              + (isUsed
                ? ". Other entries of the app use the same file, so the app must stay in it."
                : ", or remove the app there."),
            of: domain.name)
        }
      }
    }
  }

  /// Says which file devices use for a name that the app names only by a wildcard: that of the name behind the
  /// wildcard (Apple's Technote 3155).
  private mutating func checkFile(
    of domain: PublishedNames.Domain, for name: Alias, _ service: String, coveredBy wildcard: Alias
  ) throws {
    let used = try published?.domain(serving: wildcard.name)
    if used?.name == domain.name { return }
    let entry = "\(service):\(name)"
    add(
      "not-in-entitlements", .note, entry,
      "The app names \(name) only by \(service):\(wildcard), for which devices use the file of \(wildcard.name), not"
        + " that of \(domain.name). To use the file of \(domain.name), add \(entry) to the app.")
  }
}
