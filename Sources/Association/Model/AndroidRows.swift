import JSONValue

/// What the rows of a domain have for Android that its documents do not tell: which entries name which
/// apps. Revisions record it, so that restoring one brings the rows back and not only the bytes.
public struct AndroidRows: Sendable, Equatable {
  /// The Android apps of an entry.
  struct EntryApps: Sendable, Equatable {
    /// The place of the entry in the domain.
    let index: Int
    let apps: [PackageName]
    /// The content of an entry that only Android apps use: it is not in Apple's file.
    let content: JSON?
  }

  private let entries: [EntryApps]
  private let credentials: [PackageName]
  private let hasDynamicAppLinks: Bool

  private init(
    entries: [EntryApps], credentials: [PackageName], hasDynamicAppLinks: Bool
  ) {
    self.entries = entries
    self.credentials = credentials
    self.hasDynamicAppLinks = hasDynamicAppLinks
  }

  /// The rows of a domain.
  init(of domain: Domain) {
    entries = domain.document.entries.enumerated().compactMap { index, entry in
      if entry.androidApps.isEmpty { return nil }
      return EntryApps(
        index: index, apps: entry.androidApps, content: entry.isForApple ? nil : entry.content)
    }
    credentials = domain.androidCredentials
    hasDynamicAppLinks = domain.hasDynamicAppLinks
  }

  /// Whether the domain has nothing for Android.
  var isEmpty: Bool { entries.isEmpty && credentials.isEmpty && hasDynamicAppLinks }

  /// Gives a domain whose entries are those of Apple's file the rows.
  public func restore(_ domain: inout Domain) {
    domain.androidCredentials = credentials
    domain.hasDynamicAppLinks = hasDynamicAppLinks
    domain.document.entries.removeAll { !$0.isForApple }
    for index in domain.document.entries.indices { domain.document.entries[index].androidApps = [] }
    for entry in entries {
      if let content = entry.content, let new = Entry(content: content) {
        let index = min(entry.index, domain.document.entries.count)
        domain.document.entries.insert(new, at: index)
      }
      if domain.document.entries.indices.contains(entry.index) {
        domain.document.entries[entry.index].androidApps = entry.apps
      }
    }
  }
}

extension AndroidRows {
  /// The rows as the store keeps them; `nil` if there are none.
  var json: JSON? {
    if isEmpty { return nil }
    var object: JSON.Object = [
      "entries": .array(
        entries.map { entry in
          var object: JSON.Object = [
            "index": .integer(entry.index), "apps": .strings(entry.apps.map(\.text)),
          ]
          object["content"] = entry.content
          return .object(object)
        }), "credentials": .strings(credentials.map(\.text)),
    ]
    object["dynamicAppLinks"] = .bool(hasDynamicAppLinks)
    return .object(object)
  }

  /// Reads what `json` wrote; `nil` for anything else. Without a value, there are no rows.
  init?(json: JSON?) {
    guard let json else {
      self.init(entries: [], credentials: [], hasDynamicAppLinks: true)
      return
    }
    guard let entries = json["entries"]?.arrayValue,
      let credentials = json["credentials"]?.packages,
      let hasDynamicAppLinks = json["dynamicAppLinks"]?.boolValue
    else { return nil }
    let read: [EntryApps] = entries.compactMap { entry in
      guard let index = entry["index"]?.integerValue, index >= 0, let apps = entry["apps"]?.packages
      else { return nil }
      return EntryApps(index: index, apps: apps, content: entry["content"])
    }
    if read.count != entries.count { return nil }
    self.init(entries: read, credentials: credentials, hasDynamicAppLinks: hasDynamicAppLinks)
  }
}

extension JSON {
  /// A list of package names; `nil` for anything else.
  fileprivate var packages: [PackageName]? {
    guard let values = arrayValue else { return nil }
    let packages = values.compactMap { $0.stringValue.flatMap { PackageName($0) } }
    return packages.count == values.count ? packages : nil
  }
}
