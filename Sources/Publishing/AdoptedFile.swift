import Association
import JSONValue

/// An association file that a domain is to serve.
struct AdoptedFile {
  private let report: Linter.Report

  init(_ bytes: [UInt8]) { report = Linter.report(onFile: bytes) }

  /// What the file says. Its size does not count here, since white space is not served.
  ///
  /// - Throws: `PublicationError`, which names everything that is wrong with the file.
  func document(accepting accepted: Set<Finding.Code>) throws(PublicationError) -> Document {
    let findings = report.findings.filter { $0.code != .tooLarge && $0.code != .nearSizeLimit }
    guard let file = report.document,
      !findings.contains(where: { $0.isRefused(accepting: accepted) })
    else { throw .refused(findings, account: nil) }
    do throws(AdoptionError) {
      return try Document(adopting: file)
    } catch {
      let finding = Finding(
        .wrongType, at: error.pointer, error.message,
        help: "Correct the file; what it says here cannot be kept and served again.")
      throw .refused(findings + [finding], account: nil)
    }
  }
}

extension Document {
  /// This document with the rows of another one for the entries and routes that both have, so that
  /// what stays the same keeps its identifier.
  func keepingRows(of old: Document) -> Document {
    var document = self
    document.keepRows(of: old.entries) { JSON.array($0.json).text }
    let kept = Set(document.entries.compactMap(\.id))
    document.keepRows(of: old.entries.filter { $0.id.map { !kept.contains($0) } ?? false }) {
      $0.apps.map(\.text).joined(separator: " ")
    }
    return document
  }

  /// Gives entries that have no row yet the rows of old ones of which `key` says the same.
  private mutating func keepRows(of old: [Entry], by key: (Entry) -> String) {
    var remaining = Remaining(old, by: key)
    for index in entries.indices where entries[index].id == nil {
      if let twin = remaining.take(key(entries[index])) { entries[index].keepRows(of: twin) }
    }
  }
}

extension Entry {
  fileprivate mutating func keepRows(of old: Entry) {
    id = old.id
    var rows = Remaining(old.routes) { $0.json.text }
    for index in routes.indices { routes[index].id = rows.take(routes[index].json.text)?.id }
  }
}

/// Things that are taken away by what they say, the first of several first.
private struct Remaining<Thing> {
  private var things: [[UInt8]: [Thing]]

  init(_ all: [Thing], by key: (Thing) -> String) {
    things = Dictionary(grouping: all) { Array(key($0).utf8) }
  }

  mutating func take(_ key: String) -> Thing? {
    guard things[Array(key.utf8)]?.isEmpty == false else { return nil }
    return things[Array(key.utf8)]?.removeFirst()
  }
}
