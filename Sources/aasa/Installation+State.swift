import APIClient
import APITypes
import Association
import JSONValue

extension Installation {
  /// A desired state with options for applying it.
  struct Change {
    let state: JSON
    var prune = false
    var isDryRun = false
    var accepted: Set<Finding.Code> = []
    /// The reason for the audit; may be empty.
    var reason = ""
  }

  /// An element of a state.
  enum Part {
    case app(JSON)
    case domain(JSON)
  }

  /// Passes on all apps, then all domains, as they arrive.
  ///
  /// - Throws: Like `json`, and what `take` throws.
  func export(_ take: (Part, Progress) throws -> Void) throws {
    try Progress.during("Reading from \(name)") { progress in
      var elements = StateElements()
      let answer = try send(APIClient.Request("GET", "/v1/export")) { bytes in
        for (list, element) in try elements.take(bytes) {
          if list == "apps" { try take(.app(element), progress) }
          if list == "domains" { try take(.domain(element), progress) }
        }
      }
      if answer.status != 200 || !elements.isComplete {
        _ = try content(of: answer, having: "domains")
      }
      if answer.database == "replaced" {
        Terminal.complain(
          "The database file of \(name) was deleted or replaced. This is what the server still "
            + "has; when it stops, only its rescue copy and this export remain.")
      }
    }
  }

  /// Applies a state, or does a dry run. Also returns the plan in the API's JSON.
  ///
  /// - Throws: Like `json`.
  func apply(_ change: Change) throws -> (plan: Plan, json: JSON) {
    let domains = (change.state["domains"]?.arrayValue?.count ?? 0).counted("domain")
    let work =
      change.isDryRun ? "Comparing \(domains) with \(name)" : "Applying \(domains) to \(name)"
    let query = [
      "dryRun": "\(change.isDryRun)", "prune": "\(change.prune)", "reason": change.reason,
      "accept": change.accepted.map(\.rawValue).sorted().joined(separator: ","),
    ]
    let request = APIClient.Request(
      "POST", "/v1/apply", query: query.filter { !$0.value.isEmpty },
      body: change.state.serialized())
    let json = try Progress.during(work) { _ in try self.json(request, having: "domains") }
    do throws(InvalidInput) {
      return (try Faults.collecting(in: json, Plan.read), json)
    } catch {
      let faults = error.faults.map { "\($0.pointer): \($0.message)" }
      throw Failure(
        (change.isDryRun ? "" : "\(name) applied the state. ")
          + "This version of aasa cannot read the plan of \(name): \(faults.first ?? "") Update "
          + "aasa to the version of the server.")
    }
  }
}
