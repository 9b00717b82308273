/// The table of associations of an Apple device: `swcutil show`, and `swcutil_show.txt` of a sysdiagnose.
struct AssociationTable {
  /// The keys whose values are understood.
  private enum Key: String, CaseIterable {
    case service = "Service"
    case app = "App ID"
    case process = "App PI"
    case domain = "Domain"
    case userApproval = "User Approval"
    case siteApproval = "Site/Fmwk Approval"
    case flags = "Flags"
    case lastChecked = "Last Checked"
    case nextCheck = "Next Check"
    case error = "Error"
    case retries = "Retries"
    case version = "App Version"
    case patterns = "Patterns"

    /// Whether a line without a key goes on with the value: pasting folds long values.
    var goesOn: Bool { self == .error || self == .patterns }

    /// Whether it says what an entry is about, so that a second one begins another entry.
    var isIdentity: Bool { self == .service || self == .app || self == .domain }
  }

  private static let valueColumn = 22
  private static let longestKey = 40
  /// The number of keys of one entry that are kept without being understood.
  private static let mostOthers = 20

  private var found = DeviceRows()
  private var values: [Key: [UInt8]] = [:]
  private var others: [[UInt8]] = []
  private var last: Last?
  private var isInDatabase = true
  private var (hasHeading, hasEnd) = (false, false)

  /// The quotation marks, and the braces that are open, in the error.
  private var (quotes, braces) = (0, 0)

  /// Whether the last value is an error that has not ended. Then only a line in the layout of the table begins another
  /// value.
  private var isErrorOpen: Bool {
    guard case .known(.error)? = last else { return false }
    return quotes % 2 == 1 || braces > 0
  }

  private mutating func count(in error: ArraySlice<UInt8>) {
    for byte in error {
      switch byte {
      case UInt8(ascii: "\""): quotes += 1
      case UInt8(ascii: "{"): braces += 1
      case UInt8(ascii: "}"): braces -= 1
      default: break
      }
    }
  }

  /// What a line without a key goes on with; `nil` if such a line is dropped.
  private enum Last { case known(Key), other }

  static func rows(in text: PastedText) -> (DeviceRows, isWhole: Bool) {
    var table = AssociationTable()
    text.forEachLine { table.take($0.text) }
    table.endEntry()
    return (table.found, table.hasHeading && table.hasEnd)
  }

  /// The name in a heading such as `===== DATABASE =====`; `nil` for any other line.
  static func heading(_ line: ArraySlice<UInt8>) -> String? {
    let sign = UInt8(ascii: "=")
    guard line.first == sign, line.last == sign, line.count <= 200 else { return nil }
    let name = line.drop { $0 == sign }.reversed().drop { $0 == sign }.reversed()
    let isName = { (byte: UInt8) in
      byte == UInt8(ascii: " ") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
    return name.allSatisfy(isName) ? Array(name)[...].trimmed.value : nil
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if let heading = Self.heading(line), !heading.isEmpty {
      // What stands before the table is none of it.
      if heading == "DATABASE" && values[.service] == nil { drop() }
      endEntry()
      if isInDatabase && hasHeading && heading != "DATABASE" { hasEnd = true }
      isInDatabase = heading == "DATABASE"
      hasHeading = hasHeading || isInDatabase
    } else if !isInDatabase || line.isEmpty {
      return
    } else if line.count > 2 && line.allSatisfy({ $0 == UInt8(ascii: "-") }) {
      endEntry()
    } else if let (key, value) = line.atColon, let known = Self.known(key),
      value.startIndex - key.endIndex > 2 || value.isEmpty || !isErrorOpen
    {
      if known.isIdentity && values[known] != nil { endEntry() }
      if values[known] == nil {
        values[known] = Array(value.prefix(DeviceOutput.longestValue + 1))
        if known == .error { count(in: value) }
      }
      last = known.goesOn ? .known(known) : nil
    } else if let key = Self.unknownKey(line), !isErrorOpen {
      if others.count < Self.mostOthers { others.append(key) }
      last = .other
    } else {
      goOn(line)
    }
  }

  private static let knownKeys = Dictionary(
    Key.allCases.map { (Array($0.rawValue.utf8), $0) }, uniquingKeysWith: { first, _ in first })

  private static func known(_ key: ArraySlice<UInt8>) -> Key? {
    key.count <= longestKey ? knownKeys[Array(key)] : nil
  }

  /// A line with another key, in the layout of the table; `nil` for any other line.
  private static func unknownKey(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    let line = line.prefix(DeviceOutput.longestValue)
    guard let (key, value) = line.atColon,
      (1...longestKey).contains(key.count), let first = key.first,
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first),
      key.allSatisfy({ $0.isASCIILetterOrDigit || " /-".utf8.contains($0) })
    else { return nil }
    let blanks = value.startIndex - key.endIndex - 1
    guard value.isEmpty || blanks >= 2 || value.startIndex - line.startIndex >= valueColumn else {
      return nil
    }
    return Array(key) + ": ".utf8 + value
  }

  private mutating func goOn(_ line: ArraySlice<UInt8>) {
    // One byte more than a value has, so that it is seen to be cut.
    let more = [UInt8(ascii: " ")] + line.prefix(DeviceOutput.longestValue)
    switch last {
    case .known(let key):
      if key == .error { count(in: line) }
      if let count = values[key]?.count, count <= DeviceOutput.longestValue { values[key]? += more }
    case .other:
      guard let last = others.indices.last, others[last].count <= DeviceOutput.longestValue else {
        return
      }
      others[last] += more
    case nil: break
    }
  }

  private mutating func drop() {
    (values, others, last) = ([:], [], nil)
    (quotes, braces) = (0, 0)
  }

  private mutating func endEntry() {
    defer { drop() }
    guard let domain = values[.domain]?[...], let host = domain.host else { return }
    func value(_ key: Key) -> String? { values[key]?[...].valueOrNone }
    var row = DeviceRow(host: host, service: value(.service), app: value(.app))
    row.state = value(.siteApproval) ?? DeviceRow.unknownState
    row.userApproval = value(.userApproval)
    row.error = value(.error)
    row.lastChecked = value(.lastChecked).flatMap(DeviceTime.read)
    row.nextCheck = value(.nextCheck).flatMap(DeviceTime.read)
    row.retries = value(.retries).flatMap { Int($0) }
    row.mode = DeviceRow.Mode(of: domain, flags: value(.flags))
    for key in [Key.version, .patterns] {
      if let value = value(key) { row.others.append("\(key.rawValue): \(value)") }
    }
    row.others += others.map { $0[...].value }
    found.add(row)
  }
}

extension DeviceRow.Mode {
  /// The mode that an associated domain has, or that a flag says; `nil` without one.
  init?(of domain: ArraySlice<UInt8>, flags: String? = nil) {
    let words = domain.firstRange(of: "?mode=")
      .map { domain[$0.upperBound...].value.lowercased().split(separator: "+") }
    let flagged = (flags ?? "").split { !$0.isLetter }.contains("developer")
    switch (words?.contains("developer") == true || flagged, words?.contains("managed") == true) {
    case (true, true): self = .developerAndManaged
    case (true, false): self = .developer
    case (false, true): self = .managed
    case (false, false): return nil
    }
  }
}
