/// For each entry of a document, the routes of earlier entries that its apps try before its own.
///
/// Devices try the routes of all entries of an app, in file order. So the apps of one entry may come to
/// it from different pasts, each a chain of links. Equal pasts share one chain.
struct EarlierRoutes {
  /// A past: the number of its last link.
  typealias Past = Int

  /// The past of an app's first entry.
  static let none: Past = 0

  private struct Link: Hashable {
    let before: Past
    let routes: Range<Int>
  }

  private var links = [Link(before: none, routes: 0..<0)]
  private var numbers: [Link: Past] = [:]
  /// For each link, the first route up to it that matches every URL.
  private var deciders: [Int?] = [nil]
  /// The different pasts of each entry; `none` alone if one of its apps has no past, since whatever
  /// the entry's routes do, they do for that app.
  private(set) var pasts: [[Past]] = []

  /// - Parameter isUnconditional: Whether a route matches every URL.
  init(
    _ entries: [AppLinks.Entry], _ ranges: [Range<Int>], apps: [[Int]],
    isUnconditional: (Int) -> Bool
  ) {
    /// The last link of each app: of all entries, and of those that older systems read.
    var last: [Bool: [Int: Past]] = [:]
    for (index, entry) in entries.enumerated() {
      let isOld = entry.isForOlderSystems
      let own = Set(apps[index].map { last[isOld]?[$0] ?? Self.none })
      pasts.append(own.isEmpty || own.contains(Self.none) ? [Self.none] : own.sorted())
      if ranges[index].isEmpty { continue }
      let decider = ranges[index].first(where: isUnconditional)
      for view in isOld ? [false, true] : [false] {
        for app in Set(apps[index]) {
          let past = last[view]?[app] ?? Self.none
          last[view, default: [:]][app] = link(after: past, ranges[index], decider)
        }
      }
    }
  }

  private mutating func link(
    after past: Past, _ routes: Range<Int>, _ decider: Int?
  ) -> Past {
    let isNext = past != Self.none && links[past].routes.upperBound == routes.lowerBound
    let new =
      isNext
      ? Link(
        before: links[past].before, routes: links[past].routes.lowerBound..<routes.upperBound)
      : Link(before: past, routes: routes)
    if let known = numbers[new] { return known }
    numbers[new] = links.count
    links.append(new)
    deciders.append(deciders[past] ?? decider)
    return links.count - 1
  }

  /// The routes of a past, in file order; consecutive entries are one range.
  func routes(of past: Past) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var past = past
    while past != Self.none {
      ranges.append(links[past].routes)
      past = links[past].before
    }
    return ranges.reversed()
  }

  /// The first route of a past that matches every URL.
  func decider(in past: Past) -> Int? { deciders[past] }
}

extension AppLinks.Entry {
  /// Whether iOS 12 and earlier read this entry. They read no others, so what those decide does not
  /// matter to them.
  var isForOlderSystems: Bool { appID != nil && paths != nil && !hasComponents }
}
