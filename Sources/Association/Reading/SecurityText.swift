/// A `security.txt` (RFC 9116), perhaps signed (OpenPGP cleartext).
package struct SecurityText: Sendable {
  /// The fields in their order, by names in lower case.
  private let fields: [(name: String, value: String)]

  package init(_ bytes: [UInt8]) {
    var fields: [(name: String, value: String)] = []
    var isInArmorHeader = false
    for line in bytes.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A }) {
      let text = String(decoding: line, as: UTF8.self).withoutOuterSpaces
      if text == "-----BEGIN PGP SIGNED MESSAGE-----" {
        isInArmorHeader = true
      } else if text == "-----BEGIN PGP SIGNATURE-----" {
        break
      } else if isInArmorHeader {
        isInArmorHeader = !text.isEmpty
      } else if !text.hasPrefix("#"), let colon = text.firstIndex(of: ":") {
        fields.append(
          (
            text[..<colon].lowercased().withoutOuterSpaces,
            String(text[text.index(after: colon)...]).withoutOuterSpaces
          ))
      }
    }
    self.fields = fields
  }

  func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// When it expires; `nil` if it does not say so, or more than once.
  package var expiresAt: UnixTime? {
    let values = values("expires").map { $0.uppercased() }
    return values.count == 1 ? UnixTime(values[0]) : nil
  }
}

extension StringProtocol {
  fileprivate var withoutOuterSpaces: String {
    let isSpace = { (character: Character) in " \t\r".contains(character) }
    var text = drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return String(text)
  }
}
