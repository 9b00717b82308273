import FoundationEssentials
import JSONValue

/// Something that the log tells.
struct LogEvent {
  let time: Date
  let level: Log.Level
  let message: String
  let fields: JSON.Object

  private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// The event as a line, with its end.
  func line(_ format: Log.Format) -> [UInt8] {
    let line = format == .json ? json.serialized() : Array(text.utf8)
    return Self.maskingTokens(line) + [UInt8(ascii: "\n")]
  }

  private var json: JSON {
    var object: JSON.Object = [
      "time": .string(time.formatted(Self.timeFormat)), "level": .string(level.rawValue),
      "message": .string(message),
    ]
    for member in fields.members { object[member.key] = member.value }
    return .object(object)
  }

  /// `2026-11-21T10:00:00.123Z warning A message. name=value name="another value"`
  private var text: String {
    var line = "\(time.formatted(Self.timeFormat)) \(level.rawValue) \(Self.oneLine(message))"
    for member in fields.members { line += " \(member.key)=\(Self.word(member.value))" }
    return line
  }

  /// Without what would end the line or move a terminal's cursor.
  private static func oneLine(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      scalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return String(scalars)
  }

  /// A value as it is where it is one plain word, otherwise in JSON.
  private static func word(_ value: JSON) -> String {
    if let text = value.stringValue, !text.isEmpty,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") })
    {
      return text
    }
    return oneLine(String(decoding: value.serialized(), as: UTF8.self))
  }

  /// No secret of a token is logged, not even one that a client put where it does not belong.
  private static func maskingTokens(_ line: [UInt8]) -> [UInt8] {
    var masked: [UInt8] = []
    var rest = line[...]
    while let end = endOfMark(in: rest) {
      masked += rest[..<end]
      let secret = rest[end...].prefix(while: isOfToken)
      masked += secret.count < 40 ? Array(secret) : Array("********".utf8)
      rest = rest[secret.endIndex...]
    }
    return masked.isEmpty ? line : masked + rest
  }

  private static let mark = Array("aasa_".utf8)

  /// Where what every token begins with ends first.
  private static func endOfMark(in line: ArraySlice<UInt8>) -> Int? {
    guard let last = mark.last else { return nil }
    return line.indices.first { index in
      line[index] == last && line[...index].suffix(mark.count).elementsEqual(mark)
    }.map { $0 + 1 }
  }

  /// The alphabet of tokens (RFC 4648 section 5).
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
