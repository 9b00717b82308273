import CJSONParser

extension JSON {
  /// A parsed JSON text, with its irregularities.
  public struct Parsed: Sendable {
    /// The value, with the first value of each repeated key.
    public let value: JSON
    /// The places of repeated keys, in file order. RFC 8259 section 4 does not define which value
    /// applies.
    public let duplicateKeys: [JSONPointer]
    /// Whether the text starts with a byte order mark, which RFC 8259 section 8.1 forbids.
    public let hasByteOrderMark: Bool
  }

  /// The text is not JSON.
  public struct SyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int
    /// The byte in the line, counted from 1.
    public let column: Int
    /// What is wrong.
    public let message: String

    /// "line 3, column 7: what is wrong".
    public var description: String { "line \(line), column \(column): \(message)" }
  }

  /// The maximum nesting of arrays and objects. Association files need eight levels.
  public static let maximumDepth = 100

  /// U+FEFF in UTF-8.
  fileprivate static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Parses a JSON text (RFC 8259): UTF-8, no comments, no trailing commas, nothing after the value.
  ///
  /// - Throws: `SyntaxError` for anything else, and for nesting beyond `maximumDepth`.
  public static func parse(_ bytes: some Collection<UInt8>) throws(SyntaxError) -> Parsed {
    let bytes = Array(bytes)
    let hasByteOrderMark = bytes.starts(with: byteOrderMark)
    let text = hasByteOrderMark ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
    let builder = Builder()
    let done = builder.parse(text)
    if done, let value = builder.result {
      return Parsed(
        value: value, duplicateKeys: builder.duplicateKeys, hasByteOrderMark: hasByteOrderMark)
    }
    throw builder.syntaxError(in: text)
  }
}

/// Builds a value from the parser's events with its own stack, so that nesting cannot exhaust the
/// thread's stack.
private final class Builder {
  /// An incomplete array or object.
  private struct Frame {
    var object: JSON.Object?
    var array: [JSON] = []
    /// The keys of an object with many members.
    var seen: Set<[UInt8]> = []
    var key = ""
    var isDuplicate = false

    /// Whether the object already has the key.
    mutating func has(_ key: String) -> Bool {
      let members = object?.members ?? []
      if members.count < Self.manyKeys {
        return members.contains { sameScalars($0.key, key) }
      }
      if seen.isEmpty { seen = Set(members.map { Array($0.key.utf8) }) }
      return !seen.insert(Array(key.utf8)).inserted
    }

    /// From this number of members, keys are looked up by hash.
    private static let manyKeys = 16
  }

  private var stack: [Frame] = []
  private var failure: (offset: Int, message: String)?
  private(set) var result: JSON?
  private(set) var duplicateKeys: [JSONPointer] = []

  /// Returns whether the whole text was parsed.
  func parse(_ text: ArraySlice<UInt8>) -> Bool {
    var events = events
    // The library treats a zero byte as the end of the text, and skips a mark without notice.
    if let zero = text.firstIndex(of: 0) {
      failure = (zero - text.startIndex + 1, "a zero byte")
      return false
    }
    if text.starts(with: JSON.byteOrderMark) {
      failure = (1, "a second byte order mark")
      return false
    }
    // Sound: the builder outlives the call, and its address is not used afterwards. The zero byte
    // gives an empty text an address too; it is not counted.
    return withExtendedLifetime(self) {
      (text + [0]).withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return false }
        return aasa_json_parse(
          start.assumingMemoryBound(to: CChar.self), buffer.count - 1, &events,
          Unmanaged.passUnretained(self).toOpaque())
      }
    }
  }

  func syntaxError(in text: ArraySlice<UInt8>) -> JSON.SyntaxError {
    let (offset, message) = failure ?? (0, "this is not JSON")
    let before = text.prefix(max(0, offset - 1))
    let newline = UInt8(ascii: "\n")
    let column =
      before.count - (before.lastIndex(of: newline).map { $0 - text.startIndex + 1 } ?? 0)
    return JSON.SyntaxError(
      line: before.count(where: { $0 == newline }) + 1, column: column + 1, message: message)
  }

  func key(_ key: String) -> Bool {
    let top = stack.count - 1
    stack[top].key = key
    stack[top].isDuplicate = stack[top].has(key)
    if stack[top].isDuplicate { duplicateKeys.append(next) }
    return true
  }

  /// The pointer of the next value.
  private var next: JSONPointer {
    stack.reduce(.root) { pointer, frame in
      frame.object == nil ? pointer.appending(frame.array.count) : pointer.appending(frame.key)
    }
  }

  func value(_ value: JSON) -> Bool {
    let top = stack.count - 1
    if top < 0 {
      result = value
    } else if stack[top].object == nil {
      stack[top].array.append(value)
    } else if !stack[top].isDuplicate {
      let key = stack[top].key
      stack[top].object?.appendNew(key, value)
    }
    return true
  }

  func start(object: JSON.Object?) -> Bool {
    guard stack.count < JSON.maximumDepth else {
      failure = (0, "arrays and objects are nested more than \(JSON.maximumDepth) deep")
      return false
    }
    stack.append(Frame(object: object))
    return true
  }

  func end() -> Bool {
    guard let frame = stack.popLast() else { return false }
    return value(frame.object.map(JSON.object) ?? .array(frame.array))
  }

  func fail(offset: Int, message: String) {
    // The library's message starts with its exception name and position; the reason follows.
    let reason = message.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? message
    failure = (offset, reason)
  }
}

/// The builder behind the parser's context pointer.
private func builder(_ context: UnsafeMutableRawPointer?) -> Builder? {
  // Sound: `Builder.parse` passes a builder, and keeps it alive during the call.
  context.map { Unmanaged<Builder>.fromOpaque($0).takeUnretainedValue() }
}

private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
  String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
}

private let events = aasa_json_events(
  null: { builder($0)?.value(.null) ?? false },
  boolean: { builder($0)?.value(.bool($1)) ?? false },
  number: { builder($0)?.value(.number(text($1, $2))) ?? false },
  string: { builder($0)?.value(.string(text($1, $2))) ?? false },
  key: { builder($0)?.key(text($1, $2)) ?? false },
  start_object: { builder($0)?.start(object: JSON.Object()) ?? false },
  end_object: { builder($0)?.end() ?? false },
  start_array: { builder($0)?.start(object: nil) ?? false },
  end_array: { builder($0)?.end() ?? false },
  failure: { builder($0)?.fail(offset: $1, message: $2.map { String(cString: $0) } ?? "") }
)
