import Association
import JSONValue

/// `aasa validate`
enum ValidateCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(words, options: ["--domain"], flags: ["--json"])
    guard !arguments.operands.isEmpty else {
      throw Arguments.Wrong(message: "validate needs a FILE.")
    }
    let context = try arguments.value("--domain").map {
      Linter.Context(domain: try DomainName($0).text)
    }
    var isValid = true
    for file in arguments.operands {
      let bytes = try Input.bytes(of: file)
      let report = Linter.report(onFile: bytes, context: context)
      isValid = isValid && report.isValid
      Terminal.print(
        arguments.has("--json") ? line(report, bytes.count, file) : lines(report, bytes.count, file)
      )
    }
    return isValid ? .fine : .no
  }

  /// A JSON object on a line of its own.
  private static func line(_ report: Linter.Report, _ size: Int, _ file: String) -> String {
    var object = report.json(size: size).objectValue ?? [:]
    object["file"] = .string(file)
    return JSON.object(object).text
  }

  private static func lines(_ report: Linter.Report, _ size: Int, _ file: String) -> String {
    let summary = "\(file): \(report.isValid ? "valid" : "not valid"), \(size) bytes"
    return ([summary] + report.findings.map { "  " + FindingLines.line($0) })
      .joined(separator: "\n")
  }
}
