import Association

/// What is wrong with an Android app's manifest, by itself and beside what is published.
struct ManifestCheck {
  /// What the manifest is compared with.
  enum Published {
    case names(PublishedNames)
    /// The file of every host.
    case file(AssetLinks)
    case nothing
  }

  /// A host that links of the web have.
  struct Host {
    let text: String
    /// `nil` for one with a placeholder or that is none.
    let name: Alias?
    /// The filters that name it.
    var filters: [LinkableFilter] = []

    var isAutoVerified: Bool { filters.contains(where: \.filter.isAutoVerified) }

    /// The paths in its filters, as attributes.
    var paths: [String] {
      filters.flatMap(\.filter.pathAttributes).uniqued()
    }

    var line: String {
      let paths = paths
      return "  \(text): \(isAutoVerified ? "autoVerify" : "no autoVerify")"
        + (paths.isEmpty
          ? "" : ", \(paths.prefix(5).joined(separator: " "))\(paths.count > 5 ? " …" : "")")
    }
  }

  /// A filter with a scheme of the web and a host.
  struct LinkableFilter {
    let filter: AndroidManifest.IntentFilter
    /// What it asks of links; `nil` if a value cannot be read, which is reported once.
    let paths: LinkFilter?
    /// Whether each of its paths is a mistake, as findings say, so that it takes hardly any link.
    let isMistaken: Bool
  }

  private(set) var hosts: [Host] = []
  private(set) var findings: [ProjectFinding] = []
  let app: PackageName?
  /// The patterns of a filter that are tried with a link that they miss.
  private static let mostTried = 50
  /// What comparing all hosts may still take.
  var comparisonSteps = 100_000_000
  /// Whether a finding says why there is no host.
  private var isExplained = false
  let manifest: AndroidManifest
  let published: Published

  init(_ manifest: AndroidManifest, app: PackageName?, _ published: Published) {
    (self.manifest, self.app, self.published) = (manifest, app, published)
  }

  var isFine: Bool { !findings.contains { $0.severity == .error } }

  mutating func add(
    _ code: String, _ severity: Finding.Severity, _ entry: String, _ message: String,
    of names: [String] = [], url: String? = nil
  ) {
    findings.append(
      ProjectFinding(
        code: code, severity: severity, entry: entry, message: message,
        names: [entry, entry.hasPrefix("*.") ? String(entry.dropFirst(2)) : ""] + names
          + [url].compactMap(\.self), url: url))
  }

  mutating func run() throws {
    collectHosts()
    for graph in manifest.navigationGraphs.uniqued() {
      add(
        "placeholder", .warning, graph,
        "The build makes intent filters from this navigation graph, so the file does not have them. \(Self.checkBuilt)"
      )
    }
    if manifest.isOnlyStatements { return }
    if hosts.isEmpty && manifest.navigationGraphs.isEmpty && !isExplained {
      let almost = manifest.filters.lazy.flatMap { $0.values("scheme") }.first(
        where: Self.isAlmostWeb)
      add(
        "no-links", .error, "",
        "No intent filter of an activity has a host and the scheme https or http, so no link of the web opens the"
          + " app. "
          + (almost.map {
            "\($0.shown) is another scheme for Android: write https alone, in lower case."
          }
            ?? "Add the filter that \"intentFilter\" of the domain's snippets has."))
    }
    if app == nil {
      add(
        "app-unknown", .note, "",
        "The file does not say which app it is for, so only hosts were compared. Name its package with --app."
      )
    }
    if case .nothing = published {
      add(
        "not-compared", .note, "",
        "There is no database, so only the manifest itself was read. To compare it with what is published, use"
          + " --server, --database or --file.")
    }
    for host in hosts {
      checkFilters(of: host)
      try checkFile(of: host)
    }
    try checkNames()
  }

  // MARK: - The manifest itself

  private mutating func collectHosts() {
    var indices: [String: Int] = [:]
    let isVerifiedElsewhere = manifest.filters.contains {
      $0.isAutoVerified && !$0.values("host").isEmpty
    }
    let isForWeb = manifest.filters.contains { $0.values("scheme").contains(where: Self.isWeb) }
    isExplained = checkPlaces(in: manifest)
    if let statements = manifest.statements { checkStatements(statements) }
    for filter in manifest.filters {
      let schemes = filter.values("scheme")
      // An element for each path often repeats the host.
      let names = filter.values("host").uniqued()
      if checkNames(of: filter) && (schemes.isEmpty || names.isEmpty) {
        isExplained = true
        continue
      }
      if filter.isAutoVerified && filter.data.isEmpty
        && !filter.actions.contains("android.intent.action.VIEW")
      {
        add(
          "misplaced-auto-verify", isVerifiedElsewhere ? .note : .error, "",
          "A filter that takes no links, such as that of the launcher, has autoVerify. "
            + (isVerifiedElsewhere ? "Remove it there." : "Move it to the filter with the hosts."))
        continue
      }
      if filter.isAutoVerified && filter.data.allSatisfy(\.isEmpty) {
        if !isExplained {
          add(
            "no-host", .error, "",
            "A filter with autoVerify has no <data>, so it names no host, and no domain is verified for it. "
              + (filter.isOfExpo
                ? "Add \"data\" with \"scheme\" and \"host\"."
                : "Add <data android:scheme=\"https\" /> and one with android:host.")
              + filter.dataInComment)
        }
        isExplained = true
        continue
      }
      if schemes.contains(where: Self.isWeb) || schemes.isEmpty && filter.isAutoVerified {
        if names.isEmpty {
          let paths = filter.pathAttributes
          if !paths.isEmpty {
            add(
              "path-without-host", .warning, paths[0],
              "Android ignores the paths of a filter that has no host.")
          }
          if filter.isAutoVerified {
            add(
              "no-host", .error, "",
              "A filter with autoVerify names no host, so no domain is verified for it."
                + filter.dataInComment)
          }
        }
      } else if schemes.contains(where: Self.isPlaceholder) && !names.isEmpty {
        reportPlaceholders(schemes)
        continue
      } else {
        // Without any filter for the web, `no-links` says so.
        if let scheme = schemes.first(where: Self.isAlmostWeb), isForWeb {
          add(
            "https-missing", .error, names.first ?? scheme,
            "Its filter has the scheme \(scheme.shown). Android compares schemes case-sensitively and in full, so its links "
              + "do not open the app. Write https alone, in lower case.")
        }
        continue
      }
      if schemes.isEmpty {
        add(
          "no-scheme", .error, names.first ?? "",
          "Its filter has no scheme, so \(names.isEmpty ? "it opens no links" : "Android ignores the host"). \(filter.addHTTPS)"
        )
        continue
      }
      reportPlaceholders(
        schemes + filter.values("port") + [filter.autoVerifyPlaceholder].compactMap(\.self))
      checkQueries(of: filter)
      let linkable = linkable(filter, names)
      for name in names {
        if let index = indices[name] {
          hosts[index].filters.append(linkable)
        } else {
          indices[name] = hosts.count
          hosts.append(
            Host(text: name, name: alias(name, in: filter), filters: [linkable]))
        }
      }
    }
  }

  private static func isWeb(_ scheme: String) -> Bool { scheme == "https" || scheme == "http" }

  /// Whether a scheme of the web is meant: Android compares schemes with regard to case.
  private static func isAlmostWeb(_ scheme: String) -> Bool {
    !isWeb(scheme) && isWeb(scheme.lowercased().prefix { $0 != ":" }.description)
  }

  private static func isBlank(_ scheme: String) -> Bool { scheme.allSatisfy { $0 == " " } }

  /// A scheme in a sentence.
  private static func words(_ scheme: String) -> String {
    isBlank(scheme) ? scheme.quoted : scheme.shown
  }

  private static func isPlaceholder(_ value: String) -> Bool {
    AndroidManifest.isPlaceholder(value)
  }

  private static let checkBuilt =
    "Check the manifest of the built app instead: apkanalyzer manifest print FILE.apk | aasa manifest -"

  private mutating func reportPlaceholders(_ values: [String]) {
    for value in values where Self.isPlaceholder(value) { reportPlaceholder(value) }
  }

  private mutating func reportPlaceholder(_ value: String) {
    if findings.contains(where: { $0.code == "placeholder" && $0.entry == value }) { return }
    add(
      "placeholder", .warning, value,
      "The build puts a value here, which the file does not say, so what depends on it was not compared. "
        + Self.checkBuilt)
  }

  /// A host as a domain name; `nil` with a finding if it is none.
  private mutating func alias(
    _ text: String, in filter: AndroidManifest.IntentFilter
  ) -> Alias? {
    if Self.isPlaceholder(text) {
      reportPlaceholder(text)
      return nil
    }
    if text == "*" {
      if !filter.isAutoVerified {
        if filter.faults.isEmpty && !filter.pathAttributes.isEmpty && !filter.opensFiles {
          add(
            "no-auto-verify", .warning, text,
            "From Android 12 on, links of the web open the browser unless the app is verified for their host, and nobody "
              + "can verify every host. Name the hosts, with android:autoVerify=\"true\".")
        }
        return nil
      }
      add(
        "malformed-host", .error, text,
        "Android cannot verify every host. Name the hosts, or *.example.com for all names below one."
      )
      return nil
    }
    do throws(ValidationError) {
      let name = try Alias(text)
      guard name.name.isPublic else {
        add("malformed-host", .error, text, "Android cannot verify it. \(name.name.notPublic)")
        return nil
      }
      if DomainName.isOfDynamicLinks(name.name.text) {
        add(
          "dynamic-links", .warning, text,
          "This is a name of Firebase Dynamic Links. \(DomainName.dynamicLinksEnded) \(DomainName.dynamicLinksHelp)"
        )
      }
      if text.contains(where: \.isUppercase) {
        add(
          "upper-case-host", .warning, text,
          "Android compares hosts with regard to case, and links have them in lower case. Write \(name)."
        )
      }
      return name
    } catch {
      // Links have addresses, and the star also stands for the beginning of a label.
      let isUsable = text.hasPrefix("*") || text.allSatisfy { $0.isNumber || $0 == "." }
      add(
        "malformed-host", .error, text,
        (isUsable
          ? "Android cannot verify it. " : "No link has this host, and Android cannot verify it. ")
          + error.message)
      return nil
    }
  }

  /// A filter with what it asks of links, and findings about its patterns.
  private mutating func linkable(
    _ filter: AndroidManifest.IntentFilter, _ hosts: [String]
  ) -> LinkableFilter {
    var isKnown = true
    var mistakes = 0
    func patterns(_ part: String, _ elements: [AndroidManifest.DataElement]) -> [PatternMatcher] {
      var found: [PatternMatcher] = []
      for element in elements {
        for kind in PatternMatcher.Kind.allCases {
          guard let text = element[part + kind.rawValue] else { continue }
          if Self.isPlaceholder(text) {
            isKnown = false
            reportPlaceholder(text)
            continue
          }
          do throws(PatternMatcher.Malformed) {
            let pattern = try PatternMatcher(text, kind)
            found.append(pattern)
            if part == "path", pattern.matchesNoPath {
              mistakes += 1
              add(
                "path-without-slash", .warning, "\(part + kind.rawValue)=\(text)",
                "It matches no link, because the path of a link begins with a slash.")
            } else if part == "path", let mistake = pattern.mistake(for: hosts) {
              mistakes += 1
              add("unlikely-path", .warning, "\(part + kind.rawValue)=\(text)", mistake)
            }
          } catch {
            isKnown = false
            add(
              "malformed-pattern", kind == .advancedGlob ? .error : .warning,
              "\(part + kind.rawValue)=\(text)", error.message)
          }
        }
      }
      return found
    }
    let paths = patterns("path", filter.data)
    let groups = filter.groups.map { group in
      LinkFilter.Group(
        isAllowed: group.isAllowed, paths: patterns("path", group.data),
        parameters: patterns("query", group.data), fragments: patterns("fragment", group.data))
    }
    let allowed = paths + groups.filter(\.isAllowed).flatMap(\.paths)
    for pattern in allowed.prefix(Self.mostTried) {
      guard let missed = pattern.missed, !allowed.contains(where: { $0.isMatch(missed.path) })
      else { continue }
      // One part of a path is often meant.
      add(
        "inner-star", missed.at == "/" && pattern.behindIdleStar == nil ? .note : .warning,
        "pathPattern=\(pattern.text)",
        (pattern.behindIdleStar.map {
          "Every path begins with a slash, which ends .* at once, so this matches only what \($0.shown) does, and not"
            + " \(missed.path.shown)."
        }
          ?? "\(missed.path.shown) does not match, because .* ends at the first \(String(missed.at).shown) and is not tried again.")
          + " If such links should open the app, write android:pathSuffix or android:pathAdvancedPattern, for Android 12 and"
          + " later.")
    }
    return LinkableFilter(
      filter: filter, paths: isKnown ? LinkFilter(paths: paths, groups: groups) : nil,
      isMistaken: isKnown && mistakes > 0 && mistakes == paths.count && groups.isEmpty)
  }

  /// What keeps the links of a host from the app, whatever is published.
  private mutating func checkFilters(of host: Host) {
    if host.name == nil { return }
    let filters = host.filters.map(\.filter)
    let clickable = filters.filter { $0.faults.isEmpty }
    guard !clickable.isEmpty else {
      for fault in filters[0].faults { add(fault.code, .error, host.text, fault.message) }
      return
    }
    if !clickable.contains(where: { $0.values("scheme").contains("https") }) {
      add(
        "https-missing", .error, host.text,
        "Its filter has no scheme https, so only links with http:// open the app. \(clickable[0].addHTTPS)"
      )
    }
    if clickable.allSatisfy({ !$0.values("port").isEmpty }) {
      let port = clickable[0].values("port")[0]
      add(
        "port", .warning, host.text,
        "Its filter has the port \(port.shown), so links without it, such as https://\(host.example)/, do not open"
          + " the app."
      )
    }
    if host.filters.allSatisfy({ $0.isMistaken || !$0.filter.faults.isEmpty }) {
      add(
        "no-path", .error, host.text,
        "Each path of its filters is a mistake, so hardly any link opens the app. Correct the paths, or remove them to take"
          + " all links.")
    }
    checkExported(of: host, clickable)
    checkGroups(of: host, clickable)
    checkPairs(of: host, clickable)
    let verified = clickable.filter(\.isAutoVerified)
    if verified.isEmpty, let name = host.name, let wildcard = verifiedWildcard(over: name) {
      add(
        "verified-by-wildcard", .note, host.text,
        "No filter for it has android:autoVerify=\"true\", but Android's code takes it as verified because of"
          + " \(wildcard), which no document says. Add it here, too.", of: [wildcard])
    } else if verified.isEmpty {
      add(
        "no-auto-verify", .error, host.text,
        "No filter for it has android:autoVerify=\"true\", so from Android 12 on its links open the browser until"
          + " somebody chooses the app in the settings. "
          + (clickable[0].isOfExpo ? "In app.json, add \"autoVerify\": true." : "Add it."))
    } else if !verified.contains(where: { $0.values("scheme").allSatisfy(Self.isWeb) }) {
      let others = verified[0].values("scheme").filter { !Self.isWeb($0) }.uniqued()
      let isOne = others.count == 1
      add(
        "custom-scheme", .error, host.text,
        "Its filter also has the scheme\(isOne ? "" : "s") \(others.map(Self.words).joined(separator: " and ")), and Android"
          + " verifies no filter with other schemes than https and http. "
          + (others.allSatisfy(Self.isAlmostWeb)
            ? "Write https alone, in lower case."
            : others.allSatisfy(Self.isBlank)
              ? "Remove the <data> element that has it."
              : "Move \(isOne ? "that scheme" : "those schemes") to a filter of \(isOne ? "its" : "their") own."),
        of: others)
    }
  }

  /// A wildcard over a host that Android verifies, as DomainVerificationService of AOSP looks for one.
  private func verifiedWildcard(over name: Alias) -> String? {
    if name.isWildcard { return nil }
    return hosts.first { other in
      other.name.map { $0.isWildcard && $0.covers(name) } == true
        && other.filters.contains {
          $0.filter.isAutoVerified && $0.filter.faults.isEmpty
            && $0.filter.values("scheme").allSatisfy(Self.isWeb)
        }
    }?.text
  }

  /// Groups that keep out what nothing lets in: the paths beside groups come first, then the first group that matches
  /// decides (AOSP, `IntentFilter.matchData`).
  private mutating func checkGroups(of host: Host, _ filters: [AndroidManifest.IntentFilter]) {
    let group = "<uri-relative-filter-group>"
    let allowing = "<uri-relative-filter-group android:allow=\"true\">"
    if filters.allSatisfy({ filter in
      !filter.groups.isEmpty && !filter.groups.contains(where: \.isAllowed)
        && filter.data.allSatisfy { !$0.keys.contains { $0.hasPrefix("path") } }
    }) {
      return add(
        "no-path", .error, host.text,
        "Each \(group) of its filter keeps links out, and nothing lets any in, so no link opens the app from Android 15 on."
          + " Add one behind them: \(allowing) with <data android:pathPrefix=\"/\" />.")
    }
    let isIdle = filters.contains { filter in
      let takesAll = filter.data.contains { $0["pathPrefix"] == "/" }
      let first = filter.groups.firstIndex { $0.isAllowed && $0.data == [["pathPrefix": "/"]] }
      return filter.groups.indices.contains { index in
        !filter.groups[index].isAllowed && (takesAll || first.map { $0 < index } == true)
      }
    }
    if isIdle {
      add(
        "idle-group", .warning, host.text,
        "A \(group) that keeps links out has no effect, because android:pathPrefix=\"/\" beside it, or in a group before it,"
          + " has already let all links in. Put it first, and that path into a group behind it.")
    }
  }

  /// Elements that pair a host with paths, as if Android read them one by one.
  private mutating func checkPairs(of host: Host, _ filters: [AndroidManifest.IntentFilter]) {
    for filter in filters {
      var paths: [String: Set<String>] = [:]
      for element in filter.data {
        guard let name = element["host"] else { continue }
        for kind in PatternMatcher.Kind.allCases {
          let attribute = "path" + kind.rawValue
          if let path = element[attribute] {
            paths[name, default: []].insert("\(attribute)=\(path)")
          }
        }
      }
      guard let own = paths[host.text],
        let other = paths.filter({ !$0.value.subtracting(own).isEmpty }).min(by: { $0.key < $1.key }
        ),
        let path = other.value.subtracting(own).min()
      else { continue }
      return add(
        "combined-data", .warning, host.text,
        "Android combines all <data> elements of a filter, so \(path.shown), which stands beside \(other.key.shown),"
          + " opens links of this host, too. Write a filter for each host.")
    }
  }
}

extension ManifestCheck.Host {
  /// A host that it covers, for examples.
  var example: String {
    guard let name else { return text }
    return name.isWildcard ? "www.\(name.name)" : name.name.text
  }
}
