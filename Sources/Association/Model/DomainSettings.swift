public import JSONValue

/// Everything except documents that decides what visitors of a domain get and which changes are refused,
/// and the rows that its documents do not tell. Revisions record it.
public struct DomainSettings: Sendable, Equatable {
  /// Other names that the same file is served for.
  public var aliases: [Alias]
  /// Whether the file is served.
  public var isEnabled: Bool
  /// The `max-age` of responses, in seconds.
  public var cacheSeconds: Int
  /// What the domain is for.
  public var environment: App.Environment
  /// Whether an app of another environment is an error instead of a warning.
  public var isStrict: Bool
  /// URLs with their required resolutions.
  public var expectations: [Expectation]
  /// What the rows have for Android.
  public var android: AndroidRows

  /// The settings of a domain.
  public init(of domain: Domain) {
    aliases = domain.aliases
    isEnabled = domain.isEnabled
    cacheSeconds = domain.cacheSeconds
    environment = domain.environment
    isStrict = domain.isStrict
    expectations = domain.expectations
    android = AndroidRows(of: domain)
  }

  /// Sets what visitors notice: names, `enabled` and `cacheSeconds`.
  public func restoreService(of domain: inout Domain) {
    domain.aliases = aliases
    domain.isEnabled = isEnabled
    domain.cacheSeconds = cacheSeconds
  }

  /// Sets everything.
  public func restore(_ domain: inout Domain) {
    restoreService(of: &domain)
    domain.environment = environment
    domain.isStrict = isStrict
    domain.expectations = expectations
  }
}

extension DomainSettings {
  /// The settings as the API writes them and the store keeps them.
  public var json: JSON {
    var object: JSON.Object = [
      "aliases": .strings(aliases.map(\.description)), "enabled": .bool(isEnabled),
      "cacheSeconds": .integer(cacheSeconds), "environment": .string(environment.rawValue),
      "strict": .bool(isStrict), "expectations": .array(expectations.map(\.json)),
    ]
    object["android"] = android.json
    return .object(object)
  }

  /// Reads what `json` wrote; `nil` for anything else.
  public init?(json: JSON) {
    guard let aliases = json["aliases"]?.arrayValue, let isEnabled = json["enabled"]?.boolValue,
      let cacheSeconds = json["cacheSeconds"]?.integerValue,
      let environment = json["environment"]?.stringValue.flatMap(App.Environment.init),
      let isStrict = json["strict"]?.boolValue,
      let expectations = json["expectations"]?.arrayValue,
      let android = AndroidRows(json: json["android"])
    else { return nil }
    self.aliases = aliases.compactMap { $0.stringValue.map(Alias.init(stored:)) }
    self.isEnabled = isEnabled
    self.cacheSeconds = cacheSeconds
    self.environment = environment
    self.isStrict = isStrict
    self.expectations = expectations.compactMap(Expectation.init)
    self.android = android
    guard self.aliases.count == aliases.count, self.expectations.count == expectations.count
    else { return nil }
  }
}

extension Expectation {
  var json: JSON {
    var object: JSON.Object = ["url": .string(url)]
    if app.platform != .ios { object["platform"] = .string(app.platform.rawValue) }
    object["app"] = .string(app.text)
    object["resolution"] = .string(resolution.rawValue)
    return .object(object)
  }

  fileprivate init?(_ json: JSON) {
    guard let url = json["url"]?.stringValue, let app = json["app"]?.stringValue,
      let resolution = json["resolution"]?.stringValue.flatMap(Resolution.init)
    else { return nil }
    switch json["platform"]?.stringValue {
    case nil: self.init(url: url, app: AppIdentifier(stored: app), resolution: resolution)
    case Platform.android.rawValue?:
      guard let package = PackageName(app) else { return nil }
      self.init(url: url, app: .android(package), resolution: resolution)
    default: return nil
    }
  }
}
