public import JSONValue

/// The one reading of an apple-app-site-association file: its parts with their types, their places
/// and the values that devices do not read.
///
/// Reading never fails, since any file must resolve: a value of the wrong type is skipped and noted
/// as unread. The resolver, the linter, adoption, comparison and size accounting all start from here.
/// A file of another format gets a reading of its own.
public struct ReadDocument: Sendable {
  /// A service that only lists apps, such as `webcredentials`.
  struct Service: Sendable {
    let name: String
    let pointer: JSONPointer
    let json: JSON.Object
    /// `nil` without an `apps` array.
    let apps: IndexedStrings?
    let unread: [UnreadValue]
  }

  /// The limits of a file: a file of 128 KB meets all but, with chosen nonsense, the depth. Each
  /// value takes two bytes or more.
  static let limits = JSON.Limits(values: 65_537)

  /// The file.
  public let json: JSON
  /// `applinks`, as a device reads it.
  public let links: AppLinks
  /// The other services, in the order of `DocumentPart.services`.
  let services: [Service]
  /// The unread members of the file itself.
  let unread: [UnreadValue]

  /// Reads a file.
  public init(_ json: JSON) {
    self.json = json
    links = AppLinks(document: json)
    guard case .object(let members) = json else {
      services = []
      unread = [
        UnreadValue(
          part: .document, key: "", value: json, pointer: .root,
          reason: .wrongType(expected: "an object"))
      ]
      return
    }
    var reader = ObjectReader(members, at: .root, as: .document)
    services = DocumentPart.appListServices.compactMap { name in
      reader.value(name, \.objectValue).map { Service(name, $0) }
    }
    _ = reader.value("applinks", \.objectValue)
    unread = reader.unread
  }

  /// The unread values of all parts.
  var allUnread: [UnreadValue] {
    var all = unread + services.flatMap(\.unread) + links.unread + (links.defaults?.unread ?? [])
    for entry in links.entries {
      all += entry.unread
      all += entry.defaults?.unread ?? []
      for route in entry.routes { all += route.members?.unread ?? [] }
    }
    return all
  }
}

extension ReadDocument.Service {
  fileprivate init(_ name: String, _ json: JSON.Object) {
    var reader = ObjectReader(json, at: .root.appending(name), as: .service)
    apps = reader.strings("apps")
    (self.name, self.json, pointer, unread) = (name, json, reader.pointer, reader.unread)
  }
}
