import Association
import TestSupport

/// A random state of apps and domains with every member that a state can have.
struct RandomState {
  let apps: [JSON]
  let androidApps: [JSON]
  let domains: [JSON]
  /// The code of the error that some domains have: strict ones that name an app for development.
  static let accepted = "environment-mismatch"

  var json: JSON {
    ["apps": .array(apps), "androidApps": .array(androidApps), "domains": .array(domains)]
  }

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let kinds = ["production", "staging", "development"]
    apps = Self.identifiers.map { id in
      [
        "app": .string(id), "name": .string(random.pick(["", "Shop", "Größe 👗"])),
        "environment": .string(random.pick(kinds)),
      ]
    }
    // Without Android apps, exports have no list of them.
    let packages = random.once(in: 6) ? [] : random.some(of: Self.packages)
    androidApps = packages.map { package in
      let labels = random.some(of: ["upload", "play-signing", "debug", "unknown"])
      var fingerprints: [JSON] = []
      for label in labels {
        fingerprints.append([
          "sha256": .string(Self.fingerprint(&random)), "label": .string(label),
        ])
      }
      return [
        "package": .string(package), "name": .string(random.pick(["", "Shop"])),
        "environment": .string(random.pick(kinds)), "fingerprints": .array(fingerprints),
      ]
    }
    let names = random.some(
      of: ["a.example", "b.example", "c.shop.example", "xn--bcher-kva.example", "d.example"])
    domains = names.map { RandomDomain($0, packages, &random).json }
  }

  static let identifiers = [
    "ABCDE12345.com.example.app", "ABCDE12345.com.example.beta", "FGHIJ67890.org.example.Clip",
  ]
  static let packages = ["com.example.shop", "com.example.shop.beta", "org.example.app_2"]

  static func fingerprint(_ random: inout SeededGenerator) -> String {
    let digits = Array("0123456789ABCDEF")
    var pairs: [String] = []
    for _ in 0..<32 { pairs.append(String([random.pick(digits), random.pick(digits)])) }
    return pairs.joined(separator: ":")
  }
}

/// A random domain of a state.
private struct RandomDomain {
  var json: JSON { .object(object) }
  private var object: JSON.Object = [:]
  private let name: String
  private let packages: [String]
  private let isLegacy: Bool
  private let isDictionary: Bool

  init(_ name: String, _ packages: [String], _ random: inout SeededGenerator) {
    (self.name, self.packages) = (name, packages)
    isLegacy = random.once(in: 4)
    isDictionary = isLegacy && random.once(in: 2)
    object["domain"] = .string(name)
    if random.once(in: 2) { object["aliases"] = [.string("www.\(name)"), .string("*.go.\(name)")] }
    if random.once(in: 4) { object["enabled"] = false }
    object["format"] = isLegacy ? "legacy" : "modern"
    object["cacheSeconds"] = .integer(random.pick([0, 60, 3600, 31_536_000]))
    object["environment"] = .string(random.pick(["production", "staging", "development"]))
    object["strict"] = .bool(random.once(in: 3))
    if random.once(in: 4) { object["protected"] = true }
    if random.once(in: 3) { object["labels"] = ["brand-a", "summer"] }
    if random.once(in: 3) { object["managedBy"] = "git: links-repo" }
    if random.once(in: 3) {
      object["fallback"] = [
        "web": "https://www.example.com{path}{query}",
        "page": ["title": ["en": "Hello", "de": "Grüße"], "text": "x", "button": "y"],
      ]
    }
    if isDictionary { object["details"] = "dictionary" }
    if random.once(in: 5) { object["apps"] = .strings(random.pick([[], ["old"]])) }
    if !isLegacy { addDefaults(&random) }
    var entries: [JSON] = []
    for id in random.some(of: RandomState.identifiers) { entries.append(entry(id, &random)) }
    if random.once(in: 3), let package = packages.first, !isDictionary {
      entries.append([
        "apps": [], "androidApps": [.string(package)],
        "routes": [["path": "/android/*", "comment": "only there"]],
      ])
    }
    object["entries"] = .array(entries)
    addServices(&random)
    addAndroid(&random)
    addOrigins(&random)
    if random.once(in: 3) {
      object["documents"] = [
        "gpc.json": ["mediaType": "application/json", "text": "{\"gpc\": true}\r\n"],
        "x.bin": ["mediaType": "application/octet-stream", "base64": "AP8="],
      ]
    }
    if random.once(in: 3) { object["changePassword"] = .string("https://\(name)/password") }
    addExtra(&random)
    // The manifest of an app decides without routes for Android.
    let isManifest = object["dynamicAppLinks"] == false && object["enabled"] == nil
    let named = entries.flatMap { $0["androidApps"]?.arrayValue ?? [] }.prefix(1)
    object["expectations"] = .array(
      ([.string(RandomState.identifiers[0])] + named).enumerated().map { index, app in
        [
          "url": .string("https://\(name)/nowhere"), "app": app,
          "resolution": index == 1 && isManifest ? "match" : "no-match",
        ]
      })
  }

  private mutating func addDefaults(_ random: inout SeededGenerator) {
    if random.once(in: 2) {
      object["defaults"] = ["caseSensitive": .bool(random.once(in: 2)), "percentEncoded": true]
    }
    object["substitutionVariables"] = ["food": ["burrito", "pizza"], "größe": ["s", "m"]]
  }

  /// An entry for an Apple app, and perhaps Android apps, with every condition of routes.
  private func entry(_ id: String, _ random: inout SeededGenerator) -> JSON {
    var entry: JSON.Object = ["apps": [.string(id)]]
    if !packages.isEmpty, !isDictionary, random.once(in: 2) {
      entry["androidApps"] = .strings(random.some(of: packages))
    }
    if isLegacy {
      entry["routes"] = [["path": "/kept/*", "exclude": true], ["path": "/old/*"]]
      return .object(entry)
    }
    let path = random.pick(["/a", "/B", "/caf%C3%A9"])
    let routes: [JSON] = [
      ["path": "/buy/*"], ["path": "/buy/private/*", "exclude": true],
      ["path": .string(path), "comment": "Über \"alles\"\n"],
      ["path": "/moved/*", "fallback": "https://moved.example.com{path}"],
      ["path": "/search", "query": ["q": "?*", "page": "??"]],
      ["path": "/all", "query": "x=*"], ["fragment": "part-*"],
      ["path": "/A/*", "caseSensitive": false], ["path": "/ü", "percentEncoded": false],
      ["path": "/$(food)/*"],
      ["path": "/new/*", "extra": ["unknown": [1, .null, .number("1.50")]]],
    ]
    entry["routes"] = .array(random.some(of: routes))
    switch random.next() % 4 {
    case 0:
      entry["keys"] = ["appID", "appIDs", "components", "paths"]
      entry["appID"] = .string(id)
      entry["paths"] = ["NOT /kept/*", "/old/*"]
    case 1: entry["extra"] = ["unknown": ["deep": true]]
    case 2: entry["defaults"] = ["caseSensitive": false, "percentEncoded": true]
    default: break
    }
    return .object(entry)
  }

  private mutating func addServices(_ random: inout SeededGenerator) {
    for service in ["webcredentials", "appclips", "activitycontinuation"] where random.once(in: 2) {
      object[service] = .strings(random.some(of: RandomState.identifiers))
      if object["serviceExtra"] == nil, random.once(in: 2) {
        object["serviceExtra"] = .object([service: ["unknown": "kept"]])
      }
    }
  }

  private mutating func addAndroid(_ random: inout SeededGenerator) {
    if !packages.isEmpty, random.once(in: 2) {
      object["androidCredentials"] = .strings(random.some(of: packages))
    }
    if random.once(in: 3) { object["dynamicAppLinks"] = false }
    guard random.once(in: 2) else { return }
    object["assetlinksExtra"] = [
      [
        "relation": ["delegate_permission/common.handle_all_urls"],
        "target": [
          "namespace": "android_app", "package_name": "com.example.kept",
          "sha256_cert_fingerprints": [.string(RandomState.fingerprint(&random))],
        ], "unknown": ["kept": true],
      ],
      [
        "relation": ["delegate_permission/common.get_login_creds"],
        "target": ["namespace": "web", "site": "https://www.example.org"],
      ],
    ]
  }

  private mutating func addOrigins(_ random: inout SeededGenerator) {
    if random.once(in: 2) { object["passkeyEndpoints"] = ["manage": "https://example.com/keys"] }
    guard random.once(in: 2) else { return }
    object["webauthnOrigins"] = ["https://example.co.uk", "https://example.de:8443"]
    if random.once(in: 2) { object["webauthnExtra"] = ["unknown": [1, 2]] }
  }

  private mutating func addExtra(_ random: inout SeededGenerator) {
    if random.once(in: 2) { object["extra"] = ["$comment": "by hand", "unknown": ["a": [.null]]] }
    if random.once(in: 2) { object["applinksExtra"] = ["unknown": "kept"] }
  }
}
