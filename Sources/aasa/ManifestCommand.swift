import Association
import Checking
import Service

enum ManifestCommand {
  private static let app = Option(
    "--app", "PACKAGE",
    "The package, such as com.example.shop, if the file does not say it. Sources of Gradle projects do not; "
      + "manifests of built apps do.")

  private static let file = Option(
    "--file", "ASSETLINKS",
    "Compare with this assetlinks.json, as the file of every host, instead of a server or database."
  )

  static let command = Command(
    name: "manifest", group: .look,
    summary: "compare an Android app's manifest with what is published",
    details:
      "Reads AndroidManifest.xml, what 'apkanalyzer manifest print' or 'aapt2 dump xmltree' prints of a built app, and "
      + "the app.json of an Expo project. Reports what keeps links out of the app: hosts without autoVerify or a "
      + "category, hosts that are not published here or whose file does not name the app, and links that the "
      + "published rules open and the manifest does not name, with an example. What repeats for other hosts is printed "
      + "once. Without a database, only the manifest itself is read. Use - for stdin.",
    options: [app, file, .severity, .json] + Option.installation,
    operands: .many("FILE"),
    examples: [
      (
        "Compare a project with a server",
        "aasa manifest app/src/main/AndroidManifest.xml --app com.example.shop --server https://aasa.internal:8081"
      ),
      (
        "Compare a built app with a file",
        "apkanalyzer manifest print app.apk | aasa manifest --file assetlinks.json -"
      ),
    ],
    success: "nothing keeps links from reaching the app",
    failure: "something does, or a file cannot be read", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let asked = try arguments.value(app).map { try PackageName(validating: $0) }
    let severity = try arguments.leastSeverity()
    let published = try published(arguments)
    var isFine = true
    for path in arguments.operands {
      let manifest: AndroidManifest
      do throws(Failure) {
        manifest = try AndroidManifest(path: path)
      } catch {
        isFine = false
        Terminal.complain(error.description)
        continue
      }
      let app = asked ?? manifest.package.flatMap { PackageName($0) }
      var check = ManifestCheck(manifest, app: app, published)
      try check.run()
      isFine = isFine && check.isFine
      try print(check, path, from: severity, asJSON: arguments.has(.json))
    }
    return isFine ? .success : .failure
  }

  private static func published(_ arguments: Arguments) throws -> ManifestCheck.Published {
    if let file = arguments.value(file) {
      if arguments.has(.server) || arguments.has(.database) {
        throw UsageError("--file cannot be used together with --server or --database.")
      }
      if file == "-" && arguments.operands.contains("-") {
        throw UsageError("The manifest and the file cannot both come from stdin.")
      }
      let bytes = try InputFile.bytes(of: file)
      do throws(JSON.SyntaxError) {
        return .file(AssetLinks(try JSON.parse(bytes).value))
      } catch {
        throw Failure("\(file.quotedPath) is not JSON: \(error)")
      }
    }
    return try PublishedNames.chosen(arguments, .assetLinks).map { .names($0) } ?? .nothing
  }

  private static func print(
    _ check: ManifestCheck, _ path: String, from severity: Finding.Severity, asJSON: Bool
  ) throws {
    let findings = check.findings.filter { $0.severity >= severity }
    let hosts = check.hosts
    if asJSON {
      let report: JSON = [
        "valid": .bool(check.isFine), "file": .string(path),
        "package": .optional(check.app?.text),
        "hosts": .array(
          hosts.map {
            [
              "host": .string($0.text), "autoVerify": .bool($0.isAutoVerified),
              "paths": .strings($0.paths),
            ]
          }),
        "findings": .array(findings.map(\.json)),
      ]
      return try Terminal.print(report.text)
    }
    let lines =
      [
        "\(path): \(check.isFine ? "valid" : "not valid"), \(hosts.count.counted("host"))"
          + (check.app.map { ", app \($0)" } ?? "")
      ] + hosts.prefix(mostHosts).map(\.line)
      + (hosts.count > mostHosts
        ? ["  and \((hosts.count - mostHosts).counted("other host"))"] : [])
      + findings.lines
    try Terminal.print(lines.map(\.harmless).joined(separator: "\n"))
  }

  /// The hosts that are listed for people.
  private static let mostHosts = 50
}
