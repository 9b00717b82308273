import Service
import Association
import Checking

/// Files to publish, each for its domain.
struct Adoption {
  let installation: Installation
  var files: [FilesToAdopt.File]
  let accepted: Set<Finding.Code>
  /// May be empty.
  let reason: String
  let isDryRun: Bool
  /// The kind of all files; `nil` if their names or contents say it.
  let kind: DocumentKind?
  /// Whether the Android apps of the files are created.
  let createsAndroidApps: Bool

  /// Creates the Android apps that files name.
  static let androidApps = Option(
    "--android-apps", nil,
    "Create the Android apps of assetlinks.json with their fingerprints, and name them in the entries whose "
      + "routes say the same.")

  /// Why a file is not published.
  struct Refusal: Error {
    /// Stable words for programs.
    let codes: [String]
    /// The first line says what failed.
    let lines: [String]
    /// What the API answered, if it was asked.
    var problem: JSON?
  }

  /// What the API answered for a file, with the revision that the answer is based on; `nil` for a new domain.
  private typealias Adopted = (json: JSON, revision: Int?)

  /// Publishes each file that is not refused.
  func publishEach(_ report: inout ImportReport, _ progress: Progress) throws {
    for (index, file) in files.enumerated() {
      progress.say("Importing file \(index + 1) of \(files.count)")
      let result = try adopt(file, isDryRun: isDryRun)
      try progress.above {
        switch result {
        case .success(let adopted): try report.add(adopted.json, of: file)
        case .failure(let refusal): try report.add(refusal, of: file)
        }
      }
    }
  }

  /// Publishes all files in one transaction, or nothing if a file is refused.
  ///
  /// Each file is adopted in a dry run first. What the domains would be then is one desired state, which is
  /// applied over the revisions that the dry runs found.
  func publishAll(_ report: inout ImportReport, _ progress: Progress) throws {
    var domains: [JSON] = []
    var created = CreatedApps()
    // A plan does not say what became of the apps of a file.
    var androidApps: [String: JSON] = [:]
    var unchanged: [(file: FilesToAdopt.File, json: JSON)] = []
    for (index, file) in files.enumerated() {
      progress.say("Checking file \(index + 1) of \(files.count)")
      var result = try adopt(file, isDryRun: true)
      if case .success(let adopted) = result, !created.add(adopted.json) {
        // Another file gives an app other fingerprints, so this file keeps its statements.
        result = try adopt(file, isDryRun: true, createsAndroidApps: false).map(Self.keepingApps)
      }
      if case .success(let adopted) = result {
        androidApps[file.path] = adopted.json["androidApps"]
      }
      switch result {
      case .failure(let refusal): try progress.above { try report.add(refusal, of: file) }
      case .success(let adopted) where adopted.json["changed"]?.boolValue == false:
        unchanged.append((file, adopted.json))
      case .success(let adopted): domains.append(Self.state(of: adopted))
      }
    }
    report.isNothingPublished = !report.refused.isEmpty
    if report.isNothingPublished { return }
    var steps: [String: JSON] = [:]
    if !domains.isEmpty || !created.apps.isEmpty {
      let lines = DesiredFiles.emptySpool()
      for element in created.apps + domains {
        try DesiredFiles.append(element.serialized() + [UInt8(ascii: "\n")], to: lines)
      }
      let change = Installation.Change(accepted: accepted, reason: reason)
      try installation.apply(change, lines: lines) { part in
        if case .domain(let json) = part { steps[json["domain"]?.stringValue ?? ""] = json }
      }
    }
    try progress.above {
      for file in files {
        guard var step = steps[file.domain?.text ?? ""]?.objectValue else { continue }
        step["androidApps"] = androidApps[file.path]
        try report.add(.object(step), of: file)
      }
      for (file, json) in unchanged { try report.add(json, of: file) }
    }
  }

  /// The answer for a file whose apps are not created because another file disagrees about one of them.
  private static func keepingApps(_ adopted: Adopted) -> Adopted {
    guard var answer = adopted.json.objectValue else { return adopted }
    answer["androidApps"] = .array(
      (answer["androidApps"]?.arrayValue ?? []).map { app in
        guard var app = app.objectValue else { return .null }
        app["action"] = "kept"
        app["message"] = .string(
          "Not created: another file of this import has other fingerprints for an app of this file. Its statement "
            + "is kept as it is.")
        return .object(app)
      })
    return (.object(answer), adopted.revision)
  }

  /// The domain as an element of a desired state, based on the revision that the dry run found.
  private static func state(of adopted: Adopted) -> JSON {
    var domain = adopted.json["domain"]?.objectValue ?? [:]
    domain["updatedAt"] = nil
    domain["revision"] = adopted.revision.map { .integer($0) }
    return .object(domain)
  }

  /// - Parameter createsAndroidApps: Whether apps are created; `nil` if the person says so.
  private func adopt(
    _ file: FilesToAdopt.File, isDryRun: Bool, createsAndroidApps: Bool? = nil
  ) throws -> Result<Adopted, Refusal> {
    let bytes: [UInt8]
    do throws(Failure) {
      bytes = if let content = file.content { content } else { try InputFile.bytes(of: file.path) }
    } catch {
      return .failure(Refusal(codes: ["cannot-read"], lines: [error.description]))
    }
    guard let domain = file.domain else {
      return .failure(
        Refusal(
          codes: ["no-domain"],
          lines: [
            "Cannot tell the domain of \(file.path.quotedPath) from its name. Name it after its domain, such "
              + "as example.com.json, or import it alone with --domain."
          ]))
    }
    let isNamed = file.kind?.isRendered == false
    if file.kind == nil, FilesToAdopt.isWellKnown(file.path),
      let name = file.path.split(separator: "/").last
    {
      return .failure(Self.refusal(ofName: String(name), file.path))
    }
    if !isNamed, Self.isState(bytes) {
      return .failure(
        Refusal(
          codes: ["state"],
          lines: [
            "\(file.path.quotedPath) is a file of 'aasa export'. Publish it with 'aasa apply'."
          ]))
    }
    do {
      return .success(
        try put(
          bytes, as: file.kind(given: kind) ?? DocumentKind(ofFile: bytes), file.mediaType, domain,
          isDryRun: isDryRun,
          createsAndroidApps: createsAndroidApps ?? self.createsAndroidApps))
    } catch let refused as Installation.Refused where refused.isAboutFile {
      if refused.code == "uses-template",
        let same = try served(
          bytes, as: file.kind(given: kind) ?? DocumentKind(ofFile: bytes), domain)
      {
        return .success(same)
      }
      let text = ProblemText(refused)
      let errors = refused.problem["errors"]?.arrayValue ?? []
      let codes = Set(errors.compactMap { $0["code"]?.stringValue }).sorted()
      return .failure(
        Refusal(
          codes: codes.isEmpty ? [refused.code] : codes,
          lines: ["\(file.path.quotedPath): \(text.detail)"] + text.faults,
          problem: refused.problem))
    }
  }

  /// The answer for a file that its domain serves already, with what its template gives it; `nil` for any other.
  private func served(
    _ bytes: [UInt8], as kind: DocumentKind, _ domain: DomainName
  ) throws -> Adopted? {
    let path = "/v1/domains/\(domain)"
    let answer = try installation.send(
      APIClient.Request("GET", "\(path)/documents/\(APIClient.Request.escaped(kind.rawValue))"))
    if answer.status != 200 || !Self.isSame(answer.body, bytes, kind) { return nil }
    let stored = try installation.json(APIClient.Request("GET", path), having: "revision")
    let revision = stored["revision"]?.integerValue
    return (
      [
        "domain": stored, "revision": revision.map { .integer($0) } ?? .null, "changed": false,
        "bytes": .integer(answer.body.count),
        "sha256": .string(SHA256.hexadecimal(of: answer.body)),
      ], revision
    )
  }

  /// Whether two documents have the same bytes or, if the server renders them, are equal as JSON.
  private static func isSame(_ one: [UInt8], _ other: [UInt8], _ kind: DocumentKind) -> Bool {
    if one == other { return true }
    if !kind.isRendered { return false }
    do throws(JSON.SyntaxError) {
      return try JSON.parse(one).value == JSON.parse(other).value
    } catch {
      return false
    }
  }

  /// Why a file below `.well-known` has no name of a document.
  private static func refusal(ofName name: String, _ path: String) -> Refusal {
    do throws(ValidationError) {
      _ = try DocumentName(name)
      return Refusal(codes: ["no-domain"], lines: [path])
    } catch {
      return Refusal(codes: [error.code.rawValue], lines: ["\(path.quotedPath): \(error.message)"])
    }
  }

  private func put(
    _ bytes: [UInt8], as kind: DocumentKind, _ mediaType: MediaType?, _ domain: DomainName,
    isDryRun: Bool, createsAndroidApps: Bool
  ) throws -> Adopted {
    var fields: [String: String] = [:]
    if case .named(let name) = kind {
      fields["Content-Type"] = (mediaType ?? name.usualMediaType).text
    }
    let query = [
      "androidApps": createsAndroidApps ? "create" : "",
      "dryRun": "\(isDryRun)", "reason": reason,
      "accept": accepted.map(\.rawValue).sorted().joined(separator: ","),
    ]
    let answer = try installation.send(
      APIClient.Request(
        "PUT", "/v1/domains/\(domain)/documents/\(kind.rawValue)",
        query: query.filter { !$0.value.isEmpty }, fields: fields,
        body: bytes))
    let json = try installation.content(of: answer, having: "domain")
    if answer.status == 201 { return (json, nil) }
    let revision = json["revision"]?.integerValue
    return (json, revision.map { json["changed"]?.boolValue == false ? $0 : $0 - 1 })
  }

  /// A file that is not JSON is none; the API says what is wrong with it.
  private static func isState(_ bytes: [UInt8]) -> Bool {
    do throws(JSON.SyntaxError) {
      return try JSON.parse(bytes).value.isState
    } catch {
      return false
    }
  }
}

/// The Android apps that the dry runs of several files create, as elements of a state.
private struct CreatedApps {
  private(set) var apps: [JSON] = []

  /// Adds the apps that an answer creates; returns false, and adds nothing, if another answer creates one of
  /// them with other fingerprints.
  mutating func add(_ answer: JSON) -> Bool {
    let created = (answer["androidApps"]?.arrayValue ?? []).filter { $0["action"] == "created" }
    var new: [JSON] = []
    for app in created {
      let known = apps.first { $0["package"] == app["package"] }
      if let known, known["fingerprints"] != app["fingerprints"] { return false }
      if known == nil {
        var element: JSON.Object = [:]
        for member in ["package", "fingerprints"] { element[member] = app[member] }
        new.append(.object(element))
      }
    }
    apps += new
    return true
  }
}

extension Installation.Refused {
  /// Whether the next file may fare better: not if the server is busy, the token unknown or the disk full.
  fileprivate var isAboutFile: Bool {
    switch problem["status"]?.integerValue {
    case _ where exitStatus != .failure: false
    case 403, 409, 412, 413, 422, 400: true
    default: false
    }
  }
}

/// What became of the files of an import, as it happens and in a summary.
struct ImportReport {
  var count: Int
  let isDryRun: Bool
  let isJSON: Bool
  /// Whether one refused file kept all from being published.
  var isNothingPublished = false
  private(set) var refused: [(path: String, codes: [String])] = []
  private var published = 0
  private var unchanged = 0
  /// The Android apps that could be created.
  private var offered: [String] = []

  init(count: Int, isDryRun: Bool, isJSON: Bool) {
    self.count = count
    self.isDryRun = isDryRun
    self.isJSON = isJSON
  }

  /// Prints what is published for a file: an answer of the API, or a step of a plan.
  mutating func add(_ answer: JSON, of file: FilesToAdopt.File) throws {
    let isChanged = answer["changed"]?.boolValue ?? true
    let publication = try Faults.collecting(in: answer, PublicationResource.read)
    let androidApps = publication.androidApps
    for app in androidApps where app.action == .offered && !offered.contains(app.package) {
      offered.append(app.package)
    }
    if isChanged { published += 1 } else { unchanged += 1 }
    if isJSON {
      return try Terminal.print(
        JSON.object(["file": .string(file.path), "published": answer]).text)
    }
    let findings = answer["findings"]?.arrayValue ?? []
    if count == 1 { FindingLines.complain(findings) }
    let notes = [
      isChanged ? nil : "unchanged", isDryRun ? "dry run" : nil,
      count == 1 ? nil : FindingLines.counts(findings),
    ].compactMap(\.self)
    let revision = answer["revision"]?.integerValue ?? 0
    let document = answer["documents"]?.arrayValue?.first {
      $0["kind"]?.stringValue == file.kind?.rawValue
    }
    let bytes = (document ?? answer)["bytes"]?.integerValue ?? 0
    try Terminal.print(
      "\(file.domain?.text ?? ""): revision \(revision), \(bytes.counted("byte"))"
        + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"))
    let changes = PlanText.changes(publication, TextStyle())
    let apps = androidApps.filter { $0.action != .offered }
      .map { "  Android app \($0.package): \($0.message)".harmless }
    if !(changes + apps).isEmpty {
      try Terminal.print((changes + apps).joined(separator: "\n"))
    }
  }

  /// Prints why a file is refused.
  mutating func add(_ refusal: Adoption.Refusal, of file: FilesToAdopt.File) throws(Failure) {
    refused.append((file.path, refusal.codes))
    if isJSON {
      try Terminal.print(
        JSON.object([
          "file": .string(file.path), "codes": .strings(refusal.codes),
          "problem": refusal.problem ?? .null,
        ]).text)
    }
    Terminal.complain(refusal.lines.map(\.harmless).joined(separator: "\n"))
  }

  /// Says which Android apps could be created.
  private func offer() {
    if offered.isEmpty { return }
    let names = offered.prefix(10).joined(separator: ", ")
    let more = offered.count > 10 ? " and \(offered.count - 10) more" : ""
    Terminal.complain(
      "The files name \(offered.count.counted("Android app")) that \(offered.count == 1 ? "is" : "are") not "
        + "stored: \(names)\(more). Their statements are kept as they are. To create the apps with their "
        + "fingerprints, repeat with --android-apps.".harmless)
  }

  /// Says how many files were published, and which were not, if there are several.
  func summarize() {
    offer()
    if count == 1 { return }
    let done = published + unchanged + refused.count
    let parts = [
      "\(published) \(isDryRun ? "to publish" : "published")", "\(unchanged) unchanged",
      "\(refused.count) refused",
    ]
    let rest = count - done
    var lines = [
      "Files: \(parts.joined(separator: ", "))\(rest > 0 ? ", \(rest) not imported" : "")."
    ]
    if isNothingPublished {
      lines = ["Nothing was published: \(refused.count) of \(count) files are refused."]
    }
    lines += refused.map { "  \($0.path): \($0.codes.joined(separator: ", "))" }
    Terminal.complain(lines.map(\.harmless).joined(separator: "\n"))
  }
}
