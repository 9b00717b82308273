import Association

extension Arguments {
  /// The codes of errors in spite of which documents are published: `--accept CODE,…`.
  func acceptedCodes() throws(Wrong) -> Set<Finding.Code> {
    do throws(ValidationError) {
      return try Finding.Code.accepted(in: values["--accept"]?.joined(separator: ",") ?? "")
    } catch {
      throw Wrong(message: error.message)
    }
  }
}
