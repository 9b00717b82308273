import Association

/// Where the domains of an edit of many are managed, each place once.
enum ManagedDomains {
  /// The number of domains that a place names.
  private static let mostNamed = 10

  static let members = [
    Member(
      "managed",
      .list(
        of: .named(
          "ManagedDomains",
          .object([
            Member("managedBy", .string, "What the domains say."),
            Member("count", .count, "The number of domains."),
            Member("domains", .list(of: .domain), "The first ten of them."),
          ]))),
      "Where changed domains are managed: the next `apply` from there may undo the change. Left out if none says so.",
      .optional),
    Member("moreManaged", .count, "The number of places that are left out.", .optional),
  ]

  /// Adds the members to an answer.
  static func add(_ places: [DomainName: String], to answer: inout JSON.Object) {
    if places.isEmpty { return }
    let domains = Dictionary(grouping: places.keys.sorted()) { places[$0] ?? "" }
    answer.set(
      "managed", more: "moreManaged",
      Excerpt(of: domains.sorted { $0.key < $1.key }) { place, domains in
        [
          "managedBy": .string(place), "count": .integer(domains.count),
          "domains": .strings(domains.prefix(mostNamed).map(\.text)),
        ]
      })
  }
}
