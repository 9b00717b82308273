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
      guard let bytes = bytes(of: file) else {
        isValid = false
        continue
      }
      let report = Linter.report(onFile: bytes, context: context)
      isValid = isValid && report.isValid
      try Terminal.print(
        arguments.has("--json") ? line(report, bytes.count, file) : lines(report, bytes.count, file)
      )
    }
    return isValid ? .fine : .no
  }

  /// The bytes of a file; `nil` after a complaint, so that the files after it have their turn.
  private static func bytes(of file: String) -> [UInt8]? {
    do throws(Input.Unreadable) {
      return try Input.bytes(of: file)
    } catch {
      Terminal.complain(error.description)
      return nil
    }
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
