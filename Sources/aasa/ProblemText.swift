import Association
import JSONValue

/// A problem of the API (RFC 9457) for people: the sentence, then each thing that is wrong.
struct ProblemText {
  private let problem: JSON
  private let origin: String
  private let place: (String) -> String

  /// - Parameters:
  ///   - origin: What answered.
  ///   - place: Where a pointer into what was sent is for the one who sent it.
  init(_ problem: JSON, of origin: String, place: @escaping (String) -> String = { $0 }) {
    self.problem = problem
    self.origin = origin
    self.place = place
  }

  /// The lines without an end of the last one.
  var text: String {
    let status = problem["status"]?.integerValue.map { "\($0) " } ?? ""
    let title = problem["title"]?.stringValue ?? "a problem"
    let detail = problem["detail"]?.stringValue ?? problem["code"]?.stringValue ?? ""
    return (["\(origin): \(status)\(title). \(detail)"] + lines(of: problem))
      .map(\.harmless).joined(separator: "\n")
  }

  private func lines(of problem: JSON) -> [String] {
    let list = { (key: String) in problem[key]?.arrayValue ?? [] }
    let domain = problem["domain"]?.stringValue
    return list("errors").map { "  \(fault($0, in: domain))" }
      + list("expectations").map { "  \(expectation($0, of: domain))" }
      + list("problems").flatMap { problem in
        ["  \(problem["detail"]?.stringValue ?? "")"] + lines(of: problem).map { "  \($0)" }
      }
  }

  /// A pointer is into the document of a domain, or else into what was sent.
  private func fault(_ json: JSON, in domain: String?) -> String {
    let pointer = json["pointer"]?.stringValue ?? ""
    let place = domain.map { "\($0) \(pointer)" } ?? self.place(pointer)
    let words = [json["code"]?.stringValue, json["message"]?.stringValue].compactMap { $0 }
    return (place.isEmpty ? "" : "\(place): ") + words.joined(separator: ": ")
  }

  private func expectation(_ json: JSON, of domain: String?) -> String {
    let text = { json[$0]?.stringValue ?? "?" }
    let route = json["pointer"]?.stringValue.map { " by \($0)" } ?? ""
    return "\(domain.map { "\($0) " } ?? "")\(text("url")) for \(text("app")): expected "
      + "\(text("expected")), would be \(text("resolution"))\(route). \(text("reason"))"
  }
}
