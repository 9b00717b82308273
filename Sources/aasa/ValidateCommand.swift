import Service
import Association
import FoundationEssentials
import Publishing
import Store

enum ValidateCommand {
  private static let domain = Option(
    "--domain", "DOMAIN",
    "The domain that will serve the files, for findings that depend on it. Without it, the name of a "
      + "file in a directory says which.")

  static let command = Command(
    name: "validate", group: .files, summary: "check files for mistakes",
    details:
      "Prints what will not work on devices, with the code of each finding. Takes association files of Apple "
      + "and Android, directories of them like import, and what export writes: for each exported domain, it checks "
      + "the documents that apply would publish, with the apps of the apps.json beside it, and the expectations. "
      + "What several files have is printed once, with their number. Use - for stdin.",
    options: [domain, .kindOfFiles, .severity, .accept, .json], operands: .many("FILE|DIR"),
    examples: [
      ("Check the files that a pipeline will apply", "aasa validate domains/"),
      (
        "Check what a site serves today",
        "curl -fsS https://example.com/.well-known/apple-app-site-association | aasa validate -"
      ),
    ],
    success: "no file has an error that is not accepted; there may be warnings",
    failure: "a file has an error that is not accepted, or cannot be read", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let domain = try arguments.value(domain).map { try DomainName($0) }
    let found = try FilesToAdopt(arguments.operands, only: arguments.kind())
    found.saySkipped()
    // Also one that lists no apps, which apply refuses.
    let folder = "/\(DesiredFiles.templatesName)"
    let templates = try found.unrelated.filter { $0.hasSuffix(folder) }.flatMap { folder in
      try DesiredFiles.names(in: folder).map {
        FilesToAdopt.File(path: "\(folder)/\($0)", domain: nil, isListed: true)
      }
    }
    FilesToAdopt.say(skipped: found.unrelated.filter { !isAppsFile($0) && !$0.hasSuffix(folder) })
    let files =
      templates + found.files
      + found.unrelated.filter(isAppsFile).map {
        FilesToAdopt.File(path: $0, domain: nil, isListed: true)
      }
    var validation = Validation(
      isJSON: arguments.has(.json), kind: try arguments.kind(),
      accepted: try arguments.acceptedCodes(), leastSeverity: try arguments.leastSeverity(),
      apps: UsedApps())
    // Before the domains that use them.
    for path in appsFiles(of: files) { validation.apps.add(apps(in: path)) }
    for file in files { try validation.check(file, as: domain) }
    try validation.printGroups()
    if files.count > 1 { try validation.summarize() }
    return validation.isValid ? .success : .failure
  }

  /// Whether a file has the name of the one with the apps of a state.
  fileprivate static func isAppsFile(_ path: String) -> Bool {
    path.split(separator: "/").last == DesiredFiles.appsName[...]
  }

  /// The files that may list apps: those that are named, and `apps.json` beside a file of a domain.
  private static func appsFiles(of files: [FilesToAdopt.File]) -> [String] {
    var seen: Set<String> = []
    return files.flatMap { file -> [String] in
      if file.path == "-" { return [] }
      let directory = file.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      let beside = (directory + [DesiredFiles.appsName[...]]).joined(separator: "/")
      return file.isListed || file.domain != nil ? [beside] : [beside, file.path]
    }.filter { path in
      // A pipe can be read only once.
      seen.insert(path).inserted && FileManager.default.fileExists(atPath: path)
        && FilesToAdopt.isReadable(path)
    }
  }

  /// The apps of a state. What is wrong with the file is reported in its turn.
  private static func apps(in path: String) -> UsedApps {
    do {
      let bytes = try InputFile.bytes(of: path, ofState: DesiredFiles.largestFile)
      let json = try JSON.parse(bytes, limits: .trusted).value
      guard json.isState else { return UsedApps() }
      var lists: JSON.Object = [:]
      for list in DesiredFiles.appLists { lists[list] = json[list] }
      let state = try Faults.collecting(in: .object(lists), StateResource.read)
      return UsedApps(state.apps, state.androidApps)
    } catch {
      return UsedApps()
    }
  }
}

extension UsedApps {
  fileprivate init(_ apps: [App], _ android: [AndroidApp]) {
    self.init(
      environments: Dictionary(apps.map { ($0.id, $0.environment) }, uniquingKeysWith: { $1 }),
      android: Dictionary(android.map { ($0.package, $0) }, uniquingKeysWith: { $1 }))
  }

  /// These apps and others that exist elsewhere, each with a certificate that no other app has.
  fileprivate func assuming(_ packages: [PackageName]) -> UsedApps {
    var apps = self
    for package in packages {
      let digest = SHA256.hexadecimal(of: Array(package.text.utf8))
      guard let fingerprint = Fingerprint(written: digest) else { continue }
      apps.unlisted.insert(package)
      apps.android[package] = AndroidApp(
        package: package, certificates: [.init(fingerprint, label: .playSigning)])
    }
    return apps
  }

  fileprivate mutating func add(_ others: UsedApps) {
    environments.merge(others.environments) { $1 }
    android.merge(others.android) { $1 }
  }
}

/// Checks files one after another.
private struct Validation {
  let isJSON: Bool
  /// The kind of all files; `nil` to see it from their content.
  let kind: DocumentKind?
  let accepted: Set<Finding.Code>
  /// The mildest findings to print.
  let leastSeverity: Finding.Severity
  var apps: UsedApps

  private var groups = FindingGroups()
  private var counts: [Finding.Severity: Int] = [:]
  private var valid = 0
  private var invalid = 0
  private var unreadable = 0
  /// The templates of the files so far, by directory and name.
  private var templates: [String: Template] = [:]
  /// The file and the domain that has a name, by directory and name.
  private var owners: [String: (path: String, domain: DomainName)] = [:]

  init(
    isJSON: Bool, kind: DocumentKind?, accepted: Set<Finding.Code>,
    leastSeverity: Finding.Severity, apps: UsedApps
  ) {
    self.leastSeverity = leastSeverity
    self.isJSON = isJSON
    self.kind = kind
    self.accepted = accepted
    self.apps = apps
  }

  var isValid: Bool { invalid + unreadable == 0 }

  /// Checks a file. One that cannot be read gets an error message, so that the others are still checked.
  mutating func check(_ file: FilesToAdopt.File, as domain: DomainName?) throws {
    let bytes: [UInt8]
    do throws(Failure) {
      bytes = try InputFile.bytes(of: file.path, ofState: DesiredFiles.largestFile)
    } catch {
      unreadable += 1
      return Terminal.complain(error.description)
    }
    if kind == nil, let name = file.documentName {
      let findings = Self.findings(name, bytes, of: domain ?? (file.isListed ? file.domain : nil))
      return try add(file.path, nil, findings, size: bytes.count)
    }
    if kind == nil, let state = Self.state(bytes) { return try check(state, file) }
    if kind == nil, ValidateCommand.isAppsFile(file.path),
      file.isListed || !Self.isAssociationFile(bytes)
    {
      return try add(file.path, nil, [Self.noApps(bytes)], size: nil)
    }
    let name = domain ?? (file.isListed ? file.domain : nil)
    // Somebody may have put the file of one platform in place of the other one. Its content tells which it is.
    let meant = file.kind.flatMap { $0.isRendered && $0.platform == nil ? $0 : nil }
    let report = Linter.report(
      onFile: bytes, kind: kind ?? meant ?? DocumentKind(ofFile: bytes),
      context: name.map { Linter.Context(domain: $0.text) })
    try add(file.path, nil, report.findings.map(\.json), size: bytes.count)
  }

  /// What is wrong with a document that is published as bytes.
  private static func findings(
    _ name: String, _ bytes: [UInt8], of domain: DomainName?
  ) -> [JSON] {
    do throws(ValidationError) {
      return Linter.report(
        onFile: bytes, kind: .named(try DocumentName(name)),
        context: domain.map { Linter.Context(domain: $0.text) }
      ).findings.map(\.json)
    } catch {
      return [
        Self.error(
          error.code.rawValue, "", error.message, help: "Rename the file, or remove it.")
      ]
    }
  }

  /// The JSON of a file that is part of a state; `nil` for any other, about which the linter says more.
  private static func state(_ bytes: [UInt8]) -> JSON? {
    do throws(JSON.SyntaxError) {
      let parsed = try JSON.parse(bytes, limits: .trusted)
      return parsed.value.isState && parsed.duplicateKeys.isEmpty ? parsed.value : nil
    } catch {
      return nil
    }
  }

  private static func isAssociationFile(_ bytes: [UInt8]) -> Bool {
    do throws(JSON.SyntaxError) {
      return try JSON.parse(bytes, limits: .trusted).value.isAssociationFile
    } catch {
      return false
    }
  }

  /// Why a file with the name of the one with the apps lists none.
  private static func noApps(_ bytes: [UInt8]) -> JSON {
    do throws(JSON.SyntaxError) {
      let parsed = try JSON.parse(bytes, limits: .trusted)
      if let key = parsed.duplicateKeys.first {
        return error(
          "duplicate-key", key.description, "The object has this key more than once.",
          help: "Keep one of them.")
      }
      let unknown = parsed.value.objectValue?.keys.first { !DesiredFiles.appLists.contains($0) }
      return error(
        "no-apps", unknown.map { "/\($0)" } ?? "",
        "The file must be an object with the lists `apps` and `androidApps`, or one of them, and no other key.",
        help: "Correct it, or remove the file.")
    } catch {
      return Self.error(
        "not-json", "", "The file is not JSON (\(error)).", help: "Fix line \(error.line).")
    }
  }

  /// Android apps without fingerprints: `apply` keeps those that are stored.
  private static func appsWithoutFingerprints(_ json: JSON) -> [JSON] {
    (json["androidApps"]?.arrayValue ?? []).enumerated().compactMap { index, app in
      guard app.objectValue != nil, app["fingerprints"] == nil else { return nil }
      return [
        "code": "no-fingerprints", "severity": "warning",
        "pointer": .string("/androidApps/\(index)"),
        "message": .string(
          "The fingerprints of \((app["package"]?.stringValue ?? "").shown) are not known, unless the server has"
            + " them."),
        "help": "Add `fingerprints`.",
      ]
    }
  }

  /// Checks the document of each domain of a state.
  private mutating func check(_ json: JSON, _ file: FilesToAdopt.File) throws {
    let domains: [Domain]
    let directory = Self.directory(of: file.path)
    do throws(InvalidInput) {
      if json["template"] != nil && json["domain"] == nil {
        let template = try Faults.collecting(in: json) { TemplateResource.read($0) }
        // Its folder is in the directory of the domains.
        templates["\(Self.directory(of: directory)) \(template.name)"] = template
        domains = []
      } else if json["domain"] != nil {
        domains = [try Faults.collecting(in: json) { DomainResource.read($0, over: nil)?.domain }]
      } else {
        let state = try Faults.collecting(in: json, StateResource.read)
        apps.add(UsedApps(state.apps, state.androidApps))
        for template in state.templates { templates["\(directory) \(template.name)"] = template }
        domains = state.domains
      }
    } catch {
      return try add(file.path, nil, Self.findings(error), size: nil)
    }
    let withoutFingerprints = json["domain"] == nil ? Self.appsWithoutFingerprints(json) : []
    if domains.isEmpty || !withoutFingerprints.isEmpty {
      try add(file.path, nil, withoutFingerprints, size: nil)
    }
    for domain in domains {
      let isOwnFile = json["domain"] != nil
      var resolved = domain
      if let name = domain.template?.name {
        guard let template = templates["\(directory) \(name)"] else {
          try add(file.path, isOwnFile ? nil : domain.name, [Self.unlisted(name)], size: nil)
          continue
        }
        do throws(InvalidInput) {
          resolved = try domain.resolved(with: template)
        } catch {
          try add(
            file.path, isOwnFile ? nil : domain.name, Self.findings(error), size: nil)
          continue
        }
      }
      let missing = resolved.androidApps.filter { apps.android[$0] == nil }
      let check = DomainCheck(resolved, apps.assuming(missing))
      var findings = check.findings.map(\.json) + check.broken.map(Self.finding)
      findings += missing.map { package in
        [
          "code": "app-not-listed", "severity": "note", "pointer": "",
          "message": .string(
            "The files do not list the Android app \(package), so its fingerprints are not checked."
          ),
          "help": .string("Check it together with \(DesiredFiles.appsName)."),
        ]
      }
      if isOwnFile, file.isListed, !file.path.hasSuffix("/\(domain.name).json") {
        findings.append(
          Self.error(
            "file-name", "/domain", "The domain is \(domain.name.text.quoted).",
            help: "Rename the file to \("\(domain.name).json".quoted)."))
      }
      findings += claim(domain, file.path)
      try add(
        file.path, isOwnFile ? nil : domain.name, findings,
        size: check.sizes.min { $0.key < $1.key }?.value)
    }
  }

  private static func unlisted(_ template: TemplateName) -> JSON {
    [
      "code": "template-not-listed", "severity": "note", "pointer": "/template",
      "message": .string(
        "The files do not have the template \(template), so the documents of the domain are not checked."
      ),
      "help": .string("Check it together with \(DesiredFiles.templatesName)/\(template).json."),
    ]
  }

  private static func directory(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// The names of a domain that another domain of the state has.
  private mutating func claim(_ domain: Domain, _ path: String) -> [JSON] {
    let directory = Self.directory(of: path)
    var faults: [JSON] = []
    for (index, name) in ([Alias(domain.name)] + domain.aliases).enumerated() {
      let key = "\(directory) \(name)"
      guard let owner = owners[key] else {
        owners[key] = (path, domain.name)
        continue
      }
      if owner.domain != domain.name {
        faults.append(
          Self.error(
            "name-taken", index == 0 ? "/domain" : "/aliases/\(index - 1)",
            "\("\(name)".quoted) is a name of \(owner.domain), too, in \(owner.path.quotedPath).",
            help: "Remove it from one of them."))
      } else if index == 0, owner.path == path {
        faults.append(
          Self.error(
            "repeated", "/domain", "\("\(name)".quoted) is listed twice.",
            help: "Remove one of them."))
      }
    }
    return faults
  }

  // MARK: - Findings

  private static func error(
    _ code: String, _ pointer: String, _ message: String, help: String = ""
  ) -> JSON {
    [
      "code": .string(code), "severity": "error", "pointer": .string(pointer),
      "message": .string(message), "help": .string(help),
    ]
  }

  private static func findings(_ input: InvalidInput) -> [JSON] {
    let named = input.faults.map { error($0.code, $0.pointer.description, $0.message) }
    if input.more == 0 { return named }
    return named + [error("invalid-input", "", "There are \(input.more) more invalid values.")]
  }

  private static func finding(_ broken: BrokenExpectation) -> JSON {
    let (expectation, explanation) = (broken.expectation, broken.explanation)
    return error(
      "expectation-broken", explanation.route?.description ?? "/expectations",
      "\(expectation.url) for \(expectation.app): expected \(expectation.resolution.rawValue), would be "
        + "\(explanation.resolution.rawValue). \(explanation.reason)",
      help: "Correct the routes, or the expectation.")
  }

  // MARK: - Output

  /// - Parameters:
  ///   - domain: The domain, if the file has several.
  ///   - size: The size of the document in bytes; `nil` without one.
  private mutating func add(
    _ path: String, _ domain: DomainName?, _ findings: [JSON], size: Int?
  ) throws {
    for finding in findings {
      let word = finding["severity"]?.stringValue ?? ""
      if let severity = Finding.Severity(rawValue: word) { counts[severity, default: 0] += 1 }
    }
    let isValid = findings.allSatisfy { finding in
      finding["severity"] != "error"
        || accepted.contains { finding["code"]?.stringValue == $0.rawValue }
    }
    if isValid { valid += 1 } else { invalid += 1 }
    let findings = findings.filter { finding in
      let severity = finding["severity"]?.stringValue.flatMap(Finding.Severity.init(rawValue:))
      return severity.map { $0 >= leastSeverity } ?? true
    }
    if isJSON {
      var object: JSON.Object = [
        "valid": .bool(isValid), "bytes": size.map { .integer($0) } ?? .null,
        "findings": .array(findings), "file": .string(path),
      ]
      object["domain"] = domain.map { .string($0.text) }
      return try Terminal.print(JSON.object(object).text)
    }
    let place = [path, domain?.text].compactMap(\.self).joined(separator: " ")
    let bytes = size.map { ", \($0) bytes" } ?? ""
    let line = "\(place): \(isValid ? "valid" : "not valid")\(bytes)".harmless
    let name = domain?.text ?? path.split(separator: "/").last.map(String.init) ?? path
    groups.add(
      findings, of: line, place, about: name.hasSuffix(".json") ? String(name.dropLast(5)) : name)
  }

  /// Prints the files with their findings, then those that several have, except as JSON.
  func printGroups() throws {
    let lines = groups.lines
    if !isJSON && !lines.isEmpty { try Terminal.print(lines.joined(separator: "\n")) }
  }

  /// Prints the number of files and of findings, except as JSON.
  func summarize() throws {
    if isJSON { return }
    let files = [(valid, "valid"), (invalid, "not valid"), (unreadable, "unreadable")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let findings = Finding.Severity.allCases.reversed().compactMap { severity in
      counts[severity].map { $0.counted(severity.rawValue) }
    }.joined(separator: ", ")
    try Terminal.print("Checked: \(files). Found: \(findings.isEmpty ? "nothing" : findings).")
  }
}
