package import Association

/// The beginning of a list, so that an answer stays small whatever a request has found.
package struct Excerpt {
  /// The first elements.
  package let items: [JSON]
  /// The number of elements that are left out.
  package let more: Int

  /// The maximum number of elements.
  static let limit = 1000
  /// The maximum size of all elements but the last, in bytes.
  private static let bytes = 1_048_576

  /// - Parameter total: The number of elements, if these are only the first of them.
  package init<Element>(
    of elements: [Element], total: Int? = nil, atMost limit: Int = Self.limit,
    _ json: (Element) -> JSON
  ) {
    var items: [JSON] = []
    var size = 0
    for element in elements.prefix(limit) where size < Self.bytes {
      items.append(json(element))
      size += items.last?.size ?? 0
    }
    self.items = items
    more = (total ?? elements.count) - items.count
  }

  /// The findings of a document.
  package init(of findings: [Finding]) {
    let listed = Self.first(findings)
    items = listed.map(\.json)
    more = findings.count - listed.count
  }

  /// The findings to list: all of them or, if there are too many, errors first, then warnings.
  static func first(_ findings: [Finding]) -> [Finding] {
    if findings.count <= limit { return findings }
    let order = Finding.Severity.allCases.reversed().lazy.flatMap { severity in
      findings.lazy.filter { $0.severity == severity }
    }
    return Array(order.prefix(limit))
  }
}

extension JSON.Object {
  /// Sets a member to a list, and the one after it to the number of elements that are left out.
  package mutating func set(_ name: String, more: String, _ list: Excerpt) {
    self[name] = .array(list.items)
    if list.more > 0 { self[more] = .integer(list.more) }
  }
}

extension JSON {
  /// The size as JSON in bytes, without escapes.
  fileprivate var size: Int {
    switch self {
    case .null, .bool: 5
    case .number(let text): text.utf8.count + 1
    case .string(let text): text.utf8.count + 3
    case .array(let elements): elements.reduce(3) { $0 + $1.size }
    case .object(let object):
      object.members.reduce(3) { $0 + $1.key.utf8.count + 3 + $1.value.size }
    }
  }
}
