public import JSONValue

/// What two association files say differently, by meaning and not by bytes.
///
/// Compared is what a device reads: for every app the ordered list of its routes, each with all that
/// it inherits from `defaults`. So it is no change to write a setting in `defaults` and not in every
/// route, to give two apps an entry each with the same routes and not one together, to write `appID`
/// for `appIDs` with one element, or to reorder keys. What a device does not read is compared, too,
/// and such changes say that they do not affect links.
///
/// A comparison never fails, whatever the documents, and takes bounded time.
public struct DocumentComparison: Sendable {
  /// The changes: variables, apps, each app's routes in their order, other services, the rest.
  public let changes: [DocumentChange]

  /// Compares two association files.
  ///
  /// - Parameters:
  ///   - from: The first file, that is the older one.
  ///   - to: The second file.
  ///   - domain: The host of the example URLs.
  public init(from: JSON, to: JSON, domain: String = "example.com") {
    self.init(from: ReadDocument(from), to: ReadDocument(to), domain: domain)
  }

  /// Compares two association files that were read before.
  public init(from: ReadDocument, to: ReadDocument, domain: String) {
    let interning = Interning()
    let from = ComparedDocument(from, interning)
    let to = ComparedDocument(to, like: from, interning)
    var collection = ChangeCollection(from: from, to: to, domain: domain)
    changes = collection.collected()
  }

  /// Whether the documents say the same.
  public var isEmpty: Bool { changes.isEmpty }

  /// Whether some URL resolves differently for some app; `nil` if that was not found out.
  public var affectsLinks: Bool? {
    changes.reduce(DocumentChange.Effect.none) { $0.joined(with: $1.effect) }.affectsLinks
  }

  /// The comparison as the API and `--json` write it: `affectsLinks`, where it is known, and
  /// `changes`.
  public var json: JSON {
    var object: JSON.Object = [:]
    object["affectsLinks"] = affectsLinks.map(JSON.bool)
    object["changes"] = .array(changes.map(\.json))
    return .object(object)
  }
}
