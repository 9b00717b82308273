import Service
import Association
import Checking
import HTTP

extension Installation {
  /// How to apply a state.
  struct Change {
    var prune = false
    var overwrite = false
    /// The template of whose domains the state is a table; empty for any other state.
    var template = ""
    var isDryRun = false
    /// Whether a dry run goes on after what would be refused.
    var listsRefusals = false
    /// Whether a draft is made of it, or a dry run shows what happens once somebody has approved that.
    var isDraft = false
    var accepted: Set<Finding.Code> = []
    /// The reason for the audit; may be empty.
    var reason = ""

    fileprivate var query: [String: String] {
      [
        "dryRun": "\(isDryRun)", "prune": "\(prune)", "overwrite": "\(overwrite)",
        "template": template,
        "listRefusals": "\(listsRefusals)", "draft": "\(isDraft && !isDryRun)",
        "approved": "\(isDraft && isDryRun)", "reason": reason,
        "accept": accepted.map(\.rawValue).sorted().joined(separator: ","),
      ].filter { !$0.value.isEmpty && $0.value != "false" }
    }
  }

  /// An element of a state or of a plan.
  enum Part {
    case app(JSON)
    case androidApp(JSON)
    case template(JSON)
    case domain(JSON)
    /// A problem with which the state would be refused.
    case refused(JSON)

    fileprivate init?(_ element: (list: String, element: JSON)) {
      switch element.list {
      case "apps": self = .app(element.element)
      case "androidApps": self = .androidApp(element.element)
      case "templates": self = .template(element.element)
      case "domains": self = .domain(element.element)
      case "refused": self = .refused(element.element)
      default: return nil
      }
    }
  }

  /// Passes on all apps, all Android apps, then all domains, as they arrive.
  ///
  /// - Parameter label: Only domains with this label, and the apps that they use.
  /// - Throws: Like `json`, and what `take` throws.
  func export(_ label: Label? = nil, _ take: (Part, Progress) throws -> Void) throws {
    try Progress.during("Reading from \(name)") { progress in
      _ = try stream(
        APIClient.Request("GET", "/v1/export", query: label.map { ["label": $0.text] } ?? [:])
      ) { try take($0, progress) }
    }
  }

  /// The SHA-256 of the file that an export writes for each domain; none from an older server.
  ///
  /// - Parameter apps: The apps of a state, of both platforms. If one differs from the installation's, the hashes are left
  ///   out, because its domains have to be checked again.
  /// - Throws: Like `json`.
  func hashes(unlessAppsDifferFrom apps: [JSON]) throws -> [String: String] {
    var hashes: [String: String] = [:]
    var stored: Set<String> = []
    do {
      try stream(APIClient.Request("GET", "/v1/export/hashes")) { part in
        switch part {
        case .app(let json), .androidApp(let json): stored.insert(json.text)
        case .domain(let json):
          if let name = json["domain"]?.stringValue { hashes[name] = json["sha256"]?.stringValue }
        case .template, .refused: break
        }
      }
      if !stored.isSuperset(of: apps.map(\.text)) { return [:] }
    } catch let refused as Refused where refused.code == "path-not-found" {
      return [:]
    }
    return hashes
  }

  /// Applies a state, or does a dry run, and passes on the steps of the plan as they arrive.
  ///
  /// - Parameters:
  ///   - lines: The state, as NDJSON.
  ///   - sent: Called with the number of its bytes that have been sent.
  /// - Returns: The change that it is; `nil` if no domain changed, and for a dry run.
  /// - Throws: Like `json`, and what `take` throws.
  @discardableResult func apply(
    _ change: Change, lines: Spool, _ sent: @escaping (Int) -> Void = { _ in },
    _ take: (Part) throws -> Void
  ) throws -> Int? {
    try stream(
      APIClient.Request(
        "POST", "/v1/apply", query: change.query,
        fields: ["Content-Type": "application/x-ndjson"]), sending: lines, sent, take)
  }

  /// Sends a request whose answer is an object with the lists `apps`, perhaps `androidApps`, and `domains`.
  ///
  /// - Returns: The change that the answer names.
  @discardableResult private func stream(
    _ request: APIClient.Request, sending lines: Spool? = nil,
    _ sent: @escaping (Int) -> Void = { _ in }, _ take: (Part) throws -> Void
  ) throws -> Int? {
    var elements = StateElements()
    let answer = try send(request, sending: lines, sent) { bytes in
      for element in try elements.take(bytes) { try Part(element).map(take) }
    }
    if answer.status != 200 || !elements.isComplete {
      _ = try content(of: answer, having: "domains")
    }
    if answer.database == "replaced" {
      Terminal.complain(
        "The database file of \(name) was deleted or replaced. This is what the server still "
          + "has; when it stops, only its rescue copy and this export remain.")
    }
    return elements.change
  }
}

extension Spool {
  /// Returns its bytes piece by piece, then `nil`.
  func pieces(_ taken: @escaping (Int) -> Void = { _ in }) -> () throws -> [UInt8]? {
    var offset = 0
    return { [self] in
      if offset == count { return nil }
      let piece = try bytes(offset..<min(count, offset + 262_144))
      offset += piece.count
      taken(offset)
      return piece
    }
  }
}
