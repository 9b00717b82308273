package import Association
import FoundationEssentials

/// The association files that a domain serves today, fetched as Apple's bot does from both of Apple's locations.
package struct LiveFiles: Sendable {
  package struct File: Sendable {
    /// Where it was looked for.
    package let url: String
    /// What is there, unchanged.
    package let content: [UInt8]
    /// Of a document that is published as bytes: its media type.
    package var mediaType: MediaType?
  }

  /// Why a file was not fetched.
  package struct Failure: Sendable {
    /// Where it was looked for.
    package let url: String
    /// The code of a finding, or `no-file`.
    package let code: String
    package let message: String
  }

  package let domain: DomainName
  /// The files, at most one per kind, and the documents of the known names.
  package private(set) var files: [File] = []
  /// What was not fetched, though it may be there.
  package private(set) var failures: [Failure] = []
  /// What people should know about how the files were found.
  package private(set) var notes: [String] = []

  /// Fetches from several domains at the same time, in at most 5 seconds.
  package static func of(_ domains: [DomainName], _ fetcher: Fetcher) async -> [LiveFiles] {
    await domains.concurrently { await LiveFiles(of: $0, fetcher) }
  }

  private init(of domain: DomainName, _ fetcher: Fetcher) async {
    self.domain = domain
    async let root = Location("/\(DocumentKind.apple.rawValue)", of: domain, fetcher)
    async let apple = Location(.apple, of: domain, fetcher)
    let others = DocumentKind.allCases.filter { $0 != .apple }
    async let rest = others.concurrently { await Location($0, of: domain, fetcher) }
    async let named = DocumentName.known.concurrently { known in
      await LiveDocument(known, of: domain, fetcher)
    }
    add(apple: await apple, root: await root)
    for location in await rest { add(location) }
    // A site that cannot be reached is one failure.
    if files.isEmpty, failures.count == DocumentKind.allCases.count,
      Set(failures.map(\.code)).count == 1
    {
      failures.removeLast(others.count)
    }
    for document in await named {
      files += [document.file].compactMap(\.self)
      notes += [document.note].compactMap(\.self)
    }
    if files.isEmpty && failures.isEmpty {
      failures = [
        Failure(
          url: await apple.url, code: "no-file", message: "\(domain) serves no association file.")
      ]
    }
  }

  private mutating func add(apple: Location, root: Location) {
    switch (apple.content, root.content) {
    case (.file(let bytes), .file(let other)) where bytes != other:
      notes.append("\(apple.url) and \(root.url) differ. The first one is adopted, as Apple does.")
      add(apple)
    case (.file, _): add(apple)
    case (.nothing, .file):
      notes.append("\(root.url) is adopted: \(apple.url) has no file.")
      add(root)
    case (.nothing, .failure): add(root)
    // The file at the root may be an old one.
    case (.failure, _), (.nothing, .nothing): add(apple)
    }
  }

  private mutating func add(_ location: Location) {
    if let place = location.redirect {
      notes.append("\(location.url) redirects to \(place), whose file is adopted.")
    }
    switch location.content {
    case .file(let bytes): files.append(File(url: location.url, content: bytes))
    case .failure(let code, let words):
      failures.append(
        Failure(url: location.url, code: code.rawValue, message: "\(location.url): \(words)"))
    case .nothing: break
    }
  }

  /// The answer of the API.
  package var json: JSON { .object(Self.fields.json(of: self)) }

  package static let fields: [Field<LiveFiles>] = [
    Field("domain", .domain, get: \.domain),
    Field(
      "files", .list(of: .written("LiveFile", fileFields)), get: \.files,
      "At most one per kind or other known name."),
    Field(
      "failures", .list(of: .written("LiveFileFailure", failureFields)), get: \.failures,
      "What was not fetched, though it may be there."),
    Field(
      "notes", .list(of: .string), "How the files were found.",
      write: { .strings($0.notes.map(\.fromOutside)) }),
  ]

  private static let fileFields: [Field<File>] = [
    Field("url", .string, get: \.url, "Where it was looked for; it ends with the kind."),
    Field(
      "content", .string, "The bytes in base64.",
      write: { .string(Data($0.content).base64EncodedString()) }),
    mediaType,
  ]

  private static let mediaType = Field<File>(
    "mediaType", .string, get: \.mediaType?.text,
    "Of a document that is published as bytes: its media type.")

  private static let failureFields: [Field<Failure>] = [
    Field("url", .string, get: \.url),
    Field("code", .string, get: \.code, "The code of a finding, or `no-file`."),
    Field("message", .string, get: \.message.fromOutside),
  ]
}

/// What is at one of the places of a file.
private struct Location: Sendable {
  enum Content {
    case file([UInt8])
    /// The site answers, and has no such file.
    case nothing
    case failure(Finding.Code, String)
  }

  let url: String
  let content: Content
  /// Where the file is, if it is elsewhere.
  let redirect: String?

  init(_ kind: DocumentKind, of domain: DomainName, _ fetcher: Fetcher) async {
    await self.init(kind.path, of: domain, fetcher)
  }

  init(_ path: String, of domain: DomainName, _ fetcher: Fetcher) async {
    url = "https://\(domain)\(path)"
    var request = FetchRequest(url)
    request.agent = Agent.bot.rawValue
    // So that aasa itself does not take it for a fetch by Apple.
    request.fields = [(name: "X-Aasa-Check", value: "1")]
    let followed = await fetcher.follow(request)
    content = Self.content(followed, isApples: path.hasSuffix(DocumentKind.apple.rawValue))
    if case .file = content, followed.hops.count > 1 {
      redirect = followed.last.url
    } else {
      redirect = nil
    }
  }

  private static func content(_ followed: FollowedFetch, isApples: Bool) -> Content {
    switch followed.last.fetch.result {
    case .failure(let failure): return .failure(failure.code, failure.words)
    case .success(let answer):
      if followed.isEndless {
        return .failure(.tooManyRedirects, "more than \(FollowedFetch.limit) redirects.")
      }
      switch answer.status {
      case 200 where !answer.body.looksLikeFile: return .nothing
      case 200:
        // Apple would not get that file, and who answers there may be somebody else.
        if let code = followed.redirectCode, code != .redirectSameSite {
          return .failure(
            code,
            "redirects to \(followed.last.url). If that file is the right one, download it and import it."
          )
        }
        return answer.isCut
          ? .failure(.tooLarge, "the answer is larger than 131,072 bytes.") : .file(answer.body)
      // Stores of static files answer these where there is nothing.
      case 401, 403: return isApples ? .failure(.httpStatus, "status \(answer.status).") : .nothing
      case 429, 500...: return .failure(.httpStatus, "status \(answer.status).")
      default: return .nothing
      }
    }
  }
}

/// A document of a known name, if the site certainly has it: without a redirect, with a type that fits, and no page.
private struct LiveDocument: Sendable {
  private(set) var file: LiveFiles.File?
  private(set) var note: String?

  init(_ known: DocumentName.Known, of domain: DomainName, _ fetcher: Fetcher) async {
    let url = "https://\(domain)\(known.name.paths[0])"
    var request = FetchRequest(url)
    request.fields = [(name: "X-Aasa-Check", value: "1")]
    guard case .success(let answer) = await fetcher.fetch(request).result else { return }
    if let target = answer.redirect, known.allowsRedirect {
      note =
        "\(url) redirects to \(target), so it is not adopted. If that document is the right one, download it and use "
        + "'aasa put'."
    }
    guard answer.status == 200, !answer.isCut, !answer.body.isEmpty, !answer.isPage,
      !known.mediaType.isJSON || answer.body.looksLikeFile
    else { return }
    do throws(ValidationError) {
      let type = try MediaType(answer["Content-Type"] ?? known.mediaType.text)
      file = LiveFiles.File(url: url, content: answer.body, mediaType: type)
    } catch {
      note = "\(url) is not adopted: \(error.message)"
    }
  }
}
