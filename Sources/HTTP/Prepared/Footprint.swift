import CMicroHTTPD

/// Where in memory lies what a response is sent from: with many documents most of it is in no cache,
/// and loading it at once takes much less time than meeting it line by line.
public struct Footprint: Sendable {
  private let response: UInt
  private let fields: UInt
  private let content: UInt
  private let fieldLines: UInt8
  private let contentLines: UInt8

  private static let lineBytes: UInt = 64
  /// More than that the processor loads by itself when it meets the first lines.
  private static let extentBytes: UInt = 1024
  /// libmicrohttpd's own structure, of which it uses the first lines.
  private static let responseLines: UInt8 = 4

  init(of response: OpaquePointer, _ content: Content) {
    self.response = UInt(bitPattern: response)
    var range = FieldRange()
    withUnsafeMutablePointer(to: &range) {
      // Sound: the range lives until the call returns.
      _ = MHD_get_response_headers(response, widenRange, $0)
    }
    fields = range.start
    fieldLines = Self.lines(range.end > range.start ? range.end - range.start : 0)
    switch content.storage {
    case .buffer(let buffer):
      self.content = UInt(bitPattern: buffer.baseAddress)
      contentLines = Self.lines(UInt(buffer.count))
    case .file:
      self.content = 0
      contentLines = 0
    }
  }

  private static func lines(_ bytes: UInt) -> UInt8 {
    UInt8((min(bytes, extentBytes) + lineBytes - 1) / lineBytes)
  }

  /// Begins to load it; returns at once.
  public func load() {
    Self.load(response, Self.responseLines)
    Self.load(fields, fieldLines)
    Self.load(content, contentLines)
  }

  private static func load(_ start: UInt, _ lines: UInt8) {
    for line in 0..<UInt(lines) {
      aasa_prefetch(UnsafeRawPointer(bitPattern: start &+ line &* lineBytes))
    }
  }
}

/// From the first to the last byte of the texts of fields.
private struct FieldRange {
  var start = UInt.max
  var end: UInt = 0

  mutating func add(_ text: UnsafePointer<CChar>?) {
    let address = UInt(bitPattern: text)
    start = min(start, address)
    end = max(end, address)
  }
}

private func widenRange(
  _ range: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?
) -> MHD_Result {
  // Sound: `Footprint.init` passes a pointer to its variable and waits for this call.
  guard let range = range?.assumingMemoryBound(to: FieldRange.self) else { return .NO }
  range.pointee.add(name)
  range.pointee.add(value)
  return .YES
}
