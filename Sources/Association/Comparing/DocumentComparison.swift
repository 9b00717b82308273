/// The differences in meaning between two association files.
///
/// This compares what a device reads: for every app, the ordered list of its routes, each with
/// everything it inherits from `defaults`. It makes no difference whether a setting is in `defaults`
/// or in every route, whether two apps share an entry or have equal ones, whether one app is in
/// `appID` or in `appIDs`, and how keys are ordered. Values that devices do not read are compared
/// too; those changes do not affect links.
///
/// A comparison takes bounded time.
package struct DocumentComparison: Sendable {
  /// The changes: variables, apps, the routes of each app in order, other services, the rest.
  package let changes: [DocumentChange]

  /// Compares two association files.
  ///
  /// - Parameters:
  ///   - from: The first, older file.
  ///   - to: The second file.
  ///   - domain: The host of example URLs.
  /// - Throws: `TooComplex` if the patterns of one are over a limit.
  package init(from: JSON, to: JSON, domain: String = "example.com") throws(TooComplex) {
    try self.init(from: ReadDocument(from), to: ReadDocument(to), domain: domain)
  }

  /// Compares two association files that were already read.
  ///
  /// - Parameter domain: The host of example URLs; `nil` to look for none. Then effects on links are unknown.
  /// - Throws: `TooComplex` if the patterns of one are over a limit.
  package init(from: ReadDocument, to: ReadDocument, domain: String?) throws(TooComplex) {
    let interning = Interning()
    let from = try ComparedDocument(from, interning)
    let to = try ComparedDocument(to, like: from, interning)
    var collection = ChangeCollection(from: from, to: to, domain: domain)
    changes = collection.collected()
  }

  /// Whether the documents have the same meaning.
  package var isEmpty: Bool { changes.isEmpty }

  /// Whether some URL resolves differently for some app; `nil` if that is unknown.
  package var affectsLinks: Bool? {
    changes.reduce(DocumentChange.Effect.none) { $0.joined(with: $1.effect) }.affectsLinks
  }

  /// The comparison as the API and `--json` write it: `affectsLinks`, if known, and `changes`.
  package var json: JSON {
    var object: JSON.Object = [:]
    object["affectsLinks"] = affectsLinks.map(JSON.bool)
    object["changes"] = .array(changes.map(\.json))
    return .object(object)
  }
}
