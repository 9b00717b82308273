import API
import Association
import Publishing
import Store

/// `aasa import`
enum ImportCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(
      words, options: ["--domain", "--database", "--accept", "--reason"])
    guard arguments.operands.count == 1 else {
      throw Arguments.Wrong(message: "import needs one FILE.")
    }
    let name = try DomainName(try arguments.required("--domain"))
    let codes = try arguments.acceptedCodes()
    let file = try Input.bytes(of: arguments.operands[0])
    let database = try Store.path(arguments)
    let context = WriteContext(
      author: "aasa import", reason: arguments.value("--reason") ?? "")
    do {
      let publication = try Store.use(database, missing: .madeAndTold) { store in
        try Publisher(store: store).write(context) {
          try $0.adopt(file, for: name, accepting: codes)
        }
      }
      FindingLines.complain(publication.findings)
      let revision = publication.edited.revision
      let change = publication.edited.isChanged ? "" : " (unchanged)"
      try Terminal.print(
        "\(name): revision \(revision.number), \(revision.size.counted("byte"))\(change)")
      return .fine
    } catch PublicationError.refused(_, let findings, _) {
      FindingLines.complain(findings)
      Terminal.complain("\(name): nothing was changed.")
    } catch let error as PublicationError {
      guard let problem = LocalProblem.json(of: error) else { throw error }
      try ProblemText(problem, from: database).print()
    }
    return .no
  }
}
