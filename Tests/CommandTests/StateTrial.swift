import Foundation
import Association
import TestSupport

/// A database with two domains, and the ways to reach it: by itself, and through a server.
struct StateTrial {
  /// How a command is told where the state is.
  enum Site: CaseIterable {
    case database, server
  }

  let scratch: TemporaryDirectory
  let server: RunningServer
  private let token: String

  var database: String { scratch.path("aasa.db") }
  var directory: String { scratch.path("state") }

  /// What the trial starts with.
  static let state: JSON = [
    "apps": [
      ["app": .string(AssociationFile.app), "name": "Example", "environment": "production"]
    ],
    "domains": [
      domain("a.example", ["/a"]),
      domain("b.example", ["/b", "/c/*"], expecting: "https://b.example/c/1"),
    ],
  ]

  /// - Parameter isExported: Whether the directory has the state.
  init(isExported: Bool = false) throws {
    scratch = try TemporaryDirectory()
    server = try RunningServer(database: scratch.path("aasa.db"))
    token = try server.firstToken()
    let answer = try server.client().send("POST", "/v1/apply", json: Self.state)
    guard answer.status == 200 else {
      throw NotSetUp(problem: answer.text)
    }
    if isExported, try exportDirectory().status != 0 { throw NotSetUp(problem: "not exported") }
  }

  struct NotSetUp: Error {
    let problem: String
  }

  /// A domain with one entry whose routes have these paths; the URL must match.
  static func domain(_ name: String, _ paths: [String], expecting url: String? = nil) -> JSON {
    let expectations = url.map { url -> [JSON] in
      [["url": .string(url), "app": .string(AssociationFile.app), "resolution": "match"]]
    }
    return [
      "domain": .string(name),
      "entries": [
        [
          "apps": [.string(AssociationFile.app)],
          "routes": .array(paths.map { ["path": .string($0)] }),
        ]
      ],
      "expectations": .array(expectations ?? []),
    ]
  }

  /// Runs a command at a site.
  func run(
    _ command: String, at site: Site, _ words: String..., input: [UInt8] = [],
    token: String? = nil
  ) throws -> Program.Result {
    try run(command, at: site, words: words, input: input, token: token)
  }

  /// Runs a command at a site.
  func run(
    _ command: String, at site: Site, words: [String], input: [UInt8] = [], token: String? = nil
  ) throws -> Program.Result {
    let options =
      switch site {
      case .database: ["--database", database]
      case .server: ["--server", "http://127.0.0.1:\(server.adminPort)/"]
      }
    // The variables of a person at a terminal: only that stdout is none keeps colours away.
    var environment = ["TERM": "xterm", "NO_COLOR": ""]
    if site == .server { environment["AASA_TOKEN"] = token ?? self.token }
    return try Program.run(
      Program.aasa, command.split(separator: " ").map(String.init) + options + words, input: input,
      environment: environment)
  }

  /// Writes the state to the directory.
  func exportDirectory(at site: Site = .database) throws -> Program.Result {
    try run("export", at: site, directory)
  }

  /// Changes a text in a file of the directory.
  func replace(_ old: String, with new: String, in name: String) throws {
    let text = try scratch.text("state/\(name)")
    try scratch.write(text.replacingOccurrences(of: old, with: new), to: "state/\(name)")
  }

  /// Takes a file out of the directory.
  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
  }

  /// The names in the directory, without hidden ones.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory)
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  /// The number of a file, which is another one when it was written again.
  func number(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")[.systemFileNumber]
      as? Int
  }

  /// Whether a host is served routes with these paths: a second after an edit, or later on a busy machine.
  func isServed(_ paths: [String], for host: String) throws -> Bool {
    try becomesTrue {
      let answer = try server.file(of: host)
      return try answer.status == 200 && AssociationFile.paths(of: answer.json) == paths
    }
  }
}
