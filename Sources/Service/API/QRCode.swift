import CQREncode

/// A QR code (ISO/IEC 18004) of a text without NUL, with error correction M.
struct QRCode {
  /// The code as an image. A module is one unit wide, and the quiet zone four.
  let svg: String

  /// The text is too long for any QR code, or no memory is left.
  struct Failure: Error {}

  init(_ text: String) throws(Failure) {
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else {
      throw Failure()
    }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    // The library's `data` has width × width bytes, and lives until `QRcode_free` after its last use.
    let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    svg = Self.svg(width: width) { column, row in modules[row * width + column] & 1 == 1 }
  }

  private static func svg(width: Int, isDark: (_ column: Int, _ row: Int) -> Bool) -> String {
    let quietZone = 4
    let size = width + 2 * quietZone
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        let start = column
        while column < width && isDark(column, row) { column += 1 }
        let run = column - start
        if run > 0 { path += "M\(start + quietZone) \(row + quietZone)h\(run)v1h-\(run)z" }
        column += 1
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges">\
      <path fill="#fff" d="M0 0h\(size)v\(size)H0z"/><path d="\(path)"/></svg>
      """
  }
}
