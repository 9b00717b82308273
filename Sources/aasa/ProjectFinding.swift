import Association

/// What is wrong between an app's project and the published files.
struct ProjectFinding {
  let code: String
  let severity: Finding.Severity
  /// The entry or host that it is about; empty for the whole file.
  let entry: String
  /// What is wrong, and what to do.
  let message: String
  /// The names in the message that others with the same sentence do not have.
  let names: [String]
  /// A link that shows it.
  var url: String?

  /// What findings about other domains have in common.
  fileprivate var general: String {
    let message = names.sorted { $0.count > $1.count }.reduce(message) {
      $1.isEmpty ? $0 : $0.replacing($1, with: "")
    }
    return "\(severity.rawValue) \(code) \(message)"
  }

  var json: JSON {
    var object: JSON.Object = [
      "code": .string(code), "severity": .string(severity.rawValue), "entry": .string(entry),
      "message": .string(message),
    ]
    if let url { object["url"] = .string(url) }
    return .object(object)
  }
}

extension [ProjectFinding] {
  /// The findings for people. What repeats for other domains is printed once.
  var lines: [String] { grouped.flatMap(\.groupLines) }

  /// The findings with the same sentence about other domains, in the order of the first ones.
  private var grouped: [[ProjectFinding]] {
    var groups: [[ProjectFinding]] = []
    var indices: [String: Int] = [:]
    for finding in self {
      if let index = indices[finding.general] {
        groups[index].append(finding)
      } else {
        indices[finding.general] = groups.count
        groups.append([finding])
      }
    }
    return groups
  }

  private var groupLines: [String] {
    guard let first else { return [] }
    let place = first.entry.isEmpty ? "(the whole file)" : first.entry
    let line = "  \(first.severity.rawValue) \(first.code) \(place): \(first.message)"
    let others = dropFirst()
    if others.isEmpty { return [line] }
    let named = others.prefix(5).map(\.entry).joined(separator: ", ")
    let more = others.count > 5 ? " and \(others.count - 5) more" : ""
    return [line, "    The same for \(named)\(more)."]
  }
}
