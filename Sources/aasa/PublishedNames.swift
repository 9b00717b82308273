import Association
import Checking
import FoundationEssentials
import Service
import Store

/// What an installation publishes, one domain after another.
final class PublishedNames {
  struct Domain {
    let name: String
    let names: [Alias]
    let isEnabled: Bool
    let environment: String
    /// The file; `nil` if the domain does not serve one of its kind.
    let file: JSON?

    fileprivate init(_ json: JSON, file: JSON?) throws {
      name = json["domain"]?.stringValue ?? ""
      names = try ([name] + (json["aliases"]?.arrayValue ?? []).compactMap(\.stringValue)).map {
        try Alias($0)
      }
      isEnabled = json["enabled"]?.boolValue != false
      environment = json["environment"]?.stringValue ?? ""
      self.file = file
    }

    /// The apps that the file names for a service, as devices read it.
    func apps(of service: String) -> [String] {
      if service != "applinks" {
        return file?[service]?["apps"]?.arrayValue?.compactMap(\.stringValue) ?? []
      }
      do throws(TooComplex) {
        return try Matcher(document: file ?? .object([:])).scopes.compactMap(\.app)
      } catch {
        return []
      }
    }
  }

  private let installation: Installation
  private let kind: DocumentKind
  private var known: [String: Domain] = [:]

  /// - Parameter kind: The files to read, and whose apps to look for.
  init(_ installation: Installation, _ kind: DocumentKind) {
    (self.installation, self.kind) = (installation, kind)
  }

  /// What the arguments choose; `nil` if neither they nor the environment choose a server or a database, and there is
  /// none at the usual place.
  static func chosen(_ arguments: Arguments, _ kind: DocumentKind) throws -> PublishedNames? {
    let variable = ProcessInfo.processInfo.environment[Setting.database.variable] ?? ""
    if try arguments.serverURL() == nil, !arguments.has(.database), variable.isEmpty,
      try Store.isMissing(Store.location(arguments), orEmpty: false)
    {
      return nil
    }
    return PublishedNames(try Installation(arguments, upgrades: false), kind)
  }

  /// The domain that a host belongs to.
  func domain(serving host: DomainName) throws -> Domain? {
    try installation.domainNames(["host": host.text]).first.map(read)
  }

  /// The domains whose files or settings name an app.
  func domains(using app: String) throws -> [Domain] {
    try installation.domainNames([kind == .assetLinks ? "androidApp" : "app": app]).map(read)
  }

  /// What an app is for; `nil` if it is not known here.
  func environment(of app: String) throws -> String? {
    let list = kind == .assetLinks ? "android-apps" : "apps"
    let answer = try installation.send(APIClient.Request("GET", "/v1/\(list)/\(app)"))
    // A token that is limited to domains may not read apps.
    if answer.status == 404 || answer.status == 403 { return nil }
    return try installation.content(of: answer, having: kind == .assetLinks ? "package" : "app")[
      "environment"]?.stringValue
  }

  private func read(_ name: String) throws -> Domain {
    if let domain = known[name] { return domain }
    let path = "/v1/domains/\(name)"
    let json = try installation.json(APIClient.Request("GET", path), having: "domain")
    let answer = try installation.send(
      APIClient.Request("GET", "\(path)/documents/\(kind.rawValue)"))
    let file = answer.status == 200 ? try JSON.parse(answer.body, limits: .trusted).value : nil
    let domain = try Domain(json, file: file)
    known[name] = domain
    return domain
  }
}

extension Installation {
  /// The names of the domains that meet conditions, as parameters of the list.
  func domainNames(_ conditions: [String: String]) throws -> [String] {
    var names: [String] = []
    var query = conditions.merging(["limit": "1000"]) { $1 }
    while true {
      let page = try json(APIClient.Request("GET", "/v1/domains", query: query), having: "items")
      names += (page["items"]?.arrayValue ?? []).compactMap { $0["domain"]?.stringValue }
      guard let next = page["next"]?.stringValue else { return names }
      query["cursor"] = next
    }
  }
}
