import Association
import Checking

enum EntitlementsCommand {
  private static let app = Option(
    "--app", "APP",
    "The app identifier, such as ABCDE12345.com.example.app, if the file does not say it. Files in Xcode "
      + "projects do not; those of built apps do.")

  static let command = Command(
    name: "entitlements", group: .look,
    summary: "compare an app's associated domains with what is published",
    details:
      "Reads .entitlements files (XML), and what 'codesign -d --entitlements - --xml' prints. Reports the "
      + "associated domains that are not published here, are published without the app, or are disabled, and "
      + "the published domains that name the app although the app does not name them. Use - for stdin.",
    options: [app, .json] + Option.installation, operands: .many("FILE"),
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
    let asked = try arguments.value(app).map { try AppIdentifier($0).text }
    let published = PublishedNames(try Installation(arguments))
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
      var check = EntitlementsCheck(entitlements, app: asked ?? entitlements.app, published)
      try check.run()
      isFine = isFine && check.isFine
      try print(check, path, asJSON: arguments.has(.json))
    }
    return isFine ? .success : .failure
  }

  private static func print(_ check: EntitlementsCheck, _ path: String, asJSON: Bool) throws {
    if asJSON {
      let report: JSON = [
        "valid": .bool(check.isFine), "file": .string(path), "app": .optional(check.app),
        "entries": .strings(check.entitlements.entries),
        "findings": .array(check.findings.map(\.json)),
      ]
      return try Terminal.print(report.text)
    }
    let count = check.entitlements.entries.count
    let lines =
      [
        "\(path): \(check.isFine ? "valid" : "not valid"), \(count) associated domain\(count == 1 ? "" : "s")"
          + (check.app.map { ", app \($0)" } ?? "")
      ]
      + check.findings.map {
        "  \($0.severity.rawValue) \($0.code) \($0.entry.isEmpty ? "(the whole file)" : $0.entry): \($0.message)"
      }
    try Terminal.print(lines.map(\.harmless).joined(separator: "\n"))
  }
}

/// The comparison of an app's entitlements with what is published.
private struct EntitlementsCheck {
  struct Finding {
    let code: String
    let severity: Association.Finding.Severity
    /// The entry that it is about; empty for the whole file.
    let entry: String
    /// What is wrong, and what to do.
    let message: String

    var json: JSON {
      [
        "code": .string(code), "severity": .string(severity.rawValue), "entry": .string(entry),
        "message": .string(message),
      ]
    }
  }

  let entitlements: Entitlements
  let app: String?
  private(set) var findings: [Finding] = []
  private let published: PublishedNames

  init(_ entitlements: Entitlements, app: String?, _ published: PublishedNames) {
    (self.entitlements, self.app, self.published) = (entitlements, app, published)
  }

  var isFine: Bool { !findings.contains { $0.severity == .error } }

  private mutating func add(
    _ code: String, _ severity: Association.Finding.Severity, _ entry: String, _ message: String
  ) {
    findings.append(Finding(code: code, severity: severity, entry: entry, message: message))
  }

  mutating func run() throws {
    if app == nil {
      add(
        "app-unknown", .note, "",
        "The file does not say which app it is for, so only domains were compared. Name it with --app."
      )
    }
    var entries: [Entitlements.Entry] = []
    for text in entitlements.entries {
      do throws(Entitlements.Malformed) {
        let entry = try Entitlements.Entry(text)
        entries.append(entry)
        checkLetters(of: entry, text)
      } catch {
        add("malformed-entry", .error, text, "The system ignores the entry. \(error.message)")
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
        "The domain \(domain.name) is disabled, so devices get no file. Enable it: aasa domains shows its state."
      )
    }
    guard let app else { return }
    let named = domain.apps(of: entry.service)
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
            : " Add \(app) there, or correct the one that the file names."))
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
          + (isOnly
            ? " For everybody else, the app is not associated with \(entry.name): add \(entry.text) for a release."
            : " \(entry.text) covers everybody else."))
    }
  }

  // MARK: - What names the app

  private mutating func checkNames(against entries: [Entitlements.Entry]) throws {
    guard let app else { return }
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
          let isMeant = environment.map { $0 == domain.environment } ?? true
          let isUsed = named.contains { other in
            domain.names.contains { $0.covers(Alias(other.name)) }
          }
          add(
            "not-in-entitlements", isMeant ? .error : .note, entry,
            "The file of \(domain.name) names the app for \(service), but the app does not name \(name)"
              + (isMeant ? "" : ", which is for \(domain.environment)")
              + ". Add the entry to the app"
              + (isUsed
                ? ". Other entries of the app use the same file, so the app must stay in it."
                : ", or remove the app there."))
        }
      }
    }
  }

  /// Says which file devices use for a name that the app names only by a wildcard: that of the name behind the
  /// wildcard (Apple's Technote 3155).
  private mutating func checkFile(
    of domain: PublishedNames.Domain, for name: Alias, _ service: String, coveredBy wildcard: Alias
  ) throws {
    let used = try published.domain(serving: wildcard.name)
    if used?.name == domain.name { return }
    let entry = "\(service):\(name)"
    add(
      "not-in-entitlements", .note, entry,
      "The app names \(name) only by \(service):\(wildcard), for which devices use the file of \(wildcard.name), not"
        + " that of \(domain.name). To use the file of \(domain.name), add \(entry) to the app.")
  }
}

/// What an installation publishes, one domain after another.
private final class PublishedNames {
  struct Domain {
    let name: String
    let names: [Alias]
    let isEnabled: Bool
    let environment: String
    private let file: JSON

    init(_ json: JSON, file: JSON) throws {
      name = json["domain"]?.stringValue ?? ""
      names = try ([name] + (json["aliases"]?.arrayValue ?? []).compactMap(\.stringValue)).map {
        try Alias($0)
      }
      isEnabled = json["enabled"]?.boolValue != false
      environment = json["environment"]?.stringValue ?? ""
      self.file = file
    }

    /// The apps that the file names for a service, as devices read it.
    func apps(of service: String) -> [String] {
      if service != "applinks" {
        return file[service]?["apps"]?.arrayValue?.compactMap(\.stringValue) ?? []
      }
      do throws(TooComplex) {
        return try Matcher(document: file).scopes(asking: nil).compactMap(\.app)
      } catch {
        return []
      }
    }
  }

  private let installation: Installation
  private var known: [String: Domain] = [:]

  init(_ installation: Installation) { self.installation = installation }

  /// The domain that a host belongs to.
  func domain(serving host: DomainName) throws -> Domain? {
    try names(query: ["host": host.text]).first.map(read)
  }

  /// The domains whose files or settings name an app.
  func domains(using app: String) throws -> [Domain] {
    try names(query: ["app": app]).map(read)
  }

  /// What an app is for; `nil` if it is not known here.
  func environment(of app: String) throws -> String? {
    let answer = try installation.send(APIClient.Request("GET", "/v1/apps/\(app)"))
    if answer.status == 404 { return nil }
    return try installation.content(of: answer, having: "app")["environment"]?.stringValue
  }

  private func names(query: [String: String]) throws -> [String] {
    var names: [String] = []
    var query = query.merging(["limit": "1000"]) { $1 }
    while true {
      let request = APIClient.Request("GET", "/v1/domains", query: query)
      let page = try installation.json(request, having: "items")
      names += (page["items"]?.arrayValue ?? []).compactMap { $0["domain"]?.stringValue }
      guard let next = page["next"]?.stringValue else { return names }
      query["cursor"] = next
    }
  }

  private func read(_ name: String) throws -> Domain {
    if let domain = known[name] { return domain }
    let path = "/v1/domains/\(name)"
    let json = try installation.json(APIClient.Request("GET", path), having: "domain")
    let answer = try installation.send(APIClient.Request("GET", "\(path)/file"))
    let file =
      answer.status == 200 ? try JSON.parse(answer.body, limits: .trusted).value : .object([:])
    let domain = try Domain(json, file: file)
    known[name] = domain
    return domain
  }
}
