import Association

/// The answers for one file: to several User-Agents, and to equal requests.
struct Survey: Sendable {
  /// The User-Agents that ask, first the one that matters.
  let agents: [Agent]
  /// The answers, first one for each agent.
  private(set) var observations: [Observation]
  /// The one that a check reports on. By default, the first.
  var chosen: Observation

  /// - Parameter observations: One for each agent, at least one.
  init(_ agents: [Agent], _ observations: [Observation]) {
    (self.agents, self.observations) = (agents, observations)
    chosen = observations[0]
  }

  mutating func add(_ more: [Observation]) { observations += more }

  func of(_ agent: Agent) -> [Observation] { observations.filter { $0.agent == agent } }

  /// Whether any two answers differ.
  var varies: Bool { Self.groups(observations).count > 1 }

  /// Whether an agent gets different answers to equal requests.
  var variesByTurns: Bool { agents.contains { Self.groups(of($0)).count > 1 } }

  /// Answers that make no difference to who asked, in the order in which they first came.
  static func groups(_ observations: [Observation]) -> [(reply: Reply, observations: [Observation])]
  {
    var groups: [(reply: Reply, observations: [Observation])] = []
    for observation in observations {
      let reply = Reply(observation)
      if let index = groups.firstIndex(where: { $0.reply == reply }) {
        groups[index].observations.append(observation)
      } else {
        groups.append((reply, [observation]))
      }
    }
    return groups
  }
}

/// What makes a difference to who asked for a file.
struct Reply: Equatable {
  enum Content: Equatable {
    case json(JSON)
    /// A file that cannot be read, such as a signed one.
    case bytes([UInt8])
    /// The status 200 without a file.
    case page
    case status(Int)
    case failure(String)
  }

  let content: Content
  /// The media type of a file, in lower case and without parameters.
  let type: String?
  /// Where the first redirect leads, without its query, which may differ each time.
  let redirect: String?

  init(_ observation: Observation) {
    let hops = observation.followed.hops
    redirect = hops.count > 1 ? String(hops[1].url.prefix { $0 != "?" }) : nil
    type = observation.file == nil ? nil : observation.answer?.mediaType
    content =
      switch observation.result {
      case .failure(let failure): .failure(failure.words)
      case .success(let answer) where answer.status != 200: .status(answer.status)
      case .success(let answer):
        if let file = observation.file {
          JSON.readable(file).map { .json($0) } ?? .bytes(file)
        } else if answer.isCut {
          .bytes(answer.body)
        } else {
          .page
        }
      }
  }
}

extension Observation {
  /// Whether a server or the network had trouble: no answer, or a status from 500 on.
  var isTrouble: Bool { answer.map { $0.status == 429 || $0.status >= 500 } ?? true }
}

extension Fetch.Answer {
  /// The media type, in lower case and without parameters; empty if there is none.
  var mediaType: String {
    (self["Content-Type"] ?? "").split(separator: ";").first
      .map { $0.filter { $0 != " " }.lowercased() } ?? ""
  }

  /// Whether it is the challenge of a service that keeps bots away, such as that of Cloudflare.
  var isChallenge: Bool {
    self["cf-mitigated"] == "challenge" || self["x-vercel-mitigated"] == "challenge"
      || self["x-amzn-waf-action"] == "challenge" || self["x-amzn-waf-action"] == "captcha"
  }

  /// Whether it is an HTML page, whatever its status says.
  var isPage: Bool {
    let first = body.first { !" \t\r\n".utf8.contains($0) }
    let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    return first == UInt8(ascii: "<") || mediaType == "text/html" && !isJSON
  }
}
