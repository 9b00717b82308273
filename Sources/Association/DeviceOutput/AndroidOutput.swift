/// What `adb shell pm get-app-links` prints, and `dumpsys package d` of Android 12 and later.
struct AppLinksOutput {
  private enum Section { case none, invalid, states, signatures, enabled, disabled }

  /// Where a long line is cut, with its indentation (AOSP, `DomainVerificationDebug`).
  private static let wrapColumn = 120
  /// The shortest piece of a host without its state that is taken for one, and the longest host with its state.
  private static let (shortestPiece, longestLine) = (60, 300)
  /// The states that nothing can go on with, beside numbers; none is the beginning of another one.
  private static let states = [
    "none", "verified", "approved", "denied", "migrated", "restored", "legacy_failure",
    "system_configured", "pre_verified",
  ]
  /// The number of users, and of certificates, of a package that are kept.
  private static let (mostUsers, mostSignatures) = (20, 10)

  private var found = DeviceRows()
  /// Packages with the heading of a list of hosts, of which no host may follow.
  private var packages: Set<String> = []
  /// The package of a pasted command, for output that names none.
  private var commandPackage: String?
  private var package: String?
  private var section = Section.none
  private var signatures: [UInt8] = []
  private var rows: [DeviceRow] = []
  /// The rows of the package that are not kept.
  private var more = 0
  private var index: [String: Int] = [:]
  private var users: [DeviceRow.User] = []
  /// The choices of users by host: the index of the user, and the choice.
  private var selections: [String: [(user: Int, selection: DeviceRow.User.Selection)]] = [:]
  /// The hosts of `selections` in their order.
  private var selected: [String] = []
  /// The beginning of a line that goes on in the next one.
  private var open: [UInt8] = []

  static func rows(in text: PastedText) -> DeviceRows {
    var output = AppLinksOutput()
    text.forEachLine { output.take($0) }
    output.endPackage()
    if output.found.rows.isEmpty {
      if lacksCommand(text.flat) {
        output.found.add(DeviceRow(state: noCommand))
      } else if output.packages.count == 1, let app = output.packages.first {
        // Android prints the heading only above hosts.
        output.found.add(DeviceRow(app: app))
      }
    }
    return output.found
  }

  /// The state of a row about a device without the command.
  static let noCommand = "no-command"

  /// The commands that came with Android 12. Before, there were `get-app-link` and `set-app-link`.
  private static let commands = [
    "get-app-links", "verify-app-links", "set-app-links", "reset-app-links",
    "set-app-links-allowed", "set-app-links-user-selection", "get-app-link-owners",
  ]

  /// Whether a device says that it does not have the command.
  static func lacksCommand(_ text: ArraySlice<UInt8>) -> Bool {
    text.ranges(of: Marker.unknownCommand.rawValue).prefix(100).contains { place in
      let command = text[place.upperBound...].prefix(60).prefix {
        $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-")
      }
      return commands.contains { command.elementsEqual($0.utf8) }
    }
  }

  private mutating func take(_ line: PastedText.Line) {
    if section == .signatures {
      if line.text.isEmpty { return }
      if line.text.allSatisfy(Self.isSignatureByte) {
        return add(signatures: line.text)
      }
      section = .none
    }
    if line.text.isEmpty { return takeOpen() }
    guard open.isEmpty else { return takeContinuation(line) }
    if goesOn(line) { open = Array(line.text) } else { takeWhole(line.text) }
  }

  /// Whether a line about a host may go on in the next one.
  private func goesOn(_ line: PastedText.Line) -> Bool {
    switch section {
    case .none, .signatures: return false
    case .invalid, .enabled, .disabled:
      // A line that was indented in another way, or quoted, has as many bytes as it had. A host with a state is whole.
      let indentation = section == .invalid ? 6 : 10
      return Self.isPiece(line.text) && line.text.host.flatMap { index[$0] } == nil
        && (line.columns == Self.wrapColumn || line.text.count == Self.wrapColumn - indentation)
    case .states:
      guard let (key, value) = line.text.atColon else {
        return Self.isPiece(line.text) && line.text.count >= Self.shortestPiece
      }
      // Without a state, this may also be the next package.
      return key.host != nil && !Self.isWhole(state: value)
    }
  }

  private static func isPiece(_ text: ArraySlice<UInt8>) -> Bool {
    !text.contains { " :".utf8.contains($0) }
  }

  private static func isWhole(state: ArraySlice<UInt8>) -> Bool {
    states.contains { state.elementsEqual($0.utf8) }
      || state.count >= 4 && state.allSatisfy(\.isASCIIDigit)
  }

  private static func isSignatureByte(_ byte: UInt8) -> Bool {
    ComparedText.hexadecimal(byte) != nil || ":, ]*".utf8.contains(byte)
  }

  /// Adds a piece of the list of signatures, which is cut hard.
  private mutating func add(signatures piece: ArraySlice<UInt8>) {
    if signatures.count < 2000 { signatures += piece }
    section = piece.contains(UInt8(ascii: "]")) ? .none : .signatures
  }

  private mutating func takeContinuation(_ line: PastedText.Line) {
    let start = open
    open = []
    let colon = UInt8(ascii: ":")
    let hasColon = start.contains(colon)
    let whole = (start + (start.last == colon ? [UInt8(ascii: " ")] : []) + line.text)[...]
    let belongs =
      if hasColon {
        Self.isState(line.text)
      } else {
        Self.isPiece(line.text) || section == .states && whole.atColon?.key.host != nil
      }
    guard belongs, whole.count <= Self.longestLine else {
      // Only a package is followed by its identifier.
      if section == .states && hasColon && !line.text.starts(with: "ID:".utf8) {
        addWithoutState(start[...])
      } else {
        takeWhole(start[...])
      }
      return take(line)
    }
    let next = PastedText.Line(
      text: section == .states ? whole : line.text, columns: line.columns)
    if !hasColon && goesOn(next) { open = Array(whole) } else { takeWhole(whole) }
  }

  private mutating func takeOpen() {
    let start = open
    open = []
    if !start.isEmpty { takeWhole(start[...]) }
  }

  /// Adds the host of a line that ends before its state.
  private mutating func addWithoutState(_ line: ArraySlice<UInt8>) {
    if let host = line.atColon?.key.host { add(host, state: DeviceRow.unknownState) }
  }

  private static func isState(_ text: ArraySlice<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
  }

  private mutating func takeWhole(_ line: ArraySlice<UInt8>) {
    if takeHeading(line) { return }
    switch section {
    case .none, .signatures: break
    case .invalid:
      if let host = Self.invalidHost(line) { add(host, state: "invalid") }
    case .states:
      guard let (key, value) = line.atColon, !value.isEmpty, let host = key.host else { break }
      // People write remarks behind it.
      let word = value.words.first.flatMap { Self.isWhole(state: $0) ? $0 : nil }
      add(host, state: (word ?? value).value)
    case .enabled: select(line, .enabled)
    case .disabled: select(line, .disabled)
    }
  }

  /// Takes a line that is not about a host.
  private mutating func takeHeading(_ line: ArraySlice<UInt8>) -> Bool {
    if line.starts(with: "ID:".utf8) {
      section = .none
    } else if line.starts(with: "Signatures:".utf8) {
      let list = line.dropFirst(11).trimmed.prefix(2000)
      signatures = []
      if list.first == UInt8(ascii: "[") { add(signatures: list) } else { section = .none }
    } else if line.starts(with: "Invalid autoVerify domains:".utf8) {
      section = .invalid
    } else if line.starts(with: "Domain verification state:".utf8) {
      section = .states
      if let package, packages.count < 2 { packages.insert(package) }
    } else if line.starts(with: "Selection state:".utf8) {
      section = .none
    } else if line.elementsEqual("Enabled:".utf8) {
      section = .enabled
    } else if line.elementsEqual("Disabled:".utf8) {
      section = .disabled
    } else if line.starts(with: "User ".utf8), line.last == UInt8(ascii: ":"), line.count < 40 {
      section = .none
      if users.count < Self.mostUsers {
        users.append(DeviceRow.User(name: line.dropFirst(5).dropLast().trimmed.value))
      }
    } else if line.starts(with: "Verification link handling allowed:".utf8) {
      section = .none
      let value = line.dropFirst(35).trimmed
      guard let last = users.indices.last else { return true }
      if value.elementsEqual("true".utf8) { users[last].linkHandling = true }
      if value.elementsEqual("false".utf8) { users[last].linkHandling = false }
    } else if let package = Self.header(line) {
      endPackage()
      self.package = package
    } else if let package = Self.commandPackage(line) {
      endPackage()
      commandPackage = package
    } else if line.last == UInt8(ascii: ":") && !(section == .states && line.dropLast().host != nil)
    {
      section = .none
    } else {
      return false
    }
    return true
  }

  /// The package in `com.example.app:` and in `com.example.app 01234567-89ab-cdef-0123-456789abcdef:`.
  private static func header(_ line: ArraySlice<UInt8>) -> String? {
    guard line.last == UInt8(ascii: ":"), line.count < 300 else { return nil }
    let words = line.dropLast().words
    guard (1...2).contains(words.count), let package = PackageName(words[0].value) else {
      return nil
    }
    if words.count == 2 && words[1].count(where: { $0 == UInt8(ascii: "-") }) != 4 { return nil }
    return package.text
  }

  /// The package that a pasted command names; empty for a command without one.
  private static func commandPackage(_ line: ArraySlice<UInt8>) -> String? {
    guard line.count <= 1000, line.has("get-app-links") else { return nil }
    let last = line.words.last.flatMap { PackageName($0.value)?.text }
    return last ?? ""
  }

  private static func invalidHost(_ line: ArraySlice<UInt8>) -> String? {
    let isHost =
      line.count <= 253
      && line.allSatisfy { $0.isASCIILetterOrDigit || $0 >= 0x80 || ".-_*:/@${}".utf8.contains($0) }
    return isHost ? line.value.harmless.lowercased() : nil
  }

  private mutating func add(_ host: String, state: String) {
    if index[host] != nil { return }
    if found.rows.count + rows.count >= DeviceOutput.mostRows {
      more += 1
      return
    }
    index[host] = rows.count
    rows.append(DeviceRow(host: host, app: package ?? named(commandPackage), state: state))
  }

  private func named(_ package: String?) -> String? { package?.isEmpty == false ? package : nil }

  private mutating func select(_ line: ArraySlice<UInt8>, _ selection: DeviceRow.User.Selection) {
    guard let host = line.host, let user = users.indices.last else { return }
    if selections[host] == nil { selected.append(host) }
    selections[host, default: []].append((user, selection))
  }

  private mutating func endPackage() {
    if section == .states && open.last == UInt8(ascii: ":") {
      addWithoutState(open[...])
      open = []
    }
    takeOpen()
    for host in selected where index[host] == nil { add(host, state: "selection-only") }
    let fingerprints = signatures.split { "[], ".utf8.contains($0) }.prefix(Self.mostSignatures)
      .compactMap { Fingerprint(written: $0.value) }
    for var row in rows {
      row.signatures = fingerprints
      let choices = row.host.flatMap { selections[$0] } ?? []
      row.users = users.indices.compactMap { index in
        var user = users[index]
        user.selection = choices.first { $0.user == index }?.selection
        // What holds for the app also holds for a host that the text does not reach.
        let isMeant = choices.isEmpty && user.linkHandling != nil && row.state != "invalid"
        return user.selection != nil || isMeant ? user : nil
      }
      found.add(row)
    }
    found.leaveOut(more)
    (package, section, signatures, rows, more, index) = (nil, .none, [], [], 0, [:])
    (users, selections, selected) = ([], [:], [])
  }
}

/// What `dumpsys package domain-preferred-apps` of Android 11 and lower prints.
struct PreferredAppsOutput {
  private struct Key: Hashable {
    let package: String?
    let host: String
  }

  private static let mostUsers = 20

  private var rows: [DeviceRow] = []
  private var more = 0
  private var index: [Key: Int] = [:]
  /// The user of the part; `nil` in the one about verification.
  private var user: String?
  private var package: String?
  private var hosts: [String] = []
  private var goesOn = false

  static func rows(in text: PastedText) -> DeviceRows {
    var output = PreferredAppsOutput()
    text.forEachLine { output.take($0.text) }
    output.end(status: nil)
    var found = DeviceRows()
    for row in output.rows { found.add(row) }
    found.leaveOut(output.more)
    return found
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if line.has(Marker.verificationStatus.rawValue) {
      end(status: nil)
      user = nil
    } else if let place = line.firstRange(of: Marker.linkages.rawValue) {
      end(status: nil)
      user = line[place.upperBound...].prefix { $0 != UInt8(ascii: ":") }.prefix(20).value
    } else if line.starts(with: "Package:".utf8) {
      end(status: nil)
      package = line.dropFirst(8).trimmed.valueOrNone
    } else if line.starts(with: "Domains:".utf8) {
      add(line.dropFirst(8))
      goesOn = true
    } else if line.starts(with: "Status:".utf8) {
      // What follows is an order, which says nothing about success.
      end(status: line.dropFirst(7).trimmed.prefix { !" :".utf8.contains($0) }.valueOrNone)
    } else if goesOn {
      add(line)
    }
  }

  private mutating func add(_ words: ArraySlice<UInt8>) {
    for word in words.words {
      guard let host = word.host else { continue }
      hosts.append(host)
    }
  }

  private mutating func end(status: String?) {
    for host in hosts {
      let key = Key(package: package, host: host)
      if let place = index[key] {
        if user == nil {
          // The part of a user may come first.
          if rows[place].state == "selection-only", let status { rows[place].state = status }
        } else if let user, rows[place].users.count < Self.mostUsers {
          rows[place].users.append(DeviceRow.User(name: user, status: status))
        }
      } else if rows.count >= DeviceOutput.mostRows {
        more += 1
      } else {
        index[key] = rows.count
        var row = DeviceRow(host: host, app: package)
        row.state = user == nil ? status ?? DeviceRow.unknownState : "selection-only"
        if let user { row.users = [DeviceRow.User(name: user, status: status)] }
        rows.append(row)
      }
    }
    (package, hosts, goesOn) = (nil, [], false)
  }
}

/// What `am start --debug-link` of Android 17 prints, and how `am start` of any version fails, or starts a browser.
struct DebugLinkOutput {
  private var found = DeviceRows()
  private var isInside = false
  private var (host, url): (String?, String?) = (nil, nil)
  private var commandHost: String?
  private var resolution: String?
  /// The URL that the command asks for.
  private var started: DeviceRow?
  /// What took that URL, as far as lines behind it say.
  private var taker: DeviceRow?
  /// The app that is being read.
  private var row: DeviceRow?

  /// A URL that no activity takes: `Intent { act=… dat=https://… pkg=… }`; `nil` for an intent without one.
  private static func unresolved(_ intent: ArraySlice<UInt8>) -> DeviceRow? {
    func value(_ key: String) -> ArraySlice<UInt8>? {
      intent.firstRange(of: " \(key)=").map {
        intent[$0.upperBound...].prefix { !" }".utf8.contains($0) }
      }
    }
    // A mark before the scheme is a quotation mark that the shell did not take away.
    guard let given = value("dat") else { return nil }
    let link = given.drop { !$0.isASCIILetterOrDigit }
    if link.isEmpty { return nil }
    let scheme = scheme(of: link)?.value.lowercased()
    let isOfWeb = scheme == "http" || scheme == "https"
    let component = value("cmp")?.prefix { $0 != UInt8(ascii: "/") }
    let app = (value("pkg") ?? component)?.valueOrNone
    var row = DeviceRow(
      host: isOfWeb ? link.host : nil, app: app,
      state: scheme == nil
        ? "no-scheme"
        : !isOfWeb ? "other-scheme" : link.count < given.count ? "quoted" : "unresolved")
    if !isOfWeb { row.url = link.value }
    if let app { row.others = ["pkg: \(app)"] }
    return row
  }

  /// The state of a row about an activity that is not there.
  static let noComponent = "no-component"

  /// The state of a row about an activity that other apps may not start.
  static let notExported = "not-exported"

  /// `Error: Activity class {com.example.app/com.example.app.Main} does not exist.`
  private func withoutComponent(_ line: ArraySlice<UInt8>) -> DeviceRow? {
    guard let component = line.between(Marker.noActivityClass.rawValue, and: "} does not exist"),
      let package = PackageName(component.prefix { $0 != UInt8(ascii: "/") }.value)
    else { return nil }
    var row = DeviceRow(host: started?.host, app: package.text, state: Self.noComponent)
    row.others = [component.value]
    return row
  }

  /// What precedes the colon of a URL; `nil` for a host, with or without a port, in its place.
  private static func scheme(of link: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let colon = link.firstIndex(of: UInt8(ascii: ":")), let first = link.first,
      !first.isASCIIDigit
    else { return nil }
    let (scheme, rest) = (link[..<colon], link[(colon + 1)...])
    if !scheme.allSatisfy({ $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }) { return nil }
    let isPort =
      (scheme.contains(UInt8(ascii: ".")) || scheme.elementsEqual("localhost".utf8))
      && rest.first.map(\.isASCIIDigit) == true
      && rest.prefix { $0 != UInt8(ascii: "/") }.allSatisfy(\.isASCIIDigit)
    return isPort ? nil : scheme
  }

  /// The browser that took the link: `Activity: com.android.chrome/…` behind `Status: ok`; `nil` for another app.
  private static func browser(_ line: ArraySlice<UInt8>) -> String? {
    guard line.starts(with: "Activity:".utf8) else { return nil }
    let package = line.dropFirst(9).trimmed.prefix { $0 != UInt8(ascii: "/") }.value
    return browsers.contains(package) || package.contains("browser") ? package : nil
  }

  /// What took the URL that the command asks for, by one of the lines behind it.
  private mutating func noteTaker(_ line: ArraySlice<UInt8>) {
    guard var row = taker ?? started, ["unresolved", "started", "chooser"].contains(row.state)
    else {
      return
    }
    row.state = row.state == "chooser" ? "chooser" : "started"
    if line.starts(with: "Activity:".utf8) {
      let component = line.dropFirst(9).trimmed
      row.app = component.prefix { $0 != UInt8(ascii: "/") }.valueOrNone ?? row.app
      if Self.isChooser(component) { (row.state, row.app) = ("chooser", nil) }
    } else {
      row.others.append(line.trimmed.value)
    }
    taker = row
  }

  /// Whether it is the dialog in which a user chooses an app.
  private static func isChooser(_ component: ArraySlice<UInt8>) -> Bool {
    component.starts(with: "android/".utf8)
      || ["ResolverActivity", "ChooserActivity", "intentresolver"].contains(where: component.has)
  }

  private static let browsers: Set = [
    "com.android.chrome", "com.chrome.beta", "com.chrome.dev", "org.chromium.chrome",
    "org.mozilla.firefox", "com.microsoft.emmx", "com.opera.mini.native",
    "com.duckduckgo.mobile.android",
    "org.mozilla.focus", "org.mozilla.fenix", "org.mozilla.klar",
  ]

  static func rows(in text: PastedText) -> DeviceRows {
    var output = DebugLinkOutput()
    text.forEachLine { output.take($0.text) }
    output.endTarget()
    if let taker = output.taker, output.found.rows.isEmpty { output.found.add(taker) }
    return output.found
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if let host = line.commandHost { commandHost = host }
    let unresolved = [Marker.unresolvedIntent, .noActivityFound].lazy.compactMap {
      line.firstRange(of: $0.rawValue)
    }
    if let place = line.firstRange(of: "Starting: Intent {") {
      started = Self.unresolved(line[place.upperBound...])
    } else if let place = line.firstRange(of: Marker.permissionDenied.rawValue) {
      if line.has("} "), line.has("not exported"),
        var row = Self.unresolved(line[place.upperBound...]), row.state == "unresolved"
      {
        row.state = Self.notExported
        found.add(row)
      }
    } else if let row = withoutComponent(line) {
      found.add(row)
    } else if let browser = Self.browser(line), !isInside, started?.state == "unresolved" {
      var row = DeviceRow(host: started?.host, app: started?.app, state: "browser")
      row.resolution = browser
      found.add(row)
    } else if !isInside, line.starts(with: "Activity:".utf8) || line.has(Marker.notStarted.rawValue)
    {
      noteTaker(line)
    } else if let place = unresolved.first {
      if let row = Self.unresolved(line[place.upperBound...]) { found.add(row) }
    } else if line.has(Marker.debugLink.rawValue) {
      endTarget()
      (isInside, host, url, resolution) = (true, commandHost, nil, nil)
    } else if !isInside {
      return
    } else if line.elementsEqual("---".utf8) {
      endTarget()
      isInside = false
    } else if line.starts(with: "Target:".utf8) {
      endTarget()
      row = DeviceRow()
    } else if let (key, value) = line.atColon {
      switch key.prefix(100).value {
      case "URI": (host, url) = (value.host ?? host, value.valueOrNone)
      case "Resolution":
        resolution = value.prefix { $0 != UInt8(ascii: "(") }.trimmed.valueOrNone
      case "Package": if row?.app == nil { row?.app = value.valueOrNone }
      case "Verification status": row?.state = value.valueOrNone ?? DeviceRow.unknownState
      default:
        // The first rule that matches decides.
        if key.has("Matched Rule"), row?.rule == nil, let allow = value.firstRange(of: "allow = ") {
          switch value[allow.upperBound...].first {
          case UInt8(ascii: "0"): row?.rule = .included
          case UInt8(ascii: "1"): row?.rule = .excluded
          default: break
          }
        }
      }
    }
  }

  private mutating func endTarget() {
    guard var row else { return }
    self.row = nil
    (row.host, row.url, row.resolution) = (host, url, resolution)
    found.add(row)
  }
}
