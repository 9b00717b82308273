import Service
import Association
import Checking

enum MatchCommand {
  fileprivate static let file = Option(
    "--file", "FILE",
    "Use this association file instead of a server or database. Use - for stdin.")
  fileprivate static let app = Option(
    "--app", "APP",
    "Resolve for this app only, such as ABCDE12345.com.example.app; of assetlinks.json, a package such as "
      + "com.example.shop.")
  fileprivate static let domain = Option(
    "--domain", "DOMAIN",
    "With --file: the domain that serves the file; URLs of other hosts do not match.")
  fileprivate static let explain = Option(
    "--explain", nil, "Add the deciding route and the reason to each line.")

  static let command = Command(
    name: "match", group: .look, summary: "show which app each URL opens",
    details:
      "Resolves each URL with what is published for its host, or with a file. Prints one line per URL "
      + "and app, separated by tabs: match, blocked (an exclusion decided) or no-match, the app, the "
      + "URL. A URL without a scheme is taken as https. The URL - reads URLs from stdin, one per line.",
    options: [file, .kind, app, domain, explain, .json] + Option.installation,
    operands: .many("URL"),
    examples: [
      (
        "Check a link on a server",
        "aasa match --explain example.com/buy/1 --server https://aasa.internal:8081"
      ),
      ("Check many links with a file", "aasa match --file apple-app-site-association - < urls.txt"),
    ],
    success: "every URL opens an app", failure: "a URL opens no app", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    var isComplete: Bool
    let isEveryURLMatched: Bool
    if let file = arguments.value(file) {
      if arguments.has(.server) || arguments.has(.database) {
        throw UsageError("--file cannot be used together with --server or --database.")
      }
      if file == "-" && arguments.operands.contains("-") {
        throw UsageError("The file and the URLs cannot both come from stdin.")
      }
      var matching = try FileMatching(arguments, file)
      isComplete = try forEachURL(arguments.operands, flush: { try matching.lines.flush() }) {
        try matching.match($0)
      }
      isEveryURLMatched = matching.lines.isEveryURLMatched
    } else {
      if arguments.has(.kind) { throw UsageError("--kind needs --file.") }
      if arguments.has(domain) {
        throw UsageError("--domain needs --file. Without it, the domain is that of the URL.")
      }
      var matching = PublishedMatching(arguments, try Installation(arguments, upgrades: false))
      isComplete = try forEachURL(arguments.operands, flush: { try matching.flush() }) {
        try matching.match($0)
      }
      matching.end()
      isEveryURLMatched = matching.lines.isEveryURLMatched && matching.isComplete
    }
    return isEveryURLMatched && isComplete ? .success : .failure
  }

  /// Passes on each URL with its scheme. Returns whether no line is too long for one.
  ///
  /// - Parameter flush: Called before waiting for more, and at the end.
  private static func forEachURL(
    _ operands: [String], flush: () throws -> Void, _ match: (ArraySlice<UInt8>) throws -> Void
  ) throws -> Bool {
    var isComplete = true
    for operand in operands {
      guard operand == "-" else {
        try match(withScheme(Array(operand.utf8)[...]))
        continue
      }
      try InputFile.lines(beforeWaiting: flush) { line in
        if let line { return try match(withScheme(line)) }
        isComplete = false
        Terminal.complain("Skipped a line over \(InputFile.lineLimit) bytes: it is not a URL.")
      }
    }
    try flush()
    return isComplete
  }

  /// The URL, as https if it begins with a host such as `example.com`.
  private static func withScheme(_ url: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let host = url.prefix { !":/?#".utf8.contains($0) }
    guard host.count <= 1000, host.contains(UInt8(ascii: ".")),
      !url[host.endIndex...].starts(with: "://".utf8)
    else { return url }
    do throws(ValidationError) {
      _ = try DomainName(String(decoding: host, as: UTF8.self))
      return Array("https://".utf8)[...] + url
    } catch {
      return url
    }
  }
}

/// The lines of the result.
private struct MatchLines {
  /// Whether each URL so far opens an app.
  var isEveryURLMatched = true
  let isExplained: Bool
  let isJSON: Bool
  private var output: [UInt8] = []

  init(_ arguments: Arguments) {
    isJSON = arguments.has(.json)
    isExplained = arguments.has(MatchCommand.explain)
  }

  /// Adds the result for a URL and an app.
  mutating func add(
    _ resolution: String, _ app: String?, _ url: some Sequence<UInt8>,
    why: (route: String?, reason: String)?
  ) throws {
    output += "\(resolution)\t\(app ?? "-")\t".utf8
    output += url
    if let why { output += "\t\(why.route ?? "-")\t\(why.reason)".utf8 }
    try end()
  }

  mutating func add(_ result: JSON) throws {
    output += result.serialized()
    try end()
  }

  private mutating func end() throws {
    output.append(UInt8(ascii: "\n"))
    if output.count > 65_536 { try flush() }
  }

  mutating func flush() throws {
    try Terminal.write(output)
    output.removeAll(keepingCapacity: true)
  }
}

/// Resolves URLs with a file, one after another.
private struct FileMatching {
  var lines: MatchLines
  private let matcher: DocumentMatcher
  private let apps: [String?]
  private let domain: String?
  /// What is wrong with the file, to be said once if a URL opens no app.
  private var fault: String?

  init(_ arguments: Arguments, _ file: String) throws {
    let bytes = try InputFile.bytes(of: file)
    let kind = try arguments.kind() ?? DocumentKind(ofFile: bytes)
    let useless = Failure(
      "\(file.quotedPath) is a \(kind.rawValue) file, which opens no URLs: it lists \(kind.content). Check it "
        + "with `aasa validate`.")
    if kind.platform == nil { throw useless }
    do {
      let content = kind == .apple ? try SignedFile.content(of: bytes) ?? bytes : bytes
      guard let matcher = try DocumentMatcher(try JSON.parse(content).value, kind: kind) else {
        throw useless
      }
      self.matcher = matcher
      apps = matcher.apps(asking: arguments.value(MatchCommand.app))
    } catch let error as Failure {
      throw error
    } catch let error as TooComplex {
      throw Failure("\(file.quotedPath) is too complex. \(error) \(error.help)")
    } catch let error as SignedFile.Unreadable {
      throw Failure("Cannot read \(file.quotedPath). \(error)")
    } catch {
      let help = Linter.report(onFile: bytes, kind: kind).findings.first { $0.code == .notJSON }?
        .help
      throw Failure("\(file.quotedPath) is not JSON: \(error). \(help ?? "")")
    }
    domain = try arguments.value(MatchCommand.domain).map { try DomainName($0).text }
    lines = MatchLines(arguments)
    if lines.isExplained && !lines.isJSON { fault = Self.fault(of: bytes, kind, file) }
  }

  /// What keeps links of a file from opening its apps, whatever the URL; `nil` if nothing does.
  private static func fault(of bytes: [UInt8], _ kind: DocumentKind, _ file: String) -> String? {
    let findings = Linter.report(onFile: bytes, kind: kind).findings
    let finding =
      findings.first { $0.severity == .error && (kind != .apple || $0.pointer.isInLinks) }
      ?? findings.first { $0.code == .noRoutes }
    return finding.map {
      let place = $0.pointer == .root ? "" : "\($0.pointer): "
      return
        "\(file.quotedPath) has a mistake. \(place)\($0.message) \($0.help) 'aasa validate' shows all."
    }
  }

  /// Resolves a URL, which is written unchanged.
  mutating func match(_ url: ArraySlice<UInt8>) throws {
    do {
      let (isMatched, isBlocked) = try write(url)
      lines.isEveryURLMatched = lines.isEveryURLMatched && isMatched
      if !isMatched, !isBlocked, let fault {
        Terminal.complain(fault)
        self.fault = nil
      }
    } catch let error as TooComplex {
      lines.isEveryURLMatched = false
      Terminal.complain("\(error) \(error.help)")
    }
  }

  /// Writes a line per app. Returns whether an app opens the URL, and whether an exclusion keeps it from one.
  private mutating func write(
    _ url: ArraySlice<UInt8>
  ) throws -> (isMatched: Bool, isBlocked: Bool) {
    var (isMatched, isBlocked) = (false, false)
    var budget = MatchingBudget()
    for app in apps {
      let resolution: Resolution
      if lines.isJSON || lines.isExplained {
        let explanation = try matcher.explain(url.span, for: app, domain: domain, budget: &budget)
        resolution = explanation.resolution
        try write(explanation, url)
      } else {
        resolution =
          try matcher.decision(on: url.span, for: app, domain: domain, budget: &budget).resolution
        try lines.add(resolution.rawValue, app, url, why: nil)
      }
      isMatched = isMatched || resolution == .match
      isBlocked = isBlocked || resolution == .blocked
    }
    return (isMatched, isBlocked)
  }

  private mutating func write(_ explanation: Explanation, _ url: ArraySlice<UInt8>) throws {
    if lines.isJSON {
      let text = String(decoding: url, as: UTF8.self)
      return try lines.add(explanation.json(url: text, platform: matcher.platform))
    }
    try lines.add(
      explanation.resolution.rawValue, explanation.app, url,
      why: (explanation.route?.description, explanation.reason))
  }
}

/// Resolves URLs with what is published, many per request.
private struct PublishedMatching {
  /// So few that the answer stays within its limits for documents with up to a hundred apps.
  private static let most = 200

  var lines: MatchLines
  /// Whether each URL so far could be asked about.
  private(set) var isComplete = true
  private let installation: Installation
  private let app: String?
  private var urls: [String] = []
  /// The URLs for whose host nothing is published.
  private var unpublished = 0
  private static let mostNamed = 20

  init(_ arguments: Arguments, _ installation: Installation) {
    self.installation = installation
    app = arguments.value(MatchCommand.app)
    lines = MatchLines(arguments)
  }

  mutating func match(_ url: ArraySlice<UInt8>) throws {
    guard let text = String(validating: url, as: UTF8.self),
      text.unicodeScalars.count <= MatchQuestion.longestURL
    else {
      isComplete = false
      Terminal.complain(
        "Skipped \(String(decoding: url, as: UTF8.self).quoted): a URL is UTF-8 of at most "
          + "\(MatchQuestion.longestURL) characters.")
      return
    }
    urls.append(text)
    if urls.count == Self.most { try ask() }
  }

  /// Asks about the URLs that wait, and writes the answer.
  mutating func flush() throws {
    if !urls.isEmpty { try ask() }
    try lines.flush()
  }

  /// Says how many URLs were not named.
  func end() {
    let more = unpublished - Self.mostNamed
    if more > 0 {
      Terminal.complain("And \(more.counted("more URL")) for whose host nothing is published.")
    }
  }

  private mutating func ask() throws {
    var question: JSON.Object = ["urls": .strings(urls)]
    question["app"] = app.map(JSON.string)
    urls = []
    let request = APIClient.Request(
      "POST", "/v1/match", body: JSON.object(question).serialized())
    let results = try installation.json(request, having: "results")["results"]?.arrayValue ?? []
    // By bytes: URLs that are only canonically equivalent are different.
    var matched: Set<[UInt8]> = []
    for result in results {
      let text = { result[$0]?.stringValue }
      let (url, resolution) = (text("url") ?? "", text("resolution") ?? "")
      if resolution == Resolution.match.rawValue { matched.insert(Array(url.utf8)) }
      // A host with a typo looks like a route that is missing.
      if !lines.isJSON, !lines.isExplained, app == nil, text("app") == nil {
        unpublished += 1
        if unpublished <= Self.mostNamed {
          Terminal.complain("\(url): \(text("reason") ?? "")".harmless)
        }
      }
      if lines.isJSON {
        try lines.add(result)
      } else {
        try lines.add(
          resolution, text("app"), url.utf8,
          why: lines.isExplained ? (text("pointer"), text("reason") ?? "") : nil)
      }
    }
    let isEach = results.allSatisfy {
      matched.contains(Array(($0["url"]?.stringValue ?? "").utf8))
    }
    lines.isEveryURLMatched = lines.isEveryURLMatched && isEach
  }
}

extension JSONPointer {
  /// Whether it is the root of Apple's file, or within its links.
  fileprivate var isInLinks: Bool { keys.isEmpty || keys.first == "applinks" }
}
