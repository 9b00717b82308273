public import JSONValue

/// Finds what will not work on a device, before anything is published.
public enum Linter {
  /// The largest document, in bytes and uncompressed, that Apple's systems read (App Search
  /// Programming Guide, "Support Universal Links": 128 KB).
  public static let maximumSize = 131_072

  /// The names that a document is published for.
  public struct Context: Sendable {
    /// The domain, lower-case.
    public let domain: String
    /// All names, lower-case: the domain and its aliases, wildcards such as `*.example.com` too.
    public let names: [String]

    /// The names of a domain; whether `aliases` repeat the domain does not matter.
    public init(domain: String, aliases: [String] = []) {
      self.domain = domain
      names = [domain] + aliases
    }
  }

  /// What was found in a file.
  public struct Report: Sendable {
    /// In the order of the places in the file.
    public let findings: [Finding]
    /// The document; `nil` when the file is not JSON.
    public let document: JSON?
  }

  /// Examines a file as it is, byte for byte.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - context: the names that it is published for; without, nothing is said about names.
  public static func report(onFile bytes: [UInt8], context: Context? = nil) -> Report {
    do throws(JSON.SyntaxError) {
      let parsed = try JSON.parse(bytes)
      var inspection = Inspection(ReadDocument(parsed.value))
      inspection.inspect(parsed)
      inspection.inspect(size: bytes.count, context: context)
      return Report(findings: inspection.inFileOrder(), document: parsed.value)
    } catch {
      var inspection = Inspection(ReadDocument(.null))
      inspection.add(error)
      inspection.inspect(size: bytes.count)
      return Report(findings: inspection.findings, document: nil)
    }
  }

  /// Examines how a file says it and not what: whether it is JSON, without a byte order mark and
  /// without duplicate keys.
  public static func syntax(ofFile bytes: [UInt8]) -> Report {
    do throws(JSON.SyntaxError) {
      let parsed = try JSON.parse(bytes)
      var inspection = Inspection(ReadDocument(parsed.value))
      inspection.inspect(parsed)
      return Report(findings: inspection.inFileOrder(), document: parsed.value)
    } catch {
      var inspection = Inspection(ReadDocument(.null))
      inspection.add(error)
      return Report(findings: inspection.findings, document: nil)
    }
  }

  /// Examines a document that was built, not read.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - size: how many bytes it takes when it is served.
  ///   - context: the names that it is published for; without, nothing is said about names.
  public static func findings(
    in document: ReadDocument, size: Int, context: Context? = nil
  ) -> [Finding] {
    var inspection = Inspection(document)
    inspection.inspect(size: size, context: context)
    return inspection.inFileOrder()
  }
}

extension Inspection {
  /// Everything that a document and its names can be wrong in.
  fileprivate mutating func inspect(size: Int, context: Linter.Context?) {
    inspect(size: size)
    if let context { inspectNames(context) }
    inspectDocument()
    // A document that devices ignore as a whole needs no closer look.
    if size <= Linter.maximumSize { inspectShadowing() }
  }

  fileprivate mutating func add(_ error: JSON.SyntaxError) {
    add(
      .notJSON, at: .root,
      "The file is not JSON (\(error)): devices take it for no file at all, and no link opens an app.",
      help: "Correct line \(error.line). JSON has no comments, no trailing commas and only straight"
        + " double quotes.")
  }

  fileprivate mutating func inspect(_ parsed: JSON.Parsed) {
    if parsed.hasByteOrderMark {
      add(
        .byteOrderMark, at: .root,
        "The file begins with a byte order mark, which JSON forbids: devices may refuse the file.",
        help: "Save the file as UTF-8 without a byte order mark.")
    }
    for pointer in parsed.duplicateKeys {
      add(
        .duplicateKey, at: pointer,
        "The object has this key more than once: which of the values counts is not defined.",
        help: "Keep one of them.")
    }
  }

  fileprivate mutating func inspect(size: Int) {
    let maximum = Linter.maximumSize
    if size > maximum {
      add(
        .tooLarge, at: .root,
        "The document has \(size) bytes, over the limit of \(maximum) (128 KB, uncompressed):"
          + " devices ignore it.",
        help: "Merge routes with wildcards or variables, or spread the apps over several domains.")
    } else if size * 100 >= maximum * 80 {
      let unit =
        size < 128_000
        ? ""
        : " Apple says 128 KB and not whether a KB has 1000 or 1024 bytes; this is over 128,000."
      add(
        .nearSizeLimit, at: .root,
        "The document has \(size) of at most \(maximum) bytes; one that is larger is ignored."
          + unit,
        help: "Make room before it grows: merge routes with wildcards or variables.")
    }
  }
}
