/// What the tools of developers say about the links of an app, before a device does: the build, the Play Console,
/// Flutter's validator of deep links, whose titles the service of Google has, Branch's validator, and Apple's former one.
/// Also what Lint of Android says of the manifest and of the file, what Flutter and Expo say of a link that the app does
/// not know, Chrome and Apple's systems of one whose scheme they do not open, IIS of a file that it does not know, and
/// what an iPhone shows in place of an App Clip.
enum DeveloperToolError: CaseIterable {
  case exported, placeholder
  case path, host, action, browsable, `default`, autoVerify
  case otherDomains, redirect, https, contentType, fingerprint, package, noFile
  case noAppleFile, appleFormat, appIdentifier
  case dns, status, json
  case notAssociated, notVerified
  case noRoute, noExpoRoute, noReleasedApp, noScheme, mayNotQuery, noApplication
  case noDestination, mayNotQueryOnAndroid, noBranchHost
  case elements, letterCase, schemes, query
  case dynamicLinks, extensionConfiguration
  case noAppClip

  private var markers: [Marker] {
    switch self {
    case .exported: [.exportedNeeded, .explicitExported]
    case .placeholder: [.placeholder]
    case .path: [.pathWithoutSlash, .lintPath, .lintQuotedPath]
    case .host: [.malformedHost]
    case .action: [.noActionTag]
    case .browsable: [.noBrowsableTag, .lintBrowsable]
    case .default: [.noDefaultTag]
    case .autoVerify: [.noAutoVerifyTag, .lintAutoVerify]
    case .otherDomains: [.otherDomainsFail]
    case .redirect: [.redirects]
    case .https: [.noHTTPS, .branchHTTPS, .lintConnection]
    case .contentType: [.wrongContentType, .branchContentType, .lintContentType]
    case .fingerprint: [.wrongFingerprint]
    case .package: [.noPackageName, .lintOtherApp]
    case .noFile: [.noAssetLinks]
    case .noAppleFile: [.noAppleFile]
    case .appleFormat: [.appleFormat]
    case .appIdentifier: [.noAppIdentifier]
    case .dns: [.branchDNS, .lintUnknownHost]
    case .status: [.branchStatus]
    case .json: [.branchJSON, .lintSyntax, .lintParsing]
    case .notAssociated: [.domainsNotAssociated]
    case .notVerified: [.domainNotVerified, .domainsFailed]
    case .noRoute: [.flutterRoute, .initialRoute, .goRoute]
    case .noExpoRoute: [.expoRoute]
    case .noReleasedApp: [.noReleasedApp]
    case .noScheme: [.unknownScheme, .noRegisteredHandler]
    case .mayNotQuery: [.mayNotQuery, .queriedSchemes]
    case .noApplication: [.noApplication, .workspaceError, .workspaceCode]
    case .noDestination: [.navigationGraph]
    case .mayNotQueryOnAndroid: [.componentName]
    case .noBranchHost: [.branchNoHosts, .branchNoFilter]
    case .elements: [.lintElements, .lintScheme, .lintHost, .lintQuotedScheme, .lintQuotedHost]
    case .letterCase: [.lintHostCase, .lintSchemeCase]
    case .schemes: [.lintSchemes]
    case .query: [.lintQuery]
    case .dynamicLinks:
      [.dynamicLinksOutput, .dynamicLinksPrefix, .dynamicLinkNotFound, .invalidDynamicLink]
    case .noAppClip: [.appClipError]
    case .extensionConfiguration: [.extensionConfiguration]
    }
  }

  /// Words of which one stands in the text, too, where the marker may be about something else.
  private var context: [String] {
    switch self {
    case .exported: ["android:exported"]
    case .notAssociated: ["web domains"]
    case .path: ["android:path", "AppLink"]
    case .dns: ["Your domain", "Unknown host: http"]
    case .json: [Marker.branchJSON.rawValue, "assetlinks.json"]
    case .elements: ["App Links", "AppLink", "AndroidManifest"]
    case .noExpoRoute: ["Page could not be found"]
    case .noDestination: ["cannot be found"]
    case .mayNotQueryOnAndroid: ["UrlLauncher"]
    case .noApplication:
      [
        "canOpenURL", "openURL", "openurl", "Simulator device failed to open",
        Marker.workspaceError.rawValue, "code=115",
      ]
    case .dynamicLinks: ["Dynamic Links", "App ID Prefix"]
    case .extensionConfiguration: ["assetlinks.json", "apple-app-site-association"]
    case .placeholder, .noAppClip, .noBranchHost, .noRoute, .noReleasedApp, .noScheme, .mayNotQuery,
      .noFile, .action, .browsable, .default, .autoVerify, .otherDomains, .noAppleFile,
      .appleFormat, .status, .schemes, .query, .letterCase:
      []
    case .host, .redirect, .https, .contentType, .fingerprint, .package, .notVerified,
      .appIdentifier:
      [
        "sset Link", "sset link", "eep link", "App Link", "app link", "web links", "assetlinks",
        "pple-App-Site-Association",
        "Your file",
      ]
    }
  }

  /// What the text says, each once.
  static func found(_ has: (Marker) -> Bool, _ text: ArraySlice<UInt8>) -> [DeveloperToolError] {
    let all = allCases.filter { error in
      error.markers.contains(where: has)
        && (error.context.isEmpty || error.context.contains(where: text.has)
          || error == .dynamicLinks && isPageOfDynamicLinks(text))
        && (error != .noRoute || has(.flutterRoute) || has(.initialRoute)
          || isLinkWithoutRoute(text))
        && error.isExact(text)
    }
    let causes = all.filter { !$0.isNoiseInLogs }
    let isNoise = !causes.isEmpty || text.count > longest || aboutWebLinks.contains(where: text.has)
    return isNoise ? causes : all
  }

  /// Whether what stands around everyday words is what the tool writes there.
  private func isExact(_ text: ArraySlice<UInt8>) -> Bool {
    let places = markers.first.map { text.ranges(of: $0.rawValue).prefix(100) } ?? []
    return switch self {
    case .placeholder:
      places.contains { place in
        text[..<place.lowerBound].suffix(400).ranges(of: "Attribute ").last.map {
          text[$0.upperBound...].starts(with: "data@".utf8)
        } ?? false
      }
    case .mayNotQueryOnAndroid:
      places.contains { place in
        text[place.upperBound...].prefix(1000).drop { $0 != UInt8(ascii: " ") }
          .starts(with: " is null".utf8)
      }
    case .noAppClip:
      // `SCPSErrorDomain` is another one.
      places.contains { place in
        text[..<place.lowerBound].last.map {
          !($0.isASCIIDigit || $0 > UInt8(ascii: "@") && $0 < 0x80)
        } ?? true
      }
    default: true
    }
  }

  /// Whether a text is, or an element of a page has, the heading of the page that Google shows for such a link.
  private static func isPageOfDynamicLinks(_ text: ArraySlice<UInt8>) -> Bool {
    [Marker.dynamicLinkNotFound, .invalidDynamicLink].contains { heading in
      text.trimmed.elementsEqual(heading.rawValue.utf8) || text.has(">\(heading.rawValue)<")
    }
  }

  /// What a text says about links of the web, which are no matter of schemes.
  private static let aboutWebLinks = [
    "niversal link", "niversal Link", "applinks:", "failed to open http", "failed for URL: \"http",
  ]

  /// Whether apps log it all the time, so that it says little in a text about something else.
  private var isNoiseInLogs: Bool {
    [.mayNotQuery, .mayNotQueryOnAndroid, .noApplication].contains(self)
  }

  /// The length of a text that is hardly more than such an error, in bytes.
  private static let longest = 2000

  /// Whether go_router names a URL, as for a link, and not only a path, as for any place in the app.
  private static func isLinkWithoutRoute(_ text: ArraySlice<UInt8>) -> Bool {
    text.ranges(of: Marker.goRoute.rawValue).prefix(100).contains { place in
      let scheme = text[place.upperBound...].prefix {
        $0.isASCIILetterOrDigit || "+-.".utf8.contains($0)
      }
      return !scheme.isEmpty && text[scheme.endIndex...].starts(with: "://".utf8)
    }
  }

  /// The error that the `error` of a row is.
  init?(_ words: String) {
    let found = Self.allCases.first { $0.markers.contains { $0.rawValue == words } }
    guard let found else { return nil }
    self = found
  }

  /// A row for each error: for none of the domains in the text it is certain which one has it.
  static func rows(in text: PastedText) -> DeviceRows {
    let words = Marker.found(in: text.flat)
    var found = DeviceRows()
    for error in Self.found({ words[$0] != nil }, text.flat) {
      var row = DeviceRow(state: "failed")
      row.error = error.markers.first { words[$0] != nil }?.rawValue
      found.add(row)
    }
    return found
  }
}

extension DeviceCase {
  /// What is wrong with an app's links for a tool of developers.
  var developerToolVerdict: DeviceVerdict {
    let check = "Run `aasa check --app PACKAGE DOMAIN`"
    let appleCheck = "Run `aasa check --app APP DOMAIN`"
    let manifest = "Run `aasa manifest AndroidManifest.xml`"
    func verdict(
      _ code: DeviceVerdict.Code, _ actor: DeviceVerdict.Actor, _ message: String, _ next: String
    ) -> DeviceVerdict { DeviceVerdict(code, .likely, actor, message, next: next) }
    func lacks(_ element: String) -> DeviceVerdict {
      verdict(
        .noActivity, .appTeam,
        "An intent filter lacks \(element), so links do not open the app. Nothing on the server needs to change.",
        "Add it. \(manifest), which names the hosts of the filter.")
    }
    return switch row.error.flatMap({ DeveloperToolError($0) }) {
    case .exported:
      DeviceVerdict(
        .manifestRefused, .sure, .appTeam,
        "An activity, a service or a receiver with an intent filter lacks android:exported. An app for Android 12 (API level "
          + "31) or later can be neither built nor installed without it. Nothing on the server needs to change.",
        next:
          "Write android:exported at the element that the error names: \"true\" for an activity with links, \"false\" for one "
          + "that no other app starts. If the element is a library's, update the library."
      )
    case .placeholder:
      verdict(
        .manifestRefused, .appTeam,
        "The manifest has a placeholder in the host, the scheme or the path of links, and the build has no value for it. "
          + "Nothing on the server needs to change.",
        "Set the one that the error names in `manifestPlaceholders` of the app's build.gradle.")
    case .path:
      verdict(
        .noActivity, .appTeam,
        "A path of the manifest does not begin with a slash, so it matches no link. Nothing on the server needs to change.",
        "Write the slash. \(manifest), which names the path.")
    case .host:
      verdict(
        .notADomain, .appTeam, "A host of the manifest is no domain name.",
        "Write the name alone, such as www.example.com. \(manifest), which names the host.")
    case .action: lacks("the action VIEW")
    case .browsable: lacks("the category BROWSABLE")
    case .default: lacks("the category DEFAULT")
    case .autoVerify:
      verdict(
        .notAutoVerified, .appTeam,
        "An intent filter lacks android:autoVerify, so devices do not ask the site.",
        "Add android:autoVerify=\"true\". \(manifest), which names the hosts of the filter.")
    case .otherDomains:
      verdict(
        .verificationFailed, .operations,
        "This domain passed, but another one of the app fails. On Android 11 and lower, one that fails makes all of them fail.",
        "\(check) for each host that `aasa manifest` lists, and remove from the app those that are not yours."
      )
    case .redirect:
      verdict(
        .redirectRefused, .operations,
        "The site redirects the request for the file. Neither Google nor Apple follows.",
        "Serve the file at each host of the app itself. \(check), which shows where it leads.")
    case .https:
      verdict(
        .verificationFailed, .operations, "The file could not be fetched over HTTPS.",
        "\(check), and look at the certificate, and at what keeps robots out.")
    case .contentType:
      verdict(
        .unusableFile, .operations, "The site does not serve the file as JSON.",
        "Serve it as `application/json`. \(check), which shows whether a page came in its place.")
    case .fingerprint:
      verdict(
        .wrongSigningKey, .operations,
        "The file names the app, but not the certificate that signs it. With Google Play, that is the app signing key, not "
          + "the upload key.",
        "Add the SHA-256 fingerprint that the Play Console shows under App integrity.")
    case .package:
      verdict(
        .notInFile, .operations, "The file of the domain does not name the package of the app.",
        "Add the app, or correct `package_name`: it is the application ID of the build. \(check).")
    case .noFile:
      verdict(
        .verificationFailed, .operations,
        "Google found no assetlinks.json at the domain. A robots.txt that keeps Google out has the same effect.",
        "\(check), which asks for both.")
    case .noAppleFile:
      verdict(
        .unusableFile, .operations,
        "The validator found no apple-app-site-association at a domain of the app.",
        "Serve it below /.well-known/, without an extension. \(appleCheck), which asks as devices do."
      )
    case .appleFormat:
      verdict(
        .unusableFile, .operations,
        "A part of apple-app-site-association is not as Apple documents it.",
        "Run `aasa validate FILE`, which names the place and what to write.")
    case .appIdentifier:
      verdict(
        .notInFile, .operations, "apple-app-site-association of the domain does not name the app.",
        "Add the app as `<prefix>.<bundle identifier>`; the prefix is usually the Team ID. \(appleCheck)."
      )
    case .dns:
      verdict(
        .neverDownloaded, .operations, "The validator could not look the domain up.",
        "Give the name public DNS records, unless the machine that ran Lint has no network. \(appleCheck)."
      )
    case .status:
      verdict(
        .unusableFile, .operations, "The site answers the validator with an error.",
        "\(appleCheck), which shows the status, and whether Apple gets another one.")
    case .json:
      verdict(
        .unusableFile, .operations, "What the site serves at the path of the file is not JSON.",
        "\(appleCheck): a page in its place is the most common cause. `aasa validate FILE` names a mistake in the file."
      )
    case .noRoute:
      verdict(
        .requestFailed, .appTeam,
        "The app's router has no route for the path. If a link led there, the device gave it to the app, so nothing on the "
          + "server needs to change. Flutter may then open the browser.",
        "Add a route for its path. If a package such as app_links takes the links, set FlutterDeepLinkingEnabled in Info.plist "
          + "and flutter_deeplinking_enabled in the manifest to false.")
    case .noExpoRoute:
      verdict(
        .requestFailed, .appTeam,
        "Expo Router has no route for the path. If a link led there, the device gave it to the app, so nothing on the server "
          + "needs to change.",
        "Add a file for the path to the directory `app`, or rewrite the path in `redirectSystemPath` of `+native-intent`."
      )
    case .noDestination:
      verdict(
        .requestFailed, .appTeam,
        "The navigation graph of the app has no destination for the URL. If a link led there, the device gave it to the app, so "
          + "nothing on the server needs to change.",
        "Add a `<deepLink>`, or `navDeepLink`, with its address to the destination in the graph.")
    case .mayNotQueryOnAndroid:
      verdict(
        .noActivity, .appTeam,
        "Android shows the app no other app that takes the URL, so canLaunchUrl says no, whatever is installed. No domain and "
          + "no file is involved.",
        "Add an `<intent>` with the action VIEW and the scheme to `<queries>` of the manifest. Opening the URL without asking "
          + "needs none.")
    case .noBranchHost:
      verdict(
        .notADomain, .appTeam,
        "For Branch, the manifest has no intent filter for the domains of its links. Nothing on the server needs to change.",
        "Add one with android:autoVerify for each of them. \(manifest), which lists the hosts.")
    case .mayNotQuery:
      verdict(
        .noActivity, .appTeam,
        "The app may not ask whether another app has this scheme, so canOpenURL says no, whatever is installed. No domain and "
          + "no file is involved.",
        "Add the scheme to LSApplicationQueriesSchemes in Info.plist. Opening the URL without asking needs no entry."
      )
    case .noApplication:
      verdict(
        .noActivity, .appTeam,
        "No app on the device or in the simulator has the scheme of the URL. That is no link of the web, so no domain and no "
          + "file is involved.",
        "Install the app, and look at CFBundleURLTypes in the Info.plist of that build.")
    case .elements:
      verdict(
        .noActivity, .appTeam,
        "An intent filter for links lacks the action VIEW, the category DEFAULT or BROWSABLE, a scheme or a host. Nothing "
          + "on the server needs to change.",
        "\(manifest), which names what is missing.")
    case .letterCase:
      verdict(
        .noActivity, .appTeam,
        "A scheme or a host of the manifest has capital letters. Android compares them with regard to case, and links have "
          + "them in lower case.",
        "Write it in lower case. \(manifest), which names it.")
    case .schemes:
      verdict(
        .notAutoVerified, .appTeam,
        "An intent filter has another scheme beside http and https, so Android does not verify its hosts.",
        "Move that scheme to a filter of its own. \(manifest), which names the hosts.")
    case .query:
      verdict(
        .noActivity, .appTeam,
        "A path of the manifest has a query or a fragment, and Android compares it with the path of a link alone.",
        "Remove it from the path. From Android 15 on, a `<uri-relative-filter-group>` can name it. \(manifest)."
      )
    case .dynamicLinks: .dynamicLinksEnded(for: nil)
    case .noAppClip:
      verdict(
        .requestFailed, .appTeam,
        "The device has no App Clip to show for the link. Reports name links that no App Clip experience is for, and faults "
          + "of iOS, while the file was right.",
        "Compare the link with the App Clip experiences in App Store Connect, and paste what it says of the App Clip's domains. "
          + "\(appleCheck).")
    case .extensionConfiguration:
      verdict(
        .unusableFile, .operations,
        "IIS does not serve a file whose extension it does not know, or that has none.",
        "Add a `<mimeMap>` with `application/json` to web.config: for assetlinks.json with the extension `.json`, for Apple's "
          + "file with `.`, which stands for none. Put a `<remove>` in front: IIS refuses all requests if it has two."
      )
    case .noScheme:
      verdict(
        .noActivity, .appTeam,
        "The browser, or the web view of an app, does not open links with this scheme. A web view never does, whether a fitting "
          + "app is installed or not. Nothing on the server needs to change.",
        "Give such a link to the system in `shouldOverrideUrlLoading` of the web view. In a browser, install the app, or link "
          + "with https, as the files of the site are for.")
    case .noReleasedApp:
      verdict(
        .incomplete, .operations,
        "Apple's App Search API Validation Tool knew only the version in the App Store. It says nothing about other builds.",
        "\(appleCheck), and compare the build: `aasa entitlements`.")
    case .notAssociated, .notVerified, nil:
      verdict(
        .verificationFailed, .operations,
        "For Google, a domain of the app's links is not associated with the app. The text does not say which, nor why.",
        "\(check) for each host that `aasa manifest` lists, and compare the fingerprint with that under App integrity in the "
          + "Play Console.")
    }
  }
}
