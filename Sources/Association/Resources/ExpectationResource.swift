package enum ExpectationResource {
  /// The maximum number of characters of a URL.
  package static let longestURL = 8192

  private static let fields: [Field<Expectation>] = [
    Field(
      "url", .url, \.url, "An http or https URL of the domain or of one of its aliases.",
      .required),
    Field(
      "platform", .platform,
      "The platform of the app. Default: the one that the app's form suggests.", .optional,
      write: { expectation in
        let (platform, app) = (expectation.app.platform, expectation.app.text)
        return platform == .ios && Platform(likelyOf: app) == .ios
          ? nil : .string(platform.rawValue)
      },
      read: { body, expectation in
        if let platform = body.word(Platform.self) { expectation.app = noApp(platform) }
      }),
    Field(
      "app", .string,
      "The app that would open the URL: an app identifier or, on Android, a package name.",
      .required, write: { .string($0.app.text) },
      read: { body, expectation in
        switch expectation.app.platform {
        case .ios:
          if let app = body.parse(AppIdentifier.init(_:)) { expectation.app = .ios(app) }
        case .android:
          if let package = body.parse(PackageName.init(validating:)) {
            expectation.app = .android(package)
          }
        }
      }),
    Field(
      "resolution", .resolution, \.resolution, "How the URL must resolve.", .required),
  ]

  /// Every expectation of a domain.
  package static let list = Member(
    "expectations", listCoding.schema,
    "URLs with the resolutions that every edit must preserve.", .required)

  package static let schemas: JSON.Object = [
    "Expectation": fields.members().schema("A URL and how it must resolve for an app."),
    "Expectations": [list].schema(),
  ]

  package static let listCoding = Coding<[Expectation]>.list(
    of: Coding(.shared("Expectation"), read: read) { json($0) }, limit: 1000)

  package static func json(_ expectation: Expectation) -> JSON {
    .object(fields.json(of: expectation))
  }

  package static func readList(_ body: BodyValue) -> [Expectation]? { listCoding.read(body) }

  package static func read(_ body: BodyValue) -> Expectation? {
    let likely = Platform(likelyOf: body.json["app"]?.stringValue ?? "")
    var expectation = Expectation(url: "", app: noApp(likely), resolution: .noMatch)
    return body.read(fields, into: &expectation) ? expectation : nil
  }

  /// An app of a platform, until its name has been read.
  private static func noApp(_ platform: Platform) -> LinkedApp {
    switch platform {
    case .ios: .ios(AppIdentifier(stored: ""))
    case .android: .android(PackageName(stored: ""))
    }
  }
}

extension Coding<String> {
  /// An http or https URL with a host.
  fileprivate static var url: Coding {
    Coding(.string) { body in
      guard let text = body.text(longest: ExpectationResource.longestURL) else { return nil }
      if Matcher.host(of: text) != nil { return text }
      body.fault(.malformedURL, "\(text.quoted) is not an http or https URL with a host.")
      return nil
    } write: {
      .string($0)
    }
  }
}
