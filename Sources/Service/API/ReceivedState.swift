import Association
import HTTP
import Publishing
import Store

/// The state in the body of a request. Its elements stay in a spool, so that memory does not grow with
/// their size.
final class ReceivedState {
  /// The largest state that is received as lines, in bytes.
  private static let limit = 4_294_967_296
  /// The longest line, in bytes. It is far above any domain.
  private static let longestLine = 4_194_304
  private static let chunk = 262_144

  private(set) var reading = StateReading()
  private let spool: Spool
  /// Where the domains are in the spool.
  private var places: [Range<Int>] = []

  /// A spool for the body of a request, or for what is made of it.
  static func spool(beside store: Store, within share: Spool.Share) -> Spool {
    Spool(in: store.spoolDirectory, limit: limit, within: share)
  }

  /// What the temporary files of a request may have together. A viewer, and a token limited to domains, have no large
  /// state to send.
  ///
  /// - Parameter turn: Kept until the request has been answered.
  static func share(of token: Token?, keeping turn: HeavyWork.Turn) -> Spool.Share {
    let isSmall = token.map { $0.role < .editor || !$0.scope.isEverything } ?? false
    return Spool.Share(limit: isSmall ? 67_108_864 : limit, keeping: turn)
  }

  /// Reads all names.
  ///
  /// - Parameter table: The template of whose domains the state is a table.
  /// - Throws: `Problem`, `InvalidInput`, `Spool.Failure`.
  init(
    _ call: Call, beside store: Store, of table: Template?, within share: Spool.Share
  ) throws {
    reading.table = table
    if call.request.fields.areLines {
      spool = call.request.spool ?? Self.spool(beside: store, within: share)
      if call.request.spool == nil { try spool.append(call.request.body) }
      try readLines()
    } else {
      spool = Self.spool(beside: store, within: share)
      var failure: Spool.Failure?
      let rest = try call.json { [self] key, _, json in
        guard failure == nil, reading.add(json, to: key) else { return }
        do throws(Spool.Failure) {
          places.append(try spool.append(json.serialized()))
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      reading.check(rest)
    }
    if reading.faults.count > 0 { try nameAllFaults(beside: store) }
  }

  /// Reads the names of a state in memory.
  ///
  /// - Throws: `InvalidInput`, `Spool.Failure`.
  init(_ state: JSON, beside store: Store, within share: Spool.Share) throws {
    spool = Self.spool(beside: store, within: share)
    for list in state.objectValue?.members ?? [] {
      for element in list.value.arrayValue ?? [] where reading.add(element, to: list.key) {
        places.append(try spool.append(element.serialized()))
      }
    }
    reading.check(state)
    if reading.faults.count > 0 { try nameAllFaults(beside: store) }
  }

  /// Reads the domains, too, so that one answer has the faults of everything.
  private func nameAllFaults(beside store: Store) throws {
    var index = 0
    while index < reading.domains.count {
      let names = reading.domains[index...].prefix(100)
      for former in try store.formerDomains(of: Array(names)) {
        _ = try domain(index, over: former.stored)
        index += 1
      }
    }
    try reading.faults.check()
  }

  private func domain(_ index: Int, over old: StoredDomain?) throws -> DesiredDomain? {
    let json = try Self.parse(spool.bytes(places[index]), "A domain").value
    return reading.domain(index, json, over: old)
  }

  private func readLines() throws {
    var (start, number) = (0, 0)
    var pending: [UInt8] = []
    var offset = 0
    while offset < spool.count {
      let bytes = try spool.bytes(offset..<min(spool.count, offset + Self.chunk))
      offset += bytes.count
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for line in lines.dropLast() {
        pending += line
        number += 1
        try read(pending, number, at: start)
        start += pending.count + 1
        pending.removeAll(keepingCapacity: true)
      }
      pending += lines.last ?? []
      if pending.count > Self.longestLine {
        throw Problem(
          .bodyTooComplex,
          "Line \(number + 1) is over the limit of \(Self.longestLine) bytes.")
      }
    }
    if !pending.isEmpty { try read(pending, number + 1, at: start) }
  }

  private func read(_ line: [UInt8], _ number: Int, at start: Int) throws {
    if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return }
    let parsed = try Self.parse(line, "Line \(number)")
    let prefix = JSONPointer.root.appending("domains").appending(reading.domains.count)
    for pointer in parsed.duplicateKeys {
      reading.faults.add(
        .duplicateKey, at: pointer.keys.reduce(prefix) { $0.appending($1) },
        "This key occurs more than once in line \(number).")
    }
    if reading.add(line: parsed.value, number: number) {
      places.append(start..<start + line.count)
    }
  }

  private static func parse(_ text: [UInt8], _ name: String) throws(Problem) -> JSON.Parsed {
    do throws(JSON.SyntaxError) {
      return try JSON.parse(text)
    } catch {
      if error.limit == nil { throw Problem(.notJSON, "\(name) is not valid JSON: \(error).") }
      throw Problem(.bodyTooComplex, "\(name) is too complex: \(error).")
    }
  }

  /// The state, to be applied.
  ///
  /// - Parameter check: Called with each domain and the stored one; throws to refuse.
  func desired(
    checking check: @escaping (Domain, StoredDomain?) throws -> Void
  ) -> DesiredState {
    var state = DesiredState(
      apps: reading.apps, androidApps: reading.androidApps, templates: reading.templates,
      domains: reading.domains, kept: reading.kept,
      earlier: { [self] index, revision in
        let json = try Self.parse(spool.bytes(places[index]), "A domain").value
        return DomainResource.domain(in: json, over: revision)
      }
    ) { [self] index, old in
      guard let desired = try domain(index, over: old) else { return nil }
      try check(desired.domain, old)
      return desired
    }
    state.templateRevisions = reading.templateRevisions
    state.deleted = reading.deleted
    return state
  }
}

extension Fields {
  /// Whether the body is one JSON text per line (NDJSON).
  var areLines: Bool {
    let type = (self["Content-Type"] ?? "").prefix { $0 != ";" }
    return ["application/x-ndjson", "application/ndjson"].contains(
      type.lowercased().filter { !$0.isWhitespace })
  }
}
