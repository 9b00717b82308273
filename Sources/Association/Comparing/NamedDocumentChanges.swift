extension DocumentChange {
  /// The change of a document that is published as bytes; `nil` if there is none.
  static func document(_ before: NamedDocument?, _ after: NamedDocument?) -> DocumentChange? {
    guard before != after, let name = (after ?? before)?.name else { return nil }
    let kind = Kind(before, after)
    let detail: String
    switch (before, after) {
    case (let before?, let after?): detail = words(before, after)
    default: detail = (after ?? before)?.words ?? ""
    }
    var change = DocumentChange(
      kind, .document, before: before?.summary, after: after?.summary,
      "\(name) \(kind.rawValue): \(detail)")
    change.document = .named(name)
    return change
  }

  private static func words(_ before: NamedDocument, _ after: NamedDocument) -> String {
    var words: [String] = []
    if before.mediaType != after.mediaType {
      words.append("media type \(before.mediaType) → \(after.mediaType)")
    }
    if before.bytes != after.bytes {
      words.append(
        "\(before.bytes.count) → \(after.bytes.count.counted("byte")), SHA-256 \(before.shortHash) → "
          + after.shortHash)
      if let lines = lines(before, after) { words.append(lines) }
    }
    return words.joined(separator: "; ")
  }

  /// How many lines of a text changed, and the first of them.
  private static func lines(_ before: NamedDocument, _ after: NamedDocument) -> String? {
    guard let old = before.lines, let new = after.lines else { return nil }
    let changes = new.difference(from: old) { sameScalars(String($0), String($1)) }
    let (removed, added) = (changes.removals.count, changes.insertions.count)
    guard removed + added > 0 else { return nil }
    var first: [String] = []
    for change in changes.removals.prefix(1) + changes.insertions.prefix(1) {
      switch change {
      case .remove(_, let line, _): first.append("-\(String(line).quoted)")
      case .insert(_, let line, _): first.append("+\(String(line).quoted)")
      }
    }
    return "lines -\(removed) +\(added), first \(first.joined(separator: " "))"
  }
}

extension NamedDocument {
  /// The SHA-256 as 64 hexadecimal digits.
  package var sha256: String { SHA256.hexadecimal(of: bytes) }

  fileprivate var shortHash: String { "\(sha256.prefix(12))…" }

  fileprivate var words: String {
    "\(bytes.count.counted("byte")), \(mediaType), SHA-256 \(shortHash)"
  }

  /// What a change shows of it.
  fileprivate var summary: JSON {
    [
      "mediaType": .string(mediaType.text), "bytes": .integer(bytes.count),
      "sha256": .string(sha256),
    ]
  }

  /// The lines of a short text; `nil` for anything else.
  fileprivate var lines: [Substring]? {
    guard bytes.count <= 16_384, let text else { return nil }
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    return lines.count <= 400 ? lines : nil
  }
}
