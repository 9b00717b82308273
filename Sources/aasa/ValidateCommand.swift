import Association
import JSONValue

/// `aasa validate`
enum ValidateCommand {
  private static let domain = Option(
    "--domain", "DOMAIN", "The domain that will serve the files, for findings that depend on it.")

  static let command = Command(
    name: "validate", group: .files, summary: "check association files for mistakes",
    details:
      "Prints what will not work on devices, with the code of each finding. Use - for stdin.",
    options: [domain, .json], operands: .many("FILE"),
    examples: [
      ("Check a file", "aasa validate apple-app-site-association"),
      (
        "Check what a site serves today",
        "curl -fsS https://example.com/.well-known/apple-app-site-association | aasa validate -"
      ),
    ],
    success: "no file has an error; there may be warnings",
    failure: "a file has an error, or cannot be read", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let context = try arguments.value(domain).map {
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
        arguments.has(.json) ? line(report, bytes.count, file) : lines(report, bytes.count, file))
    }
    return isValid ? .success : .failure
  }

  /// The bytes of a file; `nil` after an error message, so that the remaining files are still checked.
  private static func bytes(of file: String) -> [UInt8]? {
    do throws(Failure) {
      return try InputFile.bytes(of: file)
    } catch {
      Terminal.complain(error.description)
      return nil
    }
  }

  /// A JSON object on one line.
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
