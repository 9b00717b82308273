import Association
import FoundationEssentials
import Service
import Store

/// Puts what `/v1/served` answers into a directory.
///
/// It remembers the names of each domain, but not the documents.
struct ServedCopy {
  private static let wildcardsName = "_wildcards.conf"
  private static let passwordsName = "_passwords.conf"

  private let directory: RenderedDirectory
  private var names: [Int: [Alias]] = [:]
  /// Where domains redirect to for changing a password.
  private var passwords: [Int: SecureURL] = [:]
  /// The domain that has a name.
  private var owners: [Alias: Int] = [:]
  /// Names that a domain had and that may have moved to another one.
  private var departed: Set<Alias> = []
  private var isListing = false
  private var areNamesChanged = false
  /// The domains that cannot be read.
  private(set) var unreadable: Set<Int> = []

  init(in directory: RenderedDirectory) { self.directory = directory }

  /// Does what a page says. If it fails, it can be given again.
  ///
  /// - Returns: Where to go on, and whether the directory is up to date.
  /// - Throws: `Failure`.
  mutating func take(_ page: JSON) throws -> (next: String, isCurrent: Bool) {
    guard let domains = page["domains"]?.arrayValue, let next = page["next"]?.stringValue,
      let isFirst = page["first"]?.boolValue, let isCurrent = page["current"]?.boolValue
    else { throw Failure("The server sent an answer without \"next\". It may be a newer one.") }
    if isFirst {
      (names, passwords, owners, departed, unreadable) = ([:], [:], [:], [], [])
      (isListing, areNamesChanged) = (true, true)
    }
    do {
      for domain in domains { try take(domain: domain) }
      try directory.commit()
      if isCurrent { try finish() }
    } catch {
      directory.giveUp()
      takeOneByOne(domains, isCurrent)
      throw error
    }
    return (next, isCurrent)
  }

  /// Does what can be done of a page that failed: a file that finds no room keeps no other one from being written, and
  /// none from being deleted, which may make room. What fails is reported for the whole page.
  private mutating func takeOneByOne(_ domains: [JSON], _ isCurrent: Bool) {
    for domain in domains {
      attempt {
        try $0.take(domain: domain)
        try $0.directory.commit()
      }
    }
    if isCurrent { attempt { try $0.finish() } }
  }

  private mutating func attempt(_ body: (inout ServedCopy) throws -> Void) {
    do {
      try body(&self)
    } catch {
      directory.giveUp()
    }
  }

  private mutating func take(domain: JSON) throws {
    guard let key = domain["key"]?.integerValue else { throw Self.unknown }
    if let fault = domain["fault"]?.stringValue { Terminal.complain("Damaged: \(fault.harmless).") }
    guard let texts = domain["names"]?.arrayValue, let documents = domain["documents"]?.arrayValue
    else {
      unreadable.insert(key)
      return
    }
    unreadable.remove(key)
    // A server must not be able to choose where files are written.
    let new = try texts.map { text in
      do throws(ValidationError) {
        return try Alias(text.stringValue ?? "")
      } catch {
        throw Self.unknown
      }
    }
    let old = names[key] ?? []
    if old != new {
      areNamesChanged = true
      for name in old where owners[name] == key {
        owners[name] = nil
        departed.insert(name)
      }
    }
    names[key] = new.isEmpty ? nil : new
    for name in new { owners[name] = key }
    let password: SecureURL?
    do throws(ValidationError) {
      password = try domain["changePassword"]?.stringValue.map { text throws(ValidationError) in
        try SecureURL(text)
      }
    } catch {
      throw Self.unknown
    }
    if passwords[key] != password { areNamesChanged = true }
    passwords[key] = password
    let files = try files(of: documents, password)
    for name in new where !name.isWildcard { try directory.put(files, of: name.name.text) }
  }

  /// The files of each of a domain's hosts.
  private func files(
    of documents: [JSON], _ password: SecureURL?
  ) throws -> [RenderedDirectory.File] {
    var files: [RenderedDirectory.File] = []
    var headers = ""
    for document in documents {
      guard let kind = document["kind"]?.stringValue.flatMap(DocumentKind.init),
        let content = document["content"]?.stringValue.flatMap({ Data(base64Encoded: $0) }),
        let cacheSeconds = document["cacheSeconds"]?.integerValue
      else { throw Self.unknown }
      let bytes = [UInt8](content)
      guard SHA256.hexadecimal(of: bytes) == document["sha256"]?.stringValue else {
        throw Failure("A document was damaged on its way from the server. Try again.")
      }
      // A server must not be able to write header fields.
      let mediaType: MediaType
      do throws(ValidationError) {
        mediaType = try MediaType(document["mediaType"]?.stringValue ?? MediaType.json.text)
      } catch {
        throw Self.unknown
      }
      for path in kind.paths {
        files.append(RenderedDirectory.File(path: String(path.dropFirst()), bytes: bytes))
        headers += """
          \(path)
            Content-Type: \(mediaType)
            Cache-Control: public, max-age=\(cacheSeconds)
            X-Content-Type-Options: nosniff

          """
      }
    }
    if files.isEmpty { return [] }
    if let password {
      let rule = "\(RenderedDirectory.redirectsStart)\(password) 302\n"
      files.append(.init(path: RenderedDirectory.redirectsName, bytes: Array(rule.utf8)))
    }
    return files + [.init(path: RenderedDirectory.headersName, bytes: Array(headers.utf8))]
  }

  private static let unknown = Failure(
    "The server sent an answer that this version of aasa does not understand. It may be a newer one: update aasa here."
  )

  // MARK: When a page is current

  private mutating func finish() throws {
    if !isListing {
      for name in departed where owners[name] == nil && !name.isWildcard {
        try directory.put([], of: name.name.text)
      }
    } else if unreadable.isEmpty {
      for host in try directory.hosts() where owners[Alias(host)] == nil {
        try directory.put([], of: host.text)
      }
    } else {
      Terminal.complain(
        "Deleted nothing, because \(unreadable.count.counted("domain")) cannot be read. Run 'aasa doctor'."
      )
    }
    if areNamesChanged {
      try directory.put(wildcards, at: Self.wildcardsName)
      try directory.put(passwordRules, at: Self.passwordsName)
    }
    try directory.commit()
    departed = []
    (isListing, areNamesChanged) = (false, false)
  }

  /// Where each name redirects to for changing a password.
  private var passwordRules: [UInt8] {
    let redirecting = Set(owners.filter { $0.key.isWildcard && passwords[$0.value] != nil }.keys)
    let lines = owners.compactMap { name, key -> String? in
      // nginx would put in the value of a variable, such as that of a cookie.
      if let page = passwords[key] {
        return "\(name) \"\(page.text.replacing("$", with: "%24"))\";\n"
      }
      return Self.isBelow(name, redirecting) ? "\(name) \"\";\n" : nil
    }
    let text = """
      # Written by 'aasa render', for a map of nginx: where /.well-known/change-password of a host redirects to. A name
      # with "" redirects nowhere, although it is below a wildcard that does.

      """
    return Array((text + lines.sorted().joined()).utf8)
  }

  /// Whether a name is below another one's wildcard.
  private static func isBelow(_ name: Alias, _ wildcards: Set<Alias>) -> Bool {
    if wildcards.isEmpty { return false }
    let labels = name.name.text.split(separator: ".")
    return labels.indices.dropFirst().contains {
      wildcards.contains(Alias(stored: "*." + labels[$0...].joined(separator: ".")))
    }
  }

  /// The wildcards, and the names below them that have a directory of their own, or no file at all.
  private var wildcards: [UInt8] {
    let wildcards = owners.filter(\.key.isWildcard)
    var lines: [String] = []
    for (wildcard, key) in wildcards {
      lines.append("\(wildcard) \(names[key]?.first?.description ?? "");")
    }
    let all = Set(wildcards.keys)
    for name in owners.keys where !name.isWildcard && Self.isBelow(name, all) {
      lines.append("\(name) \(name);")
    }
    let text = """
      # Written by 'aasa render', for a map of nginx. A host with a line here is answered from the directory behind it,
      # even if that does not exist; a name is preferred to a wildcard, and a longer wildcard to a shorter one. Any
      # other host is answered from the directory with its name.

      """
    return Array((text + lines.sorted().map { "\($0)\n" }.joined()).utf8)
  }
}
