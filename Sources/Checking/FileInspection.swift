import Association

// What the origin answers for a file.
extension CheckInspection {
  /// The time from which an answer is slow. Apple is said to wait for 5 seconds.
  private static let slow = 3_000

  /// Inspects the answers for a kind of file. Where none is expected, a site without it is no finding.
  ///
  /// - Returns: The file; `nil` if there is none, or if what there is cannot be read.
  mutating func inspect(_ kind: DocumentKind) throws -> [UInt8]? {
    if !subject.expects(kind) {
      let isAny = seen[kind].observations.contains { $0.file != nil }
      if !isAny { noteAnswer(kind) }
      if !isAny || subject.reference != nil { return nil }
    }
    if try inspectVariation(of: kind) { return nil }
    let observation = seen[kind].chosen
    // What is wrong with the host is said once.
    if case .failure(let failure) = observation.result, has(failure.code) { return nil }
    inspectRedirects(observation, kind)
    switch observation.result {
    case .failure(let failure):
      add(failure, observation, kind)
      return nil
    case .success(let answer):
      if observation.followed.isEndless {
        add(
          .tooManyRedirects, observation.url,
          "\(observation.url) redirects more than \(FollowedFetch.limit) times.",
          "Serve the file at this address directly, without a redirect.", kind: kind,
          apple: "TOO_MANY_REDIRECTS")
        return nil
      }
      if answer.status != 200 {
        addStatus(answer, observation, kind)
        return nil
      }
      return try inspect(body: answer, observation, kind)
    }
  }

  mutating func add(
    _ failure: Fetch.Failure, _ observation: Observation, _ kind: DocumentKind
  ) {
    add(
      failure.code, observation.url,
      "\(observation.followed.last.url.fromOutside): \(failure.words.fromOutside)", failure.help,
      kind: kind, apple: kind == .apple ? failure.appleCode : nil)
  }

  private mutating func inspectRedirects(_ observation: Observation, _ kind: DocumentKind) {
    guard let code = observation.followed.redirectCode else { return }
    let targets = observation.followed.hops.dropFirst().map(\.url)
    // Apple documents that redirects are not followed. Its CDN says where its copy is from.
    let plain = { (url: String) in url.lowercased().replacing(":443/", with: "/") }
    let from = seen.cdn.answer.flatMap { $0.status == 200 ? $0["Apple-From"] : nil } ?? ""
    let isFollowed = kind == .apple && targets.map(plain).contains(plain(from))
    add(
      code, severity: isFollowed ? .warning : .error, observation.url,
      "\(observation.url) redirects to \(targets[0].fromOutside)."
        + (isFollowed ? " Apple's CDN has followed it, which Apple does not promise." : ""),
      kind == .assetLinks
        ? "Serve the file at this address directly: Google follows no redirect."
        : "Serve the file at this address directly. Exempt the path from redirects to www, to https and to a login.",
      kind: kind,
      apple: kind == .apple && !isFollowed
        ? [
          .redirectInsecure: "INSECURE_REDIRECTS_FORBIDDEN",
          .redirectCrossSite: "CROSS_SITE_REDIRECTS_FORBIDDEN",
        ][code] : nil)
  }

  /// Reports what stands in place of Android's file, which nobody expects.
  private mutating func noteAnswer(_ kind: DocumentKind) {
    let observation = seen[kind].chosen
    guard kind == .assetLinks, subject.isServed, let answer = observation.answer else { return }
    let isBlocked = [401, 403, 429].contains(answer.status) || answer.status >= 500
    let found: (code: Finding.Code, what: String)? =
      switch answer.status {
      case 200 where answer.isPage && Linter.remedy(forTextInPlaceOfFile: answer.body) == nil:
        (.htmlAnswer, "serves an HTML page")
      case 200 where !answer.isCut && JSON.readable(answer.body) == nil:
        (.notJSON, answer.body.isEmpty ? "serves nothing" : "serves something that is not JSON")
      case _ where isBlocked: (.httpStatus, "answers \(answer.status)")
      default: nil
      }
    guard let (code, what) = found else { return }
    add(
      code, severity: .note, observation.url,
      "\(observation.url) \(observation.redirectInWords)\(what). For Android, the domain has no "
        + "assetlinks.json, so its links open no Android app.",
      "If that is intended, nothing needs to be done, but 404 would be clearer. Otherwise publish the file, and pass this "
        + "path to aasa. 'aasa check --app PACKAGE' checks for an Android app.", kind: kind)
  }

  private mutating func addStatus(
    _ answer: Fetch.Answer, _ observation: Observation, _ kind: DocumentKind
  ) {
    add(
      .httpStatus, observation.url,
      "\(observation.url) \(observation.redirectInWords)answers \(answer.status), not 200."
        + (seen.misnamed.first { $0.kind == kind }.map {
          " \($0.observation.url) has a file, but nobody asks for it there."
        } ?? ""),
      subject.isOurs
        ? "Pass this path to aasa, also for this name. Compare with what aasa answers itself."
        : "Serve the file there, to everybody, without a login."
          + (answer.status == 404 && answer["Server"] == "GitHub.com"
            ? " GitHub Pages leaves `.well-known` out, unless a file `.nojekyll` is in the root of the site."
            : "")
          + (answer.isChallenge
            ? " The answer is a challenge, which only browsers solve: exempt the path from the protection against bots."
            : ""),
      kind: kind, apple: kind == .apple ? "BAD_HTTP_RESPONSE" : nil)
  }

  /// Inspects an answer with the status 200.
  private mutating func inspect(
    body answer: Fetch.Answer, _ observation: Observation, _ kind: DocumentKind
  ) throws -> [UInt8]? {
    let url = observation.followed.last.url.fromOutside
    let bytes = answer.body
    let apple = { (code: String) in kind == .apple ? code : nil }
    if observation.followed.last.fetch.milliseconds > Self.slow {
      add(
        .slow, observation.url,
        "\(url) took \(observation.followed.last.fetch.milliseconds) ms. Apple reportedly waits for 5 s.",
        "Find out what is slow in front of aasa, which answers from memory.", kind: kind)
    }
    if answer.isCut {
      add(
        .tooLarge, observation.url, "\(url) serves more than 131,072 bytes.",
        "Make the file smaller: devices ignore a larger one.", kind: kind)
      return nil
    }
    // What looks like a page may be the message or the source of a program.
    let remedy = answer.isPage ? Linter.remedy(forTextInPlaceOfFile: bytes) : nil
    if let remedy {
      add(
        .notJSON, observation.url,
        "\(url) serves \(bytes.isEmpty ? "nothing" : "something that is not JSON").", remedy,
        kind: kind,
        apple: apple("BAD_JSON_CONTENT"))
      return nil
    }
    if answer.isPage {
      add(
        .htmlAnswer, observation.url, "\(url) serves an HTML page instead of the file.",
        "Something in front of aasa answers every path with a page. Pass this path to aasa.",
        kind: kind,
        apple: apple("BAD_JSON_CONTENT"))
      return nil
    }
    if bytes.isSigned {
      add(
        .cmsSigned, observation.url, "\(url) serves a signed file, which only iOS 8 needed.",
        "Serve the JSON inside.", kind: kind, apple: apple("BAD_PKCS7_SIGNATURE"))
      return nil
    }
    inspectType(answer.mediaType, observation, kind)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      add(
        .byteOrderMark, severity: Finding.Code.byteOrderMark.severity(in: kind), observation.url,
        "\(url) begins with a byte order mark, which is not JSON.",
        "Save the file as UTF-8 without a byte order mark.", kind: kind,
        apple: apple("BAD_JSON_CONTENT"))
    }
    guard JSON.readable(bytes) != nil else {
      let fault = Linter.report(onFile: bytes, kind: kind).findings.first { $0.code == .notJSON }
      add(
        .notJSON, observation.url,
        "\(url) serves \(bytes.isEmpty ? "nothing" : "something that is not JSON").",
        "Serve the file unchanged. \(fault?.help ?? "'aasa validate' shows where it breaks.")",
        kind: kind, apple: apple("BAD_JSON_CONTENT"))
      return nil
    }
    try compare(bytes, observation, kind)
    return bytes
  }

  private mutating func inspectType(
    _ type: String, _ observation: Observation, _ kind: DocumentKind
  ) {
    if type == "application/json" { return }
    let isAccepted = kind == .apple && type == "application/octet-stream"
    add(
      .contentType, severity: isAccepted ? .warning : .error, observation.url,
      "\(observation.url) has the type \(type.isEmpty ? "none" : type.quoted), not application/json."
        + (isAccepted ? " Apple's CDN has accepted this one, which Apple does not promise." : ""),
      "Send Content-Type: application/json.", kind: kind)
  }

  /// Compares a file with what should be there. A file that nobody said anything about is linted.
  private mutating func compare(
    _ bytes: [UInt8], _ observation: Observation, _ kind: DocumentKind
  ) throws {
    if kind == .apple { inspectApps(bytes, observation) }
    guard let reference = subject.reference, reference.documents[kind] != nil else {
      guard goesOn(bytes.count) else { return }
      let report = Linter.report(
        onFile: bytes, kind: kind, context: Linter.Context(domain: subject.domain.text))
      let reported: Set<Finding.Code> = [.byteOrderMark, .notJSON, .tooLarge, .wwwSiblingMissing]
      for var finding in report.findings.prefix(50)
      where finding.severity != .note && !reported.contains(finding.code) {
        // The answer of an API for a path that it does not know: nobody said that there is an Android app.
        if finding.code == .notList && !subject.expects(kind) {
          add(
            .notList, severity: .note, observation.url, finding.message, finding.help, kind: kind)
          continue
        }
        finding.url = observation.url
        check.findings.append(finding)
      }
      return
    }
    let held = try described(bytes, kind, by: reference)
    if kind == .apple { check.origin = held }
    if held.isCurrent {
      if held.equality == .meaning {
        add(
          .bodyNotOurs, severity: .note, observation.url,
          "\(observation.url) serves the right content with other bytes (\(held.size)).",
          "Something in front of aasa rewrites JSON. Configure it to pass the file on unchanged.",
          kind: kind)
      }
      return
    }
    let ours = held.current.map { "revision \($0), which aasa serves" } ?? "the given one"
    if let revision = held.revision {
      add(
        .bodyNotOurs, observation.url,
        "\(observation.url) serves revision \(revision), not \(ours).",
        "A cache in front of aasa keeps an old copy: purge it for this path.", kind: kind)
    } else {
      add(
        .bodyNotOurs, observation.url,
        "\(observation.url) serves a file that is not \(ours)." + held.changes.inWords,
        "Another server answers for this name, or something in front changes the file. Pass the path to aasa.",
        kind: kind)
    }
  }

  /// Reports an Android app that no statement names, or that the file names for one purpose only.
  mutating func inspectAndroidApp(_ package: PackageName) {
    let observation = seen[.assetLinks].chosen
    let statements = observation.file.flatMap(JSON.readable).map { AssetLinks($0).statements } ?? []
    let own = statements.filter { statement in
      if case .app(package, _) = statement.target { true } else { false }
    }
    if !own.isEmpty {
      let relations = Set(own.flatMap(\.relations))
      if !relations.contains(.handleAllURLs) {
        addPartlyNamed(
          "\(package) without `handle_all_urls`, so links", observation, .assetLinks, .warning)
      } else if !relations.contains(.getLoginCredentials) {
        addPartlyNamed(
          "\(package) without `get_login_creds`, so passwords and passkeys", observation,
          .assetLinks)
      }
      return
    }
    // Google's fetcher is kept from the file, which is reported.
    if observation.file == nil && has(.botBlocked) { return }
    let others = statements.compactMap { statement in
      if case .app(let other, _) = statement.target { other.text } else { nil }
    }.uniqued()
    let named =
      others.isEmpty ? "" : " It names \(others.prefix(3).joined(separator: ", ").fromOutside)."
    add(
      .appMissing, observation.url,
      "\(observation.url) does not name \(package)"
        + (observation.file == nil ? ": there is no file." : ".") + named,
      "Links of the domain do not open an app that its file does not name. Publish the file with the app.",
      kind: .assetLinks)
  }

  private mutating func addPartlyNamed(
    _ what: String, _ observation: Observation, _ kind: DocumentKind,
    _ severity: Finding.Severity = .note
  ) {
    add(
      .appPartlyNamed, severity: severity, observation.url,
      "The file at \(observation.url) names \(what) of the domain do not reach it.",
      "If the app uses them, name it there, too.", kind: kind)
  }

  /// The services besides links for which a file names an app.
  private func services(naming app: String, _ json: JSON?) -> [String] {
    AssociationFile.Service.allCases.map(\.rawValue).filter { service in
      json?[service]?["apps"]?.arrayValue?.contains { $0 == .string(app) } == true
    }
  }

  /// Reports apps that the file has to name. The app that somebody asks about may be there for other services than links.
  private mutating func inspectApps(_ bytes: [UInt8], _ observation: Observation) {
    let json = JSON.readable(bytes)
    let named = json.map { ReadDocument($0).apps } ?? []
    var wanted = subject.reference?.documents[.apple].map { ReadDocument($0).apps } ?? []
    if let asked = subject.app?.identifier?.text, !wanted.contains(asked) {
      let services = services(naming: asked, json)
      let app = asked.fromOutside
      if named.contains(asked) {
        if !services.contains(AssociationFile.Service.webcredentials.rawValue) {
          addPartlyNamed(
            "\(app) without `webcredentials`, so passwords, passkeys and HTTPS callbacks",
            observation,
            .apple)
        }
      } else if services.isEmpty {
        wanted.insert(asked)
      } else {
        addPartlyNamed(
          "\(app) only for \(services.joined(separator: " and ")), so links", observation, .apple,
          .warning)
      }
    }
    let missing = wanted.subtracting(named).sorted()
    if missing.isEmpty { return }
    let list = missing.prefix(5).joined(separator: ", ") + (missing.count > 5 ? "…" : "")
    let services = services(naming: missing[0], json)
    let isOtherwiseNamed = missing.allSatisfy { !self.services(naming: $0, json).isEmpty }
    var others = ""
    if missing.count == 1, isOtherwiseNamed {
      others = " It names the app only for \(services.joined(separator: " and "))."
    } else if missing.count == 1 {
      let sentence = AppIdentifier(stored: missing[0]).sentence(onOthersIn: named.sorted())
      others = sentence.isEmpty ? "" : " " + sentence.fromOutside
    }
    add(
      .appMissing, observation.url,
      "The file at \(observation.url) does not name \(list.fromOutside)\(isOtherwiseNamed ? " for links" : "").\(others)",
      "Links of the domain do not open an app that its file does not name. Publish the file with the app."
    )
  }
}

extension [String] {
  /// The first changes as a sentence, or nothing.
  var inWords: String {
    if isEmpty { return "" }
    return " It differs: \(prefix(3).joined(separator: "; "))\(count > 3 ? ", and more" : "")."
  }
}

extension ReadDocument {
  /// The apps whose links it is about.
  fileprivate var apps: Set<String> { Set(links.entries.flatMap(\.apps)) }
}
