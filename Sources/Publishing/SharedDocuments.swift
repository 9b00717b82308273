import Association
import Synchronization

/// A cache of parsed documents and what comparing them gives, for domains that are reviewed together: those of a template
/// often publish the same documents.
final class SharedDocuments: Sendable {
  /// Two documents, by which objects they are.
  private struct Pair: Hashable {
    let from: ReadDocuments
    let to: ReadDocuments?

    static func == (left: Pair, right: Pair) -> Bool {
      left.from === right.from && left.to === right.to
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(from))
      hasher.combine(to.map(ObjectIdentifier.init))
    }
  }

  private struct Known {
    var read: [Documents: ReadDocuments] = [:]
    var changes: [Pair: Result<DocumentChanges, TooComplex>] = [:]
    var lostApps: [Pair: [String]] = [:]
    var size = 0

    /// Forgets everything first if that would be too much.
    mutating func makeRoom(for bytes: Int) {
      if size + bytes > SharedDocuments.mostBytes { self = Known() }
      size += bytes
    }
  }

  /// The most bytes of documents, and of the changes between them. Parsed, documents take some twenty times as much.
  private static let mostBytes = 524_288
  private let known = Mutex(Known())

  /// Documents that are published as these bytes.
  ///
  /// - Parameter read: Reads them; called unless they are known.
  func documents<Failure>(
    _ bytes: Documents, _ read: () throws(Failure) -> ReadDocuments
  ) throws(Failure) -> ReadDocuments {
    let bytes = bytes.filter { $0.key.isRendered }
    if let found = known.withLock({ $0.read[bytes] }) { return found }
    let documents = try read()
    return known.withLock { known in
      // Another thread may have been faster.
      if let found = known.read[bytes] { return found }
      known.makeRoom(for: bytes.reduce(0) { $0 + $1.value.count })
      known.read[bytes] = documents
      return documents
    }
  }

  /// Stored documents; `nil` if one is damaged.
  func intact(_ bytes: Documents) -> ReadDocuments? {
    do throws(JSON.SyntaxError) {
      return try documents(bytes) { () throws(JSON.SyntaxError) in try ReadDocuments(stored: bytes)
      }
    } catch {
      return nil
    }
  }

  /// - Throws: `TooComplex` if the patterns of a document are over a limit.
  func changes(from: ReadDocuments, to: ReadDocuments) throws(TooComplex) -> DocumentChanges {
    try value(\.changes, Pair(from: from, to: to)) {
      Result { () throws(TooComplex) in try DocumentChanges(from: from, to: to) }
    } size: { result in
      if case .success(let changes) = result { changes.count } else { 0 }
    }.get()
  }

  /// The apps that URLs open by a document, but certainly no URL opens by another one.
  ///
  /// - Parameter to: The other document; `nil` if nothing is served.
  func lostApps(from: ReadDocuments, to: ReadDocuments?) -> [String] {
    value(\.lostApps, Pair(from: from, to: to)) {
      OpenedApps(from).lost(after: to.map(OpenedApps.init))
    } size: {
      $0.count
    }
  }

  /// - Parameter size: The number of parts of a value, which take about a kilobyte each.
  private func value<Value: Sendable>(
    _ values: any WritableKeyPath<Known, [Pair: Value]> & Sendable, _ pair: Pair,
    _ make: () -> Value, size: (Value) -> Int
  ) -> Value {
    if let found = known.withLock({ $0[keyPath: values][pair] }) { return found }
    let value = make()
    known.withLock { known in
      known.makeRoom(for: 1024 * (1 + size(value)))
      known[keyPath: values][pair] = value
    }
    return value
  }
}
