/// Matches the apps of one document with those of another.
struct AppPairs {
  struct Pair {
    let before: ComparedDocument.App
    let after: ComparedDocument.App

    var isRenamed: Bool { !before.name.utf8.elementsEqual(after.name.utf8) }
  }

  /// The maximum number of pairs of apps that are compared to find renamed ones.
  private static let mostPairs = 256

  /// The apps in both documents, in the order of the second.
  private(set) var same: [Pair] = []
  /// Apps whose identifier changed, and little else.
  private(set) var renamed: [Pair] = []
  private(set) var removed: [ComparedDocument.App] = []
  private(set) var added: [ComparedDocument.App] = []

  init(_ from: ComparedDocument, _ to: ComparedDocument) {
    let old = Dictionary(
      from.apps.map { (Array($0.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    let new = Set(to.apps.map { Array($0.name.utf8) })
    removed = from.apps.filter { !new.contains(Array($0.name.utf8)) }
    for app in to.apps {
      if let before = old[Array(app.name.utf8)] {
        same.append(Pair(before: before, after: app))
      } else {
        added.append(app)
      }
    }
    pairRenamed(from, to)
  }

  /// A removed and an added app with the same routes, or most of them, are one app.
  private mutating func pairRenamed(_ from: ComparedDocument, _ to: ComparedDocument) {
    let numbers = { (document: ComparedDocument, app: ComparedDocument.App) in
      document.routes(of: app.entries).map(\.identity.meaning)
    }
    guard removed.count * added.count <= Self.mostPairs else { return }
    var open = added.map { (app: $0, routes: numbers(to, $0)) }
    removed.removeAll { app in
      let routes = numbers(from, app)
      let scores = open.map { Self.similarity(routes, $0.routes) }
      guard let best = scores.max(), best >= 50, let index = scores.firstIndex(of: best) else {
        return false
      }
      renamed.append(Pair(before: app, after: open.remove(at: index).app))
      return true
    }
    added = open.map(\.app)
  }

  /// The share of routes that are in both lists, in percent.
  private static func similarity(_ one: [Int], _ other: [Int]) -> Int {
    var counts = Dictionary(other.map { ($0, 1) }, uniquingKeysWith: +)
    let common = one.count { number in
      guard let count = counts[number], count > 0 else { return false }
      counts[number] = count - 1
      return true
    }
    return common * 100 / max(one.count, other.count, 1)
  }
}

/// Apps that share their entries, both before and after.
struct AppGroup {
  /// The apps; empty for the entries that name no app.
  let apps: [AppPairs.Pair]
  /// The indices of the entries in each document.
  let from: [Int]
  let to: [Int]

  /// The groups in the order of their first apps, followed by the entries without an app.
  static func groups(
    _ pairs: AppPairs, _ from: ComparedDocument, _ to: ComparedDocument
  ) -> [AppGroup] {
    var order: [[[Int]]] = []
    var apps: [[[Int]]: [AppPairs.Pair]] = [:]
    for pair in pairs.same + pairs.renamed {
      let key = [pair.before.entries, pair.after.entries]
      if apps[key] == nil { order.append(key) }
      apps[key, default: []].append(pair)
    }
    let groups = order.map { AppGroup(apps: apps[$0] ?? [], from: $0[0], to: $0[1]) }
    let rest = AppGroup(apps: [], from: from.entriesWithoutApp, to: to.entriesWithoutApp)
    return groups + [rest]
  }
}
