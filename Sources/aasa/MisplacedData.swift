import Association

/// What a manifest has in a place or under a name where Android does not read it.
extension ManifestCheck {
  /// Reports what stands beside the filters. Returns whether that may be why no filter has a host.
  mutating func checkPlaces(in manifest: AndroidManifest) -> Bool {
    if manifest.hasStrayData {
      add(
        "misplaced-data", .error, "",
        "A <data> element stands beside the intent filters, where Android ignores it. Move it into the <intent-filter>"
          + " with the action VIEW.")
    }
    if let place = manifest.misplacedFilters {
      add(
        "misplaced-key", .error, "intentFilters",
        "It stands in \(place), where the build does not look for it. Move it into \"expo.android\"."
      )
    }
    let inGroups = manifest.filters.flatMap(\.groups).flatMap(\.data).flatMap(\.keys).filter {
      ["scheme", "host", "port", "mimeType"].contains($0)
    }
    if let attribute = inGroups.min() {
      add(
        "misplaced-data", .error, "android:\(attribute)",
        "It stands in a <uri-relative-filter-group>, where Android reads only paths, queries and fragments. Move it into a"
          + " <data> of the filter itself.")
    }
    let unverified = manifest.filters.lazy.filter {
      !$0.isAutoVerified && $0.autoVerifyPlaceholder == nil
    }
    if let name = unverified.compactMap(\.misnamedAutoVerify).first {
      add(
        "misnamed-attribute", .error, name,
        "Android does not know this attribute, so it verifies no domain. Write android:autoVerify.")
    }
    checkLaunchers(manifest.filters.filter(\.isForLauncher))
    return manifest.hasStrayData || manifest.misplacedFilters != nil || !inGroups.isEmpty
  }

  /// Reports attributes that are not written as they are read. Returns whether there are any.
  mutating func checkNames(of filter: AndroidManifest.IntentFilter) -> Bool {
    let names = filter.misnamed.uniqued()
    guard let first = names.first else { return false }
    let list = names.joined(separator: ", ")
    add(
      "misnamed-attribute", .error, list,
      filter.isOfExpo
        ? "In app.json, keys have no prefix: the build writes it. Write \"\(first.dropFirst("android:".count))\"."
        : "Android ignores an attribute of <data> without its prefix. Write android:\(first).",
      of: [first, String(first.dropFirst("android:".count))])
    return true
  }

  /// Reports filters that are meant for the launcher and for links, unless the launcher has another one.
  private mutating func checkLaunchers(_ filters: [AndroidManifest.IntentFilter]) {
    let values = filters.map { $0.values("scheme").first ?? $0.values("mimeType").first }
    guard let filter = filters.first, case let value?? = values.first,
      values.allSatisfy({ $0 != nil })
    else { return }
    add(
      "launcher-with-data", .warning, filter.values("host").first ?? value,
      "Its filter also has MAIN and LAUNCHER. The launcher starts an app without a link, which a filter with <data> does"
        + " not take, so this filter gives the app no icon. Write a filter of its own for MAIN and LAUNCHER."
    )
  }

  /// Reports conditions on queries and fragments that Android reads only in groups (AOSP, `ParsedIntentInfoUtils`).
  mutating func checkQueries(of filter: AndroidManifest.IntentFilter) {
    let stray = AndroidManifest.IntentFilter.conditions(
      on: ["query", "fragment"], in: filter.data)
    for attribute in stray.uniqued() {
      add(
        "outside-group", .warning, attribute,
        "It has no effect here: Android reads queries and fragments only in a <uri-relative-filter-group>, from Android"
          + " 15 on. Move it into one.")
    }
  }
}

extension AndroidManifest.IntentFilter {
  fileprivate var isForLauncher: Bool {
    actions.contains("android.intent.action.MAIN")
      && categories.contains("android.intent.category.LAUNCHER")
  }

  /// That a comment has a <data>, as a sentence with a blank before it, or nothing.
  var dataInComment: String {
    hasDataInComment ? " A <data> stands in a comment, which Android does not read." : ""
  }

  /// How to add the scheme of links.
  var addHTTPS: String {
    isOfExpo
      ? "In app.json, add \"scheme\": \"https\" to \"data\"."
      : "Add <data android:scheme=\"https\" />."
  }
}
