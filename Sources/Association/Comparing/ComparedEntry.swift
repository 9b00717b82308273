import JSONValue

/// An entry as the comparison reads it.
struct ComparedEntry {
  let pointer: JSONPointer
  let routes: [ComparedRoute]
  /// What no device reads, or only one before iOS 13.
  let extras: [ExtraMember]

  /// - Parameters:
  ///   - isKeyed: Whether the app is the key of the entry, as in the obsolete form of `details`.
  ///   - defaults: Those of the domain.
  ///   - examined: Routes of another document, of which those are taken that are said alike.
  init(
    _ entry: AppLinks.Entry, _ element: JSON.Object, isKeyed: Bool,
    defaults: ComparedRoute.Layer, like examined: [ComparedRoute], _ interning: Interning
  ) {
    pointer = entry.pointer
    let own = ComparedDocument.layer(of: .object(element), at: entry.pointer)
    if let components = element["components"]?.arrayValue {
      let written = components.lazy.compactMap(\.objectValue).enumerated()
      routes = zip(entry.routes, written).map { route, written in
        let layer = ComparedRoute.Layer(values: written.element, pointer: route.pointer)
        let layers = [layer, own, defaults]
        if examined.indices.contains(written.offset) {
          let other = examined[written.offset]
          if layers.elementsEqual(other.layers, by: { $0.isWritten(like: $1) }) { return other }
        }
        return ComparedRoute(route, layers: layers, interning)
      }
    } else {
      let paths = element["paths"]?.arrayValue ?? []
      routes = zip(entry.routes, paths.compactMap(\.stringValue)).map { route, path in
        ComparedRoute(route, legacyPath: path, interning)
      }
    }
    extras = Self.extras(of: element, isKeyed: isKeyed, entry)
  }

  private static func extras(
    of element: JSON.Object, isKeyed: Bool, _ entry: AppLinks.Entry
  ) -> [ExtraMember] {
    let pointer = entry.pointer
    let hasComponents = element["components"]?.arrayValue != nil
    var extras = ExtraMember.members(of: element, at: pointer) { member in
      switch member.key {
      case "appIDs": isKeyed || member.value.arrayValue == nil
      case "appID": isKeyed || !entry.apps.contains { member.value == .string($0) }
      case "components": !hasComponents
      case "paths": member.value.arrayValue == nil
      case "defaults": member.value.objectValue == nil
      default: true
      }
    }
    if hasComponents, let paths = element["paths"], paths.arrayValue != nil {
      let place = pointer.appending("paths")
      extras.append(
        ExtraMember(key: "paths", value: paths, pointer: place, what: .legacyPaths))
    } else {
      extras += unread("paths", of: element, pointer) { $0.stringValue == nil }
    }
    extras += unread("appIDs", of: element, pointer) { $0.stringValue == nil }
    extras += unread("components", of: element, pointer) { $0.objectValue == nil }
    return extras + DocumentExtras.ofDefaults(element["defaults"], at: pointer)
  }

  private static func unread(
    _ key: String, of element: JSON.Object, _ pointer: JSONPointer, _ isExtra: (JSON) -> Bool
  ) -> [ExtraMember] {
    ExtraMember.elements(
      of: element[key], key: key, at: pointer.appending(key), where: isExtra)
  }
}
