import Association
import Checking
import FoundationEssentials
import Glibc
import Service

enum ExplainCommand {
  static let command = Command(
    name: "explain", group: .look, summary: "explain what a device prints about links",
    details:
      "Reads what swcutil, a sysdiagnose (swcutil_show.txt), the log of swcd, Apple's CDN, App Store Connect, "
      + "ASAuthorizationError, adb, the Credential Manager, browsers or Google's Digital Asset Links API print, and says "
      + "for each host and app why links "
      + "do not open the app, the next step, who has to do it, and how sure that is. With --server or --database, "
      + "it compares the text with what is and was published, and counts other hosts. Without either, it explains "
      + "the text alone. Without FILE, or with -, it reads stdin. Nothing of the text is stored.",
    options: [.json] + Option.installation,
    operands: .optional("FILE"),
    examples: [
      (
        "Explain a sysdiagnose with what a server publishes",
        "aasa explain swcutil_show.txt --server https://aasa.internal:8081"
      ),
      (
        "Ask a connected Android device",
        "adb shell pm get-app-links com.example.app | aasa explain"
      ),
    ],
    success: "nothing in the text keeps links from opening the app",
    failure: "something does, or the text has none of the known forms", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let path = arguments.operands.first ?? "-"
    let installation = try isAlone(arguments) ? nil : Installation(arguments, upgrades: false)
    if path == "-" && isatty(STDIN_FILENO) == 1 {
      Terminal.complain("Paste the text, then press Ctrl-D.")
    }
    let bytes = try InputFile.bytes(of: path, atMost: DeviceOutput.longest)
    let explanation =
      try installation?.json(APIClient.Request("POST", "/v1/explain", body: bytes), having: "items")
      ?? DeviceExplanation(alone: DeviceOutput(bytes)).json
    let text = ExplanationText(explanation, of: bytes)
    if arguments.has(.json) {
      try Terminal.print(explanation.text)
    } else {
      for item in text.items { try Terminal.print(item.joined(separator: "\n")) }
    }
    text.remarks.forEach(Terminal.complain)
    return text.isFine ? .success : .failure
  }

  /// Whether neither an option nor a variable says where to look up what is published.
  private static func isAlone(_ arguments: Arguments) throws(UsageError) -> Bool {
    let database = ProcessInfo.processInfo.environment[Setting.database.variable] ?? ""
    return try arguments.serverURL() == nil && !arguments.has(.database) && database.isEmpty
  }
}

/// An explanation for people.
private struct ExplanationText {
  private let explanation: JSON
  /// The command that reads the text, if it is a file and nothing that a tool prints.
  private let fileCommand: String?
  private let style = TextStyle()

  init(_ explanation: JSON, of text: [UInt8]) {
    self.explanation = explanation
    fileCommand = Self.command(reading: text)
  }

  private static func command(reading text: [UInt8]) -> String? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = text.prefix(65_536).dropFirst(text.starts(with: mark) ? mark.count : 0)
    let text = String(decoding: bytes, as: UTF8.self)
    let has = { (words: [String]) in words.contains { text.contains($0) } }
    let first = text.first { !$0.isWhitespace }
    if first == "<" {
      if has(["<intent-filter", "<manifest"]) { return "aasa manifest" }
      return has(["<plist"]) ? "aasa entitlements" : nil
    }
    guard first == "{" || first == "[" else { return nil }
    let members = ["applinks", "webcredentials", "appclips", "sha256_cert_fingerprints"]
    return has(members.flatMap { ["\"\($0)\":", "\"\($0)\" :"] }) ? "aasa validate" : nil
  }

  private var rows: [JSON] { explanation["items"]?.arrayValue ?? [] }
  private var kind: String { explanation["kind"]?.stringValue ?? "" }
  private var isKnown: Bool { kind != DeviceOutput.Kind.unknown.rawValue }

  /// A text about nothing of ours proves nothing.
  var isFine: Bool { isKnown && !rows.isEmpty && rows.allSatisfy(Self.isFine) }

  private static func isFine(_ row: JSON) -> Bool { row["verdict"]?["isFine"]?.boolValue == true }

  /// The lines of each row.
  var items: [[String]] {
    rows.map { row in
      let text = { (key: String) in row["verdict"]?[key]?.stringValue ?? "" }
      let subject = ["host", "service", "app"].compactMap { row[$0]?.stringValue?.shown }
      let head = subject.isEmpty ? kind : subject.joined(separator: " ")
      let color: TextStyle.Color = Self.isFine(row) ? .green : .red
      return [
        "\(head.harmless): \(style.paint(text("code"), color)) (\(text("certainty").harmless))",
        "  \(text("message").harmless)",
        "  Next (\(text("actor").harmless)): \(text("nextStep").harmless)",
      ]
        + [device(row), published(row), copy(row)].compactMap(\.self).map {
          style.paint("  \($0)", .faint)
        }
    }
  }

  private func device(_ row: JSON) -> String? {
    let parts = [
      row["state"]?.stringValue?.shown, row["userApproval"]?.stringValue.map { "user \($0.shown)" },
      row["lastChecked"]?.stringValue.map { "asked \($0)" },
      row["nextCheck"]?.stringValue.map { "asks again \($0)" },
      row["mode"]?.stringValue.map { "mode \($0)" },
    ].compactMap(\.self)
    let error = row["error"]?.stringValue.map { "; \($0.onOneLine.shown)" } ?? ""
    return "Device: \(parts.joined(separator: ", "))\(error)"
  }

  private func published(_ row: JSON) -> String? {
    guard let now = row["published"] else { return nil }
    let then = row["publishedThen"].map { "; when it asked, \(words($0))" } ?? ""
    let since = now["publishedAt"]?.stringValue ?? ""
    return "Published: \(words(now)), since \(since)\(then)"
  }

  private func words(_ state: JSON) -> String {
    let revision = "revision \(state["revision"]?.integerValue ?? 0)"
    switch (state["isServed"]?.boolValue, state["namesApp"]?.boolValue) {
    case (false, _): return "\(revision), not served"
    case (_, true): return "\(revision) with the app"
    case (_, false): return "\(revision) without the app"
    default: return revision
    }
  }

  private func copy(_ row: JSON) -> String? {
    guard let copy = row["cdn"] else { return nil }
    let revision =
      copy["revision"]?.integerValue.map { "revision \($0)" } ?? "none of the revisions"
    return "Apple's CDN: \(revision) at the check at \(copy["checkedAt"]?.stringValue ?? "")"
  }

  /// What is not about one row.
  var remarks: [String] {
    var remarks: [String] = []
    let count = { (key: String) in explanation[key]?.integerValue ?? 0 }
    if !isKnown, let fileCommand {
      remarks.append(
        "This is a file, not the output of a tool. Run `\(fileCommand) FILE`."
      )
    } else if !isKnown {
      remarks.append(
        "The text has none of the known forms. Paste what the tool prints, with its headings and the command above it; "
          + "docs/devices.md lists the tools.")
    } else if rows.isEmpty && count("otherHosts") == 0 {
      remarks.append("The text has the form \(kind), and lists nothing.")
    }
    if count("otherHosts") > 0 {
      remarks.append("\(count("otherHosts").counted("host")) in the text: not published here.")
    }
    if count("more") > 0 { remarks.append("\(count("more").counted("row")) left out: too many.") }
    return remarks
  }
}
