/// A document written with `appIDs` and `components` only.
///
/// For iOS 13 and later, every URL resolves as before, except where a remark says otherwise. Earlier
/// systems do not read the modern form.
package struct ModernForm: Sendable {
  /// Something of the document that the modern form does not say, or says differently.
  package struct Remark: Sendable, Equatable {
    /// Where it is in the document before.
    package let pointer: JSONPointer
    /// What is different, in sentences.
    package let message: String
  }

  /// The document. Entries and routes keep their rows.
  package private(set) var document: AssociationFile
  /// What is not the same, in the order of the document before.
  package private(set) var remarks: [Remark] = []

  package init(_ old: AssociationFile) {
    document = old
    let details = AppLinks.pointer.appending("details")
    if old.apps?.isEmpty == false {
      remark(at: AppLinks.pointer.appending("apps"), "Only iOS 12 and earlier read these apps.")
    }
    document.apps = nil
    document.detailsForm = .array
    var place = 0
    for (index, entry) in old.entries.enumerated() {
      let isKeyed = old.detailsForm == .dictionary
      let pointer =
        isKeyed ? details.appending(entry.apps.first?.text ?? "") : details.appending(place)
      document.entries[index] = converted(entry, isKeyed: isKeyed, at: pointer)
      place += entry.json.count
    }
  }

  private mutating func remark(at pointer: JSONPointer, _ message: String) {
    remarks.append(Remark(pointer: pointer, message: message))
  }

  private mutating func converted(
    _ old: Entry, isKeyed: Bool, at pointer: JSONPointer
  ) -> Entry {
    var entry = old
    // Unlike elsewhere, these keys have no meaning in the obsolete form.
    for key in ["appID", "appIDs"] where isKeyed && old.extra[key] != nil {
      remark(at: pointer.appending(key), "This key had no effect, and is removed.")
      entry.extra[key] = nil
    }
    if let app = old.appID, !old.apps.contains(app) {
      remark(at: pointer.appending("appID"), "Only iOS 12 and earlier read this app.")
    }
    entry.appID = nil
    entry.keys = Entry.Keys(
      appID: false, appIDs: old.keys.appIDs || old.keys.appID,
      components: old.keys.components || old.keys.paths, paths: false)
    if old.keys.isLegacyOnly {
      addRemarksOnVariables(of: old.routes, at: pointer.appending("paths"))
      entry.defaults.stopChangingPaths(within: document.defaults)
    } else if !old.paths.isEmpty {
      remark(at: pointer.appending("paths"), "Only iOS 12 and earlier read these paths.")
    }
    entry.paths = []
    return entry
  }

  private mutating func addRemarksOnVariables(of paths: [Route], at pointer: JSONPointer) {
    for (index, route) in paths.enumerated() {
      guard let path = route.path, path.mayNameVariable else { continue }
      remark(
        at: pointer.appending(index),
        "In `paths`, \(path.quoted) has no variable: `$(` is literal text. In `components`, `$(name)` "
          + "matches the variable's values instead.")
    }
  }
}

extension Defaults {
  /// Sets whatever must be set so that the defaults leave routes with nothing but a path as they are.
  /// They do not apply to `paths`, but to `components`.
  fileprivate mutating func stopChangingPaths(within outer: Defaults) {
    if caseSensitive ?? outer.caseSensitive == false { caseSensitive = true }
    if percentEncoded ?? outer.percentEncoded == false { percentEncoded = true }
    for key in ["?", "#"] where (extra[key] ?? outer.extra[key]) != nil { extra[key] = "*" }
    if (extra["exclude"] ?? outer.extra["exclude"]) != nil { extra["exclude"] = false }
  }
}

extension String {
  /// Whether a pattern of `components` with this text might name a variable.
  var mayNameVariable: Bool { Array(utf8).contains(ascii: "$(") }
}
