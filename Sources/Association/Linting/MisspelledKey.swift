/// A key that was probably meant to be a known one.
struct MisspelledKey {
  let written: String
  let meant: String

  /// What to do about it.
  var help: String { "Write `\(meant)` in place of \(written.quoted)." }
}

extension JSON.Object {
  /// The keys that are compared: a file may have very many.
  private static let mostCompared = 50

  /// The first key that resembles one of these, if the object has none of them.
  func misspelling(of known: [String]) -> MisspelledKey? {
    if known.contains(where: { self[$0] != nil }) { return nil }
    for member in members.prefix(Self.mostCompared) {
      let similar = known.filter { DocumentPart.resemble(member.key, $0) }
      guard
        let first = similar.first(where: { $0.lowercased() == member.key.lowercased() })
          ?? similar.first
      else { continue }
      // What is one app or a list of them has a key of its own.
      let meant: String =
        switch (first, member.value) {
        case ("appID", .array): "appIDs"
        case ("appIDs", .string): "appID"
        default: first
        }
      return MisspelledKey(written: member.key, meant: meant)
    }
    return nil
  }

  /// The first key that is an app identifier, in an object that should name its app in a value.
  var appAsKey: String? {
    members.prefix(Self.mostCompared).lazy.map(\.key).first {
      AppIdentifier(usable: $0)?.hasUsualPrefix == true
    }
  }

  /// The first key of a rule that was probably meant as a condition, in an object without one.
  var keyOfCondition: String? {
    members.prefix(Self.mostCompared).lazy.map(\.key).first { key in
      !["/", "?", "#"].contains(key) && DocumentPart.mayBeCondition(key)
    }
  }
}

extension DocumentPart {
  /// Whether an unknown key of a route was probably meant as a condition.
  static func mayBeCondition(_ key: String) -> Bool {
    let others = [
      "exclude", "comment", "caseSensitive", "percentEncoded", "description", "name", "title",
      "note",
      "notes", "id",
    ]
    return !others.contains { resemble(key, $0) || sameScalars(key, $0) }
  }
}
