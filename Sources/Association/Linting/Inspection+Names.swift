import JSONValue

extension Inspection {
  /// Looks for the sibling of a domain that people type as often: `www.`, or the name without it.
  mutating func inspectNames(_ context: Linter.Context) {
    let labels = context.domain.split(separator: ".").map(String.init)
    guard labels.count >= 2, labels.first != "*" else { return }
    let parent = labels.dropFirst().joined(separator: ".")
    if labels[0] == "www" {
      if Self.isRegistrable(labels.dropFirst()), !context.names.contains(parent) {
        add(
          .apexSiblingMissing, at: .root,
          "The file is published for \(context.domain), not for \(parent): links to \(parent) stay in"
            + " the browser, since each domain needs its own file.",
          help: "Add \(parent) as an alias, if it serves links and the app's entitlement names it.")
      }
    } else if Self.isRegistrable(labels[...]) {
      let sibling = "www.\(context.domain)"
      if context.names.contains(sibling) || context.names.contains("*.\(context.domain)") { return }
      add(
        .wwwSiblingMissing, at: .root,
        "The file is published for \(context.domain), not for \(sibling): links to \(sibling) stay in"
          + " the browser, since each domain needs its own file.",
        help: "Add \(sibling) as an alias, if it serves links and the app's entitlement names it.")
    }
  }

  /// Whether the name is one that is bought: nobody expects `www.` before `shop.example.com`.
  private static func isRegistrable(_ labels: ArraySlice<String>) -> Bool {
    let secondLevel = ["co", "com", "org", "net", "ac", "gov", "edu", "or", "ne", "go"]
    let labels = Array(labels)
    return labels.count == 2 || labels.count == 3 && secondLevel.contains(labels[1])
  }
}
