import JSONValue

/// A document as the comparison reads it.
struct ComparedDocument {
  /// An app with its entries.
  struct App {
    let name: String
    /// The places of its entries among all.
    var entries: [Int]
  }

  /// A variable of the document's own.
  struct Variable {
    let name: String
    /// The values that count, in the order of the file.
    let values: [String]
    let pointer: JSONPointer
  }

  /// The apps of a service other than `applinks`.
  struct Service {
    let name: String
    var apps: [(name: String, pointer: JSONPointer)] = []
  }

  let matcher: Matcher
  let entries: [ComparedEntry]
  /// The apps in the order in which they first appear.
  let apps: [App]
  /// The places of the entries that name no app.
  let entriesWithoutApp: [Int]
  /// Whether the order of entries means something: not in the obsolete form, which is an object.
  let isOrdered: Bool
  let variables: [Variable]
  /// `substitutionVariables`, as they are written.
  private let definitions: JSON?
  let services: [Service]
  /// What no device reads outside of entries.
  let extras: [ExtraMember]

  /// - Parameter other: A document that was compared with the same interning, and is probably much the
  ///   same: the routes that are said alike at the same places are not examined again.
  init(_ read: ReadDocument, like other: ComparedDocument? = nil, _ interning: Interning) {
    let (document, links) = (read.json, read.links)
    matcher = Matcher(links)
    let applinks = document["applinks"]
    let details = applinks?["details"]
    let defaults = Self.layer(of: applinks, at: .applinks)
    let definitions = applinks?["substitutionVariables"]
    self.definitions = definitions
    // Where a variable stands for something else, so does a pattern.
    let isSimilar = other.map { $0.definitions.isWritten(like: definitions) } ?? false
    let examined = isSimilar ? other?.entries ?? [] : []
    entries = zip(links.entries, Self.elements(of: details)).enumerated().map { index, pair in
      ComparedEntry(
        pair.0, pair.1, isKeyed: details?.objectValue != nil, defaults: defaults,
        like: examined.indices.contains(index) ? examined[index].routes : [], interning)
    }
    apps = Self.apps(links.entries)
    entriesWithoutApp = links.entries.indices.filter { links.entries[$0].apps.isEmpty }
    isOrdered = details?.objectValue == nil
    variables = Self.variables(applinks?["substitutionVariables"])
    services = KnownKeys.services.dropFirst().map { Self.service($0, document[$0]) }
    extras = DocumentExtras(document).members
  }

  /// What `defaults` of an object gives to routes.
  static func layer(of object: JSON?, at pointer: JSONPointer) -> ComparedRoute.Layer {
    ComparedRoute.Layer(
      values: object?["defaults"]?.objectValue ?? [:], pointer: pointer.appending("defaults"))
  }

  /// The routes of some entries as one list.
  func routes(of entries: [Int]) -> [ComparedRoute] { entries.flatMap { self.entries[$0].routes } }

  /// The elements of `details` that are read as entries.
  private static func elements(of details: JSON?) -> [JSON.Object] {
    switch details {
    case .array(let elements): elements.compactMap(\.objectValue)
    case .object(let object): object.members.compactMap(\.value.objectValue)
    default: []
    }
  }

  private static func apps(_ entries: [AppLinks.Entry]) -> [App] {
    var apps: [App] = []
    var places: [[UInt8]: Int] = [:]
    for (index, entry) in entries.enumerated() {
      for name in entry.apps {
        let place = places[Array(name.utf8)] ?? apps.count
        if place == apps.count {
          places[Array(name.utf8)] = place
          apps.append(App(name: name, entries: []))
        }
        if apps[place].entries.last != index { apps[place].entries.append(index) }
      }
    }
    return apps
  }

  private static func variables(_ json: JSON?) -> [Variable] {
    let pointer = JSONPointer.applinks.appending("substitutionVariables")
    return (json?.objectValue?.members ?? []).compactMap { member in
      guard let values = member.value.arrayValue else { return nil }
      return Variable(
        name: member.key, values: values.compactMap(\.stringValue).filter { !$0.isEmpty },
        pointer: pointer.appending(member.key))
    }
  }

  private static func service(_ name: String, _ json: JSON?) -> Service {
    let pointer = JSONPointer.root.appending(name).appending("apps")
    var service = Service(name: name)
    guard let json else { return service }
    var seen: Set<[UInt8]> = []
    for (index, element) in (json["apps"]?.arrayValue ?? []).enumerated() {
      guard let app = element.stringValue, seen.insert(Array(app.utf8)).inserted else { continue }
      service.apps.append((app, pointer.appending(index)))
    }
    return service
  }
}

extension JSONPointer {
  /// Where `applinks` stands.
  static let applinks = JSONPointer.root.appending("applinks")
}
