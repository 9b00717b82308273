import TestSupport

/// What `/metrics` of a server says.
struct Metrics {
  let text: String
  /// The values, by name and labels as they are written.
  private let values: [Substring: Double]

  init(of server: RunningServer) throws {
    let answer = try Client(port: server.adminPort, lines: ["Host: localhost"])
      .send("GET", "/metrics")
    text = String(decoding: answer.body, as: UTF8.self)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    values = Dictionary(
      lines.compactMap { line in
        guard let space = line.lastIndex(of: " "),
          let value = Double(line[line.index(after: space)...])
        else { return nil }
        return (line[..<space], value)
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The value of a sample, such as `aasa_documents{percent="0-50"}`.
  subscript(sample: String) -> Double? { values[sample[...]] }

  /// The names of all metrics, also of those without a sample.
  var names: Set<String> {
    Set(
      text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        .map { String($0.split(separator: " ")[2]) })
  }
}
