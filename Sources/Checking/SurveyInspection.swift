import Association
import Store

// Whether everybody gets the same answer, each time.
extension CheckInspection {
  /// Reports answers that differ, and chooses the one that other findings are about.
  ///
  /// - Returns: Whether nothing more is to be said about the file.
  mutating func inspectVariation(of kind: DocumentKind) throws -> Bool {
    var survey = seen[kind]
    if !survey.varies { return false }
    let isByTurns = survey.variesByTurns
    if isByTurns {
      survey.chosen = try best(of: survey.of(survey.agents[0]), kind)
      seen[kind] = survey
    }
    // What they fail with is chance.
    if !survey.observations.contains(where: { $0.file != nil }) { return false }
    if isByTurns {
      try addAnswersDiffer(survey, kind)
      return false
    }
    if survey.chosen.file == nil {
      addBlocked(survey, kind)
      return true
    }
    try addAgentsDiffer(survey, kind)
    return false
  }

  /// The answer that is most like what should be there, so that a check says the same whatever comes first.
  private mutating func best(
    of observations: [Observation], _ kind: DocumentKind
  ) throws -> Observation {
    var ranked: [(rank: Int, observation: Observation)] = []
    for observation in observations {
      let held = try held(observation, kind)
      let rank =
        observation.file == nil
        ? 0 : held?.isCurrent == true ? 3 : held?.equality != nil ? 2 : 1
      ranked.append((rank, observation))
    }
    let best = ranked.map(\.rank).max() ?? 0
    return ranked.first { $0.rank == best }?.observation ?? observations[0]
  }

  private mutating func held(
    _ observation: Observation, _ kind: DocumentKind
  ) throws -> FoundDocument? {
    guard let file = observation.file, let reference = subject.reference,
      reference.documents[kind] != nil
    else { return nil }
    return try held(file, kind, by: reference)
  }

  /// Whether each answer is a file of ours, of whatever revision, and differs in nothing else.
  private mutating func areOurs(
    _ observations: [Observation], _ kind: DocumentKind
  ) throws -> Bool {
    for observation in observations {
      let reply = Reply(observation)
      guard reply.redirect == nil, reply.type == "application/json",
        try held(observation, kind)?.equality != nil
      else { return false }
    }
    return true
  }

  private mutating func addAnswersDiffer(_ survey: Survey, _ kind: DocumentKind) throws {
    let all = survey.observations
    let groups = Survey.groups(all).sorted { $0.observations.count > $1.observations.count }
    let isAtPlaces = Set(all.map(\.place)).count > 1
    var parts: [String] = []
    for (index, group) in groups.prefix(4).enumerated() {
      let count = group.observations.count
      let share = index == 0 ? "\(count) of \(all.count.counted("request"))" : "\(count)"
      let places = Set(group.observations.compactMap(\.place)).sorted()
      parts.append(
        "\(share) got \(try words(for: group.observations[0], kind))"
          + (isAtPlaces && !places.isEmpty ? " from \(places.joined(separator: " and "))" : ""))
    }
    if groups.count > 4 { parts.append("and others") }
    let areOurs = try areOurs(all, kind)
    // Links open as long as the fetcher that matters gets the file each time.
    let isGood =
      survey.chosen.file != nil && Survey.groups(survey.of(survey.agents[0])).count == 1
      && !Survey.groups(all.filter { $0.file != nil }).contains {
        $0.reply.differs(from: Reply(survey.chosen))
      }
    // One request that fails may be chance, and this check asks often enough to meet a rate limit.
    let failed = all.filter { $0.file == nil }
    let isPassing =
      survey.chosen.file != nil && Survey.groups(all.filter { $0.file != nil }).count == 1
      && (failed.count == 1 && failed[0].isTrouble
        || failed.allSatisfy { $0.answer?.status == 429 })
    add(
      .answersDiffer, severity: areOurs || isGood || isPassing ? .warning : .error,
      survey.chosen.url,
      "\(survey.chosen.url) gives different answers by turns: \(parts.joined(separator: "; "))."
        + (try difference(of: all, from: survey.chosen, kind)),
      areOurs
        ? "If the domain was changed a moment ago, this passes when caches expire. Otherwise a cache or a server keeps "
          + "an earlier revision: purge it."
        : isPassing
          ? "If it happens again, look for a server that fails now and then, and for a rate limit, from which this path "
            + "should be exempt."
          : "Several servers or caches answer for this address, and not all of them are right. Look at each of them, "
            + "and at what is cached, until all pass this path to aasa.",
      kind: kind)
  }

  /// Reports that others get the file, and the fetcher that matters does not.
  private mutating func addBlocked(_ survey: Survey, _ kind: DocumentKind) {
    let observation = survey.chosen
    let others = survey.agents.filter { agent in survey.of(agent).contains { $0.file != nil } }
    let (what, apple): (String, String?) =
      switch observation.result {
      case .failure(let failure): (failure.words.fromOutside, failure.appleCode)
      case .success(let answer):
        (
          (observation.followed.hops.count > 1 ? "a redirect, then " : "")
            + "status \(answer.status)"
            + (answer["cf-mitigated"].map { ", cf-mitigated: \($0.fromOutside)" } ?? "")
            + (answer.status == 200 ? ", and something else than the file." : "."),
          "BAD_HTTP_RESPONSE"
        )
      }
    add(
      .botBlocked, observation.url,
      "\(observation.url) serves the file to \(others.first?.words ?? "others"), but not to "
        + "\(observation.agent.words): \(what)",
      "Exempt this path"
        + (observation.agent.token.map { ", or the User-Agent \($0)," } ?? "")
        + " from bot rules, rate limits and challenges.",
      kind: kind, apple: kind == .apple ? apple : nil)
  }

  private mutating func addAgentsDiffer(_ survey: Survey, _ kind: DocumentKind) throws {
    let chosen = Reply(survey.chosen)
    var (parts, files): ([String], [Observation]) = ([], [survey.chosen])
    for agent in survey.agents.dropFirst() {
      guard let other = survey.of(agent).first, Reply(other) != chosen else { continue }
      if other.file != nil { files.append(other) }
      parts.append("\(agent.words) gets \(try words(for: other, kind))")
    }
    let areOurs = try areOurs(files, kind)
    // Links open as long as those that matter get the file.
    let isOneFile =
      files.count == 1 || !Survey.groups(files).contains { $0.reply.differs(from: chosen) }
    add(
      .agentsDiffer, severity: isOneFile || areOurs ? .warning : .error, survey.chosen.url,
      "\(survey.chosen.url) gives other answers to some User-Agents: \(survey.chosen.agent.words) gets "
        + "\(try words(for: survey.chosen, kind)); \(parts.joined(separator: "; "))."
        + (try difference(of: files, from: survey.chosen, kind)),
      kind == .apple
        ? "Serve the same file to every User-Agent, as Apple asks (TN3155): look for bot rules, and for caches and "
          + "servers that go by it. Devices in developer mode ask with one of their own."
        : "Serve the same file to every User-Agent: look for bot rules, and for caches and servers that go by it.",
      kind: kind)
  }

  /// What changes from one file to the first that is another one and no revision of ours, as a sentence, or nothing.
  private mutating func difference(
    of observations: [Observation], from chosen: Observation, _ kind: DocumentKind
  ) throws -> String {
    guard let json = chosen.file.flatMap(JSON.readable) else { return "" }
    for observation in observations where Reply(observation).differs(from: Reply(chosen)) {
      guard let file = observation.file, try held(observation, kind)?.equality == nil else {
        continue
      }
      return goesOn(file.count)
        ? Reference(json, of: subject.domain).changes(to: file, kind).inWords : ""
    }
    return ""
  }

  /// What an answer is, as a part of a sentence.
  private mutating func words(for observation: Observation, _ kind: DocumentKind) throws -> String {
    let reply = Reply(observation)
    let moved = reply.redirect.map { "a redirect to \($0.fromOutside), then " } ?? ""
    switch observation.result {
    case .failure(let failure):
      return moved + "no answer (\(failure.words.fromOutside.droppingStop))"
    case .success(let answer) where answer.status != 200: return moved + "status \(answer.status)"
    case .success(let answer):
      guard observation.file != nil else {
        return moved + (answer.isCut ? "a file that is too large" : "a page instead of the file")
      }
      let type =
        reply.type == "application/json"
        ? "" : " with the type \(reply.type.flatMap { $0.isEmpty ? nil : $0.quoted } ?? "none")"
      return moved + (try words(forFile: observation, kind)) + type
    }
  }

  private mutating func words(
    forFile observation: Observation, _ kind: DocumentKind
  ) throws -> String {
    guard let held = try held(observation, kind) else {
      let body = observation.file ?? []
      let digest = SHA256.hexadecimal(of: body).prefix(8)
      return "a file of \(body.count.counted("byte")) (SHA-256 \(digest)…)"
    }
    return switch (held.current, held.revision) {
    case (nil, _): held.equality == nil ? "another file" : "the given file"
    case (let current?, let revision?):
      "revision \(revision)" + (revision == current ? ", the current one" : "")
    case (_?, nil): "a file that is none of the revisions"
    }
  }
}

extension Reply {
  /// Whether the content is another file, whatever its type.
  fileprivate func differs(from other: Reply) -> Bool { content != other.content }
}

extension String {
  fileprivate var droppingStop: Substring { hasSuffix(".") ? dropLast() : self[...] }
}
