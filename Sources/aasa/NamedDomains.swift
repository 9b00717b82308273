import Association
import Service

/// The domains that a command line names, and those in its `--from` file.
struct NamedDomains {
  static let from = Option(
    "--from", "FILE",
    "A file with a domain per line; - is stdin. Empty lines, and everything after a #, are skipped."
  )

  /// Each domain once.
  private(set) var domains: [DomainName] = []
  /// The lines of the file that name no domain.
  private(set) var unreadable: [(line: String, error: ValidationError)] = []

  static let label = Option("--label", "LABEL", "The domains with this label, too.")

  /// - Throws: `ValidationError` for an operand that is no domain, `Failure` for a file that cannot be read,
  ///   `UsageError` if there is neither a domain nor a label.
  init(_ arguments: Arguments) throws {
    var named = try arguments.operands.map { try DomainName($0) }
    if let path = arguments.value(Self.from) {
      let text = String(decoding: try InputFile.bytes(of: path), as: UTF8.self)
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for (index, line) in lines.enumerated() {
        let name = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).joined(
          separator: " ")
        if name.isEmpty { continue }
        do throws(ValidationError) {
          named.append(try DomainName(name))
        } catch {
          unreadable.append(("\(path), line \(index + 1)", error))
        }
      }
    }
    if named.isEmpty && unreadable.isEmpty && !arguments.has(Self.label) {
      if let path = arguments.value(Self.from) {
        throw Failure("\(path.quotedPath) lists no domain: write one in each line.")
      }
      throw UsageError("Name a domain, or a file of domains with --from.")
    }
    domains = named.uniqued()
  }

  /// Adds the domains that have the label of `--label`.
  ///
  /// - Throws: `Failure` if there are none; what the installation throws.
  mutating func addLabelled(_ arguments: Arguments, from installation: Installation) throws {
    guard let label = try arguments.value(Self.label).map({ try Label($0) }) else { return }
    let labelled = try installation.domainNames(["label": label.text])
    domains = (domains + labelled.map(DomainName.init(stored:))).uniqued()
    if domains.isEmpty && unreadable.isEmpty {
      throw Failure("No domain has the label \"\(label)\". 'aasa domains' lists the domains.")
    }
  }
}
