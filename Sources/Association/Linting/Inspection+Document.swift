import JSONValue

extension Inspection {
  /// Examines the whole document.
  mutating func inspectDocument() {
    guard case .object(let root) = document else {
      add(
        .notObject, at: .root,
        "The file is \(document.kind) and must be an object: devices take it for no file at all.",
        help: "Write an object with `applinks` or another service.")
      return
    }
    inspectKeys(of: root, in: .document, at: .root)
    if !KnownKeys.services.contains(where: { root[$0] != nil }) {
      add(
        .noService, at: .root,
        "The file names no service, so it does nothing on a device.",
        help:
          "Add `applinks`, or another of: \(KnownKeys.services.dropFirst().joined(separator: ", "))."
      )
    }
    for service in KnownKeys.services.dropFirst() {
      if let value = root[service] { inspectService(service, value) }
    }
    if let applinks = root["applinks"] { inspectApplinks(applinks) }
    inspectComments()
  }

  /// A service that is nothing but a list of apps.
  private mutating func inspectService(_ name: String, _ value: JSON) {
    let pointer = JSONPointer.root.appending(name)
    guard let object = object(value, at: pointer, "`\(name)`") else { return }
    inspectKeys(of: object, in: .service, at: pointer)
    guard let apps = object["apps"] else {
      add(
        .entryWithoutApp, severity: .warning, at: pointer,
        "`\(name)` has no `apps`, so it is for no app.",
        help: "Add `apps`, an array of app identifiers, or remove `\(name)`.")
      return
    }
    inspectApps(strings(apps, at: pointer.appending("apps"), "`\(name).apps`"))
  }

  private mutating func inspectApplinks(_ value: JSON) {
    let pointer = JSONPointer.root.appending("applinks")
    guard let applinks = object(value, at: pointer, "`applinks`") else { return }
    inspectKeys(of: applinks, in: .applinks, at: pointer)
    if let apps = applinks["apps"] { inspectObsoleteApps(apps, at: pointer.appending("apps")) }
    if let variables = applinks["substitutionVariables"] {
      inspectVariables(variables, at: pointer.appending("substitutionVariables"))
    }
    if let defaults = applinks["defaults"] {
      inspectDefaults(defaults, at: pointer.appending("defaults"))
    }
    inspectDetails(applinks["details"], at: pointer)
  }

  private mutating func inspectObsoleteApps(_ value: JSON, at pointer: JSONPointer) {
    let apps = strings(value, at: pointer, "`applinks.apps`")
    if apps.isEmpty { return }
    add(
      .appsNotEmpty, at: pointer,
      "`applinks.apps` lists \(apps.count) apps. iOS 12 and earlier want an empty array here and may"
        + " refuse the file; later systems ignore it.",
      help: "Write `\"apps\": []`, or leave it out; the apps belong in `details`.")
  }

  private mutating func inspectDetails(_ value: JSON?, at applinks: JSONPointer) {
    let pointer = applinks.appending("details")
    switch value {
    case nil:
      add(
        .noDetails, at: applinks,
        "`applinks` has no `details`, so no link opens an app.",
        help: "Add `details`, an array of entries with `appIDs` and `components`.")
    case .array(let entries)?:
      if entries.isEmpty {
        add(
          .emptyDetails, at: pointer, "`details` is empty, so no link opens an app.",
          help: "Add an entry, or remove `applinks`.")
      }
      for (index, entry) in entries.enumerated() {
        inspectEntry(entry, at: pointer.appending(index))
      }
    case .object(let object)?:
      add(
        .detailsDictionary, at: pointer,
        "`details` is an object keyed by app, a form of 2015 that Apple calls obsolete. Which app is"
          + " asked first is not defined, and current systems may not read it.",
        help: "Write an array of entries with `appIDs` and `components`.")
      for member in object.members {
        inspectEntry(member.value, at: pointer.appending(member.key), app: member.key)
      }
    case let value?:
      addWrongType(value, at: pointer, "`details`", expected: "an array")
    }
  }
}
