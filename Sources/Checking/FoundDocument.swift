package import Association
import Store

/// A document that was found outside, compared with what we published.
package struct FoundDocument: Sendable {
  /// How a document equals one of ours.
  package enum Equality: String, Sendable, CaseIterable {
    /// Each byte is the same.
    case bytes
    /// It is JSON-equal: something on the way has rewritten it.
    case meaning
  }

  /// The revision of ours that it is; `nil` if it is none, or if it is compared with a file.
  package let revision: Int?
  /// Our current revision; `nil` for a file.
  package let current: Int?
  /// How it equals that revision, or the file; `nil` if it does not.
  package let equality: Equality?
  /// Of a document that is none of ours: what changes from ours to it, in words. Empty until they are looked for.
  package internal(set) var changes: [String] = []
  let size: Int
  let sha256: String
  /// Of a cache: its age in seconds.
  package internal(set) var age: Int?
  /// Of a cache: until when it is fresh.
  package internal(set) var expiresAt: UnixTime?

  /// Whether it is what we serve now.
  package var isCurrent: Bool { equality != nil && revision == current }

  static let fields: [Field<FoundDocument>] = [
    Field(
      "revision", .nullable(.revision),
      "The revision that it is; null if it is none. Left out if it is compared with `document`.",
      .optional, write: { $0.current == nil ? nil : $0.revision.map { .integer($0) } ?? .null }),
    Field("current", .revision, get: \.current, "The current revision."),
    Field(
      "by", .word("EqualBy"), get: \.equality,
      "How it equals that revision: in every byte, or as JSON."),
    Field("bytes", .count, get: \.size, "Its size."),
    Field("sha256", .sha256, get: \.sha256, "Its SHA-256."),
    Field("age", .count, get: \.age, "Of a copy: its age in seconds."),
    Field("expires", .time, get: \.expiresAt, "Of a copy: until when it is fresh."),
    Field(
      "changes", .list(of: .string), "What changes from the current document to this one.",
      .optional, write: { $0.changes.isEmpty ? nil : .strings($0.changes) }),
  ]
}

/// What a domain should serve, and what it served before.
struct Reference: Sendable {
  /// The most revisions that a document is compared with by meaning; by bytes, with this many times ten.
  private static let mostCompared = 100
  /// The most changes that are put into words.
  private static let mostChanges = 20

  let documents: [DocumentKind: JSON]
  private let bytes: Documents
  private let current: Int?
  private let domain: DomainName
  private let store: Store?

  /// The current revision of a domain.
  init(_ published: PublishedRevision, of domain: DomainName, in store: Store) {
    bytes = published.documents
    documents = bytes.compactMapValues(JSON.readable)
    current = published.revision.number
    (self.domain, self.store) = (domain, store)
  }

  init(_ file: JSON, of domain: DomainName) {
    documents = [DocumentKind(of: file): file]
    bytes = documents.mapValues { $0.serialized() }
    (current, store, self.domain) = (nil, nil, domain)
  }

  /// Whether it is what a store has, not a file.
  var isPublished: Bool { store != nil }

  /// Whether a document is the current one, or one that was published since; `nil` if that is left out.
  ///
  /// - Parameter goesOn: Whether a file of so many bytes may be read to compare it.
  func isCurrent(
    _ body: [UInt8], _ kind: DocumentKind, while goesOn: (Int) -> Bool
  ) throws -> Bool? {
    if bytes[kind] == body { return true }
    if !goesOn(body.count) { return nil }
    if let json = JSON.readable(body), documents[kind] == json { return true }
    guard let store, let current else { return false }
    let sha256 = SHA256.hexadecimal(of: body)
    return try store.revisions(of: domain, before: nil, limit: 10).contains { revision in
      revision.number > current
        && revision.documents.contains { $0.kind == kind && $0.sha256 == sha256 }
    }
  }

  /// Finds the revision that a document is.
  ///
  /// - Parameter goesOn: Whether a file of so many bytes may be read to compare it.
  func held(
    _ body: [UInt8], _ kind: DocumentKind, while goesOn: (Int) -> Bool
  ) throws -> FoundDocument {
    let sha256 = SHA256.hexadecimal(of: body)
    let json = JSON.readable(body)
    let result = { (revision: Int?, equality: FoundDocument.Equality?) in
      // It may have been published while it was fetched.
      FoundDocument(
        revision: revision, current: current.map { max($0, revision ?? 0) }, equality: equality,
        size: body.count, sha256: sha256)
    }
    if bytes[kind] == body { return result(current, .bytes) }
    if let json, documents[kind] == json { return result(current, .meaning) }
    if let store {
      let revisions = try store.revisions(
        of: domain, before: nil, limit: Self.mostCompared * 10)
      let same = revisions.first { revision in
        revision.documents.contains { $0.kind == kind && $0.sha256 == sha256 }
      }
      if let same { return result(same.number, .bytes) }
      for revision in revisions.prefix(Self.mostCompared) where json != nil {
        guard let size = revision.documents.first(where: { $0.kind == kind })?.size else {
          continue
        }
        if !goesOn(size) { break }
        let old = try store.revision(revision.number, of: domain).documents[kind]
        if old.flatMap(JSON.readable) == json { return result(revision.number, .meaning) }
      }
    }
    return result(nil, nil)
  }

  /// What changes from the current document to another, in words.
  func changes(to body: [UInt8], _ kind: DocumentKind) -> [String] {
    guard let json = JSON.readable(body) else { return [] }
    do throws(TooComplex) {
      let comparison = try DomainComparison(
        of: domain,
        from: DomainComparison.State(ReadDocuments(documents.filter { $0.key == kind }), nil),
        to: DomainComparison.State(ReadDocuments([kind: json]), nil), findsExamples: false)
      return comparison.changes.prefix(Self.mostChanges).map { $0.summary.fromOutside }
    } catch {
      return [error.finding.message]
    }
  }
}

extension JSON {
  /// Reads a document; `nil` if it is not JSON.
  static func readable(_ bytes: [UInt8]) -> JSON? {
    do throws(SyntaxError) {
      return try parse(bytes, limits: ReadDocument.limits).value
    } catch {
      return nil
    }
  }
}
