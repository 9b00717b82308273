import Association
import HTTP
import Store

/// `/v1/explain`.
struct ExplainEndpoint: Sendable {
  let store: Store

  var explain: Endpoint {
    Endpoint(
      .post, "/v1/explain", .role(.viewer), isFilteredByToken: true,
      "explain", .answers, "Explain what a device prints about associations",
      description:
        "Recognizes what `swcutil`, a sysdiagnose, the log of `swcd`, Apple's CDN, App Store Connect, "
        + "`ASAuthorizationError`, `adb`, the Credential Manager, browsers and Google's Digital Asset Links API print, and "
        + "compares it with what is and was "
        + "published. Other hosts are counted, not shown. Nothing of the text is stored or logged.",
      body: .text, problems: [.invalidInput],
      answers: .ok(
        "What the text means; a text of another form has the kind `unknown`.", "DeviceExplanation")
    ) { call in
      if call.request.body.isEmpty {
        throw InvalidInput(.malformedValue, "The body is empty. Send what the device printed.")
      }
      let output = DeviceOutput(call.request.body)
      var explanation = DeviceExplanation(of: output)
      var published = try PublishedHosts(
        of: output.rows.compactMap(\.host), store, within: call.scope)
      for row in output.rows {
        if call.request.clientHasGone() { throw StoreError.busy }
        guard let host = row.host else {
          explanation.add(row, nil)
          continue
        }
        // No domain has such a host, so the app decides whether it is ours.
        if row.state == "invalid", output.kind == .appLinks, try published.names(row.app) {
          explanation.add(row, nil)
          continue
        }
        if explanation.items.count >= Self.mostItems || published.isExhausted {
          explanation.leaveOut()
        } else if let facts = try published.facts(on: row, host, output.kind) {
          explanation.add(row, facts)
        } else {
          explanation.countOther(host)
        }
      }
      if output.isWholeTable {
        for service in ["applinks", "webcredentials", "appclips"] {
          try addMissing(service, from: output, to: &explanation, &published, call)
        }
      }
      return .json(.ok, explanation.json)
    }
  }

  /// The most rows that are explained.
  private static let mostItems = 1000
  /// The most apps of a table whose domains are looked for, and domains of each.
  private static let most = (apps: 100, domains: 200)

  /// Adds the names of domains that name an app of the device for a service, and for which the device has no entry.
  private func addMissing(
    _ service: String, from output: DeviceOutput, to explanation: inout DeviceExplanation,
    _ published: inout PublishedHosts, _ call: Call
  ) throws {
    let rows = output.rows.filter { $0.service == service }
    // An app may have entries for other services only.
    let apps = output.rows.compactMap(\.app).uniqued()
    for app in try store.known(apps.compactMap(AppIdentifier.init(usable:))).prefix(Self.most.apps)
    {
      let claimed = rows.filter { $0.app == app.text }.compactMap(\.host)
        .map { Alias(stored: $0) }
      let listed = try store.domains(
        DomainFilter(app: app, isEnabled: true, within: call.scope), limit: Self.most.domains)
      for domain in listed.page.map(\.name) {
        for name in try published.names(of: domain) where !name.isClaimed(by: claimed) {
          let host = name.description
          published.domains[host] = domain
          if explanation.items.count >= Self.mostItems || published.isExhausted { return }
          let row = DeviceRow(host: host, service: service, app: app.text, state: "no-entry")
          guard let facts = try published.facts(on: row, host, output.kind),
            facts.now.namesApp == true, facts.now.isServed
          else { continue }
          explanation.add(
            DeviceExplanation.Item(
              row: row, verdict: .noEntry(of: app.text, for: host, service), facts: facts))
        }
      }
    }
  }
}

extension Alias {
  /// Whether an app claims the name, or a part of those below it, or those for which devices ask it for the file.
  fileprivate func isClaimed(by claimed: [Alias]) -> Bool {
    claimed.contains {
      $0 == self || $0.covers(self) || isWildcard && covers($0)
        || $0.isWildcard && $0.name == name
    }
  }
}

/// Looks up what is published for the hosts on a device, each domain and each revision once.
private struct PublishedHosts {
  /// The bytes of documents that are read for one text.
  private static let mostBytes = 33_554_432

  /// A domain with what is read of it.
  private struct Known {
    let stored: StoredDomain
    let current: Read
    let check: CheckRun?
    /// Earlier revisions by number.
    var earlier: [Int: Read] = [:]
    /// What is known of the certificates of builds.
    var certificates: [Build: [PublishedFacts.Certificate]] = [:]
  }

  /// An Android app as it is on a device; a text may have those of several devices.
  private struct Build: Hashable {
    let package: PackageName
    let signatures: [Fingerprint]
  }

  /// A revision, read.
  private struct Read {
    let published: PublishedRevision
    let documents: ReadDocuments
  }

  private let store: Store
  private let scope: Scope
  /// Whether the caller may see a domain that names an Android app.
  private var seenApps: [String: Bool] = [:]
  /// The domain that each host belongs to, if the caller may see it.
  var domains: [String: DomainName] = [:]
  private var known: [DomainName: Known] = [:]
  private var bytesLeft = mostBytes

  /// Finds the domains of some hosts. Devices ask `example.com` for the file of `*.example.com`; without a domain for
  /// that, it is the one with such an alias.
  init(of hosts: [String], _ store: Store, within scope: Scope) throws {
    (self.store, self.scope) = (store, scope)
    let hosts = hosts.uniqued()
    let names = hosts.map { host -> [DomainName] in
      let isWildcard = host.hasPrefix("*.")
      guard let own = DomainName(usable: isWildcard ? String(host.dropFirst(2)) : host) else {
        return []
      }
      return [own] + (isWildcard ? [DomainName(usable: "a.\(own)")].compactMap(\.self) : [])
    }
    let serving = try store.domains(serving: names.flatMap(\.self).uniqued())
    var visible: [DomainName: Bool] = [:]
    for (host, names) in zip(hosts, names) {
      guard let domain = names.lazy.compactMap({ serving[$0] }).first else { continue }
      let isVisible = try visible[domain] ?? store.has(domain, scope)
      visible[domain] = isVisible
      if isVisible { domains[host] = domain }
    }
  }

  /// Whether so many documents were read that no more are.
  var isExhausted: Bool { bytesLeft < 0 }

  mutating func names(of name: DomainName) throws -> [Alias] {
    guard let known = try known(name) else { return [] }
    self.known[name] = known
    return known.stored.domain.names
  }

  /// Whether a domain that the caller may see names an Android app.
  mutating func names(_ app: String?) throws -> Bool {
    guard let app, let package = PackageName(app) else { return false }
    if let isSeen = seenApps[app] { return isSeen }
    let filter = DomainFilter(androidApp: package, within: scope)
    let isSeen = try seenApps.count < 100 && !store.domains(filter, limit: 1).page.isEmpty
    seenApps[app] = isSeen
    return isSeen
  }

  /// What is published for a row; `nil` for a host that is not published here.
  mutating func facts(
    on row: DeviceRow, _ host: String, _ kind: DeviceOutput.Kind
  ) throws -> PublishedFacts? {
    guard let name = domains[host], var known = try known(name) else { return nil }
    defer { self.known[name] = known }
    let document = kind.document
    let domain = known.stored.domain
    let state = { (read: Read, domain: Domain?) in
      PublishedFacts.State(
        revision: read.published.revision.number, publishedAt: read.published.revision.publishedAt,
        isServed: read.published.documents[document] != nil
          && domain.map { $0.isEnabled && Self.serves($0, host) } ?? true,
        namesApp: Self.names(row.app, row.service, document, in: read.documents))
    }
    var facts = PublishedFacts(
      domain: name, isEnabled: domain.isEnabled, now: state(known.current, domain))
    if known.current.published.documents[document] == nil { facts.missing = document }
    if let asked = row.lastChecked {
      do {
        facts.then =
          try then(asked, &known).map { earlier in
            .published(
              state(earlier, try earlier.published.domain()),
              isSameFile: earlier.published.documents[document]
                == known.current.published.documents[document])
          } ?? .nothing
      } catch StoreError.notFound {
        // The revision was pruned, so nobody knows.
      }
    }
    if let run = known.check {
      facts.check = (run.codes, run.lastAt)
      if document == .apple { facts.copy = try copy(run, known) }
    }
    guard let app = row.app, facts.now.namesApp == false || document == .assetLinks else {
      return facts
    }
    if document == .apple {
      let apps = known.current.documents.apple.apps(for: row.service ?? "")
      facts.nearMiss = AppIdentifier(stored: app).sentence(onOthersIn: apps)
      if row.service == "appclips" { facts.appClip = apps.first { $0.hasPrefix("\(app).") } }
    } else if let package = PackageName(app) {
      let statements = known.current.documents.assetLinks?.statements ?? []
      let build = Build(package: package, signatures: row.signatures)
      facts.certificates = try known.certificates[build] ?? certificates(of: build, statements)
      known.certificates[build] = facts.certificates
      if facts.now.namesApp == false {
        facts.nearMiss = package.sentence(onOthersIn: statements.compactMap(\.package))
      }
    }
    return facts
  }

  private mutating func known(_ name: DomainName) throws -> Known? {
    if let known = known[name] { return known }
    do {
      let stored = try store.domain(name)
      let current = try read(store.revision(stored.revision, of: stored))
      let check = try store.checks(of: name, before: nil, limit: 1).first
      return Known(stored: stored, current: current, check: check)
    } catch StoreError.notFound {
      // Deleted since it was looked up.
      return nil
    }
  }

  private mutating func read(_ published: PublishedRevision) throws -> Read {
    bytesLeft -= published.documents.values.reduce(1000) { $0 + $1.count }
    return Read(published: published, documents: try ReadDocuments(stored: published.documents))
  }

  /// Whether a domain serves a host; for a wildcard, the name that devices ask.
  private static func serves(_ domain: Domain, _ host: String) -> Bool {
    let name = host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
    guard let name = DomainName(usable: name) else { return false }
    return domain.name == name || domain.aliases.contains { $0.covers(host: name.text) }
  }

  /// Whether a file names an app; `nil` if that cannot be told. A file without any app for the service names none.
  private static func names(
    _ app: String?, _ service: String?, _ document: DocumentKind, in documents: ReadDocuments
  ) -> Bool? {
    guard let app else {
      let isEmpty = service.map { documents.apple.apps(for: $0).isEmpty }
      return document == .apple && isEmpty == true ? false : nil
    }
    if document == .apple { return service.map { documents.apple.apps(for: $0).contains(app) } }
    let statements = documents.assetLinks?.statements ?? []
    return statements.contains { $0.relations.contains(.handleAllURLs) && $0.package == app }
  }

  private mutating func then(_ time: UnixTime, _ known: inout Known) throws -> Read? {
    guard let published = try store.revision(of: known.stored, at: time) else { return nil }
    let number = published.revision.number
    if let read = number == known.stored.revision ? known.current : known.earlier[number] {
      return read
    }
    let read = try read(published)
    known.earlier[number] = read
    return read
  }

  /// What Apple's CDN had at a check; `nil` if that is unknown.
  private func copy(_ run: CheckRun, _ known: Known) throws -> PublishedFacts.Copy? {
    guard let number = run.cdnRevision else {
      return run.result?["cdn"] == nil
        ? nil : PublishedFacts.Copy(revision: nil, isCurrent: false, checkedAt: run.lastAt)
    }
    let revisions = try store.revisions(of: known.stored.domain.name, before: number + 1, limit: 1)
    let sha256 = { (revision: Revision?) in
      revision?.documents.first { $0.kind == .apple }?.sha256
    }
    let held = sha256(revisions.first { $0.number == number })
    return PublishedFacts.Copy(
      revision: number, isCurrent: held != nil && held == sha256(known.current.published.revision),
      checkedAt: run.lastAt)
  }

  private mutating func certificates(
    of build: Build, _ statements: [AssetLinks.Statement]
  ) throws -> [PublishedFacts.Certificate] {
    if build.signatures.isEmpty { return [] }
    // Whose keys they are is only for those who may see the app.
    let isSeen = try scope.isEverything || names(build.package.text)
    let stored = isSeen ? try store.androidApp(build.package)?.certificates ?? [] : []
    return build.signatures.map { fingerprint in
      PublishedFacts.Certificate(
        fingerprint, label: stored.first { $0.fingerprint == fingerprint }?.label,
        isPublished: statements.link(.handleAllURLs, to: build.package, signedWith: fingerprint))
    }
  }
}

extension AssetLinks.Statement {
  /// The package of the app that it is about.
  fileprivate var package: String? {
    if case .app(let package, _) = target { package.text } else { nil }
  }
}
