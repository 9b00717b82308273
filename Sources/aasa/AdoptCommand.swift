import Association
import Checking
import Service

enum AdoptCommand {
  /// How many domains are fetched from at a time.
  private static let batch = 16

  static let command = Command(
    name: "adopt", group: .domains, summary: "publish what domains serve today",
    details:
      "Fetches the association files of each domain as Apple's bot does, from both of Apple's locations, and "
      + "publishes them unchanged: JSON-equal to the originals. Brings along the other documents below /.well-known/ "
      + "that aasa knows, such as security.txt, byte for byte. Lists the domains that have no file or "
      + "cannot be reached, and publishes the others. Running it again changes only what has changed.",
    options: [NamedDomains.from] + Option.fetching + [
      Adoption.androidApps, .dryRun, .accept, .reason, .json,
    ]
      + Option.installation,
    operands: Command.Operands(name: "DOMAIN", count: 0...Int.max),
    examples: [
      ("Move a domain in", "aasa adopt example.com"),
      (
        "See what a list of domains would publish on a server",
        "aasa adopt --dry-run --server https://aasa.internal:8081 --from domains.txt"
      ),
    ],
    success: "every domain is published",
    failure: "a domain has no file, cannot be reached, or was refused; stderr says why", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let list = try NamedDomains(arguments)
    let domains = list.domains
    let isDryRun = arguments.has(.dryRun)
    let configuration = try EffectiveConfiguration(arguments).configuration
    let fetcher = Fetcher(try configuration.fetchPolicy.adding(arguments))
    var adoption = Adoption(
      installation: try Installation(
        arguments, missing: isDryRun ? .takenAsEmpty : .createdWithNote),
      files: [], accepted: try arguments.acceptedCodes(),
      reason: arguments.value(.reason) ?? "", isDryRun: isDryRun, kind: nil,
      createsAndroidApps: arguments.has(Adoption.androidApps))
    var report = ImportReport(count: 0, isDryRun: isDryRun, isJSON: arguments.has(.json))
    defer { report.summarize() }
    report.count += list.unreadable.count
    for (line, error) in list.unreadable {
      try report.add(
        Adoption.Refusal(codes: [error.code.rawValue], lines: ["\(line): \(error.message)"]),
        of: FilesToAdopt.File(path: line, domain: nil, isListed: true))
    }
    try Progress.during("Fetching from \(domains.count.counted("domain"))") { progress in
      for start in stride(from: 0, to: domains.count, by: batch) {
        let part = domains[start..<min(start + batch, domains.count)]
        progress.say("Fetching from domains \(start + 1) to \(part.endIndex) of \(domains.count)")
        let sites = WorkThread.wait { await LiveFiles.of(Array(part), fetcher) }
        let file = { FilesToAdopt.File(path: $0, domain: $1, isListed: true) }
        adoption.files = sites.flatMap { site in
          site.files.map { found in
            var file = file(found.url, site.domain)
            file.content = found.content
            file.mediaType = found.mediaType
            return file
          }
        }
        report.count += adoption.files.count + sites.reduce(0) { $0 + $1.failures.count }
        try progress.above {
          for site in sites {
            site.notes.forEach(Terminal.complain)
            for failure in site.failures {
              let refusal = Adoption.Refusal(codes: [failure.code], lines: [failure.message])
              try report.add(refusal, of: file(failure.url, site.domain))
            }
          }
        }
        try adoption.publishEach(&report, progress)
      }
    }
    return report.refused.isEmpty ? .success : .failure
  }
}
