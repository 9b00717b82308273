import CJSONParser

extension JSON {
  /// A parsed JSON text, with its irregularities.
  package struct Parsed: Sendable {
    /// The value, with the first value of each repeated key.
    package let value: JSON
    /// The places of the first repeated keys, in file order; at most 100. RFC 8259 section 4 does
    /// not define which value applies.
    package let duplicateKeys: [JSONPointer]
    package let duplicateKeyCount: Int
    /// Whether the text starts with a byte order mark, which RFC 8259 section 8.1 forbids.
    package let hasByteOrderMark: Bool
  }

  /// The size that the parts of a text may have. The size of the text itself is up to the caller.
  ///
  /// A parsed text takes at most about 60 bytes for each value, and the bytes of its keys and
  /// strings.
  package struct Limits: Sendable {
    /// The bytes of a key, without escapes.
    package var keyBytes: Int
    /// The bytes of a string or a number, without escapes. By default, those of a document of 128 KB in Base64.
    package var stringBytes: Int
    /// The number of values: arrays and objects, and everything in them.
    package var values: Int
    /// The nesting of arrays and objects. Association files need eight levels.
    package var depth: Int

    /// Limits that any text of 128 KB meets, except for its depth: 128 KB is the largest
    /// association file, and the API writes such a file with fewer than 500,000 values.
    package init(
      keyBytes: Int = 131_072, stringBytes: Int = 174_764, values: Int = 500_000, depth: Int = 100
    ) {
      (self.keyBytes, self.stringBytes) = (keyBytes, stringBytes)
      (self.values, self.depth) = (values, depth)
    }

    /// For texts that this program has written: only the depth is limited. A document is deeper as a part of another
    /// text.
    package static let trusted = Limits(
      keyBytes: .max, stringBytes: .max, values: .max, depth: 200)
  }

  /// A limit that a text exceeds, with its value.
  package enum Limit: Sendable, Hashable, CustomStringConvertible {
    case keyBytes(Int)
    case stringBytes(Int)
    case values(Int)
    case depth(Int)

    /// What is wrong, such as "a key is longer than 131072 bytes".
    package var description: String {
      switch self {
      case .keyBytes(let most): "a key is longer than \(most) bytes"
      case .stringBytes(let most): "a string is longer than \(most) bytes"
      case .values(let most): "there are more than \(most) values"
      case .depth(let most): "arrays and objects are nested more than \(most) deep"
      }
    }
  }

  /// The text is not JSON, or exceeds a limit.
  package struct SyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1; 1 for a limit.
    package let line: Int
    /// The byte in the line, counted from 1; 1 for a limit.
    package let column: Int
    package let message: String
    /// The limit that the text exceeds; `nil` if it is not JSON.
    package let limit: Limit?
    /// The comma that is missing or too many, if that is why the text is not JSON.
    package var comma: MisplacedComma?
    /// The quotation mark that is not straight, if that is why the text is not JSON.
    package var quote: CurlyQuote?

    /// "line 3, column 7: what is wrong"; for a limit, without a place.
    package var description: String {
      limit == nil ? "line \(line), column \(column): \(message)" : message
    }
  }

  /// Why the parser gave up.
  struct ParserFailure {
    /// The number of bytes that it read.
    let offset: Int
    /// The bytes of the last token, if it was not expected.
    var tokenSize = 1
    /// What the parser was reading, such as "array"; empty if that is unknown.
    var context = ""
    let reason: String
  }

  /// U+FEFF in UTF-8.
  fileprivate static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Parses a JSON text (RFC 8259): UTF-8, no comments, no trailing commas, nothing after the value.
  ///
  /// - Parameter element: Takes the elements of the arrays in the outermost object, each with the
  ///   key of its array and its index. They are not kept, and each has the limits for itself.
  /// - Throws: `SyntaxError` for anything else, and for a text that exceeds a limit.
  package static func parse(
    _ bytes: some Collection<UInt8>, limits: Limits = Limits(),
    element: ((_ key: String, _ index: Int, JSON) -> Void)? = nil
  ) throws(SyntaxError) -> Parsed {
    let bytes = Array(bytes)
    let hasByteOrderMark = bytes.starts(with: byteOrderMark)
    let text = hasByteOrderMark ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
    let builder = Builder(limits, element)
    let done = builder.parse(text)
    if done, let value = builder.result {
      return Parsed(
        value: value, duplicateKeys: builder.duplicateKeys,
        duplicateKeyCount: builder.duplicateKeyCount, hasByteOrderMark: hasByteOrderMark)
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
    /// The number of elements that were handed over instead of kept.
    var handedOver = 0
    /// The keys of an object with many members.
    var seen: Set<Key> = []
    var key = ""
    var isDuplicate = false

    mutating func has(_ key: String) -> Bool {
      let members = object?.members ?? []
      if members.count < Self.manyKeys {
        return members.contains { sameScalars($0.key, key) }
      }
      if seen.isEmpty { seen = Set(members.map { Key(text: $0.key) }) }
      return !seen.insert(Key(text: key)).inserted
    }

    /// From this number of members, keys are looked up by hash.
    private static let manyKeys = 16
  }

  /// A key, compared scalar by scalar.
  private struct Key: Hashable {
    let text: String

    static func == (left: Key, right: Key) -> Bool { sameScalars(left.text, right.text) }

    func hash(into hasher: inout Hasher) {
      text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// The number of repeated keys whose places are kept.
  private static let mostDuplicateKeys = 100
  /// The length at which the library's messages, which quote the text, are cut.
  private static let longestMessage = 200

  private let limits: JSON.Limits
  private let element: ((_ key: String, _ index: Int, JSON) -> Void)?
  private var valueCount = 0
  private var stack: [Frame] = []
  private var failure: JSON.ParserFailure?
  private var exceeded: JSON.Limit?
  private(set) var result: JSON?
  private(set) var duplicateKeys: [JSONPointer] = []
  private(set) var duplicateKeyCount = 0

  init(
    _ limits: JSON.Limits, _ element: ((_ key: String, _ index: Int, JSON) -> Void)?
  ) {
    self.limits = limits
    self.element = element
  }

  /// Returns whether the whole text was parsed.
  func parse(_ text: ArraySlice<UInt8>) -> Bool {
    var events = events
    // The library treats a zero byte as the end of the text, and skips a mark without notice.
    if let zero = text.firstIndex(of: 0) {
      failure = JSON.ParserFailure(offset: zero - text.startIndex + 1, reason: "a zero byte")
      return false
    }
    if text.starts(with: JSON.byteOrderMark) {
      failure = JSON.ParserFailure(offset: 1, reason: "a second byte order mark")
      return false
    }
    // Sound: the builder outlives the call, and its address is not used afterwards. The zero byte
    // gives an empty text an address; it is not counted.
    return withExtendedLifetime(self) {
      (text.isEmpty ? [0] : text).withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return false }
        return aasa_json_parse(
          start.assumingMemoryBound(to: CChar.self), text.count, &events,
          Unmanaged.passUnretained(self).toOpaque())
      }
    }
  }

  func syntaxError(in text: ArraySlice<UInt8>) -> JSON.SyntaxError {
    if let exceeded {
      return JSON.SyntaxError(
        line: 1, column: 1, message: exceeded.description, limit: exceeded)
    }
    let failure = failure ?? JSON.ParserFailure(offset: 0, reason: "this is not JSON")
    var message = failure.reason
    let offset = failure.offset
    // The library stops at the first byte of a character, and quotes only that one.
    if let cut = message.firstRange(of: "\u{FFFD}'"), offset > 0, offset <= text.count,
      let whole = String(decoding: text.dropFirst(offset - 1).prefix(4), as: UTF8.self)
        .unicodeScalars.first
    {
      message.replaceSubrange(cut, with: "\(whole)'")
    }
    let place = text.place(at: text.prefix(max(0, offset - 1)).endIndex)
    return JSON.SyntaxError(
      line: place.line, column: place.column, message: message, limit: nil,
      comma: MisplacedComma(in: text, failure), quote: CurlyQuote(in: text, before: offset))
  }

  /// Notes a limit that the text exceeds, which ends the parsing.
  private func stop(at limit: JSON.Limit) -> Bool {
    exceeded = limit
    return false
  }

  func key(_ start: UnsafePointer<CChar>?, _ count: Int) -> Bool {
    guard count <= limits.keyBytes else { return stop(at: .keyBytes(limits.keyBytes)) }
    let key = text(start, count)
    let top = stack.count - 1
    stack[top].key = key
    stack[top].isDuplicate = stack[top].has(key)
    if stack[top].isDuplicate {
      duplicateKeyCount += 1
      if duplicateKeys.count < Self.mostDuplicateKeys { duplicateKeys.append(next) }
    }
    return true
  }

  /// A string or the text of a number.
  func text(_ start: UnsafePointer<CChar>?, _ count: Int, _ make: (String) -> JSON) -> Bool {
    guard count <= limits.stringBytes else { return stop(at: .stringBytes(limits.stringBytes)) }
    return scalar(make(text(start, count)))
  }

  /// Any value but an array or an object.
  func scalar(_ value: JSON) -> Bool { isCounted() && append(value) }

  private func isCounted() -> Bool {
    valueCount += 1
    return valueCount <= limits.values || stop(at: .values(limits.values))
  }

  private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The pointer of the next value.
  private var next: JSONPointer {
    stack.reduce(.root) { pointer, frame in
      frame.object == nil
        ? pointer.appending(frame.array.count + frame.handedOver) : pointer.appending(frame.key)
    }
  }

  private func append(_ value: JSON) -> Bool {
    let top = stack.count - 1
    if top < 0 {
      result = value
    } else if stack[top].object == nil {
      if let element, top == 1, stack[0].object != nil {
        element(stack[0].key, stack[1].handedOver, value)
        stack[1].handedOver += 1
        valueCount = 0
      } else {
        stack[top].array.append(value)
      }
    } else if !stack[top].isDuplicate {
      let key = stack[top].key
      stack[top].object?.appendNew(key, value)
    }
    return true
  }

  func start(object: JSON.Object?) -> Bool {
    guard stack.count < limits.depth else { return stop(at: .depth(limits.depth)) }
    guard isCounted() else { return false }
    stack.append(Frame(object: object))
    return true
  }

  func end() -> Bool {
    guard let frame = stack.popLast() else { return false }
    return append(frame.object.map(JSON.object) ?? .array(frame.array))
  }

  func fail(offset: Int, tokenSize: Int, message: String) {
    // The library's message starts with its exception's name, the position, and what it was
    // parsing; the reason follows.
    let beginning = message.firstRange(of: " - ") ?? message.firstRange(of: "] ")
    let context = message[..<(beginning?.lowerBound ?? message.startIndex)]
    // Its versions have different words for an empty text.
    let reason =
      message.contains("empty input")
      ? "unexpected end of input; expected '[', '{', or a literal"
      : beginning.map { String(message[$0.upperBound...]) } ?? message
    let start = reason.utf8.prefix(Self.longestMessage)
    let isCut = start.endIndex < reason.endIndex
    failure = JSON.ParserFailure(
      offset: offset, tokenSize: tokenSize,
      context: context.firstRange(of: "parsing ").map { String(context[$0.upperBound...]) } ?? "",
      reason: isCut ? String(decoding: start, as: UTF8.self) + "…" : reason)
  }
}

/// The builder behind the parser's context pointer.
private func builder(_ context: UnsafeMutableRawPointer?) -> Builder? {
  // Sound: `Builder.parse` passes a builder, and keeps it alive during the call.
  context.map { Unmanaged<Builder>.fromOpaque($0).takeUnretainedValue() }
}

private let events = aasa_json_events(
  null: { builder($0)?.scalar(.null) ?? false },
  boolean: { builder($0)?.scalar(.bool($1)) ?? false },
  number: { builder($0)?.text($1, $2, JSON.number) ?? false },
  string: { builder($0)?.text($1, $2, JSON.string) ?? false },
  key: { builder($0)?.key($1, $2) ?? false },
  start_object: { builder($0)?.start(object: JSON.Object()) ?? false },
  end_object: { builder($0)?.end() ?? false },
  start_array: { builder($0)?.start(object: nil) ?? false },
  end_array: { builder($0)?.end() ?? false },
  failure: {
    builder($0)?.fail(offset: $1, tokenSize: $2, message: $3.map { String(cString: $0) } ?? "")
  }
)

extension ArraySlice<UInt8> {
  /// The line of a byte, and its number in the line, both counted from 1.
  func place(at index: Index) -> (line: Int, column: Int) {
    let before = self[..<index]
    let newline = UInt8(ascii: "\n")
    let start = before.lastIndex(of: newline).map { $0 + 1 } ?? startIndex
    return (before.count { $0 == newline } + 1, index - start + 1)
  }
}
