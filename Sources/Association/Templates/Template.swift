/// What several domains share, with places where each domain puts values of its own.
package struct Template: Sendable, Equatable {
  /// Unique among templates.
  package var name: TemplateName
  /// What each domain gives, in the order in which they were declared.
  package var parameters: [TemplateParameter]
  /// Members of a domain, of which strings may have `{name}` for the value of a parameter.
  package var members: JSON.Object

  package init(
    _ name: TemplateName, parameters: [TemplateParameter] = [], members: JSON.Object = [:]
  ) {
    self.name = name
    self.parameters = parameters
    self.members = members
  }
}

/// A value that each domain gives.
package struct TemplateParameter: Sendable, Equatable {
  /// What a value is, and so where it may stand and what it can do there.
  package enum Kind: String, Sendable, CaseIterable {
    case app
    /// A list of app identifiers.
    case apps
    /// The package name of an Android app.
    case package
    /// A list of package names.
    case packages
    /// Literal text in a pattern: it matches itself only.
    case path
    /// A part of a pattern.
    case pattern
    /// Text that decides nothing, or the rest of a URL.
    case text
    case origin
    /// A list of web origins.
    case origins

    /// Whether a value has several items, which take the place of one item of a list.
    package var isList: Bool { self == .apps || self == .packages || self == .origins }
  }

  /// The maximum number of parameters of a template.
  package static let limit = 100
  /// The maximum number of characters of a value.
  package static let longestValue = 2048
  /// The maximum number of items of a value.
  package static let mostItems = 1000
  /// The parameter that every template has: the name of the domain.
  package static let domain = TemplateParameter(name: "domain", kind: .text)

  package var name: String
  package var kind: Kind
  /// The value of domains that give none: `nil` if each must give one, `null` for no value.
  package var defaultValue: JSON?

  package init(name: String, kind: Kind, defaultValue: JSON? = nil) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
  }

  /// In bytes.
  static let longestName = 63

  /// Whether a text is a name of a parameter: a letter, then up to 62 letters, digits, `_` and `-`.
  static func isName(_ text: Substring) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, isLetter(first), bytes.count <= longestName else { return false }
    return bytes.allSatisfy {
      isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "_-".utf8.contains($0)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

extension TemplateParameter {
  /// Reads a value: its texts, one for a kind without a list, or none for `null`.
  ///
  /// - Returns: `nil` for a fault, which is recorded.
  package func read(_ body: BodyValue) -> [String]? {
    if body.json == .null { return [] }
    if kind.isList { return body.list(atMost: Self.mostItems, readOne) }
    return readOne(body).map { [$0] }
  }

  private func readOne(_ body: BodyValue) -> String? {
    switch kind {
    case .app, .apps: return body.parse(AppIdentifier.init(_:))?.text
    case .package, .packages: return body.parse(PackageName.init(validating:))?.text
    case .origin, .origins: return body.parse(WebOrigin.init(validating:))?.text
    case .text, .pattern: return text(body)
    case .path:
      guard let text = text(body) else { return nil }
      // Byte by byte, because a combining mark behind a star forms one character with it.
      guard text.utf8.contains(where: { "*?$".utf8.contains($0) }),
        let special = ["*", "?", "$("].first(where: { text.utf8.firstRange(of: $0.utf8) != nil })
      else { return text }
      body.fault(
        .malformedValue,
        "\(text.quoted) has \(special.quoted), which means something in a pattern, and a value of the type path is "
          + "literal text. Leave it out, or give the parameter \(name.quoted) the type pattern.")
      return nil
    }
  }

  private func text(_ body: BodyValue) -> String? {
    guard let text = body.text(longest: Self.longestValue) else { return nil }
    if text.hasControlCharacter {
      body.fault(.controlCharacter, "A value must not contain control characters.")
      return nil
    }
    return text
  }
}

/// A string of a template: literal text, and parameters in braces.
struct TemplateText {
  enum Piece: Equatable {
    case text(Substring)
    case parameter(Substring)
  }

  let pieces: [Piece]
  /// The names in braces that are text here.
  private(set) var ownNames: [Substring] = []

  init(_ text: String, in place: TemplatePlace = .text) {
    var pieces: [Piece] = []
    // Byte by byte, because a combining mark behind a brace forms one character with it.
    let bytes = text.utf8
    var (start, position) = (bytes.startIndex, bytes.startIndex)
    while let open = bytes[position...].firstIndex(of: UInt8(ascii: "{")) {
      position = bytes.index(after: open)
      let longest = bytes[position...].prefix(TemplateParameter.longestName + 1)
      guard let close = longest.firstIndex(of: UInt8(ascii: "}")) else { continue }
      let name = text[position..<close]
      guard TemplateParameter.isName(name) else { continue }
      if place.ownNames.contains(name) {
        ownNames.append(name)
        continue
      }
      if start < open { pieces.append(.text(text[start..<open])) }
      pieces.append(.parameter(name))
      position = bytes.index(after: close)
      start = position
    }
    if start < bytes.endIndex || pieces.isEmpty { pieces.append(.text(text[start...])) }
    self.pieces = pieces
  }

  /// The parameter that is all of the text; `nil` for any other text.
  var whole: Substring? {
    if pieces.count == 1, case .parameter(let name) = pieces[0] { name } else { nil }
  }

  var parameters: [Substring] {
    pieces.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }
}
