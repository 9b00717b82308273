import Association
import Publishing
import Store

/// `aasa import`
enum ImportCommand {
  private static func sentence(_ broken: BrokenExpectation) -> String {
    let expectation = broken.expectation
    return
      "\(expectation.url) for \(expectation.app): expected \(expectation.resolution.rawValue), "
      + "would be \(broken.explanation.resolution.rawValue). \(broken.explanation.reason)"
  }

  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let name = try DomainName(try arguments.required(.domain))
    let codes = try arguments.acceptedCodes()
    let file = try InputFile.bytes(of: arguments.operands[0])
    let context = WriteContext(
      author: "aasa import", reason: arguments.value(.reason) ?? "")
    do {
      let publication = try Store.use(arguments, missing: .createdWithNote) { store in
        try Publisher(store: store).write(context) {
          try $0.adopt(file, for: name, accepting: codes)
        }
      }
      FindingLines.complain(publication.findings)
      let revision = publication.edited.revision
      let change = publication.edited.isChanged ? "" : " (unchanged)"
      try Terminal.print("\(name): revision \(revision.number), \(revision.size) bytes\(change)")
      return .success
    } catch PublicationError.refused(_, let findings, _) {
      FindingLines.complain(findings)
      Terminal.complain("\(name): nothing was changed.")
      return .failure
    } catch PublicationError.expectationsBroken(_, let broken) {
      for broken in broken { Terminal.complain(sentence(broken)) }
      Terminal.complain("\(name): nothing was changed.")
      return .failure
    }
  }
}
