/// A place in a JSON document (RFC 6901), such as `/applinks/details/0/components/3`.
///
/// Pointers are equal only if their scalars are, like keys.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// The keys and indices from the root to the place, without escapes.
  package let keys: [String]

  package static let root = JSONPointer(keys: [])

  /// The place of a member of the object here.
  package func appending(_ key: String) -> JSONPointer { JSONPointer(keys: keys + [key]) }

  /// The place of an element of the array here, counted from 0.
  package func appending(_ index: Int) -> JSONPointer { appending(String(index)) }

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

  package static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    left.keys.elementsEqual(right.keys, by: sameScalars)
  }

  package func hash(into hasher: inout Hasher) {
    for key in keys {
      key.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(0 as UInt8)
    }
  }
}
