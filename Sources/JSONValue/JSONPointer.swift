/// A place in a JSON document (RFC 6901), such as `/applinks/details/0/components/3`.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// The pointer as text; the whole document is the empty string.
  public let description: String

  private init(text: String) { description = text }

  /// The whole document.
  public static let root = JSONPointer(text: "")

  /// The place of a member of the object here. `~` and `/` in the key are escaped.
  public func appending(_ key: String) -> JSONPointer {
    guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return appending(plain: key)
    }
    var text = description + "/"
    for scalar in key.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return JSONPointer(text: text)
  }

  /// The place of an element of the array here, counted from 0.
  public func appending(_ index: Int) -> JSONPointer {
    appending(plain: String(index))
  }

  /// Pointers are made for all that is looked at, so in one piece of memory.
  private func appending(plain part: String) -> JSONPointer {
    let parts = (description.utf8, part.utf8)
    // Sound: as many bytes are written as there is room for, and how many is returned.
    let text = String(unsafeUninitializedCapacity: parts.0.count + 1 + parts.1.count) { bytes in
      let slash = bytes.initialize(fromContentsOf: parts.0)
      bytes.initializeElement(at: slash, to: UInt8(ascii: "/"))
      return bytes[(slash + 1)...].initialize(fromContentsOf: parts.1)
    }
    return JSONPointer(text: text)
  }
}
