import Association

/// What differs between two of Apple's files alone.
struct DocumentComparison {
  let changes: [DocumentChange]

  /// - Parameter domain: The host of example URLs.
  init(from: JSON, to: JSON, domain: String = "example.com") throws(TooComplex) {
    changes = try DocumentKind.apple.changes(
      from: ReadDocuments([.apple: from]), to: ReadDocuments([.apple: to]), domain: domain)
  }

  var isEmpty: Bool { changes.isEmpty }

  /// Whether some URL resolves differently for some app; `nil` if that is unknown.
  var affectsLinks: Bool? {
    if changes.contains(where: { $0.affectsLinks == true }) { return true }
    return changes.contains { $0.affectsLinks == nil } ? nil : false
  }
}
