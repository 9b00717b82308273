package import Association

/// The text of an object with long lists, made piece by piece, so that it is never held as a whole.
package struct StreamedLists {
  /// The key of a list, and what returns the texts of its next elements, and none at its end.
  package struct List {
    let key: String
    let next: () throws -> [[UInt8]]

    package init(key: String, next: @escaping () throws -> [[UInt8]]) {
      self.key = key
      self.next = next
    }

    /// A list of elements that are written some at a time.
    static func batches<Element>(
      _ key: String, of elements: [Element], _ text: @escaping (Element) -> [UInt8]
    ) -> List {
      var rest = elements[...]
      return List(key: key) {
        let batch = rest.prefix(1000)
        rest = rest.dropFirst(1000)
        return batch.map(text)
      }
    }
  }

  private var lists: ArraySlice<List>
  private let members: JSON.Object
  /// What comes before the next element or the next list.
  private var separator = "{"
  private var isInList = false
  private var isComplete = false

  /// - Parameter members: What follows the lists.
  package init(_ lists: [List], members: JSON.Object = [:]) {
    self.lists = lists[...]
    self.members = members
  }

  /// The next piece; `nil` at the end.
  package mutating func next() throws -> [UInt8]? {
    guard let list = lists.first else { return end() }
    var piece: [UInt8] = []
    if !isInList {
      piece += "\(separator)\(JSON.string(list.key).text):[".utf8
      (isInList, separator) = (true, "")
    }
    let elements = try list.next()
    for element in elements {
      piece += separator.utf8
      piece += element
      separator = ","
    }
    if elements.isEmpty {
      piece.append(UInt8(ascii: "]"))
      lists.removeFirst()
      (isInList, separator) = (false, ",")
    }
    return piece
  }

  private mutating func end() -> [UInt8]? {
    if isComplete { return nil }
    isComplete = true
    let text = members.members.map { ",\(JSON.string($0.key).text):\($0.value.text)" }.joined()
    return Array("\(text)}".utf8)
  }
}
