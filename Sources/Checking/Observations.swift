import Association

/// A request with its redirects.
struct Observation: Sendable {
  let host: String
  let agent: Agent
  let followed: FollowedFetch
  /// The address that was asked, with the port if that is not the usual one; `nil` if it is not known.
  var place: String?
  /// Of an alias: whether its file is the current one; `nil` if nobody said what it should serve, or if the
  /// comparison was left out.
  var isCurrent: Bool?

  var url: String { followed.hops[0].url }
  var result: Result<Fetch.Answer, Fetch.Failure> { followed.last.fetch.result }

  /// The answer at the end of the redirects, with any status.
  var answer: Fetch.Answer? { if case .success(let answer) = result { answer } else { nil } }

  /// The content of a file that was answered.
  var file: [UInt8]? {
    guard let answer, answer.status == 200, !answer.isCut, answer.body.looksLikeFile else {
      return nil
    }
    return answer.body
  }

  /// `redirects to https://…, which `, or nothing.
  var redirectInWords: String {
    followed.hops.count > 1 ? "redirects to \(followed.last.url.fromOutside), which " : ""
  }

  /// The same without the contents of answers, which take memory.
  var withoutBodies: Observation {
    let hops = followed.hops.map { hop in
      guard case .success(var answer) = hop.fetch.result else { return hop }
      answer.dropBody()
      var fetch = hop.fetch
      fetch.result = .success(answer)
      return FollowedFetch.Hop(url: hop.url, fetch: fetch)
    }
    return Observation(
      host: host, agent: agent, followed: FollowedFetch(hops: hops), place: place,
      isCurrent: isCurrent)
  }

  /// The same, with URLs that do not show the key for Google's service.
  var withoutQuery: Observation {
    let shown = { (url: String) in String(url.prefix { $0 != "?" }) }
    let hops = followed.hops.map { hop in
      var fetch = hop.fetch
      fetch.result = fetch.result.map { answer in
        var answer = answer
        answer.redirect = answer.redirect.map(shown)
        return answer
      }
      return FollowedFetch.Hop(url: shown(hop.url), fetch: fetch)
    }
    return Observation(host: host, agent: agent, followed: FollowedFetch(hops: hops), place: place)
  }

  /// The requests as a check shows them.
  var json: [JSON] {
    followed.hops.map { .object(ObservedRequest.fields.json(of: ObservedRequest(agent, $0))) }
  }
}

/// A request of a check, as its answer shows it.
struct ObservedRequest: Sendable {
  private let agent: Agent
  private let hop: FollowedFetch.Hop
  private let answer: Fetch.Answer?
  private var error: String?

  init(_ agent: Agent, _ hop: FollowedFetch.Hop) {
    (self.agent, self.hop) = (agent, hop)
    switch hop.fetch.result {
    case .success(let answer): self.answer = answer
    case .failure(let failure): (answer, error) = (nil, failure.words.fromOutside)
    }
  }

  /// The header fields about caching, and Apple's own.
  private var fields: JSON? {
    let shown = ["cache-control", "age", "etag", "last-modified", "expires"]
    let fields = (answer?.fields ?? []).filter { field in
      shown.contains(field.name.lowercased()) || field.name.lowercased().hasPrefix("apple-")
    }
    var list: JSON.Object = [:]
    for field in fields.prefix(20) {
      list[field.name.fromOutside] = .string(field.value.fromOutside)
    }
    return list.isEmpty ? nil : .object(list)
  }

  static let fields: [Field<ObservedRequest>] = [
    Field("url", .string, get: \.hop.url.fromOutside),
    Field("agent", .string, get: \.agent.rawValue, "The `User-Agent`."),
    Field("milliseconds", .count, get: \.hop.fetch.milliseconds),
    Field("address", .string, get: \.hop.fetch.address, "The address that it was sent to."),
    Field("error", .string, get: \.error, "Why there is no answer."),
    Field("status", .count, get: \.answer?.status),
    Field("contentType", .string, get: \.answer?["Content-Type"]?.fromOutside),
    Field("bytes", .count, get: \.answer?.size),
    Field(
      "redirect", .string, get: \.answer?.redirect?.fromOutside,
      "Where the answer redirects to."),
    Field(
      "fields", .object, "The header fields about caching, and Apple's own.", .optional,
      write: \.fields),
  ]
}

/// The answers that a check got.
struct Observations: Sendable {
  /// Those for the documents, in the order of the kinds.
  private var surveys: [Survey]
  let root: Observation
  let cdn: Observation
  var robots: Observation?
  var sibling: Observation?
  /// What somebody without the app gets for a link.
  var people: Observation?
  var aliases: [(alias: Alias, observation: Observation)] = []
  var google: [(target: GoogleTarget, observation: Observation)] = []
  var named: [(document: NamedDocument, observation: Observation)] = []
  var password: Observation?
  var probe: Observation?
  /// Files at addresses that nobody asks for, such as with an extension, where the address of the kind has none.
  var misnamed: [(kind: DocumentKind, observation: Observation)] = []

  var all: [Observation] {
    DocumentKind.allCases.flatMap { self[$0].observations }
      + [root] + [robots, sibling, people].compactMap(\.self)
      + aliases.map(\.observation) + [cdn] + google.map(\.observation)
      + named.map(\.observation) + [password, probe].compactMap(\.self)
      + misnamed.map(\.observation)
  }

  /// - Parameter surveys: One for each kind, in their order.
  init(surveys: [Survey], root: Observation, cdn: Observation) {
    (self.surveys, self.root, self.cdn) = (surveys, root, cdn)
  }

  subscript(kind: DocumentKind) -> Survey {
    get { surveys[kind.index] }
    set { surveys[kind.index] = newValue }
  }

  /// What is reported on as Apple's file.
  var bot: Observation { self[.apple].chosen }

  /// The Android apps that Google is asked about: those whose links the domain should open, or else opens. One
  /// certificate of each, because Google answers for one.
  func packages(_ subject: Subject) -> [GoogleTarget] {
    if subject.reference != nil && !subject.expects(.assetLinks) { return [] }
    let file =
      subject.reference?.documents[.assetLinks]
      ?? self[.assetLinks].chosen.file.flatMap(JSON.readable)
    guard let file else { return [] }
    var targets: [GoogleTarget] = []
    for statement in AssetLinks(file).statements {
      guard case .app(let package, let fingerprints) = statement.target,
        statement.relations.contains(where: {
          $0.description == "delegate_permission/common.handle_all_urls"
        }),
        let fingerprint = fingerprints.first,
        !targets.contains(where: { $0.package == package.text })
      else { continue }
      targets.append(GoogleTarget(package: package.text, fingerprint: fingerprint.description))
    }
    return Array(targets.prefix(3))
  }
}

extension [UInt8] {
  /// Whether it begins like JSON, or like a signed file. Sites that have no such file often answer with a page.
  package var looksLikeFile: Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = starts(with: mark) ? dropFirst(mark.count) : self[...]
    let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || isSigned
  }

  /// Whether it begins like a signed file (CMS): a SEQUENCE in DER or BER.
  var isSigned: Bool { count > 1 && self[0] == 0x30 && self[1] >= 0x80 }
}

extension Fetch {
  /// The address that it connected to, as an observation has it.
  var place: String? {
    address.map { ($0.contains(":") ? "[\($0)]" : $0) + (port == 443 ? "" : ":\(port)") }
  }
}
