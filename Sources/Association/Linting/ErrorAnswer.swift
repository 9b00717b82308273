/// The answer of a server or a gateway that could not give out a file.
struct ErrorAnswer {
  /// What the answer says, as a sentence.
  let sentence: String
  let help =
    "If a server sent it, find out why it answers with an error at the address of the file."
}

extension JSON {
  /// The error that this is in place of a file; `nil` if any member has another meaning.
  var errorAnswer: ErrorAnswer? {
    guard let members = objectValue?.members, !members.isEmpty else { return nil }
    let names = members.map { $0.key.lowercased().filter(\.isLetter) }
    guard
      names.allSatisfy({ Self.wordsOfErrors.contains($0) || Self.detailsOfErrors.contains($0) }),
      let index = names.firstIndex(where: Self.wordsOfErrors.contains)
    else { return nil }
    let text = members.lazy.compactMap(\.value.stringValue).first
    return ErrorAnswer(
      sentence: "It looks like the error answer of a server"
        + (text.map { ": \($0.quoted)." } ?? ", with \(members[index].key.quoted)."))
  }

  /// The keys that only errors have.
  private static let wordsOfErrors: Set = [
    "message", "error", "errors", "errormessage", "statuscode", "detail", "fault", "errorcode",
  ]
  /// Those that they may have besides.
  private static let detailsOfErrors: Set = [
    "status", "code", "title", "type", "path", "timestamp", "requestid", "success", "msg",
    "description", "errordescription", "method", "instance", "traceid", "name", "reason", "details",
    "documentationurl", "ok",
  ]
}
