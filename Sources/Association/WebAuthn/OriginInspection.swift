/// The linting of one `webauthn` file, with the findings so far.
struct OriginInspection {
  private let file: RelatedOrigins
  private var found: FindingList

  init(_ file: RelatedOrigins, findings: [Finding]) {
    (self.file, found) = (file, FindingList(findings))
  }

  func inFileOrder() -> [Finding] { found.inOrder(of: file.json) }

  /// - Parameter context: The names that the file is published for; without it, the domain's own origins
  ///   are not reported.
  mutating func inspect(_ context: Linter.Context?) {
    let effect = "Browsers ignore it, and no other origin can use the domain's passkeys."
    guard case .object(let members) = file.json else {
      let kind = file.json.kind
      return found.add(
        .notObject, at: .root, "The file is \(kind) but must be an object. \(effect)",
        help: file.json.arrayValue?.isEmpty == false
          ? #"Write `{"origins": ` before the list and `}` behind it."#
          : #"Write {"origins": ["https://www.example.com"]}."#)
    }
    let json = file.json
    let isWrapped = members["webauthn"]?["origins"] != nil
    let other = members.keyOfOrigins ?? (isWrapped ? "webauthn" : nil)
    let misnamed = members["origins"] == nil ? other : nil
    // The key with the origins has no finding of its own.
    for unread in file.unread where unread.key != misnamed {
      guard case .wrongType(let expected) = unread.reason else {
        found.add(
          .unknownKey, severity: .note, at: unread.pointer,
          "\(unread.key.quoted) has no meaning in \(unread.part.name). Browsers ignore it.",
          help: unread.advice(in: json))
        continue
      }
      found.add(
        .wrongType, at: unread.pointer,
        "`\(unread.key)` is \(unread.value.kind) but must be \(expected). \(effect)",
        help: "Write \(expected) of origins, such as [\"https://www.example.com\"].")
    }
    if members["origins"] == nil {
      found.add(
        .missingOrigins, at: .root, "The file has no `origins`. \(effect)",
        help: misnamed.map {
          isWrapped
            ? "Publish the object that `webauthn` has, without the one around it."
            : "Write `origins` in place of \($0.quoted)."
        } ?? "Add `origins`, a list such as [\"https://www.example.com\"].")
    }
    if file.elements?.isEmpty == true {
      found.add(
        .emptyOrigins, at: RelatedOrigins.pointer,
        "The list is empty, so no other origin can use the domain's passkeys.",
        help: "Add an origin, or stop serving the file.")
    }
    inspectOrigins(context)
  }

  private mutating func inspectOrigins(_ context: Linter.Context?) {
    var places: [WebOrigin: JSONPointer] = [:]
    var labels: [String] = []
    for (index, element) in (file.elements ?? []).enumerated() {
      let pointer = RelatedOrigins.pointer.appending(index)
      guard let text = element.stringValue else {
        found.add(
          .originNotString, at: pointer,
          "This is \(element.kind) but must be a string. Browsers then ignore the whole file.",
          help: element.onlyOrigin.map { "Write \"\($0)\"." }
            ?? "Write an origin, such as \"https://www.example.com\", or remove the element.")
        continue
      }
      let written = WrittenOrigin(text)
      if let fault = written.fault { add(fault, of: written, text, at: pointer) }
      if written.isPublicSuffix, let host = written.host {
        found.add(
          .publicSuffixOrigin, at: pointer,
          "\(host) is a public suffix: the sites below it belong to different people. An origin covers only itself,"
            + " so this permits none of them, and browsers skip it.",
          help: "List the origin of each site of yours, such as \"https://your-site.\(host)\".")
      }
      if let origin = written.origin {
        if let place = places[origin] {
          found.add(
            .duplicateOrigin, at: pointer, "\(place) is the same origin.",
            help: "Remove one of them.")
        } else if context.map({ Self.isOwn(written, of: $0) }) == true {
          found.add(
            .ownOrigin, at: pointer,
            "Pages of \(text.quoted) can use the domain's passkeys without this file.",
            help: "Remove it, unless another domain serves the same list.")
        }
        places[origin] = places[origin] ?? pointer
      }
      count(written, at: pointer, &labels)
    }
  }

  /// Whether a browser lets the origin use the passkeys of every name without asking for the file: it is
  /// the name itself or below it.
  private static func isOwn(_ written: WrittenOrigin, of context: Linter.Context) -> Bool {
    context.names.allSatisfy { name in
      written.host.map { $0.text == name || $0.text.hasSuffix(".\(name)") } ?? false
    }
  }

  /// Counts the labels of registrable names. Also those of origins with `http` or a wildcard take a place.
  private mutating func count(
    _ written: WrittenOrigin, at pointer: JSONPointer, _ labels: inout [String]
  ) {
    guard let label = written.host.flatMap({ RegistrableName($0.text, .all) })?.label,
      !labels.contains(label)
    else { return }
    guard labels.count >= RelatedOrigins.mostLabels else { return labels.append(label) }
    found.add(
      .tooManyLabels, at: pointer,
      "Browsers skip this origin. They read those of \(RelatedOrigins.mostLabels) registrable names, without"
        + " the ending such as \".com\", and the list has them before: \(labels.joined(separator: ", ")).",
      help: "Move the origins that matter to the front, or remove others.")
  }

  private func isInsecure(_ text: String) -> Bool {
    text.drop { $0.isWhitespace }.lowercased().hasPrefix("http:")
  }

  private mutating func add(
    _ fault: WrittenOrigin.Fault, of written: WrittenOrigin, _ text: String, at pointer: JSONPointer
  ) {
    let form = "https://, a host and maybe a port, such as \"https://www.example.com\""
    let proper = written.origin.map { "Write \"\($0)\"." }
    let parts = text.elements.map { WebOrigin($0) ?? WebOrigin("https://\($0)") }
    if parts.count > 1, parts.allSatisfy({ $0 != nil }) {
      let strings = parts.compactMap(\.self).prefix(3).map { "\"\($0)\"" }.joined(separator: ", ")
      return found.add(
        .malformedOrigin, at: pointer,
        "\(text.quoted) is \(parts.count) origins in one string. Browsers skip it.",
        help: "Write each as a string of its own: \(strings)\(parts.count > 3 ? "…" : ".")")
    }
    switch fault {
    case .noURL where ["android:", "ios:"].contains(where: text.hasPrefix):
      found.add(
        .malformedOrigin, at: pointer,
        "\(text.quoted) stands for an app. Only browsers read this file, for the pages of other sites, and skip it.",
        help:
          "Remove it. An app needs assetlinks.json or apple-app-site-association of the domain, and the site's server has "
          + "to expect its origin.")
    case .noURL where text.hasOtherScheme:
      found.add(
        .malformedOrigin, at: pointer,
        "\(text.quoted) is the origin of an extension or of a page within an app. Browsers read only https origins here,"
          + " and skip it.",
        help:
          "Remove it. An extension or an app gets access in other ways, and the site's server has to expect its origin."
      )
    case .noURL:
      found.add(
        .malformedOrigin, at: pointer,
        "\(text.quoted) is no origin: \(form), without a path. Browsers skip it.",
        help: WebOrigin("https://\(text)").map { "Write \"\($0)\"." } ?? "Write the whole origin.")
    case .host:
      found.add(
        .malformedOrigin, at: pointer,
        "\(text.quoted) is no origin with passkeys: \(form). Browsers skip addresses and hosts without a"
          + " dot.", help: "Write a domain name, and a port of at most 65535 if it is not 443.")
    case .ownMachine:
      found.add(
        isInsecure(text) ? .insecureOrigin : .malformedOrigin, at: pointer,
        "\(text.quoted) is the machine on which the browser runs. Browsers skip it here: they read only https"
          + " origins whose host has a dot and is no address. Passkeys do work on http://localhost, but only those of"
          + " the relying party \"localhost\", which needs no file.",
        help:
          "Remove the element. For development, use the relying party \"localhost\", or give the development"
          + " server a name below the domain, with https.")
    case .insecure:
      found.add(
        .insecureOrigin, at: pointer,
        "\(text.quoted) has the scheme http. Passkeys work only on pages with https, so no page has this"
          + " origin.", help: "Write the https origin, or remove the element.")
    case .wildcard:
      found.add(
        .wildcardOrigin, at: pointer,
        "\(text.quoted) has a wildcard, which has no meaning here. No page has this origin.",
        help: "List each origin. For names below the domain itself, no file is needed.")
    case .more:
      found.add(
        .originWithPath, at: pointer,
        "\(text.quoted) has more than scheme, host and port. Browsers read it as the whole origin.",
        help: proper ?? "Remove the rest.")
    case .spelling:
      found.add(
        .unusualOrigin, at: pointer,
        "\(text.quoted) is not spelled as browsers write it. They read it anyway; other programs may not.",
        help: proper ?? "Write it in lower case.")
    }
  }
}

extension String {
  /// Whether it is an origin with a scheme of an extension, or of a page within an app.
  fileprivate var hasOtherScheme: Bool {
    [
      "chrome-extension://", "moz-extension://", "safari-web-extension://", "capacitor://",
      "ionic://",
      "app://", "file://", "tauri://",
    ].contains { lowercased().hasPrefix($0) }
  }
}

extension JSON {
  /// The origin that is the only text of an object; `nil` for anything else.
  fileprivate var onlyOrigin: WebOrigin? {
    guard let members = objectValue?.members, members.count <= 5 else { return nil }
    let origins = members.compactMap { $0.value.stringValue.flatMap { WebOrigin($0) } }
    return origins.count == 1 ? origins[0] : nil
  }
}

extension JSON.Object {
  /// A key that has origins in place of `origins`; `nil` without one.
  var keyOfOrigins: String? {
    members.prefix(20).first { member in
      let name = member.key.lowercased().filter(\.isLetter)
      return [
        "origin", "origins", "relatedorigins", "allowedorigins", "webauthn", "webauthnorigins",
      ]
      .contains(name) && member.key != "origins" && member.value.arrayValue != nil
    }?.key
  }
}
