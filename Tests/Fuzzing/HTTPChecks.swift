import Association
@testable import HTTP

/// What was decoded and is encoded again is decoded to the same, and the public listener finds no
/// file where the other parser sees none.
func checkTarget(_ bytes: [UInt8]) throws {
  let path = bytes.prefix { $0 != UInt8(ascii: "?") }
  let (publicPath, kind) = path.withUnsafeBytes { bytes -> (PublicTarget.Path, String?) in
    let target = PublicTarget(bytes)
    switch target.path {
    case .document(let index): return (target.path, DocumentKind.allCases[Int(index)].rawValue)
    case .named: return (target.path, String(decoding: target.name, as: UTF8.self))
    case .unknown, .malformed: return (target.path, nil)
    }
  }
  let target: RequestTarget
  do throws(RequestTarget.Malformed) {
    target = try RequestTarget(bytes)
  } catch {
    return try require(
      kind == nil || path.count < bytes.count,
      "a malformed target names a file")
  }
  try require(publicPath != .malformed, "only one parser takes the target")
  if let kind {
    try require(target.segments.last == kind, "another file is named")
  }
  if target.path == "*" { return }
  func encoded(_ text: String) -> String {
    text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
  let written =
    "/" + target.segments.map(encoded).joined(separator: "/") + "?"
    + target.queryItems.map { encoded($0.name) + "=" + encoded($0.value) }.joined(separator: "&")
  let again = try RequestTarget(written.utf8)
  try require(again.segments == target.segments, "other segments: \(written)")
  try require(again.queryItems == target.queryItems, "another query: \(written)")
}

/// A name is in lower case and short enough, and it is the same name with a port or a dot behind it.
func checkHost(_ bytes: [UInt8]) throws {
  guard let name = readName(bytes) else { return }
  try require((1...253).contains(name.count), "a name of \(name.count) bytes")
  try require(!name.contains { $0 != $0.asciiLowercased }, "capital letters")
  try require(name.last != UInt8(ascii: "."), "a trailing dot")
  for suffix in ["", ".", ":8443", ".:1"] {
    try require(readName(name + Array(suffix.utf8)) == name, "another name with \"\(suffix)\"")
  }
}

private func readName(_ bytes: [UInt8]) -> [UInt8]? {
  var buffer = [UInt8](repeating: 0, count: RequestedHost.bufferBytes)
  let host = bytes.withUnsafeBytes { bytes in
    buffer.withUnsafeMutableBytes { RequestedHost(bytes, into: $0) }
  }
  guard case .name(let count) = host else { return nil }
  return Array(buffer[..<count])
}

/// Whatever a client writes into its fields, it cannot replace the host that the proxy appends.
func checkForwarded(_ bytes: [UInt8]) throws {
  let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map(Array.init)
  let written = (lines.first ?? [], lines.dropFirst().first ?? [])
  _ = forwardedHost(written.0, written.1)
  let standard = written.0 + Array(", for=192.0.2.1;host=proxy.example".utf8)
  let common = written.1 + Array(", proxy.example".utf8)
  for host in [forwardedHost(standard, nil), forwardedHost(standard, common)] {
    // A quotation mark that the client left open hides what follows, so nothing is believed.
    try require(host == "proxy.example" || host == nil, "the host is \(host ?? "")")
  }
  try require(forwardedHost(nil, common) == "proxy.example", "the host is not the proxy's")
}

private func forwardedHost(_ standard: [UInt8]?, _ common: [UInt8]?) -> String? {
  func withLine<Result>(_ bytes: [UInt8]?, _ body: (DirectFields.Line) -> Result) -> Result {
    (bytes ?? []).withUnsafeBytes {
      body(DirectFields.Line(value: $0.trimmingEnd, count: bytes == nil ? 0 : 1))
    }
  }
  return withLine(standard) { standard in
    withLine(common) { common in
      guard case .host(let host, _) = ForwardedHost(standard, common) else { return nil }
      return String(decoding: host, as: UTF8.self)
    }
  }
}

/// A date is written so that it is read as the same.
func checkDate(_ bytes: [UInt8]) throws {
  guard let date = bytes.withUnsafeBytes(HTTPDate.init) else { return }
  let text = date.description
  try require(text.utf8.count == 29, "not 29 characters: \(text)")
  try require(Array(text.utf8).withUnsafeBytes(HTTPDate.init) == date, "another date: \(text)")
}
