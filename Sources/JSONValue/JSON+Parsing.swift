import CJSONParser

extension JSON {
  /// What a JSON text says, and what is wrong with how it says it.
  public struct Parsed: Sendable {
    /// The value. Of a repeated key the first value is kept.
    public let value: JSON
    /// Where a key stands that its object already has, in the order of the text. RFC 8259 section
    /// 4 leaves open which of the values a reader takes.
    public let duplicateKeys: [JSONPointer]
    /// Whether the text began with a byte order mark, which RFC 8259 section 8.1 forbids to write.
    public let hasByteOrderMark: Bool
  }

  /// A text that is not JSON.
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

  /// How many arrays and objects may stand in one another. Association files need eight.
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

/// Builds a value from the parser's events with a stack of its own, so that no nesting can exhaust
/// the thread's.
private final class Builder {
  /// An array or object that is not complete yet.
  private struct Frame {
    var object: JSON.Object?
    var array: [JSON] = []
    /// The keys of an object that has many.
    var seen: Set<[UInt8]> = []
    var key = ""
    var isDuplicate = false

    /// Whether the object has the key already.
    mutating func has(_ key: String) -> Bool {
      let members = object?.members ?? []
      if members.count < Self.manyKeys {
        return members.contains { sameScalars($0.key, key) }
      }
      if seen.isEmpty { seen = Set(members.map { Array($0.key.utf8) }) }
      return !seen.insert(Array(key.utf8)).inserted
    }

    /// From how many on keys are found by hash.
    private static let manyKeys = 16
  }

  private var stack: [Frame] = []
  private var failure: (offset: Int, message: String)?
  private(set) var result: JSON?
  private(set) var duplicateKeys: [JSONPointer] = []

  /// Whether all of the text was parsed.
  func parse(_ text: ArraySlice<UInt8>) -> Bool {
    var events = events
    // The library takes a zero byte for the end of the text, and passes over a mark by itself.
    if let zero = text.firstIndex(of: 0) {
      failure = (zero - text.startIndex + 1, "a zero byte")
      return false
    }
    if text.starts(with: JSON.byteOrderMark) {
      failure = (1, "a second byte order mark")
      return false
    }
    // The builder outlives the call, which is the only time that its address is used. A text that
    // ends in a zero byte has an address even when it is empty; the zero is not counted.
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

  /// Where the value stands that comes next.
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
    // The library's text begins with its own exception name and position; the reason follows.
    let reason = message.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? message
    failure = (offset, reason)
  }
}

/// The builder behind the parser's context pointer.
private func builder(_ context: UnsafeMutableRawPointer?) -> Builder? {
  // `Builder.parse` passes a builder and nothing else, and keeps it alive meanwhile.
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
