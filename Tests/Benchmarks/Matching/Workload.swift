import Association
import Foundation

/// Documents, each with the URLs to resolve against all of its entries as one list.
struct Workload {
  struct Item {
    let links: AppLinks
    let urls: [String]
  }

  let name: String
  let items: [Item]

  var resolutions: Int { items.reduce(0) { $0 + $1.urls.count } }

  /// The documents of a folder that have routes. Of the URLs some are made to fit their routes, and
  /// some are such as any site has.
  static func corpus(_ folder: URL) throws -> Workload {
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    let items = try files.sorted { $0.path < $1.path }.compactMap { file -> Item? in
      guard file.pathExtension == "json", let document = try json(Data(contentsOf: file)) else {
        return nil
      }
      let links = AppLinks(document: document)
      let routes = links.entries.flatMap(\.routes)
      if routes.isEmpty { return nil }
      return Item(links: links, urls: anySite + routes.prefix(8).map(fitting))
    }
    return Workload(name: "corpus, \(items.count) documents", items: items)
  }

  /// A document of 1,000 routes in one entry: exclusions, query items and fragments among them.
  static var thousandRoutes: Workload {
    let routes = (0..<1_000).map { number -> JSON in
      let path = "/section-\(number % 40)/category-\(number)/"
      return switch number % 10 {
      case 0: ["/": .string(path + "internal/*"), "exclude": true]
      case 1: ["/": .string(path + "*"), "?": ["item": "????", "lang": "$(lang)"]]
      case 2: ["/": .string(path + "*/reviews/?*"), "#": "top*"]
      default: ["/": .string(path + "*")]
      }
    }
    let document: JSON = [
      "applinks": [
        "details": [["appIDs": ["ABCDE12345.com.example"], "components": .array(routes)]]
      ]
    ]
    let links = AppLinks(document: document)
    let all = links.entries.flatMap(\.routes)
    let urls = anySite + stride(from: 5, to: 1_000, by: 40).map { fitting(all[$0]) }
    return Workload(name: "1,000 routes", items: [Item(links: links, urls: urls)])
  }

  /// Routes that are made of variables.
  static var variables: Workload {
    let routes: JSON = [
      ["/": "/$(lang)_$(region)/$(food)/*"], ["/": "/$(region)/$(digit)$(digit)/$(food)"],
    ]
    let document: JSON = [
      "applinks": [
        "substitutionVariables": ["food": ["burrito", "pizza", "sushi", "samosa"]],
        "details": [["appIDs": ["ABCDE12345.com.example"], "components": routes]],
      ]
    ]
    let urls = [
      "https://example.com/en_GB/pizza/1", "https://example.com/fr_CA/sushi",
      "https://example.com/US/12/samosa", "https://example.com/xx_US/pizza/1",
      "https://example.com/en_GB/cake/1",
    ]
    return Workload(
      name: "variables with 900 values",
      items: [Item(links: AppLinks(document: document), urls: urls)])
  }

  private static let anySite = [
    "https://example.com", "https://example.com/index.html", "https://example.com/favicon.ico",
    "https://example.com/blog/2026/11/how-we-made-our-matching-engine-fast",
    "https://example.com/products/12345/reviews?page=2&utm_source=newsletter&utm_medium=email",
    "https://example.com/search?q=running%20shoes&sort=price#results",
    "https://example.com/user/settings/notifications", "https://example.com/assets/css/main.css",
  ]

  /// A URL that the route matches, if its query and fragment have no variables.
  private static func fitting(_ route: AppLinks.Route) -> String {
    var url = "https://example.com" + (route.path.map { text($0.pathTokens) } ?? "/")
    switch route.query {
    case .any, .ignored: break
    case .whole(let pattern): url += "?" + text(pattern.tokens)
    case .items(let items):
      url += "?" + items.map { "\($0.name)=\(text($0.pattern.tokens))" }.joined(separator: "&")
    }
    return url + (route.fragment.map { "#" + text($0.tokens) } ?? "")
  }

  private static func text(_ tokens: [Pattern.Token]) -> String {
    tokens.map { token -> String in
      switch token {
      case .literal(let text): text.map(String.init).joined()
      case .one(.any): "x"
      case .anyRun: "item-4711/details"
      case .one: "A"
      case .values(let variable): variable.values.first.map(text) ?? ""
      case .nothing, .runUntil: ""
      }
    }.joined()
  }

  private static func json(_ data: Data) throws -> JSON? {
    do {
      return try JSON.parse(data).value
    } catch {
      return nil
    }
  }
}
