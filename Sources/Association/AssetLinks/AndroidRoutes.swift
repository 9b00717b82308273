/// The routes of a domain's Android apps, read as Apple's systems would read them for Apple's apps.
struct AndroidRoutes: Sendable {
  /// The entries that have Android apps. The apps of these entries are packages.
  let links: AppLinks
  /// The index of each of these entries in the domain's document.
  let numbers: [Int]
  /// The packages in the order of first appearance, each with the indices of its entries in `links`.
  let apps: [(package: PackageName, entries: [Int])]

  init(_ document: AssociationFile) {
    var rest = AssociationFile()
    rest.defaults = document.defaults
    rest.substitutionVariables = document.substitutionVariables
    rest.applinksExtra = document.applinksExtra
    var numbers: [Int] = []
    var apps: [(package: PackageName, entries: [Int])] = []
    var places: [PackageName: Int] = [:]
    for (number, var entry) in document.entries.enumerated() where !entry.androidApps.isEmpty {
      for package in entry.androidApps {
        let place = places[package] ?? apps.count
        if place == apps.count { apps.append((package, [])) }
        places[package] = place
        if apps[place].entries.last != numbers.count { apps[place].entries.append(numbers.count) }
      }
      numbers.append(number)
      entry.keys.appID = false
      entry.keys.appIDs = true
      entry.appID = nil
      entry.apps = entry.androidApps.map { AppIdentifier(stored: $0.text) }
      entry.extra["appID"] = nil
      entry.extra["appIDs"] = nil
      rest.entries.append(entry)
    }
    rest.applinksExtra["details"] = nil
    links = AppLinks(document: rest.json)
    (self.numbers, self.apps) = (numbers, apps)
  }

  /// The routes of some entries as one list; none if the document is too large to be read.
  func routes(of entries: [Int]) -> [AppLinks.Route] {
    links.isTooLarge ? [] : entries.flatMap { links.entries[$0].routes }
  }
}
