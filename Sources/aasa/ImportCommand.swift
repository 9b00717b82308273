import Service
import Association
import Checking

enum ImportCommand {
  private static let domain = Option(
    "--domain", "DOMAIN",
    "The domain that will serve the file. Without it, the file's name says which.")
  private static let atomic = Option(
    "--atomic", nil, "Publish all files, or none of them if one is refused.")

  static let command = Command(
    name: "import", group: .domains, summary: "publish association files for domains",
    details:
      "Creates new domains, and makes each domain serve exactly its file. Name a file after its "
      + "domain: example.com, example.com.json, or the file's own name "
      + "(\(DocumentKind.allCases.map(\.rawValue).joined(separator: ", "))) in example.com or in "
      + "example.com/.well-known. The kind of any other file is detected from its "
      + "content. Other files in example.com/.well-known are published byte for byte. A directory stands for the files in it, and - for stdin. Lists the files that are refused, and "
      + "publishes the others.",
    options: [domain, .kindOfFiles, Adoption.androidApps, atomic, .dryRun, .accept, .reason, .json]
      + Option.installation,
    operands: .many("FILE|DIR"),
    examples: [
      ("Publish a file", "aasa import --domain example.com apple-app-site-association"),
      (
        "Publish a file per domain on a server, all or none",
        "aasa import --atomic --server https://aasa.internal:8081 sites/"
      ),
    ],
    success: "every file is published", failure: "a file was refused; stderr says why", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    var files = try files(arguments)
    if arguments.has(Adoption.androidApps) {
      // The routes of Android apps are compared with those of the Apple file.
      files = files.filter { $0.kind != .assetLinks } + files.filter { $0.kind == .assetLinks }
    }
    let accepted = try arguments.acceptedCodes()
    let isDryRun = arguments.has(.dryRun)
    let installation = try Installation(
      arguments, missing: isDryRun ? .refused : .createdWithNote)
    let adoption = Adoption(
      installation: installation, files: files, accepted: accepted,
      reason: arguments.value(.reason) ?? "", isDryRun: isDryRun, kind: try arguments.kind(),
      createsAndroidApps: arguments.has(Adoption.androidApps))
    let domains = files.compactMap(\.domain)
    if arguments.has(atomic), Set(domains).count < domains.count {
      throw UsageError(
        "--atomic takes one file for each domain. Choose a kind with --kind, such as --kind "
          + "\(DocumentKind.apple.rawValue), and repeat it with the next kind.")
    }
    var report = ImportReport(count: files.count, isDryRun: isDryRun, isJSON: arguments.has(.json))
    defer { report.summarize() }
    try Progress.during("Importing \(files.count.counted("file"))") { progress in
      if arguments.has(atomic) && !isDryRun {
        try adoption.publishAll(&report, progress)
      } else {
        try adoption.publishEach(&report, progress)
      }
    }
    return report.refused.isEmpty ? .success : .failure
  }

  private static func files(_ arguments: Arguments) throws -> [FilesToAdopt.File] {
    let found = try FilesToAdopt(arguments.operands, only: arguments.kind())
    found.saySkipped()
    FilesToAdopt.say(skipped: found.unrelated)
    let files = found.files
    if let name = arguments.value(domain) {
      let domain = try DomainName(name)
      guard files.count == 1, let file = files.first else {
        throw UsageError("--domain is for one file, and there are \(files.count).")
      }
      return [FilesToAdopt.File(path: file.path, domain: domain, isListed: false)]
    }
    let given = try arguments.kind()
    let counts = Dictionary(files.map { ($0.domain, 1) }, uniquingKeysWith: +)
    var paths: [String: String] = [:]
    for file in files {
      guard let domain = file.domain, counts[domain, default: 0] > 1 else { continue }
      let kind = file.kind(given: given) ?? file.kindByContent
      let key = "\(domain) \(kind?.rawValue ?? "")"
      if let other = paths.updateValue(file.path, forKey: key) {
        throw Failure(
          "\(other.quotedPath) and \(file.path.quotedPath) are both for \(domain). Keep one of them."
        )
      }
    }
    if let file = files.first, file.domain == nil, files.count == 1 {
      // A name that no file has is a typo.
      if file.path != "-" { _ = try InputFile.bytes(of: file.path) }
      throw UsageError(
        "Cannot tell the domain of \(file.path.quotedPath) from its name. Name it with --domain.")
    }
    return files
  }
}
