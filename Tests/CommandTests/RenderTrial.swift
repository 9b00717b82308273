import Association
import FoundationEssentials
import TestSupport
import Testing

/// A directory that `aasa render` writes, read as a static host does: by a host and a path.
struct RenderedSite {
  let path: String

  /// The bytes at a path of a host; `nil` for none.
  func file(_ host: String, _ path: String) throws -> [UInt8]? {
    bytes("\(try directory(of: host))\(path)")
  }

  private func bytes(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(path)/\(name)").map(Array.init)
  }

  /// The directory that a host is answered from, by `_wildcards.conf`.
  private func directory(of host: String) throws -> String {
    let text = String(decoding: bytes("_wildcards.conf") ?? [], as: UTF8.self)
    var directories: [String: String] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.dropLast().split(separator: " ")
      try #require(words.count == 2 && line.hasSuffix(";"))
      directories[String(words[0])] = String(words[1])
    }
    if let own = directories[host] { return own }
    let labels = host.split(separator: ".")
    for count in labels.indices.dropFirst() {
      if let found = directories["*." + labels[count...].joined(separator: ".")] { return found }
    }
    return host
  }

  /// The value of a header field at a path of a host, by its `_headers`.
  func field(_ name: String, _ host: String, _ path: String) throws -> String? {
    let lines = String(decoding: try file(host, "/_headers") ?? [], as: UTF8.self).split(
      separator: "\n")
    let own = lines.drop { $0 != path }.dropFirst().prefix { $0.hasPrefix("  ") }
    return own.first { $0.hasPrefix("  \(name): ") }.map { String($0.dropFirst(name.count + 4)) }
  }

  /// The paths of all files below the directory.
  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter {
      !$0.hasPrefix(".aasa-render") && bytes($0) != nil
    }.sorted()
  }

  /// Compares every answer of a server with the file that a static host has in its place.
  func expectEquals(_ server: RunningServer, _ hosts: [String]) throws {
    let paths = DocumentKind.paths.map(\.path.description)
    for host in hosts {
      for path in paths {
        let answer = try Client(port: server.publicPort, lines: ["Host: \(host)"]).send("GET", path)
        #expect(
          try file(host, path) == (answer.status == 200 ? answer.body : nil), "\(host)\(path)")
        if answer.status != 200 { continue }
        for name in ["Content-Type", "Cache-Control", "X-Content-Type-Options"] {
          #expect(try field(name, host, path) == answer[name], "\(name) of \(host)\(path)")
        }
      }
    }
  }
}

/// `aasa render --follow` in the background.
final class Rendering: Sendable {
  let process: ChildProcess
  private let scratch: TemporaryDirectory

  init(_ directory: String, _ site: [String], environment: [String: String] = [:]) throws {
    scratch = try TemporaryDirectory()
    process = try ChildProcess(
      Program.aasa, ["render", directory, "--follow"] + site,
      environment: Program.environment(environment), output: scratch.path("out"),
      errors: scratch.path("err"))
    let hasBegun = try becomesTrue { try !output().isEmpty || process.ending != nil }
    let errors = try errors()
    try #require(hasBegun && process.ending == nil, "\(errors)")
  }

  func output() throws -> String { try scratch.text("out") }
  func errors() throws -> String { try scratch.text("err") }
}
