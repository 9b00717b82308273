import Service
import Association
import Checking
import Store

enum CheckCommand {
  private static let file = Option(
    "--file", "FILE", "What the domains should serve. Default: what is published for each.")
  private static let app = Option(
    "--app", "APP", "An app that Apple's file must name; for a package name, assetlinks.json.")
  private static let expect = Option(
    "--expect", "URL=RESOLUTION",
    "How a URL must resolve with Apple's copy for the app of --app: match, blocked or no-match. May be "
      + "repeated."
  ).repeatable

  static let command = Command(
    name: "check", group: .look, summary: "check domains from outside",
    details:
      "Sends requests to each domain as Apple's bot, as a browser and as any other client, more than once, to "
      + "Apple's CDN and to Google's service, and reports what keeps links from opening the app. Works for any "
      + "domain, even without a database. With --server, the server makes the requests.",
    options: [NamedDomains.from, NamedDomains.label, file, app, expect] + Option.fetching + [
      Option(Setting.googleKey), .json,
    ]
      + Option.installation,
    operands: Command.Operands(name: "DOMAIN", count: 0...Int.max),
    examples: [
      ("Find out why links do not open the app", "aasa check example.com"),
      (
        "Check a new server before DNS is switched to it",
        "aasa check --resolve example.com:203.0.113.7 --file apple-app-site-association example.com"
      ),
    ],
    success: "nothing keeps links from opening; there may be warnings",
    failure: "a domain has an error", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    var list = try NamedDomains(arguments)
    if try arguments.serverURL() != nil,
      let option = (Option.fetching + [Option(Setting.googleKey)]).first(where: {
        arguments.has($0)
      })
    {
      throw UsageError(
        "\(option.name) cannot be used with \(arguments.has(.server) ? "--server" : "the server that AASA_SERVER names"),"
          + " which checks with its own settings."
          + (arguments.has(.server) ? "" : " Unset AASA_SERVER."))
    }
    let question = try question(arguments)
    let installation = try Installation(arguments, missing: .absent, upgrades: false)
    try list.addLabelled(arguments, from: installation)
    let domains = list.domains
    for (line, error) in list.unreadable { Terminal.complain("\(line): \(error.message)") }
    var counts: [String: Int] = [:]
    try Progress.during("Checking \(domains.count.counted("domain"))") { progress in
      for start in stride(from: 0, to: domains.count, by: CheckQuestion.mostDomains) {
        let part = domains[start..<min(start + CheckQuestion.mostDomains, domains.count)]
        if start > 0 { progress.say("Checked \(start) of \(domains.count.counted("domain"))") }
        var body = question
        body["domains"] = .strings(part.map(\.text))
        let answer = try installation.json(
          APIClient.Request("POST", "/v1/check", body: JSON.object(body).serialized()),
          having: "items")
        for check in answer["items"]?.arrayValue ?? [] {
          counts[check["status"]?.stringValue ?? "", default: 0] += 1
          try progress.above {
            if arguments.has(.json) {
              try Terminal.print(check.text)
            } else {
              try Terminal.print(CheckText(check).lines.joined(separator: "\n"))
            }
          }
        }
      }
    }
    if domains.count > 1 {
      let parts = CheckStatus.allCases.map { "\(counts[$0.rawValue] ?? 0) \($0.rawValue)" }
      Terminal.complain("\(domains.count.counted("domain")): \(parts.joined(separator: ", ")).")
    }
    let isFine = counts[CheckStatus.failing.rawValue] == nil && list.unreadable.isEmpty
    return isFine ? .success : .failure
  }

  /// The members of the request that hold for every domain.
  private static func question(_ arguments: Arguments) throws -> JSON.Object {
    var question = JSON.Object()
    if let path = arguments.value(file) {
      let bytes = try InputFile.bytes(of: path)
      do throws(JSON.SyntaxError) {
        question["document"] = try JSON.parse(bytes).value
      } catch {
        throw Failure("\(path.quotedPath) is not JSON. 'aasa validate' shows where it breaks.")
      }
    }
    let app = try arguments.value(app).map { try LinkedApp(likely: $0) }
    question["app"] = app.map { .string($0.text) }
    let expectations = try arguments.all(expect).map { text -> JSON in
      guard let app = app?.identifier, let sign = text.lastIndex(of: "="),
        let resolution = Resolution(rawValue: String(text[text.index(after: sign)...]))
      else {
        throw UsageError(
          "--expect must be URL=RESOLUTION with match, blocked or no-match, and needs --app with an iOS app."
        )
      }
      return [
        "url": .string(String(text[..<sign])), "app": .string(app.text),
        "resolution": .string(resolution.rawValue),
      ]
    }
    if !expectations.isEmpty { question["expectations"] = .array(expectations) }
    return question
  }
}

/// A check for people.
private struct CheckText {
  private let check: JSON
  private let style = TextStyle()

  init(_ check: JSON) { self.check = check }

  var lines: [String] {
    [head] + findings + [copy("origin", "The site"), copy("cdn", "Apple's CDN")].compactMap(\.self)
  }

  private var head: String {
    let status = check["status"]?.stringValue ?? ""
    let color: TextStyle.Color =
      switch status {
      case "ok": .green
      case "warning": .yellow
      default: .red
      }
    let milliseconds = check["milliseconds"]?.integerValue ?? 0
    return
      "\(check["domain"]?.stringValue ?? ""): \(style.paint(status, color)) (\(milliseconds) ms)"
  }

  private var findings: [String] {
    (check["findings"]?.arrayValue ?? []).flatMap { finding -> [String] in
      let severity = finding["severity"]?.stringValue ?? ""
      let color: TextStyle.Color? = ["error": .red, "warning": .yellow][severity]
      let code = finding["code"]?.stringValue ?? ""
      let isSuppressed = finding["suppressed"] != nil
      return [
        "  \(style.paint(severity, color)) \(code.harmless): "
          + (finding["message"]?.stringValue ?? "").harmless
          + (isSuppressed ? " (suppressed)" : ""),
        "    \(style.paint(finding["help"]?.stringValue ?? "", .faint))",
      ]
    }
  }

  /// Which revision something outside has.
  private func copy(_ key: String, _ name: String) -> String? {
    guard let held = check[key], held["current"] != nil else { return nil }
    let current = held["current"]?.integerValue ?? 0
    guard let revision = held["revision"]?.integerValue else {
      return "  \(name) has a file that is none of the domain's revisions."
    }
    let expires = held["expires"]?.stringValue.map { ", fresh until \($0.harmless)" } ?? ""
    return "  \(name) has revision \(revision)"
      + (revision == current ? ", the current one" : "; revision \(current) is current") + expires
      + "."
  }
}
