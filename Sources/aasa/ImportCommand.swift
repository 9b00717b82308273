import API
import Association
import Publishing
import Store

/// `aasa import`
enum ImportCommand {
  private static let domain = Option(
    "--domain", "DOMAIN", "The domain that will serve the file."
  ).required

  static let command = Command(
    name: "import", group: .domains, summary: "publish a file for a domain",
    details:
      "Creates the domain if it is new, and makes it serve exactly this file. A running server "
      + "on the same database serves it within a second. Use - for stdin.",
    options: [domain, .accept, .reason, .database], operands: .one("FILE"),
    examples: [
      ("Publish a file", "aasa import --domain example.com apple-app-site-association"),
      (
        "Import what a site serves today",
        "curl -fsS https://example.com/.well-known/apple-app-site-association | aasa import "
          + "--domain example.com -"
      ),
    ],
    failure: "the file has errors or breaks expectations; nothing was stored", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let name = try DomainName(try arguments.required(domain))
    let accepted = try arguments.acceptedCodes()
    let file = try InputFile.bytes(of: arguments.operands[0])
    let database = try Store.path(arguments)
    let context = WriteContext(
      author: "aasa import", reason: arguments.value(.reason) ?? "")
    do {
      let publication = try Store.use(database, missing: .createdWithNote) { store in
        try Publisher(store: store).adopt(file, for: name, accepting: accepted, by: context)
      }
      FindingLines.complain(publication.findings)
      let revision = publication.edited.revision
      let change = publication.edited.isChanged ? "" : " (unchanged)"
      try Terminal.print(
        "\(name): revision \(revision.number), \(revision.size.counted("byte"))\(change)")
      return .success
    } catch PublicationError.refused(_, let findings, _) {
      let errors = findings.filter { $0.severity == .error }
      Terminal.complain("Not published: \(errors.count.counted("error")). Nothing was stored.")
      FindingLines.complain(findings)
      let codes = accepted.union(errors.map(\.code)).map(\.rawValue).sorted()
      Terminal.complain(
        errors.allSatisfy(\.code.isAcceptable)
          ? "Correct the file, or publish it anyway with --accept \(codes.joined(separator: ","))."
          : "Correct the file, then import it again.")
    } catch let error as PublicationError {
      guard let problem = LocalProblem.json(of: error) else { throw error }
      try ProblemText(Installation.Refused(problem: problem), from: database).print()
    }
    return .failure
  }
}
