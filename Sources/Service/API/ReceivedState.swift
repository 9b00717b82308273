import Association
import HTTP
import Publishing
import Store
import Synchronization

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
    let domains = domains
    var index = 0
    while index < reading.domains.count {
      let names = reading.domains[index...].prefix(100)
      for former in try store.formerDomains(of: Array(names)) {
        do {
          _ = try domains.domain(index, over: former.stored)
        } catch let error as InvalidInput {
          reading.faults.add(error)
        }
        index += 1
      }
    }
    try reading.faults.check()
  }

  private var domains: ReceivedDomains {
    ReceivedDomains(names: reading.domains, table: reading.table, spool: spool, places: places)
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
    let parsed = try JSON.Parsed(received: line, "Line \(number)")
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

  /// The state, to be applied.
  ///
  /// - Parameter check: Called with each domain and the stored one; throws to refuse.
  func desired(
    checking check: @escaping @Sendable (Domain, StoredDomain?) throws -> Void
  ) -> DesiredState {
    let domains = domains
    var state = DesiredState(
      apps: reading.apps, androidApps: reading.androidApps, templates: reading.templates,
      domains: reading.domains, kept: reading.kept,
      earlier: { DomainResource.domain(in: try domains.json($0), over: $1) }
    ) { index, old in
      let desired = try domains.domain(index, over: old)
      try check(desired.domain, old)
      return desired
    }
    state.templateRevisions = reading.templateRevisions
    state.deleted = reading.deleted
    return state
  }
}

/// The domains of a received state, as they came.
private final class ReceivedDomains: Sendable {
  private let names: [DomainName]
  private let table: Template?
  private let spool: Spool
  /// Where each is in the spool.
  private let places: [Range<Int>]
  /// A text of this many bytes is read by itself, because it may take a hundred times as much memory.
  private static let large = 65_536
  private let largeText = Mutex(())

  init(names: [DomainName], table: Template?, spool: Spool, places: [Range<Int>]) {
    (self.names, self.table, self.spool, self.places) = (names, table, spool, places)
  }

  /// - Throws: `Problem`, `Spool.Failure`.
  func json(_ index: Int) throws -> JSON {
    try JSON.Parsed(received: spool.bytes(places[index]), "A domain").value
  }

  /// Reads a domain over the stored one.
  ///
  /// - Throws: `InvalidInput` with its faults; `Problem`, `Spool.Failure`.
  func domain(_ index: Int, over old: StoredDomain?) throws -> DesiredDomain {
    if places[index].count < Self.large { return try read(index, over: old) }
    return try largeText.withLock { _ in try read(index, over: old) }
  }

  private func read(_ index: Int, over old: StoredDomain?) throws -> DesiredDomain {
    let json = try json(index)
    let faults = Faults()
    faults.element = Fault.Element("domain", names[index].text)
    let body = BodyValue(
      json: table.map { Self.row(json, of: $0, over: old?.domain.template) } ?? json,
      pointer: JSONPointer.root.appending("domains").appending(index), faults: faults)
    let desired = DomainResource.read(body, over: old)
    try faults.check()
    // What cannot be read always has a fault.
    guard let desired else { throw InvalidInput(faults: []) }
    return desired
  }

  /// A row of a table with all values: those that it leaves out are as the domain has them.
  private static func row(_ json: JSON, of table: Template, over old: TemplateUse?) -> JSON {
    guard var row = json.objectValue, let given = row["parameters"]?.objectValue else {
      return json
    }
    var values = JSON.Object()
    for parameter in table.parameters {
      values[parameter.name] = old?.name == table.name ? old?.parameters[parameter.name] : nil
    }
    let defaults = Set(table.parameters.filter { $0.defaultValue != nil }.map(\.name))
    for member in given.members {
      let isReset = member.value == .null && defaults.contains(member.key)
      values[member.key] = isReset ? nil : member.value
    }
    row["parameters"] = .object(values)
    return .object(row)
  }
}

extension JSON.Parsed {
  /// - Parameter name: What the text is, for the error.
  fileprivate init(received text: [UInt8], _ name: String) throws(Problem) {
    do throws(JSON.SyntaxError) {
      self = try JSON.parse(text)
    } catch {
      if error.limit == nil { throw Problem(.notJSON, "\(name) is not valid JSON: \(error).") }
      throw Problem(.bodyTooComplex, "\(name) is too complex: \(error).")
    }
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
