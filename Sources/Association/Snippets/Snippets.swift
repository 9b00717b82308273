/// What the makers of a domain's apps paste into their projects, so that the apps name the domain as the
/// domain's files name the apps.
package struct Snippets: Sendable {
  /// The associated domains of an Apple app.
  package struct Entitlement: Sendable {
    package let app: AppIdentifier
    /// The entries, such as `applinks:example.com`.
    package let entries: [String]
    /// The entries as a part of the app's `.entitlements` file.
    package var plist: String { Snippets.plist(of: entries) }
  }

  /// Associated domains as a part of an app's `.entitlements` file.
  package static func plist(of entries: [String]) -> String {
    """
    <key>com.apple.developer.associated-domains</key>
    <array>
    \(entries.map { "\t<string>\($0.xmlEscaped)</string>" }.joined(separator: "\n"))
    </array>

    """
  }

  /// The entitlements of each Apple app, in the order of the domain's file.
  package let entitlements: [Entitlement]
  /// The intent filter for the manifest of each Android app that opens links; `nil` without such an app.
  package let intentFilter: String?
  /// An intent filter for apps that open only some URLs: Android 14 and lower, which ignore the domain's
  /// routes, open none with it. `nil` if the routes leave no URL out.
  package let intentFilterFromAndroid15: String?
  /// A configuration profile with managed associated domains for macOS, for a device management server;
  /// `nil` without an Apple app.
  package let mobileConfig: String?
  /// What else has to be so that the snippets work.
  package let notes: [String]

  package init(of domain: Domain) {
    let names = [Alias(domain.name)] + domain.aliases.filter { $0 != Alias(domain.name) }
    entitlements = Self.entitlements(of: domain.associationFile, names)
    mobileConfig = Self.mobileConfig(entitlements, domain.name)
    let opens = domain.associationFile.entries.filter { !$0.androidApps.isEmpty }
    let keptOpen = AssetLinks(.array(domain.assetLinksExtra)).statements.contains { statement in
      guard case .app = statement.target else { return false }
      return statement.relations.contains(.handleAllURLs) && !statement.keepsLinksOut
    }
    intentFilter = opens.isEmpty && !keptOpen ? nil : Self.intentFilter(names)
    let isNarrow =
      domain.hasDynamicAppLinks && !opens.isEmpty
      && !opens.allSatisfy { $0.routes.first?.isAll == true }
    intentFilterFromAndroid15 = isNarrow ? Self.intentFilter(names, isForOlder: false) : nil
    notes = names.compactMap { name in
      guard name.isWildcard, !names.contains(where: { $0.covers(host: name.name.text) }) else {
        return nil
      }
      return
        "Devices look for the file of \(name) at \(name.name), which is not a name of the domain. Add it"
        + " as an alias."
    }
  }

  // MARK: - Apple

  private static func entitlements(of document: AssociationFile, _ names: [Alias]) -> [Entitlement]
  {
    let links = document.entries.flatMap { $0.apps + ($0.appID.map { [$0] } ?? []) }
    let services =
      [("applinks", Set(links))]
      + AssociationFile.Service.allCases.map {
        ($0.rawValue, Set(document.services[$0]?.apps ?? []))
      }
    return document.appIdentifiers.map { app in
      let entries = services.filter { $0.1.contains(app) }.flatMap { service, _ in
        // Apple does not support wildcards for App Clips.
        names.filter { service != "appclips" || !$0.isWildcard }.map { "\(service):\($0)" }
      }
      return Entitlement(app: app, entries: entries)
    }.filter { !$0.entries.isEmpty }
  }

  /// Apple's page "AssociatedDomains" of Device Management. It asks for whole host names.
  private static func mobileConfig(
    _ entitlements: [Entitlement], _ domain: DomainName
  ) -> String? {
    let items = entitlements.map {
      ($0.app, $0.entries.filter { !$0.utf8.contains(UInt8(ascii: "*")) })
    }
    guard items.contains(where: { !$0.1.isEmpty }) else { return nil }
    let apps = items.filter { !$0.1.isEmpty }.map { app, entries in
      """
      \t\t\t\t<dict>
      \t\t\t\t\t<key>ApplicationIdentifier</key>
      \t\t\t\t\t<string>\(app.text.xmlEscaped)</string>
      \t\t\t\t\t<key>AssociatedDomains</key>
      \t\t\t\t\t<array>
      \(entries.map { "\t\t\t\t\t\t<string>\($0.xmlEscaped)</string>" }.joined(separator: "\n"))
      \t\t\t\t\t</array>
      \t\t\t\t</dict>
      """
    }
    let name = domain.text.split(separator: ".").reversed().joined(separator: ".").xmlEscaped
    func payload(_ type: String, _ indent: String) -> String {
      let suffix = type == "Configuration" ? "" : ".payload"
      return [
        ("PayloadDisplayName", "<string>Associated domains of \(domain.text.xmlEscaped)</string>"),
        ("PayloadIdentifier", "<string>\(name).associated-domains\(suffix)</string>"),
        ("PayloadType", "<string>\(type)</string>"),
        ("PayloadUUID", "<string>\(stableUUID(of: "\(type) \(domain)"))</string>"),
        ("PayloadVersion", "<integer>1</integer>"),
      ].map { "\(indent)<key>\($0)</key>\n\(indent)\($1)" }.joined(separator: "\n")
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>PayloadContent</key>
      \t<array>
      \t\t<dict>
      \t\t\t<key>Configuration</key>
      \t\t\t<array>
      \(apps.joined(separator: "\n"))
      \t\t\t</array>
      \(payload("com.apple.associated-domains", "\t\t\t"))
      \t\t</dict>
      \t</array>
      \(payload("Configuration", "\t"))
      </dict>
      </plist>

      """
  }

  /// A UUID of version 8 (RFC 9562), so that the profile of a domain replaces its predecessor on devices.
  private static func stableUUID(of text: String) -> String {
    // FNV-1a, twice.
    let halves = [UInt8(0), 1].map { seed in
      ([seed] + Array(text.utf8)).reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
    }
    let digits = halves.map { half in
      let text = String(half, radix: 16, uppercase: true)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    let (high, low) = (Array(digits[0]), Array(digits[1]))
    return String(high[..<8]) + "-" + String(high[8..<12]) + "-8" + String(high[13...]) + "-8"
      + String(low[1..<4]) + "-" + String(low[4...])
  }

  // MARK: - Android

  /// Google's page "Add intent filters for App Links".
  private static func intentFilter(_ names: [Alias], isForOlder: Bool = true) -> String {
    let hosts = names.map { "    <data android:host=\"\("\($0)".xmlEscaped)\" />" }
    let paths =
      isForOlder
      ? ""
      : """
          <!-- A path that no link has, so that Android 14 and lower open none. -->
          <data android:path="/.no-links-before-android-15" />
          <uri-relative-filter-group android:allow="true">
              <data android:pathPrefix="/" />
          </uri-relative-filter-group>

      """
    return """
      <intent-filter android:autoVerify="true">
          <action android:name="android.intent.action.VIEW" />
          <category android:name="android.intent.category.DEFAULT" />
          <category android:name="android.intent.category.BROWSABLE" />
          <data android:scheme="http" />
          <data android:scheme="https" />
      \(hosts.joined(separator: "\n"))
      \(paths)</intent-filter>

      """
  }
}

/// The associated domains of an Apple app, for all its domains.
package struct AppSnippets: Sendable {
  package let app: AppIdentifier
  /// The number of domains that are left out.
  package let moreDomains: Int
  /// The number of domains that the entries are for.
  package private(set) var domains = 0
  package private(set) var entries: [String] = []
  /// The entries as a part of the app's `.entitlements` file.
  package var plist: String { Snippets.plist(of: entries) }

  package init(app: AppIdentifier, moreDomains: Int) {
    self.app = app
    self.moreDomains = moreDomains
  }

  /// Adds the entries for a domain, unless it is disabled or its file does not name the app.
  package mutating func add(_ domain: Domain) {
    guard domain.isEnabled,
      let entitlement = Snippets(of: domain).entitlements.first(where: { $0.app == app })
    else { return }
    domains += 1
    entries += entitlement.entries
  }
}

extension Route {
  /// Whether the route is plainly for every URL.
  fileprivate var isAll: Bool {
    exclude != true && query == nil && fragment == nil && ["*", "/*", nil].contains(path)
  }
}

extension String {
  /// The text for the content or an attribute of an XML element.
  fileprivate var xmlEscaped: String {
    unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
