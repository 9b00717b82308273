import Association
import Synchronization
import TestSupport

/// Edits one domain again and again, and knows what it must be afterwards.
final class EditingClient: Sendable {
  /// The paths of the routes with the revision that has them.
  struct Edition: Equatable, Sendable {
    var revision: Int
    var paths: [String]
  }

  let domain: String
  private let state: Mutex<State>

  private struct State {
    /// What was acknowledged last.
    var acknowledged = Edition(revision: 0, paths: [])
    /// What was sent and not answered.
    var pending: Edition?
    /// The number of the entry that routes are added to; 0 until an answer has told it.
    var entry = 0
    var count = 0
    /// What an answer said that should have been another one.
    var complaint: String?
  }

  init(domain: String) {
    self.domain = domain
    state = Mutex(State())
  }

  var acknowledged: Edition { state.withLock { $0.acknowledged } }
  var pending: Edition? { state.withLock { $0.pending } }
  var complaint: String? { state.withLock { $0.complaint } }

  /// After a crash, what is there counts.
  func resume(at edition: Edition) {
    state.withLock { state in
      state.acknowledged = edition
      state.pending = nil
    }
  }

  /// Edits until the server is gone.
  func edit(_ client: Client, acknowledged count: @escaping @Sendable () -> Void) {
    while true {
      do {
        let isPut = state.withLock { $0.entry == 0 || $0.count % 4 == 0 }
        let answer = try isPut ? put(client) : post(client)
        guard accept(answer) else { return }
        count()
      } catch {
        return  // Killed: the request has no answer, or none that is whole.
      }
    }
  }

  private func put(_ client: Client) throws -> RawResponse {
    let paths = next { state in ["/put/\(state.count)", "/x/*"] }
    let answer = try client.send(
      "PUT", "/v1/domains/\(domain)/file", json: AssociationFile.routes(paths))
    let entry = try answer.json["domain"]?["entries"]?.arrayValue?.first?["id"]
    if case .number(let text) = entry { state.withLock { $0.entry = Int(text) ?? 0 } }
    return answer
  }

  private func post(_ client: Client) throws -> RawResponse {
    let paths = next { state in state.acknowledged.paths + ["/post/\(state.count)"] }
    let entry = state.withLock(\.entry)
    return try client.send(
      "POST", "/v1/domains/\(domain)/entries/\(entry)/routes",
      json: ["path": .string(paths.last ?? "")])
  }

  private func next(_ paths: (State) -> [String]) -> [String] {
    state.withLock { state in
      state.count += 1
      let paths = paths(state)
      state.pending = Edition(revision: state.acknowledged.revision + 1, paths: paths)
      return paths
    }
  }

  /// Takes an answer for an acknowledgement if it is one.
  private func accept(_ answer: RawResponse) -> Bool {
    state.withLock { state in
      guard (200...201).contains(answer.status), let pending = state.pending,
        answer["ETag"] == "\"\(pending.revision)\""
      else {
        state.complaint = "\(answer.statusLine) \(answer["ETag"] ?? "") \(answer.text)"
        return false
      }
      state.acknowledged = pending
      state.pending = nil
      return true
    }
  }
}
