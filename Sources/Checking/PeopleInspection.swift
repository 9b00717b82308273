import Association

// What somebody without the app gets for a link.
extension CheckInspection {
  /// Reports a 404 of a server like this one, and where the world does not get the domain's fallback. Other servers
  /// have pages of their own, and may have none at the path that was tried.
  mutating func inspectPeople() {
    guard let observation = seen.people, let path = subject.linkPath,
      let answer = observation.answer
    else { return }
    let expected = subject.fallback.flatMap { Self.expected($0, at: path) }
    guard let expected else {
      if answer.status == 404, answer.body.isOurs {
        add(
          .peopleGet404, observation.url,
          "\(observation.url) opens the app, and people without it get 404.",
          "Set `fallback` of the domain: where they are sent instead, or a page with links to the stores."
        )
      }
      return
    }
    if expected.isMet(by: answer) { return }
    let found =
      answer.redirect.map { "\(answer.status) to \($0.fromOutside)" }
      ?? (answer.status == 200 ? "something else with status 200" : "status \(answer.status)")
    add(
      .fallbackNotServed, observation.url,
      "\(observation.url) answers a browser with \(found), not with \(expected.words).",
      "Pass all paths of this name to aasa, not only those of its files, and purge caches in front of it."
    )
  }

  private static func expected(_ fallback: ServedFallback, at path: String) -> ExpectedAnswer? {
    var path = path
    return path.withUTF8 { bytes in
      let request = LinkTarget.Request(
        path: UnsafeRawBufferPointer(bytes), query: UnsafeRawBufferPointer(start: nil, count: 0))
      switch fallback.answer(to: request, from: .apple) {
      case .redirect(let target), .routeRedirect(let target):
        return .redirect(String(decoding: target.url(for: request), as: UTF8.self))
      case .page(let page): return .page(page)
      case nil: return nil
      }
    }
  }
}

private enum ExpectedAnswer {
  case redirect(String)
  case page(FallbackPage)

  var words: String {
    switch self {
    case .redirect(let url): "302 to \(url)"
    case .page: "the page of its fallback"
    }
  }

  func isMet(by answer: Fetch.Answer) -> Bool {
    switch self {
    case .redirect(let url): return answer.status == 302 && answer["Location"] == url
    case .page(let page):
      let text = String(decoding: answer.body, as: UTF8.self)
      return answer.status == 200 && answer.isPage
        && page.title.translations.contains {
          text.contains("<h1>\($0.text.prefix { !"&>\"'".contains($0) })")
        }
    }
  }
}

extension [UInt8] {
  /// Whether it is the body of an answer of a server like this one.
  fileprivate var isOurs: Bool { starts(with: #"{"code":"unknown-path""#.utf8) }
}
