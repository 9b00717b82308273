/// What `pm get-app-link-owners` of Android 12 and later prints: for each domain and user, the apps by the level with which
/// Android lets them open links, the lowest first; and what the commands about links print for a package that is not there.
struct LinkOwners {
  /// The states of rows that this reads.
  static let (owner, noOwner, unavailable) = ("owner", "no-owner", "unavailable")

  /// The levels with which an app opens links: it is verified or chosen (AOSP, `DomainVerificationManagerInternal`).
  private static let owningLevels = 2...5

  private var found = DeviceRows()
  private var host: String?
  private var user: DeviceRow.User?
  private var level: Int?
  /// Whether the lines about the host are those of the command.
  private var isRead = false
  /// The apps of the highest level so far.
  private var owners: [String] = []

  static func rows(in text: PastedText) -> DeviceRows {
    var owners = LinkOwners()
    text.forEachLine { owners.take($0.text) }
    owners.end()
    return owners.found
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    if line.isEmpty || line.count > 300 { return }
    if let package = Self.unavailable(line) {
      found.add(DeviceRow(app: package, state: Self.unavailable))
    } else if host != nil, line.starts(with: "User ".utf8), line.last == UInt8(ascii: ":") {
      endUser()
      user = DeviceRow.User(name: line.dropFirst(5).dropLast().trimmed.value)
      level = nil
    } else if host != nil, user != nil, let level = Self.level(line) {
      (self.level, isRead) = (level, true)
      if Self.owningLevels.contains(level) { owners = [] }
    } else if host != nil, line.elementsEqual("none".utf8) {
      isRead = true
    } else if let level, let package = PackageName(line.value)?.text {
      if Self.owningLevels.contains(level) { owners.append(package) }
    } else {
      end()
      if line.last == UInt8(ascii: ":") { host = line.dropLast().host }
    }
  }

  /// The package of `Error: package com.example.app unavailable`.
  private static func unavailable(_ line: ArraySlice<UInt8>) -> String? {
    guard line.starts(with: "Error: package ".utf8), line.has(" unavailable") else { return nil }
    return PackageName(line.words[2].value)?.text
  }

  /// The number of `VERIFIED[4]:`, or of a level without a name before the brackets.
  private static func level(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.suffix(2).elementsEqual("]:".utf8),
      let bracket = line.firstIndex(of: UInt8(ascii: "[")),
      line[..<bracket].allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") })
    else { return nil }
    let number = Int(line[(bracket + 1)...].dropLast(2).value)
    return Int(line[..<bracket].value) ?? number
  }

  private mutating func endUser() {
    defer { (user, level, isRead, owners) = (nil, nil, false, []) }
    guard let host, isRead else { return }
    for owner in owners.isEmpty ? [nil] : owners.map(Optional.some) {
      var row = DeviceRow(host: host, app: owner, state: owner == nil ? Self.noOwner : Self.owner)
      row.users = [user].compactMap(\.self)
      found.add(row)
    }
  }

  private mutating func end() {
    endUser()
    host = nil
  }
}

extension DeviceCase {
  /// Which app opens the links of a host, or that a package is not there.
  var linkOwnerVerdict: DeviceVerdict {
    let user = row.users.first.map { " for user \($0.name.shown)" } ?? ""
    let look = "Paste what `adb shell pm get-app-links PACKAGE` prints for your app."
    switch row.state {
    case LinkOwners.unavailable:
      return DeviceVerdict(
        .noActivity, .sure, .user,
        "The device has no app \(app) for this user. Nothing on the server is involved.",
        next: "Install the app, or look its name up: `adb shell pm list packages`.")
    case LinkOwners.noOwner:
      return published
        ?? DeviceVerdict(
          .notVerifiedYet, .likely, .user,
          "No app opens links to \(host)\(user): the device has verified none for it, and the user chose none.",
          next: look)
    default:
      let isNamed = facts?.now.namesApp
      return DeviceVerdict(
        isNamed == true ? .fineHere : .otherCandidate, .sure, .user,
        "Links to \(host) open \(app)\(user)."
          + (isNamed == false ? " The file of \(domain) does not name it." : ""),
        next: isNamed == true
          ? "If a link still opens the browser, ask which route decides: `aasa match URL`."
          : "If that is another app than yours, uninstall it or, in its settings under \"Open by default\", take the host "
            + "from it. \(look)",
        isFine: isNamed != false)
    }
  }
}
