import JSONValue

/// Sorts findings by their places in a document, of which only those parts are looked at that have
/// findings in them.
struct FileOrder {
  /// A finding with the keys that lead to its place from the value that is looked at.
  private struct Placed {
    let finding: Finding
    /// How many were given before it.
    let number: Int
    var keys: ArraySlice<[UInt8]>
  }

  /// In order; at one place as they were given.
  private(set) var findings: [Finding] = []
  /// What has no place in the document. It comes last, unless it is alone in its part.
  private var others: [Placed] = []

  init(of findings: [Finding], in document: JSON) {
    let placed = findings.enumerated().map { number, finding in
      Placed(finding: finding, number: number, keys: finding.pointer.keys[...])
    }
    take(placed, in: document)
    self.findings += others.sorted { $0.number < $1.number }.map(\.finding)
  }

  private mutating func take(_ placed: [Placed], in value: JSON) {
    if placed.count == 1 { return findings += placed.map(\.finding) }
    findings += placed.lazy.filter(\.keys.isEmpty).map(\.finding)
    var children: [[UInt8]: [Placed]] = [:]
    for var one in placed {
      if let key = one.keys.popFirst() { children[key, default: []].append(one) }
    }
    if children.isEmpty { return }
    switch value {
    case .array(let elements):
      for (index, key) in Self.indices(children.keys) where elements.indices.contains(index) {
        take(children.removeValue(forKey: key) ?? [], in: elements[index])
      }
    case .object(let object):
      for member in object.members {
        if children.isEmpty { break }
        if let inside = children.removeValue(forKey: Array(member.key.utf8)) {
          take(inside, in: member.value)
        }
      }
    default: break
    }
    others += children.values.joined()
  }

  /// The keys that are places in an array, in order.
  private static func indices(_ keys: some Sequence<[UInt8]>) -> [(index: Int, key: [UInt8])] {
    keys.compactMap { key in
      Int(String(decoding: key, as: UTF8.self)).map { ($0, key) }
    }.sorted { $0.index < $1.index }
  }
}

extension JSONPointer {
  /// The keys and indices from the root on, unescaped.
  fileprivate var keys: [[UInt8]] {
    description.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst().map { Self.unescaped(Array($0)) }
  }

  private static func unescaped(_ part: [UInt8]) -> [UInt8] {
    guard part.contains(UInt8(ascii: "~")) else { return part }
    var key: [UInt8] = []
    var isEscaped = false
    for byte in part {
      switch (isEscaped, byte) {
      case (false, UInt8(ascii: "~")): isEscaped = true
      case (false, _): key.append(byte)
      case (true, _):
        key.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
        isEscaped = false
      }
    }
    return key
  }
}
