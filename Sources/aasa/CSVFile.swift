import Association
import CCSV
import Service

/// The rows of a CSV file (RFC 4180), read by libcsv: with quotes and line breaks in cells, CRLF or LF, and perhaps a byte
/// order mark.
struct CSVFile {
  /// A row, and the line that it begins on, from 1.
  typealias Row = (line: Int, cells: [String])

  /// The largest file that is read, in bytes.
  static let limit = 104_857_600
  /// The number of rows that are read, and of cells in a row: a domain and the parameters of a template.
  private static let (mostRows, mostCells) = (200_000, 101)

  let rows: [Row]

  /// A cell as it is written, in quotes if it needs them.
  static func cell(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { !" \",\t\r\n".utf8.contains($0) }
    return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
  }

  /// - Throws: `Failure` for a quote in the wrong place, and for text that is not UTF-8.
  init(_ bytes: [UInt8], named file: String) throws {
    if bytes.count > Self.limit {
      throw Failure("\(file.quotedPath) has more than \(Self.limit) bytes. Split the table.")
    }
    let reader = Reader()
    var parser = csv_parser()
    let options = UInt8(CSV_STRICT | CSV_STRICT_FINI)
    guard csv_init(&parser, options) == 0 else { throw Failure("Cannot read CSV: no memory.") }
    defer { csv_free(&parser) }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var rest = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    // Line by line, so that each row has its line.
    while !rest.isEmpty {
      if reader.isAtLineStart { reader.line += 1 }
      // Not all of a long line, so that what is too much ends soon.
      let most = min(rest.startIndex + 65_536, rest.endIndex)
      let end = rest[..<most].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? most
      let piece = rest[..<end]
      rest = rest[end...]
      reader.isAtLineStart = piece.last == UInt8(ascii: "\n")
      let read = piece.withUnsafeBytes { bytes in
        // Sound: libcsv copies what it keeps, and the reader outlives the call.
        csv_parse(
          &parser, bytes.baseAddress, bytes.count, Self.endCell, Self.endRow,
          Unmanaged.passUnretained(reader).toOpaque())
      }
      if read != piece.count {
        throw Failure(
          "\(file.quotedPath), line \(reader.line): a quote is in the wrong place. Put quotes around the whole cell, and "
            + "write \"\" for a quote in it.")
      }
      if max(reader.cells.count, reader.rows.last?.cells.count ?? 0) > Self.mostCells {
        throw Failure(
          "\(file.quotedPath), line \(reader.line): this row has more than \(Self.mostCells) cells. Separate them with commas "
            + "only where a column ends.")
      }
      if reader.rows.count > Self.mostRows {
        throw Failure(
          "\(file.quotedPath) has more than \(Self.mostRows) rows. Split the table, and apply the parts without --prune."
        )
      }
    }
    // Sound: as above.
    let status = csv_fini(
      &parser, Self.endCell, Self.endRow, Unmanaged.passUnretained(reader).toOpaque())
    if status != 0 {
      throw Failure(
        "\(file.quotedPath), line \(reader.start ?? reader.line): the quote of the last cell never ends. Add one."
      )
    }
    if let line = reader.notUTF8 {
      throw Failure(
        "\(file.quotedPath), line \(line): this is not UTF-8. Save the table as CSV UTF-8.")
    }
    rows = reader.rows
  }

  /// What libcsv has read so far.
  private final class Reader {
    var rows: [Row] = []
    var cells: [String] = []
    var line = 0
    var isAtLineStart = true
    /// The line that the row begins on.
    var start: Int?
    var notUTF8: Int?
  }

  private static let endCell:
    @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Void = {
      text, count, context in
      guard let context else { return }
      // Sound: `init` passes the reader, and keeps it until libcsv is done.
      let reader = Unmanaged<Reader>.fromOpaque(context).takeUnretainedValue()
      reader.start = reader.start ?? reader.line
      let bytes = UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : count)
      let cell = String(validating: bytes, as: UTF8.self)
      if cell == nil { reader.notUTF8 = reader.notUTF8 ?? reader.line }
      reader.cells.append(cell ?? "")
    }

  private static let endRow: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = {
    _, context in
    guard let context else { return }
    // Sound: as above.
    let reader = Unmanaged<Reader>.fromOpaque(context).takeUnretainedValue()
    reader.rows.append((reader.start ?? reader.line, reader.cells))
    reader.cells = []
    reader.start = nil
  }
}
