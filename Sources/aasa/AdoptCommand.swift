import APIClient
import Association
import Checking
import Fetching
import JSONValue
import Service

/// `aasa adopt`
enum AdoptCommand {
  /// How many domains are fetched from at a time.
  private static let batch = 16

  static let command = Command(
    name: "adopt", group: .domains, summary: "publish what domains serve today",
    details:
      "Fetches the association files of each domain as Apple's bot does, from both of Apple's locations, and "
      + "publishes them unchanged: JSON-equal to the originals. Lists the domains that have no file or "
      + "cannot be reached, and publishes the others. Running it again changes only what has changed.",
    options: [DomainList.from] + Option.fetching + [.dryRun, .accept, .reason, .json]
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
    let list = try DomainList(arguments)
    let domains = list.domains
    let isDryRun = arguments.has(.dryRun)
    let configuration = try EffectiveConfiguration(arguments).configuration
    let fetcher = Fetcher(try configuration.fetchPolicy.adding(arguments))
    var adoption = Adoption(
      installation: try Installation(
        arguments, missing: isDryRun ? .takenAsEmpty : .createdWithNote),
      files: [], accepted: try arguments.acceptedCodes(),
      reason: arguments.value(.reason) ?? "", isDryRun: isDryRun, kind: nil)
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
        let sites = WorkThread.wait { await Site.sites(of: Array(part), fetcher) }
        adoption.files = sites.flatMap(\.files)
        report.count += adoption.files.count + sites.reduce(0) { $0 + $1.refusals.count }
        try progress.above {
          for site in sites {
            site.notes.forEach(Terminal.complain)
            for (file, refusal) in site.refusals { try report.add(refusal, of: file) }
          }
        }
        try adoption.publishEach(&report, progress)
      }
    }
    return report.refused.isEmpty ? .success : .failure
  }
}

/// The association files that a domain serves today.
private struct Site: Sendable {
  let domain: DomainName
  private(set) var files: [FilesToAdopt.File] = []
  private(set) var refusals: [(file: FilesToAdopt.File, refusal: Adoption.Refusal)] = []
  /// What people should know about how the files were found.
  private(set) var notes: [String] = []

  /// Fetches from several domains at the same time.
  static func sites(of domains: [DomainName], _ fetcher: Fetcher) async -> [Site] {
    await withTaskGroup(of: (Int, Site).self) { group in
      for (index, domain) in domains.enumerated() {
        group.addTask { (index, await Site(of: domain, fetcher)) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private init(of domain: DomainName, _ fetcher: Fetcher) async {
    self.domain = domain
    async let root = Location("/\(DocumentKind.apple.rawValue)", of: domain, fetcher)
    async let apple = Location(.apple, of: domain, fetcher)
    async let assetLinks = Location(.assetLinks, of: domain, fetcher)
    async let webAuthn = Location(.webAuthn, of: domain, fetcher)
    add(apple: await apple, root: await root)
    for location in await [assetLinks, webAuthn] { add(location) }
    // A site that cannot be reached is one failure.
    if files.isEmpty, refusals.count == 3, Set(refusals.flatMap(\.refusal.codes)).count == 1 {
      refusals.removeLast(2)
    }
    if files.isEmpty && refusals.isEmpty {
      let words = "\(domain) serves no association file."
      refusals = [(await apple.file, Adoption.Refusal(codes: ["no-file"], lines: [words]))]
    }
  }

  private mutating func add(apple: Location, root: Location) {
    switch (apple.content, root.content) {
    case (.file(let bytes), .file(let other)) where bytes != other:
      notes.append("\(apple.url) and \(root.url) differ. The first one is adopted, as Apple does.")
      add(apple)
    case (.file, _): add(apple)
    case (.nothing, .file):
      notes.append("\(root.url) is adopted: \(apple.url) has no file.")
      add(root)
    case (.nothing, .failure): add(root)
    // The file at the root may be an old one.
    case (.failure, _), (.nothing, .nothing): add(apple)
    }
  }

  private mutating func add(_ location: Location) {
    if let place = location.redirect {
      notes.append("\(location.url) redirects to \(place), whose file is adopted.")
    }
    switch location.content {
    case .file(let bytes):
      var file = location.file
      file.content = bytes
      files.append(file)
    case .failure(let code, let words):
      refusals.append(
        (
          location.file,
          Adoption.Refusal(codes: [code.rawValue], lines: ["\(location.url): \(words)"])
        ))
    case .nothing: break
    }
  }
}

/// What is at one of the places of a file.
private struct Location: Sendable {
  enum Content {
    case file([UInt8])
    /// The site answers, and has no such file.
    case nothing
    case failure(Finding.Code, String)
  }

  let url: String
  let domain: DomainName
  let content: Content
  /// Where the file is, if it is elsewhere.
  let redirect: String?

  var file: FilesToAdopt.File { FilesToAdopt.File(path: url, domain: domain, isListed: true) }

  init(_ kind: DocumentKind, of domain: DomainName, _ fetcher: Fetcher) async {
    await self.init("/.well-known/\(kind.rawValue)", of: domain, fetcher)
  }

  init(_ path: String, of domain: DomainName, _ fetcher: Fetcher) async {
    (self.domain, url) = (domain, "https://\(domain)\(path)")
    var request = FetchRequest(url)
    request.agent = "AASA-Bot/1.0.0"
    // So that aasa itself does not take it for a fetch by Apple.
    request.fields = [(name: "X-Aasa-Check", value: "1")]
    let followed = await fetcher.follow(request)
    content = Self.content(followed, isApples: path.hasSuffix(DocumentKind.apple.rawValue))
    if case .file = content, followed.hops.count > 1 {
      redirect = followed.last.url
    } else {
      redirect = nil
    }
  }

  private static func content(_ followed: FollowedFetch, isApples: Bool) -> Content {
    switch followed.last.fetch.result {
    case .failure(let failure): return .failure(failure.code, failure.words)
    case .success(let answer):
      if followed.isEndless {
        return .failure(.tooManyRedirects, "more than \(FollowedFetch.limit) redirects.")
      }
      switch answer.status {
      case 200 where !answer.body.looksLikeFile: return .nothing
      case 200:
        // Apple would not get that file, and who answers there may be somebody else.
        if let code = followed.redirectCode, code != .redirectSameSite {
          return .failure(
            code,
            "redirects to \(followed.last.url). If that file is the right one, publish it with 'aasa import'."
          )
        }
        return answer.isCut
          ? .failure(.tooLarge, "the answer is larger than 131,072 bytes.") : .file(answer.body)
      // Stores of static files answer these where there is nothing.
      case 401, 403: return isApples ? .failure(.httpStatus, "status \(answer.status).") : .nothing
      case 429, 500...: return .failure(.httpStatus, "status \(answer.status).")
      default: return .nothing
      }
    }
  }
}
