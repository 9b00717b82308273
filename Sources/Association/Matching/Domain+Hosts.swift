extension Domain {
  /// Every name that the file is served for.
  public var names: [Alias] { [Alias(name)] + aliases }

  /// What the matcher takes as the domain of a URL: the URL's own host if the file is served for it,
  /// otherwise the domain's name, so that the URL is no match.
  public func hostThatCounts(in url: String) -> String {
    let host = Matcher.host(of: url).map { $0.lowercased() } ?? ""
    return names.contains { $0.covers(host: host) } ? host : name.text
  }
}
