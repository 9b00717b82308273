import Service
import Association

enum ExportCommand {
  private static let label = Option(
    "--label", "LABEL", "Only domains with this label, and the apps that they use. Only to stdout.")

  static let command = Command(
    name: "export", group: .domains, summary: "write all apps and domains to files or stdout",
    details:
      "Writes apps.json, one file per domain and templates/NAME.json to DIR, in a stable order for git. In a DIR that has a state, "
      + "brings it up to date: leaves alone the files that say the same, and those that only you have changed. Deletes the file of "
      + "a deleted domain if the last export wrote it and nobody has changed it. Without DIR, prints "
      + "one JSON document to stdout.",
    options: [label, .json] + Option.installation, operands: .optional("DIR"),
    examples: [
      ("Write files for git", "aasa export domains/"),
      (
        "Copy everything to another server",
        "aasa export | aasa apply --server https://aasa.internal:8081 -"
      ),
    ], failure: "failure; stderr says why, and the output may be incomplete", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let (installation, asJSON) = (
      try Installation(arguments, upgrades: false), arguments.has(.json)
    )
    let label = try arguments.value(label).map { try Label($0) }
    if let directory = arguments.operands.first {
      if label != nil {
        throw UsageError("A directory has the whole state. Use --label without DIR.")
      }
      try write(installation, to: directory, asJSON: asJSON)
    } else {
      try print(installation, label, isCompact: asJSON)
    }
    return .success
  }

  private static func write(
    _ installation: Installation, to directory: String, asJSON: Bool
  ) throws {
    var apps = ExportedApps()
    var files = StateDirectory(path: directory)
    var count = 0
    try installation.export { part, progress in
      switch part {
      case .app(let app): apps.apple.append(app)
      case .androidApp(let app): apps.android.append(app)
      case .template(let template): try files.write(template: template)
      case .domain(let domain):
        count += 1
        if count % 64 == 0 { progress.say("Writing file \(count)") }
        try files.write(domain: domain)
      case .refused: break
      }
    }
    try files.finish(apps: apps)
    for name in files.kept {
      Terminal.complain(
        "Kept \"\(directory)/\(name)\", which is not part of this state: no export wrote it, or it was "
          + "changed since. 'aasa apply' would read it.")
    }
    if !files.replaced.isEmpty {
      Terminal.complain(
        "Wrote over \(files.replaced.count.counted("file")) with changes since the last export: "
          + "\(names(files.replaced)). Look at 'git diff'.")
    }
    if !files.restored.isEmpty {
      Terminal.complain(
        "Wrote \(files.restored.count.counted("file")) again that had been deleted since the last export: "
          + "\(names(files.restored)). What a file describes is deleted by 'aasa apply --prune'.")
    }
    try Terminal.print(asJSON ? files.json.text : files.text)
  }

  private static func names(_ files: [String]) -> String {
    let more = files.count > 20 ? " and \(files.count - 20) more" : ""
    return files.prefix(20).joined(separator: ", ") + more
  }

  /// Prints `{"apps": […], "androidApps": […], "domains": […]}` as it arrives.
  private static func print(
    _ installation: Installation, _ label: Label?, isCompact: Bool
  ) throws {
    func text(_ json: JSON, depth: Int) -> Substring {
      isCompact ? json.text[...] : json.prettyPrinted(depth: depth).dropLast()
    }
    let (line, space) = isCompact ? ("", "") : ("\n", " ")
    var apps = ExportedApps()
    var templates: [JSON] = []
    var (output, count) = ("", 0)
    func begin() {
      output = "{\(line)"
      var lists = apps.json
      if !templates.isEmpty { lists["templates"] = .array(templates) }
      for list in lists.members {
        output += "\(space)\(space)\"\(list.key)\":\(space)\(text(list.value, depth: 1)),\(line)"
      }
      output += "\(space)\(space)\"domains\":\(space)["
    }
    try installation.export(label) { part, _ in
      switch part {
      case .app(let app): apps.apple.append(app)
      case .androidApp(let app): apps.android.append(app)
      case .template(let template): templates.append(template)
      case .domain(let domain):
        if count == 0 { begin() }
        output += "\(count == 0 ? "" : ",")\(line)\(isCompact ? "" : "    ")"
        output += text(domain, depth: 2)
        count += 1
        if output.utf8.count > 65_536 {
          try Terminal.write(output)
          output = ""
        }
      case .refused: break
      }
    }
    if count == 0 { begin() }
    if let label, count == 0 { Terminal.complain("No domain has the label \(label.text.quoted).") }
    let end = count == 0 || isCompact ? "]" : "\n  ]"
    try Terminal.write("\(output)\(end)\(line)}\n")
  }
}

struct ExportedApps {
  var apple: [JSON] = []
  var android: [JSON] = []

  /// The members of a state. Without Android apps it has no list of them, since earlier versions of the
  /// program do not know it.
  var json: JSON.Object {
    var object: JSON.Object = ["apps": .array(apple)]
    if !android.isEmpty { object["androidApps"] = .array(android) }
    return object
  }
}
