/// A place in a JSON document (RFC 6901), such as `/applinks/details/0/components/3`.
///
/// Pointers are equal only if their scalars are, like keys.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// The pointer as text; the root is the empty string.
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

  /// Pointers are created for every part of a document, so each is one allocation.
  private func appending(plain part: String) -> JSONPointer {
    let parts = (description.utf8, part.utf8)
    // Sound: writes no more bytes than there is room for, and returns their count.
    let text = String(unsafeUninitializedCapacity: parts.0.count + 1 + parts.1.count) { bytes in
      let slash = bytes.initialize(fromContentsOf: parts.0)
      bytes.initializeElement(at: slash, to: UInt8(ascii: "/"))
      return bytes[(slash + 1)...].initialize(fromContentsOf: parts.1)
    }
    return JSONPointer(text: text)
  }

  /// The keys and indices from the root to the place, without escapes.
  public var keys: [String] {
    description.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst().map { Self.unescaped($0) }
  }

  private static func unescaped(_ part: Substring.UTF8View) -> String {
    var key: [UInt8] = []
    var isEscaped = false
    for byte in part {
      if isEscaped {
        key.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
      } else if byte != UInt8(ascii: "~") {
        key.append(byte)
      }
      isEscaped = byte == UInt8(ascii: "~") && !isEscaped
    }
    return String(decoding: key, as: UTF8.self)
  }

  /// Whether both have the same scalars.
  public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    sameScalars(left.description, right.description)
  }

  /// Hashes the scalars.
  public func hash(into hasher: inout Hasher) {
    description.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
