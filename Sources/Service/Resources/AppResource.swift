package import Association
package import Publishing
package import Store

/// The apps of one platform in JSON.
package struct AppResource<Key: AppKey>: Sendable {
  /// The member with the identifier, and its parameter in paths.
  package let key: String
  /// The member of a state, and of a plan, that lists such apps.
  package let list: String
  /// The name of the schema.
  package let schema: String
  let coding: Coding<Key>
  /// What a request has that gives a whole app, besides the identifier in its path.
  private let required: String?
  private let documentation: String
  /// For apps to be read into.
  private let blank: Key.App
  private let fields: [Field<StoredApp<Key>>]

  private var requestFields: [Field<StoredApp<Key>>] {
    required.map { fields.requiring($0) } ?? fields
  }
  private var stateFields: [Field<StoredApp<Key>>] { fields.requiring(key) }

  var members: [Member] { fields.members() }

  var schemas: JSON.Object {
    [
      schema: members.schema(),
      "\(schema)Input": requestFields.members().schema(documentation, for: .request),
      "\(schema)OfState": (stateFields + [Self.base]).members().schema(
        "An app. In an existing app, a member that is left out stays as it is, and null resets it.",
        for: .request),
      "Exported\(schema)": (fields + [Self.base]).members().schema(for: .export),
    ]
  }

  package func json(_ stored: StoredApp<Key>) -> JSON { .object(fields.json(of: stored)) }

  /// All of an app, for a state.
  func stated(_ app: Key.App) -> JSON.Object {
    fields.json(of: StoredApp(app: app), for: .export)
  }

  /// An app as it is exported.
  package func exported(_ app: Key.App) -> JSON.Object {
    var object = stated(app)
    object.appendNew(Self.base.member.name, .string(hash(app)))
    return object
  }

  private static var base: Field<StoredApp<Key>> {
    Field(
      "base", .sha256,
      "What the app was when it was exported. An app of a state that still is as it was then stays as it is now, "
        + "whatever others have changed in it. Leave it out of an app that you write.",
      write: { _ in nil },
      read: { body, _ in
        let isHash = { (text: String) in
          text.utf8.count == 64 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        }
        if let text = body.string, !isHash(text) {
          body.fault(.malformedValue, "Leave \"base\" as it was exported, or leave it out.")
        }
      })
  }

  private func hash(_ app: Key.App) -> String {
    SHA256.hexadecimal(
      of: Array(JSON.object(stated(app)).serialized()))
  }

  package var identifier: Schema { coding.schema }

  package func read(key body: BodyValue) -> Key? { coding.read(body) }

  /// Reads an app whose identifier is in the path.
  package func read(_ body: BodyValue, _ key: Key) -> Key.App? {
    var stored = StoredApp<Key>(app: Key.app(key))
    let isComplete = body.read(requestFields, into: &stored)
    if stored.app[keyPath: Key.rows.key] != key {
      body.faults.add(
        .appDiffers, at: body.pointer.appending(self.key),
        "The path names \"\(key)\". Leave \"\(self.key)\" out, or set it to the same identifier.")
    }
    return isComplete ? stored.app : nil
  }

  /// Reads an app of a state.
  package func read(_ body: BodyValue) -> DesiredApp<Key>? {
    var read = StoredApp<Key>(app: blank)
    guard body.read(stateFields + [Self.base], into: &read) else { return nil }
    let app = read.app
    let given = fields.filter { body.json[$0.member.name] != nil }
    let base = body.json[Self.base.member.name]?.stringValue
    let wasExported = base.map { base in { @Sendable (app: Key.App) in hash(app) == base } }
    return DesiredApp(
      id: app[keyPath: Key.rows.key],
      environment: body.json["environment"].map { _ in app[keyPath: Key.rows.environment] },
      isAsExported: base == hash(app), wasExported: wasExported
    ) { old in
      var stored = StoredApp<Key>(app: old)
      given.copy(StoredApp(app: app), into: &stored)
      return stored.app
    }
  }

  private static var kept: [Field<StoredApp<Key>>] {
    [
      Field("domains", .count, \.domainCount, "How many domains use the app.", .kept),
      Field("updatedAt", .time, \.updatedAt, "When the app last changed.", .kept),
    ]
  }
}

extension AppResource<AppIdentifier> {
  package static let apple = AppResource(
    key: "app", list: "apps", schema: "App", coding: .app, required: nil,
    documentation: "An app. `environment` is `production` by default.",
    blank: App(id: AppIdentifier(stored: "")),
    fields: [
      Field("app", .app, \.app.id, "The app identifier."),
      Field("name", .text(longest: 200), \.app.name, "A display name; may be empty."),
      Field("environment", .environment, \.app.environment, "What the app is built for."),
    ] + kept)
}

extension AppResource<PackageName> {
  package static let android = AppResource(
    key: "package", list: "androidApps", schema: "AndroidApp", coding: .packageName,
    required: "fingerprints",
    documentation: "An Android app. `environment` is `production` by default.",
    blank: AndroidApp(package: PackageName(stored: "")),
    fields: [
      Field("package", .packageName, \.app.package, "The package name."),
      Field("name", .text(longest: 200), \.app.name, "A display name; may be empty."),
      Field("environment", .environment, \.app.environment, "What the app is built for."),
      Field(
        "fingerprints",
        .list(of: Coding.certificate.schema, limit: AndroidApp.mostCertificates, atLeast: 1),
        "The certificates that sign the app, in the order in which they are published; at least one.",
        write: { Coding.list(of: .certificate).write($0.app.certificates) },
        read: { body, root in root.app.certificates = readCertificates(body) ?? [] }),
      Field(
        "addedBy", .written("LimitedAuthor", authorFields), get: \.app.addedBy,
        "The token or the user that added the app, if it is limited to domains; left out once somebody without "
          + "limits has accepted the app for a domain, or given it other fingerprints.",
        [.optional, .local]),
      Field(
        "findings", .list(of: .shared("Finding")),
        "What is wrong with the app; left out if nothing is.",
        [.optional, .local],
        write: { stored in
          let findings = stored.app.findings.map(\.json)
          return findings.isEmpty ? nil : .array(findings)
        }),
    ] + kept)

  private static let authorFields: [Field<AndroidApp.LimitedAuthor>] = [
    Field("name", .string, get: \.name, "The name."),
    Field("domains", .list(of: .alias), get: \.scope.domains, "What it was limited to."),
    .labels(\.scope.labels, "The labels that it was limited to; left out if there were none."),
  ]

  private static func readCertificates(_ body: BodyValue) -> [AndroidApp.Certificate]? {
    var seen: Set<Fingerprint> = []
    let certificates = body.list(atMost: AndroidApp.mostCertificates) { body in
      let certificate = Coding.certificate.read(body)
      if let certificate, !seen.insert(certificate.fingerprint).inserted {
        body.fault(.repeated, "The fingerprint \(certificate.fingerprint) is listed twice.")
      }
      return certificate
    }
    if body.json == [] {
      body.fault(
        .wrongLength,
        "List at least one fingerprint: assetlinks.json cannot name an app without any.")
    }
    return certificates
  }
}

extension Coding<AndroidApp.Certificate> {
  static var certificate: Coding {
    let members = [
      Member(
        "sha256", .shared("Fingerprint", request: "FingerprintInput"), "The SHA-256 fingerprint.",
        .required),
      Member(
        "label", .words(AndroidApp.Certificate.Label.self, "CertificateLabel"),
        "Whose key it is: `play-signing` is Google Play's, which users' devices see, `upload` the developer's "
          + "own, and `debug` that of a developer's machine. `unknown` comes from an adopted file, which does not "
          + "tell.", .required),
    ]
    return Coding(.named("Certificate", request: "CertificateInput", .object(members))) { body in
      let object = body.object(members.map(\.name))
      let fingerprint = object?.required("sha256")?.parse(Fingerprint.init(validating:))
      let label = object?.required("label")?.word(AndroidApp.Certificate.Label.self)
      guard let fingerprint, let label else { return nil }
      return AndroidApp.Certificate(fingerprint, label: label)
    } write: {
      ["sha256": .string($0.fingerprint.description), "label": .string($0.label.rawValue)]
    }
  }
}
