/// Sorts findings by their places in a document. It looks only at parts that have findings.
struct FileOrder {
  /// A finding with the keys that lead from the current value to its place.
  private struct Placed {
    let finding: Finding
    let number: Int
    var keys: ArraySlice<String>
  }

  /// Sorts findings in file order. Findings at the same place keep their order.
  private(set) var findings: [Finding] = []
  /// Findings whose place does not exist. They come last.
  private var unplaced: [Placed] = []

  init(of findings: [Finding], in document: JSON) {
    let placed = findings.enumerated().map { number, finding in
      Placed(finding: finding, number: number, keys: finding.pointer.keys[...])
    }
    sort(placed, in: document)
    self.findings += unplaced.sorted { $0.number < $1.number }.map(\.finding)
  }

  private mutating func sort(_ placed: [Placed], in value: JSON) {
    if placed.count == 1 { return findings += placed.map(\.finding) }
    findings += placed.lazy.filter(\.keys.isEmpty).map(\.finding)
    var children: [[UInt8]: [Placed]] = [:]
    for var one in placed {
      if let key = one.keys.popFirst() { children[Array(key.utf8), default: []].append(one) }
    }
    switch value {
    case _ where children.isEmpty: return
    case .array(let elements):
      let indices = children.keys.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
      for index in indices.sorted() where elements.indices.contains(index) {
        sort(children.removeValue(forKey: Array("\(index)".utf8)) ?? [], in: elements[index])
      }
    case .object(let object):
      for member in object.members {
        if children.isEmpty { break }
        if let inside = children.removeValue(forKey: Array(member.key.utf8)) {
          sort(inside, in: member.value)
        }
      }
    default: break
    }
    unplaced += children.values.joined()
  }
}
