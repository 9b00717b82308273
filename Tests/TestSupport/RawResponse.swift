/// A raw HTTP answer.
package struct RawResponse: Sendable {
  /// The status line.
  package let statusLine: String
  /// The status code.
  package let status: Int
  /// The fields in order.
  package let fields: [(name: String, value: String)]
  /// The content.
  package var body: [UInt8] = []

  /// Parses the bytes of a header, through its empty line.
  package init?(head: [UInt8]) {
    let lines = String(decoding: head, as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: true)
    guard let first = lines.first, first.hasPrefix("HTTP/1.1 "),
      let status = Int(first.dropFirst(9).prefix(3))
    else { return nil }
    statusLine = String(first)
    self.status = status
    fields = lines.dropFirst().compactMap { line in
      line.firstIndex(of: ":").map { colon in
        (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
      }
    }
  }

  /// The value of the first field with a name.
  package subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The content as text.
  package var text: String { String(decoding: body, as: UTF8.self) }
}
