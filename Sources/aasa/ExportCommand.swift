import Service
import Association

enum ExportCommand {
  static let command = Command(
    name: "export", group: .domains, summary: "write all apps and domains to files or stdout",
    details:
      "Writes apps.json and one file per domain to DIR, in a stable order for git. Deletes the file of "
      + "a deleted domain if the last export wrote it and nobody has changed it. Without DIR, prints "
      + "one JSON document to stdout.",
    options: [.json] + Option.installation, operands: .optional("DIR"),
    examples: [
      ("Write files for git", "aasa export domains/"),
      (
        "Copy everything to another server",
        "aasa export | aasa apply --server https://aasa.internal:8081 -"
      ),
    ], failure: "failure; stderr says why, and the output may be incomplete", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let (installation, asJSON) = (try Installation(arguments), arguments.has(.json))
    if let directory = arguments.operands.first {
      try write(installation, to: directory, asJSON: asJSON)
    } else {
      try print(installation, isCompact: asJSON)
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
      case .domain(let domain):
        count += 1
        if count % 64 == 0 { progress.say("Writing file \(count)") }
        try files.write(domain: domain)
      }
    }
    try files.finish(apps: apps)
    for name in files.kept {
      Terminal.complain(
        "Kept \"\(directory)/\(name)\", which is not part of this state: no export wrote it, or it was "
          + "changed since. 'aasa apply' would read it.")
    }
    try Terminal.print(asJSON ? files.json.text : files.text)
  }

  /// Prints `{"apps": […], "androidApps": […], "domains": […]}` as it arrives.
  private static func print(_ installation: Installation, isCompact: Bool) throws {
    func text(_ json: JSON, depth: Int) -> Substring {
      isCompact ? json.text[...] : json.prettyPrinted(depth: depth).dropLast()
    }
    let (line, space) = isCompact ? ("", "") : ("\n", " ")
    var apps = ExportedApps()
    var (output, count) = ("", 0)
    func begin() {
      output = "{\(line)"
      for list in apps.json.members {
        output += "\(space)\(space)\"\(list.key)\":\(space)\(text(list.value, depth: 1)),\(line)"
      }
      output += "\(space)\(space)\"domains\":\(space)["
    }
    try installation.export { part, _ in
      switch part {
      case .app(let app): apps.apple.append(app)
      case .androidApp(let app): apps.android.append(app)
      case .domain(let domain):
        if count == 0 { begin() }
        output += "\(count == 0 ? "" : ",")\(line)\(isCompact ? "" : "    ")"
        output += text(domain, depth: 2)
        count += 1
        if output.utf8.count > 65_536 {
          try Terminal.write(output)
          output = ""
        }
      }
    }
    if count == 0 { begin() }
    let end = count == 0 || isCompact ? "]" : "\n  ]"
    try Terminal.write("\(output)\(end)\(line)}\n")
  }
}

/// The apps of an export.
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
