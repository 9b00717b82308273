/// A place in a JSON document (RFC 6901), such as `/applinks/details/0/components/3`.
///
/// Pointers are equal only if their scalars are, like keys. A pointer shares the part before its
/// last step with its neighbors, so a long key above many values is in memory only once.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// A step from an object or an array to one of its values.
  private enum Step: Sendable {
    case key(String)
    case index(Int)

    var text: String {
      switch self {
      case .key(let key): key
      case .index(let index): String(index)
      }
    }
  }

  private final class Place: Sendable {
    let parent: Place?
    let step: Step

    init(_ parent: Place?, _ step: Step) { (self.parent, self.step) = (parent, step) }
  }

  private let place: Place?

  package static let root = JSONPointer(place: nil)

  /// The place of a member of the object here.
  package func appending(_ key: String) -> JSONPointer {
    JSONPointer(place: Place(place, .key(key)))
  }

  /// The place of an element of the array here, counted from 0.
  package func appending(_ index: Int) -> JSONPointer {
    JSONPointer(place: Place(place, .index(index)))
  }

  /// The keys and indices from the root to the place, without escapes.
  package var keys: [String] {
    sequence(first: place) { $0?.parent }.prefix { $0 != nil }.compactMap(\.?.step.text).reversed()
  }

  /// The length at which `description` is cut, in bytes.
  static let longestDescription = 1_000

  /// The pointer as text, with `~` and `/` in keys escaped; the root is the empty string. Cut with
  /// `…` after about a thousand bytes, which only chosen keys reach.
  package var description: String {
    var text = ""
    for key in keys {
      text += "/"
      for scalar in key.unicodeScalars {
        if text.utf8.count >= Self.longestDescription { return text + "…" }
        switch scalar {
        case "~": text += "~0"
        case "/": text += "~1"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }

  /// Whether both have the same scalars.
  package static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    var (one, other) = (left.place, right.place)
    while let left = one, let right = other {
      if left === right { return true }
      guard isSame(left.step, right.step) else { return false }
      (one, other) = (left.parent, right.parent)
    }
    return one == nil && other == nil
  }

  private static func isSame(_ left: Step, _ right: Step) -> Bool {
    if case (.index(let left), .index(let right)) = (left, right) { return left == right }
    return sameScalars(left.text, right.text)
  }

  /// Hashes the scalars.
  package func hash(into hasher: inout Hasher) {
    var next = place
    while let place = next {
      place.step.text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(0 as UInt8)
      next = place.parent
    }
  }
}
