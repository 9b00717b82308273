/// Finds what will not work on a device, before anything is published.
package enum Linter {
  /// Raised whenever the findings about some document change, so that servers make stored findings again.
  package static let version = 2

  /// The largest document, in uncompressed bytes, that Apple's systems read (App Search Programming
  /// Guide, "Support Universal Links": 128 KB).
  package static let maximumSize = 131_072

  /// The largest assetlinks.json file, in bytes, that AOSP's verifier reads; Google names no limit.
  package static let maximumAssetLinksSize = 1_048_576
  /// The size from which an assetlinks.json file is called large.
  static let largeAssetLinksSize = 128_000

  /// The names that a document is published for.
  package struct Context: Sendable {
    /// The domain, lower-case.
    package let domain: String
    /// All names, lower-case: the domain and its aliases, including wildcards such as `*.example.com`.
    package let names: [String]

    /// The names of a domain; `aliases` may repeat the domain.
    package init(domain: String, aliases: [String] = []) {
      self.domain = domain
      names = [domain] + aliases
    }

    var registrableNames: Set<String> {
      Set(names.compactMap { RegistrableName(ofHost: $0)?.text })
    }
  }

  package struct Report: Sendable {
    /// The findings in file order: at most 100 of a code and severity, the last of which says how
    /// many more there are.
    package let findings: [Finding]
    /// The document; `nil` if the file is not JSON.
    package let document: JSON?

    /// Whether there is no error.
    package var isValid: Bool { !findings.contains { $0.severity == .error } }
  }

  /// Lints a file, byte for byte.
  ///
  /// - Parameter context: The names that it is published for; without it, names are not checked.
  package static func report(
    onFile bytes: [UInt8], kind: DocumentKind = .apple, context: Context? = nil
  ) -> Report {
    if case .named(let name) = kind {
      return report(onBytes: bytes, of: name, context: context)
    }
    let syntax = syntax(ofFile: bytes, kind: kind)
    guard let document = syntax.document else {
      let found = syntax.findings + sizeFindings(bytes.count, kind)
      return Report(findings: found.about(kind), document: nil)
    }
    let found = findings(
      in: ReadDocuments([kind: document]), kind, size: bytes.count, context: context,
      after: syntax.findings)
    return Report(findings: found.about(kind), document: document)
  }

  /// Lints a document that is published as bytes, as of now.
  private static func report(
    onBytes bytes: [UInt8], of name: DocumentName, context: Context?
  ) -> Report {
    do throws(ValidationError) {
      let names = context?.names.map(Alias.init(stored:)) ?? []
      let document = try NamedDocument(name, bytes: bytes)
      return Report(findings: document.findings(of: names, at: .now), document: nil)
    } catch {
      let finding = Finding(
        .tooLarge, at: .root, error.message,
        help: "Publish 1 to \(NamedDocument.maximumSize) bytes.")
      return Report(findings: [finding].about(.named(name)), document: nil)
    }
  }

  private static func findings(
    in documents: ReadDocuments, _ kind: DocumentKind, size: Int, context: Context?,
    after syntax: [Finding]
  ) -> [Finding] {
    guard let json = documents.json[kind] else { return [] }
    let known = syntax + sizeFindings(size, kind)
    switch kind {
    case .apple:
      return findings(in: documents.apple, size: size, context: context, after: known)
    case .assetLinks:
      var inspection = StatementInspection(
        documents.assetLinks ?? AssetLinks(json), context, findings: known)
      inspection.inspect()
      return inspection.inFileOrder()
    case .webAuthn:
      var inspection = OriginInspection(RelatedOrigins(json), findings: known)
      inspection.inspect(context)
      return inspection.inFileOrder()
    case .passkeyEndpoints: return PasskeyEndpoints.findings(in: json, after: known)
    case .named: return known
    }
  }

  /// Lints only the syntax of a file: JSON, byte order mark, duplicate keys. Of a signed file, this is
  /// the syntax of its content.
  package static func syntax(ofFile bytes: [UInt8], kind: DocumentKind = .apple) -> Report {
    // Only Apple's files were ever signed.
    if kind != .apple { return syntax(ofJSON: bytes, kind: kind) }
    do throws(SignedFile.Unreadable) {
      guard let content = try SignedFile.content(of: bytes) else { return syntax(ofJSON: bytes) }
      let report = syntax(ofJSON: content)
      return Report(findings: [cmsSigned] + report.findings, document: report.document)
    } catch {
      return Report(findings: [unreadable(error)], document: nil)
    }
  }

  private static func syntax(ofJSON bytes: [UInt8], kind: DocumentKind = .apple) -> Report {
    do throws(JSON.SyntaxError) {
      let parsed = try JSON.parse(bytes, limits: ReadDocument.limits)
      let mark = parsed.hasByteOrderMark ? [byteOrderMark(kind)] : []
      return Report(findings: mark + duplicateKeys(parsed, kind), document: parsed.value)
    } catch {
      let finding = error.limit.map(tooComplex) ?? notJSON(error, kind, bytes)
      return Report(findings: [finding], document: nil)
    }
  }

  /// Lints the documents of a domain, which were rendered and not read from files.
  ///
  /// - Parameters:
  ///   - sizes: Their sizes in bytes as served.
  ///   - context: The names that they are published for; without it, names are not checked.
  package static func findings(
    in documents: ReadDocuments, sizes: [DocumentKind: Int], context: Context? = nil
  ) -> [Finding] {
    DocumentKind.allCases.flatMap { kind -> [Finding] in
      findings(in: documents, kind, size: sizes[kind] ?? 0, context: context, after: []).about(kind)
    }
  }

  private static func findings(
    in document: ReadDocument, size: Int, context: Context?, after known: [Finding]
  ) -> [Finding] {
    var inspection = Inspection(document, context, findings: known)
    if let context { inspection.inspectNames(context) }
    inspection.inspectDocument()
    // Devices ignore a document that is too large, so what its routes do together does not matter.
    if size <= maximumSize && !inspection.isTooComplex {
      let domain = context?.domain ?? "example.com"
      inspection.inspectShadowing(domain: domain)
      inspection.inspectSignInPages(domain: domain)
    }
    return inspection.inFileOrder()
  }

  // MARK: - Findings about the file

  private static func notJSON(
    _ error: JSON.SyntaxError, _ kind: DocumentKind, _ text: [UInt8]
  ) -> Finding {
    // What the file is for can only be guessed from the keys that it seems to have.
    let kind = kind == .apple ? likelyKind(text) : kind
    let isForLinks = text.contains(
      ascii: kind == .assetLinks ? "common.handle_all_urls" : "\"applinks\"")
    let end = isForLinks ? ", and no link opens an app." : "."
    let effect =
      switch kind {
      case .apple: "Devices ignore it\(end)"
      case .assetLinks: "Android ignores it\(end)"
      case .webAuthn: "Browsers ignore it, and no other origin can use the domain's passkeys."
      case .passkeyEndpoints: "Password managers ignore it."
      case .named: "Its readers ignore it."
      }
    return Finding(
      .notJSON, at: .root, "The file is not JSON (\(error)). \(effect)",
      help: OtherFormat(text)?.help ?? error.quote?.help
        ?? OtherSyntax(text, line: error.line, column: error.column)?.help ?? error.comma?.help
        ?? MisplacedBracket(
          text, line: error.line, column: error.column)?
        .help
        ?? "Fix line \(error.line). JSON has no comments, no trailing commas and only straight"
        + " double quotes.")
  }

  /// The kind of a file that is not JSON and was taken for Apple's.
  private static func likelyKind(_ text: [UInt8]) -> DocumentKind {
    let isApples = DocumentPart.services.contains { text.contains(quoted: $0) }
    if isApples { return .apple }
    if text.contains(ascii: "\"relation\"") && text.contains(ascii: "\"target\"") {
      return .assetLinks
    }
    return text.contains(ascii: "\"origins\"") ? .webAuthn : .apple
  }

  private static let cmsSigned = Finding(
    .cmsSigned, at: .root,
    "The file is signed (CMS). Only iOS 8 needed that, and Apple deprecated it in 2019. Its content is"
      + " checked here, its signature is not.",
    help: "Serve the content alone, as JSON. Adopting this file does that.")

  private static func unreadable(_ error: SignedFile.Unreadable) -> Finding {
    Finding(
      .notJSON, at: .root, "\(error) Devices ignore it, and no link opens an app.",
      help: "Serve JSON that is not signed.")
  }

  private static func byteOrderMark(_ kind: DocumentKind) -> Finding {
    Finding(
      .byteOrderMark, severity: Finding.Code.byteOrderMark.severity(in: kind), at: .root,
      "The file starts with a byte order mark, which JSON forbids. "
        + (kind == .assetLinks ? "Some readers skip it." : "Devices may reject it."),
      help: "Save the file as UTF-8 without a byte order mark.")
  }

  private static func tooComplex(_ limit: JSON.Limit) -> Finding {
    Finding(
      .tooComplex, at: .root, "The file cannot be checked: \(limit). No file of 128 KB needs that.",
      help: "Make the file smaller.")
  }

  private static func duplicateKeys(_ parsed: JSON.Parsed, _ kind: DocumentKind) -> [Finding] {
    let severity = Finding.Code.duplicateKey.severity(in: kind)
    var list = FindingList()
    _ = list.count(.duplicateKey, severity, parsed.duplicateKeyCount)
    for pointer in parsed.duplicateKeys {
      list.append(
        Finding(
          .duplicateKey, severity: severity, at: pointer,
          "The object has this key more than once. JSON does not define which value applies.",
          help: "Keep one of them."))
    }
    return list.listed
  }

  private static func sizeFindings(_ size: Int, _ kind: DocumentKind) -> [Finding] {
    let maximum = kind.maximumSize
    let (message, help): (String, String)
    switch (kind, size > maximum) {
    case (.apple, true), (.passkeyEndpoints, true):
      message =
        "The document has \(size) bytes, more than the limit of \(maximum) (128 KB, uncompressed). Devices ignore it."
      help = "Merge routes with wildcards or variables, or move apps to other domains."
    case (.apple, false), (.passkeyEndpoints, false):
      if size * 100 < maximum * 80 { return [] }
      let unit =
        size < 128_000
        ? ""
        : " Apple writes 128 KB and does not say whether a KB has 1000 or 1024 bytes; this document has"
          + " more than 128,000."
      message =
        "The document uses \(size) of \(maximum) allowed bytes. Devices ignore larger ones." + unit
      help = "Make room before it grows: merge routes with wildcards or variables."
    case (.assetLinks, true):
      message =
        "The file has \(size) bytes. AOSP's verifier ignores a file of more than \(maximum) (1 MiB), and Google may"
        + " ignore it, too."
      help = "Remove apps, or merge rules."
    case (.assetLinks, false):
      if size <= largeAssetLinksSize { return [] }
      message =
        "The file has \(size) bytes. AOSP's verifier reads at most \(maximum) (1 MiB); Google has a limit, too, and"
        + " does not name it."
      help = "Make room before it grows: remove apps, or merge rules."
    case (.webAuthn, true):
      message =
        "The file has \(size) bytes. Chrome ignores a file of more than \(maximum) (256 KiB)."
      help = "Remove origins."
    case (.webAuthn, false), (.named, _): return []
    }
    let code = size > maximum ? Finding.Code.tooLarge : .nearSizeLimit
    return [Finding(code, at: .root, message, help: help)]
  }
}

extension MisplacedComma {
  fileprivate var help: String {
    switch fault {
    case .missing: "Write a comma in line \(line), behind column \(column): one is missing there."
    case .excessive: "Remove the comma in line \(line), column \(column): it is one too many."
    case .inPlaceOfValue:
      "Write a value before the comma in line \(line), column \(column): the key has none."
    case .inPlaceOfColon:
      "Write a colon in place of the comma in line \(line), column \(column): a key needs one. A list stands"
        + " between `[` and `]`."
    }
  }
}

extension CurlyQuote {
  fileprivate var help: String {
    "Line \(line), column \(column) has the quotation mark \(text). Write straight ones (`\"`): some editors change"
      + " them as you type."
  }
}
