import CMicroHTTPD

/// Where in memory something lies, in lines of the processor's cache: with many documents most of them
/// are in no cache, and loading all of one at once takes much less time than meeting it line by line.
public struct Extent: Sendable {
  /// The address of the first line, with the number of lines in the bits that are free in it.
  public let bits: UInt

  private static let lineBytes: UInt = 64
  /// Of something long the processor loads the rest by itself when it meets the first lines.
  private static let lineLimit: UInt = 20
  /// libmicrohttpd's own structure for a response, of which it uses the first lines.
  private static let structureBytes: UInt = 256

  /// Nothing.
  public init() { bits = 0 }

  /// What `bits` were of.
  public init(bits: UInt) { self.bits = bits }

  /// The bytes of a body, but for one that the kernel sends from a file.
  public init(of content: Content) {
    switch content.storage {
    case .buffer(let buffer):
      let start = UInt(bitPattern: buffer.baseAddress)
      self.init(from: start, to: start &+ UInt(buffer.count))
    case .file: self.init()
    }
  }

  /// A response with its fields, without the body.
  init(of response: ResponseReference) {
    let start = UInt(bitPattern: response.pointer)
    var end = start
    withUnsafeMutablePointer(to: &end) {
      // Sound: the variable lives until the call returns.
      _ = MHD_get_response_headers(response.pointer, extend, $0)
    }
    // Where the fields do not lie right behind it, they are met one by one.
    let isWhole = end > start && end - start <= Self.lineLimit * Self.lineBytes
    self.init(from: start, to: isWhole ? end : start &+ Self.structureBytes)
  }

  private init(from start: UInt, to end: UInt) {
    let first = start & ~(Self.lineBytes - 1)
    bits = first | min((end &- first &+ Self.lineBytes - 1) / Self.lineBytes, Self.lineLimit)
  }

  /// Begins to load it; returns at once.
  public func load() {
    let first = bits & ~(Self.lineBytes - 1)
    for line in 0..<(bits & (Self.lineBytes - 1)) {
      aasa_prefetch(UnsafeRawPointer(bitPattern: first &+ line &* Self.lineBytes))
    }
  }
}

/// Moves an end behind the beginning of a field's texts.
private func extend(
  _ end: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?
) -> MHD_Result {
  // Sound: `Extent.init` passes a pointer to its variable and waits for this call.
  guard let end = end?.assumingMemoryBound(to: UInt.self) else { return .NO }
  end.pointee = max(end.pointee, UInt(bitPattern: name) &+ 1, UInt(bitPattern: value) &+ 1)
  return .YES
}
