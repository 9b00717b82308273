/// The file that names a site's pages for passkeys (W3C, "Passkey Endpoints"): an object whose members are
/// URLs. Every member is kept as it is; an empty object says that the site supports passkeys.
enum PasskeyEndpoints {
  /// The members that readers know: where to create a passkey, where to manage passkeys, and what the
  /// site uses the PRF extension for.
  static let keys = ["enroll", "manage", "prfUsageDetails"]

  private static let effect = "Password managers do not offer it."

  /// The members of a file.
  ///
  /// - Throws: `AdoptionError` for a file that is no object.
  static func adopt(_ file: JSON) throws(AdoptionError) -> JSON.Object {
    if case .object(let members) = file, file.isReadable { return members }
    throw AdoptionError(
      pointer: .root,
      message: file.isReadable
        ? "This is \(file.kind) but must be an object."
        : "The file is not read: it is far larger than what three URLs need.")
  }

  /// Lints a file, with the findings so far.
  static func findings(in file: JSON, after known: [Finding]) -> [Finding] {
    var found = FindingList(known)
    guard case .object(let members) = file else {
      found.add(
        .notObject, at: .root,
        "The file is \(file.kind) but must be an object. Password managers ignore it.",
        help: #"Write {"enroll": "https://example.com/account/passkeys/create"}."#)
      return found.listed
    }
    for member in members.members {
      let pointer = JSONPointer.root.appending(member.key)
      guard keys.contains(where: { sameScalars($0, member.key) }) else {
        found.add(
          .unknownKey, severity: .note, at: pointer,
          "\(member.key.quoted) has no meaning in the file. Password managers ignore it.",
          help:
            "Remove it, unless it is \(keys.map(\.quoted).joined(separator: ", ")) misspelled.")
        continue
      }
      guard let url = member.value.stringValue else {
        found.add(
          .wrongType, at: pointer,
          "`\(member.key)` is \(member.value.kind) but must be a string. \(effect)",
          help: "Write the URL of the page, such as \"https://example.com/account/passkeys\".")
        continue
      }
      if isPage(url) { continue }
      found.add(
        .malformedEndpoint, at: pointer,
        "\(url.quoted) is not an https URL with a host. \(effect)",
        help: "Write the whole URL, such as \"https://example.com/account/passkeys\".")
    }
    return found.inOrder(of: file)
  }

  private static func isPage(_ url: String) -> Bool {
    url.utf8.count > 8 && url.prefix(8).lowercased() == "https://"
      && url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
      && Matcher.host(of: url)?.contains(".") == true
  }
}

extension DocumentChange {
  /// The changes of a `passkey-endpoints` file, member by member. They affect no links.
  static func passkeyEndpoints(from before: JSON?, to after: JSON?) -> [DocumentChange] {
    let (old, new) = (before?.objectValue ?? [:], after?.objectValue ?? [:])
    var changes = old.members.compactMap { member -> DocumentChange? in
      let place = JSONPointer.root.appending(member.key)
      guard let value = new[member.key] else {
        return .endpoint(member.key, member.value, isAdded: false)
      }
      if value == member.value { return nil }
      return DocumentChange(
        .changed, .extra, from: place, to: place, before: member.value, after: value,
        "\(member.key) \(member.value.shown) → \(value.shown)")
    }
    changes += new.members.filter { old[$0.key] == nil }.map {
      .endpoint($0.key, $0.value, isAdded: true)
    }
    if changes.isEmpty, (before == nil) != (after == nil) {
      changes = [
        DocumentChange(.extra, isAdded: before == nil, at: .root, "a file without pages")
      ]
    }
    return changes
  }

  private static func endpoint(_ key: String, _ value: JSON, isAdded: Bool) -> DocumentChange {
    DocumentChange(
      .extra, isAdded: isAdded, at: .root.appending(key), value: value, "\(key) \(value.shown)")
  }
}
