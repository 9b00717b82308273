/// The one reading of an apple-app-site-association file: its parts with their types, their places
/// and the values that devices do not read.
///
/// Reading never fails, since any file must resolve: a value of the wrong type is skipped and noted
/// as unread. The resolver, the linter, adoption, comparison and size accounting all start from here.
/// A file of another format gets a reading of its own. Of a file that is far too large for devices,
/// nothing is read.
package struct ReadDocument: Sendable {
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
  package static let limits = JSON.Limits(values: 65_537)
  /// The bytes of keys, strings and numbers in a file that is read. Larger than what devices accept,
  /// so that the linter can tell what to make smaller.
  static let longestText = 524_288

  package let json: JSON
  /// `applinks`, as a device reads it.
  package let links: AppLinks
  /// The other services, in the order of `DocumentPart.services`.
  let services: [Service]
  /// The unread members of the file itself.
  let unread: [UnreadValue]

  package init(_ json: JSON) {
    self.json = json
    links = AppLinks(document: json)
    guard case .object(let members) = links.isTooLarge ? [:] : json else {
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

extension JSON {
  /// Whether the value is small enough to be read as an association file.
  var isReadable: Bool {
    var (values, text) = (ReadDocument.limits.values, ReadDocument.longestText)
    return spend(&values, &text)
  }

  /// Subtracts the size of the value; false once nothing is left.
  func spend(_ values: inout Int, _ text: inout Int) -> Bool {
    values -= 1
    switch self {
    case .null, .bool: break
    case .number(let written), .string(let written): text -= written.utf8.count
    case .array(let elements):
      for element in elements where !element.spend(&values, &text) { return false }
    case .object(let object):
      for member in object.members {
        text -= member.key.utf8.count
        if !member.value.spend(&values, &text) { return false }
      }
    }
    return values >= 0 && text >= 0
  }
}

extension ReadDocument.Service {
  fileprivate init(_ name: String, _ json: JSON.Object) {
    var reader = ObjectReader(json, at: .root.appending(name), as: .service)
    apps = reader.strings("apps")
    (self.name, self.json, pointer, unread) = (name, json, reader.pointer, reader.unread)
  }
}
