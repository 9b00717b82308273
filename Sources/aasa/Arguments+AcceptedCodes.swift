import Association

extension Arguments {
  /// The codes of errors in spite of which documents are published: `--accept CODE,…`.
  func acceptedCodes() throws(Wrong) -> Set<Finding.Code> {
    var codes: Set<Finding.Code> = []
    for word in values["--accept"]?.flatMap({ $0.split(separator: ",") }) ?? [] {
      guard let code = Finding.Code(rawValue: String(word)), code.isAcceptable else {
        let all = Finding.Code.allCases.filter(\.isAcceptable).map(\.rawValue)
        throw Wrong(
          message: "“\(word)” is no code that can be accepted. Those are "
            + all.joined(separator: ", ") + ".")
      }
      codes.insert(code)
    }
    return codes
  }
}
