import Association

/// Splits `{"apps": […], "domains": […], "change": 1}` into the elements of its lists as it arrives, so that the
/// memory it needs follows from the largest element.
struct StateElements {
  /// The largest element, in bytes. It is far above any domain.
  private static let limit = 67_108_864

  /// Whether all of an object with `domains` has arrived.
  var isComplete: Bool { depth == 0 && hasDomains }

  /// The change that a plan names; `nil` without one.
  private(set) var change: Int?

  private var hasDomains = false
  /// The bytes of the current key or element.
  private var pending: [UInt8] = []
  private var key = ""
  /// How many brackets are open: 1 in the object, 2 in a list, more in an element.
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// The elements that are complete with these bytes, with the keys of their lists.
  ///
  /// - Throws: `Failure` for anything else.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws -> [(list: String, element: JSON)] {
    var elements: [(list: String, element: JSON)] = []
    for byte in bytes {
      if isInString {
        pending.append(byte)
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > 2 { pending.append(byte) }
      case UInt8(ascii: ":") where depth == 1:
        key = try parsed().stringValue ?? ""
        hasDomains = hasDomains || key == "domains"
      case UInt8(ascii: ",") where depth == 2, UInt8(ascii: "]") where depth == 2:
        if !pending.isEmpty { elements.append((key, try parsed())) }
        if byte == UInt8(ascii: "]") { depth = 1 }
      case UInt8(ascii: ",") where depth < 2: try endMember()
      case UInt8(ascii: "}") where depth == 1:
        try endMember()
        depth = 0
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth >= 2 { pending.append(byte) }
      default:
        pending.append(byte)
        isInString = byte == UInt8(ascii: "\"")
      }
    }
    if pending.count > Self.limit {
      throw Failure("The server sent an app or a domain over \(Self.limit) bytes.")
    }
    return elements
  }

  /// Takes what is no list.
  private mutating func endMember() throws {
    if key == "change" && !pending.isEmpty { change = try parsed().integerValue }
    pending = []
  }

  private mutating func parsed() throws -> JSON {
    defer { pending.removeAll(keepingCapacity: true) }
    do {
      return try JSON.parse(pending, limits: .trusted).value
    } catch {
      throw Failure("The server sent an answer that is not JSON: \(error).")
    }
  }
}
